/*
 * explain.h: one output cell taken apart: the formula with its own numbers, the inputs and weights that made it, each
 * with its term, and the value recomputed in the documented order to the same bits.
 *
 * The caller provides the recorded numbers through a reader, so that an explanation works the same on a live run and on a
 * trace from a file. Recomputing uses scalar code of its own, not the kernels: agreement to the bit is evidence.
 */
#ifndef ENGINE_EXPLAIN_H
#define ENGINE_EXPLAIN_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/batch.h"
#include "engine/pass.h"
#include "engine/plan.h"

/* `count` elements from element `first` of a value of a pass. */
struct explain_span {
	int64_t pass;
	const char *name;
	int64_t first, count;
};

struct explain_reader {
	void *self;
	/* The elements of the span as floats (integers and booleans exactly). Input error when the value was not
	 * recorded. */
	bool (*read)(void *self, const struct explain_span *span, float *out, struct err *err);
	/* Where the key and value in column k of row b of the explained pass were written: a pass and a cell of it. *pass
	 * is -1 for an empty slot, which counts as zeros. */
	bool (*key)(void *self, int64_t b, int64_t k, int64_t *pass, int64_t *cell, struct err *err);
	/* Columns S of a pass that key() has named; 0 when it is packed. */
	int64_t (*columns)(void *self, int64_t pass);
	/* The tokens of a request from position 0 on, all that are known; until the reader is used again. */
	const int32_t *(*history)(void *self, int32_t request);
};

/* One input of the cell. The terms of a sum, and of whatever is a sum once some part is held fixed, add up to the value; those of a
 * softmax are shares of 1; those of a choice, a filter or a mask are the numbers that have decided it. */
struct explain_term {
	const char *name; /* value or "weights.<name>" */
	int64_t pass;     /* -1 for a weight */
	int rank;
	int64_t index[TENSOR_MAX_RANK];
	double value;  /* the input itself */
	double weight; /* what it is multiplied by; 1 where nothing is */
	double term;   /* its part of the result */
};

struct explain {
	/* given by the caller */
	const struct plan *plan;
	const struct pass *pass; /* rows, past, fresh, positions, pad, last, key_position of the explained pass */
	struct dims dims;
	int output; /* which output of the operation */
	int64_t index[TENSOR_MAX_RANK];
	struct explain_reader reader;
	struct arena *arena;
	const struct batch *batch;
	struct finish_rule finish;
	/* the answer */
	struct explain_term *terms;
	int64_t term_count, term_capacity;
	struct buf formula; /* "0.8125 = (3.25) * 0.25" */
	double recomputed;  /* a float's value exactly; integers and booleans as their value */
};

/* Explains one cell by the kind's explain function. The answer's terms lie in the arena; free the formula with
 * buf_free. Input error when an input of the cell was not recorded. */
bool explain_cell(const struct op *op, struct explain *explain, struct err *err);

/* --- for the op_*.c files --- */
/* `count` numbers of a value in the explained pass, from element `first`, into the arena. Fails as the source of the
 * numbers does. */
bool explain_read(struct explain *explain, int value, int64_t first, int64_t count, float **numbers, struct err *err);
/* The element that explain->index names in a value. */
int64_t explain_offset(const struct explain *explain, int value);
/* Its index along the axis with that letter; 0 when the value has no such axis. */
int64_t explain_axis(const struct explain *explain, int value, char letter);
/* The cell of the pass that it belongs to, for a value with numbers per cell. */
int64_t explain_cell_index(const struct explain *explain, int value);
/* Adds a term that is a number of a value of the explained pass; explain_place says which. */
struct explain_term *explain_add(struct explain *explain, int value, double number, double weight, double term);
void explain_place(struct explain *explain, struct explain_term *term, int value, int64_t offset);
/* Adds a term that is element [i, j] of a weight, times 1. */
void explain_add_weight(struct explain *explain, const struct weight *weight, int64_t i, int64_t j);

/* What a softmax runs over: elements of a value that follow each other. */
struct explain_range {
	int value;
	int64_t first, count;
	const float *x;       /* [count] */
	const float *allowed; /* [count], not 0 where it counts; NULL allows all */
};

/* Explains entry i of a softmax, which must be allowed. The terms are every entry's share of the sum. */
void explain_softmax(struct explain *explain, const struct explain_range *range, int64_t i);

#endif
