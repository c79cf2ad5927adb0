/*
 * pick.h: the part of a trace, or of its model's weights, that a selector on the command line names.
 */
#ifndef CLI_PICK_H
#define CLI_PICK_H

#include "cli/cli.h"
#include "draw/heat.h"
#include "trace/selector.h"
#include "view/numbers.h"

struct pick {
	struct trace *trace;
	struct model *model; /* only for weights */
	int64_t pass;        /* -1 for a weight */
	const char *name;    /* "weights.…" for a weight */
	struct tensor whole; /* shape and axes; data NULL */
	struct tensor part;  /* with data, in the call's arena */
	struct slice slice;
	bool has_trace_tensor;
	struct trace_tensor tensor;
};

/* The words of the call: TRACE and a selector. Usage error for a bad selector, input error for a bad trace. */
bool pick_open(struct pick *pick, struct cli *cli, struct err *err);
/* Shows the tensor under TransformerLens' name, if it has one there. */
void pick_rename(struct pick *pick, struct arena *arena);
void pick_close(struct pick *pick);
/* The part as numbers to be shown under a title such as "pass=1 logits[row=A]  (V=2064)  F32", cut to what a person can take in: 12 columns (a heat map: 40), 200 rows. */
struct numbers pick_numbers(const struct pick *pick, struct arena *arena, bool heat);
/* The scale of colours: that of the whole tensor, of which the part is only a part. Fails as trace_read does. */
bool pick_scale(const struct pick *pick, struct arena *arena, struct heat *heat, struct err *err);

#endif
