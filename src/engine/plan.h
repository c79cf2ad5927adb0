/*
 * plan.h: a forward pass as data: an ordered list of operations with named inputs and outputs.
 *
 * plan_gpt2.c builds the list of the GPT-2 family; another family is another such file, made of the same kinds. A
 * deliberate bug is a rewrite of the list (analysis/faults). A plan is built once per run and does not depend on
 * the batch; it lives in the arena it was built in.
 *
 *     struct plan *plan;
 *     if (!plan_build(&plan, model, &arena, err)) return false;
 *     for (int i = 0; i < plan->op_count; i++) puts(plan->ops[i].name);
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "base/arena.h"
#include "base/map.h"
#include "engine/op.h"
#include "engine/pass.h"
#include "model/model.h"

#define PLAN_NONE (-1)

/* A named tensor of a pass, or a state that lives across passes. */
struct value {
	const char *name;
	struct spec spec;
	int producer;  /* index of the operation that writes it */
	int last_use;  /* index of the last operation that reads it, or of its producer */
	bool is_state; /* the cache of one layer: its cells are slots; never recorded */
};

/* What of a batch decides its list: the layout (axes B,S or T) and whether rows are sampled. Zeros: left and greedy. */
struct plan_way {
	enum layout layout;
	bool sampled;
};

struct plan {
	struct op *ops;
	int op_count, op_capacity;
	struct value *values;
	int value_count, value_capacity;
	struct map names; /* value name -> index */
	struct dims dims; /* the model's sizes; B, S, K are 0 */
	struct arena *arena;
	int64_t layers;
	struct plan_way way;
};

/* Builds the list for the model's family and a way of running it. Input error when the family is unknown or the weights do not fit. */
bool plan_build(struct plan **plan, struct model *model, struct plan_way way, struct arena *arena, struct err *err);
/* Gives back what does not lie in the arena. NULL is allowed. */
void plan_free(struct plan *plan);

/* The value of that name, or PLAN_NONE. */
int plan_value(const struct plan *plan, const char *name);
/* The operation that writes the value of that name, or PLAN_NONE. */
int plan_producer(const struct plan *plan, const char *name);

/* --- for the files that build or rewrite lists --- */

/* An operation under construction: fill in code, layer, inputs, weights and parameters; then plan_add. */
struct op plan_op(enum op_code code, int layer);
void plan_input(struct op *op, int value);
void plan_weight(struct op *op, struct weight *weight);

/* Appends an operation with one output of that name (its spec comes from the kind's shape function). Gives the
 * index of the output value, or PLAN_NONE and an error. */
int plan_add(struct plan *plan, struct op op, const char *name, struct err *err);
/* The same for several outputs, named in order; the operation itself is called `name`. Gives the first. Fails as
 * plan_add does. */
int plan_add_many(struct plan *plan, struct op op, const char *name, const char *const *outputs, int count,
	struct err *err);
/* Inserts an operation right after the one that writes value `input`: it reads `input` alone, writes `name`, and every
 * later reader of `input` reads that instead. Gives the index of the new value, or PLAN_NONE and an error. */
int plan_insert_after(struct plan *plan, struct op op, int input, const char *name, struct err *err);
/* Recomputes producers and last uses after a rewrite. */
void plan_finish(struct plan *plan);

/* The builders by group of families: they add the list of operations to a new plan. Input error when the model lacks
 * a weight. */
bool plan_gpt2(struct plan *plan, struct model *model, struct err *err);
bool plan_llama(struct plan *plan, struct model *model, struct err *err);

#endif
