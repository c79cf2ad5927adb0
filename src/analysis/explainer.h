/*
 * explainer.h: explains recorded cells: the terms ranked by their share, and the value recomputed to the same bits.
 *
 * It needs the trace and the model it was made with (weights are not copied into traces); the model's digest must be the
 * recorded one. A cell whose inputs were not captured ends in an input error that says what to capture.
 *
 *     struct explainer *explainer;
 *     if (!explainer_new(&explainer, trace, model, err)) return false;
 *     struct explained cell = {.pass = 1, .name = "logits", .index = {2, 520}};
 *     if (!explainer_cell(explainer, &cell, &arena, err)) ...
 *     explainer_delete(explainer);
 */
#ifndef ANALYSIS_EXPLAINER_H
#define ANALYSIS_EXPLAINER_H

#include "engine/explain.h"
#include "trace/trace.h"

struct explainer;

/* One input with its part of the whole. */
struct explained_term {
	struct explain_term term;
	double share; /* |term| over the sum of all |terms|, 0..1 */
};

struct explained {
	/* the question */
	int64_t pass;
	const char *name;
	int64_t index[TENSOR_MAX_RANK];
	bool only_value; /* no terms are wanted */
	/* the answer */
	const char *kind, *formula_text; /* of the operation, from its table */
	enum dtype dtype;
	int rank;
	double value;  /* as recorded */
	uint32_t bits; /* of the recorded value; an integer's own value */
	uint32_t recomputed_bits;
	double recomputed;
	bool same;
	const char *formula;          /* with its numbers */
	struct explained_term *terms; /* largest share first; ties in the order of the sum */
	int64_t term_count;
};

/* Trace and model must outlive it. Input error when the weights are not those the trace was made with. */
bool explainer_new(struct explainer **explainer, struct trace *trace, struct model *model, struct err *err);
void explainer_delete(struct explainer *explainer);

/* Answers the question in *cell: pass, name and index; the name must stay, the rest of the answer lies in the arena. Input
 * error when the value or one of its inputs was not recorded, usage error when the index is outside. */
bool explainer_cell(struct explainer *explainer, struct explained *cell, struct arena *arena, struct err *err);

/* The plan of the recorded run, faults included. */
const struct plan *explainer_plan(const struct explainer *explainer);
/* True when everything that explaining value `name` reads was captured. */
bool explainer_can(const struct explainer *explainer, const char *name);

#endif
