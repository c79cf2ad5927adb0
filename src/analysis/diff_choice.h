/*
 * diff_choice.h: how close a choice was that two traces make differently.
 *
 * A difference as small as rounding changes no answer until two tokens are about equally likely; then it changes everything after. So
 * beside a row that parts belong two numbers: how far apart the logits of both tokens are, and how far apart the traces are.
 *
 *     struct diff_choice choice = {0};
 *     if (!diff_choice_read(&choice, &(struct diff_choice_place){a, pass_a, row_a, token_a}, &..., err)) return false;
 */
#ifndef ANALYSIS_DIFF_CHOICE_H
#define ANALYSIS_DIFF_CHOICE_H

#include "trace/trace.h"

struct diff_choice {
	bool known; /* both traces hold the logits of the position that chose */
	int32_t token_a, token_b;
	double margin;   /* in a: the logit of a's token over that of b's */
	double distance; /* the largest |a - b| of the position's logits */
	bool turns;      /* margin <= 2 distance: what parts the traces is enough to turn the choice */
	bool near_tie;   /* it is, and is no more than rounding; set by diff_traces() */
};

/* One side: the row of the trace's pass that chose, and its token. */
struct diff_choice_place {
	struct trace *trace;
	int64_t pass, row;
	int32_t token;
};

/* Sets *choice; not known when logits were not recorded. Input error when a trace cannot be read. */
bool diff_choice_read(struct diff_choice *choice, const struct diff_choice_place *a, const struct diff_choice_place *b,
	struct err *err);

#endif
