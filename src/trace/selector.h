/*
 * selector.h: the language that names a tensor, a part of it or a cell: `[pass=N] NAME[i,j:k,...]`.
 *
 *     pass=2 layers.0.attn.weights[row=A,head=0]     one row's weights in head 0: axes S,K
 *     logits[0,-1]                                   one cell: the last pass, row 0, the last token ID
 *     tokens[1:,:]                                   all but the first row
 *     weights.embed.token.weight[100]                a row of a weight
 *
 * Indices are NumPy's: negative ones count from the end, a slice is half-open and is cut to the axis, an integer drops
 * its axis and a slice keeps it, and `...` stands for all axes between those before and after it. Axes are given in order or by
 * name: row, pos, token, head, kvhead, key, unit, dim, vocab; behind a name the order goes on from there. What is not given is taken
 * whole. `pos` counts columns of the pass (the axis S), not logical positions; in a packed pass `token` counts
 * all its tokens (the axis T), and a row is the stretch of tokens that belong to it. A row is named by its index
 * in the pass or by its ID; an ID that looks like a number, or holds one of ,:[]"= or a blank, stands in double quotes.
 * Reading a selector needs no trace; selector_resolve fits it to a tensor, and both say where in the text an error is.
 *
 *     struct selector selector;
 *     struct selector_match match;
 *     if (!selector_parse(&selector, "logits[row=A]", &arena, err)) return false;
 *     if (!selector_find(&selector, trace, &match, err)) return false;
 *     struct tensor part;
 *     if (!trace_slice(trace, &match.tensor, &match.selection, &arena, &part, err)) return false;
 */
#ifndef TRACE_SELECTOR_H
#define TRACE_SELECTOR_H

#include "base/arena.h"
#include "trace/slice.h"
#include "trace/trace.h"

/* One entry between the brackets. */
struct selector_part {
	char axis[8];    /* letters of which the axis is one, as "HF" for `unit`; "" when it is given by its place */
	const char *row; /* ID of a row; NULL when it is an index or slice */
	bool is_rest;    /* ... */
	bool is_slice, has_first, has_end;
	int64_t first, end;
	size_t at; /* byte in the text, for messages */
};

struct selector {
	const char *text; /* as it was given */
	bool has_pass;
	int64_t pass;     /* negative: from the end */
	const char *name; /* of a value, or without "weights." the canonical name of a weight */
	bool is_weight;
	struct selector_part parts[TENSOR_MAX_RANK + 1]; /* one more for ... */
	int part_count;
};

/* Reads a selector; texts are copied into the arena. Usage error that names the byte and what was expected there. */
bool selector_parse(struct selector *selector, const char *text, struct arena *arena, struct err *err);

/* Fits the parts to a tensor with that shape and axes. `row_ids` are the IDs along the axis B, or NULL where rows have
 * none. Usage error for an index outside its axis, an axis that the tensor has not, or too many of them. */
bool selector_resolve(const struct selector *selector, const struct tensor *tensor, const char *const *row_ids,
	struct slice *selection, struct err *err);

/* A selector fitted to a trace. */
struct selector_match {
	int64_t pass;
	struct trace_tensor tensor;
	struct slice selection;
};

/* Finds pass and tensor of a selector that names no weight, and fits it. Errors as those of trace_find and
 * selector_resolve. */
bool selector_find(const struct selector *selector, struct trace *trace, struct selector_match *match, struct err *err);

/* The pass that a selector means: the last when it names none. Usage error when the trace has no such pass. */
bool selector_pass(const struct selector *selector, const struct trace *trace, int64_t *pass, struct err *err);

/* The word for an axis letter: "row" for B; the letter itself where there is none. Constant text. */
const char *selector_axis_word(char letter);

/* Appends the text of a selector for one cell or part: "pass=1 logits[2,520]". */
void selector_text(struct buf *out, int64_t pass, const char *name, const struct slice *selection);

#endif
