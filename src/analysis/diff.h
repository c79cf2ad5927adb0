/*
 * diff.h: two traces compared, row by row and position by position: where they part first, how far, and why.
 *
 * Rows are matched by ID and numbers by logical position, whatever pass, row, column, padding or block of the cache they stand
 * in; physical things (padding, cache.*, numbers of passes, S, K) are exempt. Where a row's tokens part, its later positions
 * answer another question and are left out. What only one trace holds is said, not compared. One tensor is in memory at a time.
 *
 * Verdict. Every tensor that differs is judged by the operation that makes it, beside the differences of what it reads:
 *
 *   allowed = 4 u n + 64 g d
 *
 * u = 2^-24; n = how many numbers of one position the operation reads (at least 16; for operations that only move numbers 0);
 * d = the largest relative difference of what it reads; g = 1, but for a softmax twice its largest input, since exp turns
 * absolute differences into relative ones. A relative difference is max |a-b| / max |b| over all numbers of the tensor in all passes
 * (for scores and log-probabilities, whose unit is 1, over at least 1). IDs, positions, masks and flags may differ when something that they
 * are made from does, and then anything may that is made from them. "rounding": every tensor keeps to this. "bug": one does
 * not, so another order of summation cannot have made it. n u is the worst case of one sum (Higham, "Accuracy and Stability of
 * Numerical Algorithms", 2002, section 3.1); 4 and 64 are room for cancellation and for what one operation may amplify.
 *
 *     struct diff diff;
 *     if (!diff_traces(&diff, a, b, &arena, err)) return false;
 *     if (!diff.equal) ... diff.first ...
 */
#ifndef ANALYSIS_DIFF_H
#define ANALYSIS_DIFF_H

#include "analysis/diff_choice.h"
#include "analysis/leak.h"
#include "base/arena.h"
#include "trace/trace.h"

enum diff_verdict { DIFF_EQUAL, DIFF_ROUNDING, DIFF_BUG };

/* What a value is: equal; different by rounding; different because what it is made from took another way (a choice or a bug before it);
 * different though what it is made from is not. */
enum diff_kind { DIFF_SAME, DIFF_ROUNDED, DIFF_FOLLOWS, DIFF_UNEXPLAINED };

/* One value that both traces hold. */
struct diff_value {
	int value;                     /* of a */
	int64_t tensors, numbers, bad; /* compared: tensors of rows, numbers; numbers that differ */
	double max_abs;                /* infinite where one is a number and the other is none */
	uint64_t max_ulps;             /* floats between both, see diff_ulps; for whole numbers their distance */
	double scale;                  /* its largest number in b */
	double relative, allowed;      /* see above; allowed is infinite after a choice that differs */
	enum diff_kind kind;
};

/* One row: a place in both batches, or -1 where only the other has it. */
struct diff_row {
	const char *id;
	int32_t a, b;
	int64_t positions_a, positions_b; /* computed in the recorded passes */
	int64_t parts_at;                 /* the first position whose token differs; -1: none that both know */
	struct diff_choice choice;        /* the one that differs, where the token at parts_at was chosen in both */
	bool parts_unjudged;              /* it does so in its prompt, or no tensor tells why */
	bool asked_differently;           /* prompt, length, sampling, stops, or changed by a fork */
	bool goes_on;                     /* it ended in one trace and went on in the other */
};

/* The first difference, in the order of a's passes and operations. */
struct diff_place {
	bool found;
	int64_t pass, pass_b; /* -1: none */
	const char *name;
	enum dtype dtype;
	int32_t request; /* of a */
	int64_t position;
	int rank;                       /* -1: no element, the row has the position in one trace only */
	int64_t index[TENSOR_MAX_RANK]; /* in a's tensor */
	uint32_t a, b;                  /* bits */
};

struct diff {
	enum diff_verdict verdict;
	bool equal;
	bool asked_differently;    /* some row: what differs after that is no bug */
	bool partly_seen;          /* a tensor that was judged reads some that are not recorded */
	struct diff_value *values; /* [value_count]: in the order of a's list */
	int value_count;
	int first_unexplained; /* index in values; -1 */
	struct diff_row *rows;
	int64_t row_count;
	struct diff_place first;
	const char **only_a, **only_b; /* tensors that one trace holds; NULL-terminated */
	int64_t numbers, bad;
};

const char *diff_verdict_name(enum diff_verdict verdict); /* "equal", "rounding", "bug" */
const char *diff_kind_name(enum diff_kind kind);          /* "equal", "rounding", "follows", "bug"; translatable */

/* Floats from one to the other; 0 when the bits are the same, 1 for neighbours and for -0 and +0. Two patterns of a NaN are as far apart
 * as their bits. For other types the distance of the whole numbers. */
uint64_t diff_ulps(enum dtype dtype, uint32_t a, uint32_t b);

/* The number that bits stand for. */
double diff_number(enum dtype dtype, uint32_t bits);

/* Copies the texts into the arena that would go with the traces when they are closed, so that b can be; what diff_value and diff_place
 * name is still a's. */
void diff_keep_texts(struct diff *diff, struct arena *arena);

/* Compares; the result lies in the arena. Usage error when the traces come from different models or have nothing in common;
 * input error when one cannot be read. */
bool diff_traces(struct diff *diff, struct trace *a, struct trace *b, struct arena *arena, struct err *err);

#endif
