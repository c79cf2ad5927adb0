/*
 * leak.h: the first place where a row is not isolated, and how two such places are ordered.
 */
#ifndef ANALYSIS_LEAK_H
#define ANALYSIS_LEAK_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/tensor.h"

enum proof { PROOF_REACH, PROOF_ALONE, PROOF_SCRAMBLED, PROOF_REPLAY, PROOF_COUNT, PROOF_AUDIT = PROOF_COUNT };

#define LEAK_FROM_UNKNOWN (-1)
#define LEAK_FROM_PADDING (-2)

struct leak {
	bool found;
	enum proof proof;
	int64_t pass;
	int value; /* of the plan: orders by operation */
	int op;    /* that writes it */
	int32_t request;
	int64_t position; /* logical */
	int rank;
	int64_t index[TENSOR_MAX_RANK]; /* of the element, in the reference pass */
	int32_t from;                   /* request that leaks in, or one of the above */
	uint32_t expected, got;         /* bits that differ; 0 for reach */
};

/* What was looked at for one value of the plan. */
struct proof_count {
	int64_t tensors; /* passes in which it was looked at */
	int64_t values;  /* numbers */
	int64_t bad;     /* of them, not isolated */
};

/* "reach", "alone", "scrambled", "replay", "audit": the last is no proof, but its first bad cell is a place like any other. */
const char *proof_name(enum proof proof);

/* Keeps the earlier of both in *first: by pass, operation, row, position, element, proof. */
void leak_note(struct leak *first, const struct leak *other);

#endif
