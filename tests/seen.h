/*
 * seen.h: a run kept whole in memory, pass by pass: how it was laid out, every value, and who wrote what each row reads
 * from the cache. Explanations can be asked of it directly, of any list of operations, and its cells can be followed back.
 *
 *     struct seen seen;
 *     if (!seen_run(&seen, model, plan, &batch, &options)) ...
 *     ... seen.passes[p].values[v] ...
 *     seen_free(&seen);
 */
#ifndef SEEN_H
#define SEEN_H

#include <string.h>

#include "engine/explain.h"
#include "engine/kvcache.h"
#include "engine/op.h"
#include "engine/reach.h"
#include "engine/run.h"

#define SEEN_PASSES 64

/* A cell of some pass. */
struct seen_cell {
	int64_t pass, cell; /* pass -1: an empty slot */
};

struct seen_pass {
	struct pass layout;
	struct tensor *values;     /* [values of the plan] */
	struct seen_cell *keys;    /* [B,K]: who wrote what the row reads there */
	const int32_t **histories; /* [B]: the row's tokens, the one chosen in this pass included */
};

struct seen {
	const struct plan *plan;
	struct model *model;
	const struct batch *batch;
	struct run *run;
	struct arena arena;
	struct seen_pass passes[SEEN_PASSES];
	int64_t count;
	struct seen_cell *slots;       /* [slot_count]: who wrote it last */
	int64_t slot_count, explained; /* the pass that is being explained */
};

static inline void *seen_copy(struct seen *seen, const void *from, size_t bytes)
{
	return memcpy(arena_raw(&seen->arena, bytes + 1, 8), from, bytes);
}

#define SEEN_KEEP(field, count) to->field = seen_copy(seen, from->field, (size_t)(count) * sizeof *from->field)

static inline bool seen_begin(void *self, const struct plan *plan, const struct pass *from, struct err *err)
{
	struct seen *seen = self;
	struct seen_pass *pass = &seen->passes[seen->count];
	struct pass *to = &pass->layout;
	*to = *from;
	SEEN_KEEP(rows, from->B);
	SEEN_KEEP(past, from->B);
	SEEN_KEEP(fresh, from->B);
	SEEN_KEEP(first, from->B);
	SEEN_KEEP(ended, from->B);
	SEEN_KEEP(sampled, from->B);
	SEEN_KEEP(last, from->B);
	SEEN_KEEP(draws, from->B);
	SEEN_KEEP(row_of, from->cells);
	SEEN_KEEP(tokens, from->cells);
	SEEN_KEEP(positions, from->cells);
	SEEN_KEEP(pad, from->cells);
	SEEN_KEEP(column, from->cells);
	SEEN_KEEP(slot, from->cells);
	SEEN_KEEP(key_slot, from->B * from->K);
	SEEN_KEEP(key_origin, from->B * from->K);
	SEEN_KEEP(key_position, from->B * from->K);
	pass->values = ARENA_ARRAY(&seen->arena, struct tensor, plan->value_count);
	return seen->count + 1 < SEEN_PASSES || err_system(err, NULL, 0, "the run has too many passes to be kept");
}

static inline bool seen_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct seen *seen = self;
	(void)plan, (void)pass, (void)err;
	struct tensor *kept = &seen->passes[seen->count].values[value];
	*kept = *tensor;
	kept->data = seen_copy(seen, tensor->data, tensor_bytes(tensor));
	return true;
}

/* Who wrote the slots of this pass, and then who wrote what its rows have read. */
static inline bool seen_end(void *self, const struct plan *plan, const struct pass *from, struct err *err)
{
	struct seen *seen = self;
	struct seen_pass *pass = &seen->passes[seen->count];
	(void)plan, (void)err;
	for (int64_t cell = 0; cell < from->cells; cell++) {
		if (from->slot[cell] >= seen->slot_count) {
			int64_t count = from->slot[cell] + 64;
			struct seen_cell *slots = ARENA_ARRAY(&seen->arena, struct seen_cell, count);
			for (int64_t i = 0; i < count; i++)
				slots[i] = i < seen->slot_count ? seen->slots[i] : (struct seen_cell){-1, -1};
			seen->slots = slots;
			seen->slot_count = count;
		}
		seen->slots[from->slot[cell]] = (struct seen_cell){seen->count, cell};
	}
	pass->keys = ARENA_ARRAY(&seen->arena, struct seen_cell, from->B * from->K + 1);
	for (int64_t i = 0; i < from->B * from->K; i++) {
		int32_t origin = from->key_origin[i], request = from->rows[i / from->K];
		pass->keys[i] = (struct seen_cell){-1, -1};
		if (origin >= 0 && origin < seen->slot_count)
			pass->keys[i] = seen->slots[origin];
		for (int64_t p = 0; origin >= KVCACHE_OWN && p <= seen->count; p++) {
			int64_t cell = pass_cell(&seen->passes[p].layout, request, origin - KVCACHE_OWN);
			if (cell >= 0)
				pass->keys[i] = (struct seen_cell){p, cell};
		}
	}
	pass->histories = ARENA_ARRAY(&seen->arena, const int32_t *, from->B);
	seen->count++;
	return true;
}

/* Runs a batch and keeps all of it. False, with a sentence on standard error, when it cannot be run. */
static inline bool seen_run(struct seen *seen, struct model *model, const struct plan *plan, const struct batch *batch,
	const struct run_options *options)
{
	struct err err = ERR_INIT;
	struct run *run = NULL;
	bool more = true;
	*seen = (struct seen){.plan = plan, .model = model, .batch = batch, .arena = ARENA_INIT};
	struct probe probe = {seen, seen_begin, seen_value, seen_end};
	bool ok = run_new(&run, model, plan, batch, options, &err);
	while (ok && more) {
		int64_t before = seen->count;
		ok = run_step(run, &probe, &more, &err);
		for (int64_t b = 0; ok && seen->count > before && b < seen->passes[before].layout.B; b++) {
			const struct row *row = run_row(run, seen->passes[before].layout.rows[b]);
			seen->passes[before].histories[b] =
				seen_copy(seen, row->tokens, (size_t)row->count * sizeof *row->tokens);
		}
	}
	run_delete(run);
	if (!ok)
		err_print(&err, stderr);
	return ok;
}

static inline void seen_free(struct seen *seen)
{
	arena_free(&seen->arena);
}

/* --- explaining --- */

static inline bool seen_read(void *self, const struct explain_span *span, float *out, struct err *err)
{
	struct seen *seen = self;
	int value = plan_value(seen->plan, span->name);
	if (value == PLAN_NONE || span->pass < 0 || span->pass >= seen->count)
		return err_input(err, NULL, span->name, "no such value or pass");
	const struct tensor *tensor = &seen->passes[span->pass].values[value];
	if (span->first < 0 || span->first + span->count > tensor_count(tensor))
		return err_input(err, NULL, span->name, "outside of the value");
	for (int64_t i = 0; i < span->count; i++)
		out[i] = (float)tensor_value(tensor, span->first + i);
	return true;
}

static inline bool seen_key(void *self, int64_t b, int64_t k, int64_t *pass, int64_t *cell, struct err *err)
{
	struct seen *seen = self;
	const struct seen_pass *now = &seen->passes[seen->explained];
	(void)err;
	*pass = now->keys[b * now->layout.K + k].pass;
	*cell = now->keys[b * now->layout.K + k].cell;
	return true;
}

static inline int64_t seen_columns(void *self, int64_t pass)
{
	struct seen *seen = self;
	return seen->passes[pass].layout.layout == LAYOUT_PACKED ? 0 : seen->passes[pass].layout.S;
}

static inline const int32_t *seen_history(void *self, int32_t request)
{
	struct seen *seen = self;
	const struct seen_pass *now = &seen->passes[seen->explained];
	return now->histories[pass_row(&now->layout, request)];
}

/* A question about one element of a value; explain_cell() answers it. The answer lies in the arena. */
static inline struct explain seen_question(struct seen *seen, int64_t pass, int value, int64_t element,
	struct arena *arena)
{
	const struct config *config = model_config(seen->model);
	const struct op *op = &seen->plan->ops[seen->plan->values[value].producer];
	struct explain explain = {.plan = seen->plan,
		.pass = &seen->passes[pass].layout,
		.dims = seen->plan->dims,
		.arena = arena,
		.batch = seen->batch,
		.finish = {.end_tokens = config->end_tokens,
			.end_token_count = config->end_token_count,
			.context = config->context},
		.reader = {seen, seen_read, seen_key, seen_columns, seen_history}};
	dims_set_pass(&explain.dims, explain.pass);
	seen->explained = pass;
	tensor_index(&seen->passes[pass].values[value], element, explain.index);
	while (op->outputs[explain.output] != value)
		explain.output++;
	return explain;
}

/* --- cells --- */

/* The cell that an element of a value with these axes belongs to, as reach functions count; 0 where there is none. */
static inline int64_t seen_cell_of(const char *axes, const int64_t *index, int64_t S)
{
	const char *t = strchr(axes, 'T'), *s = strchr(axes, 'S');
	if (t != NULL)
		return index[t - axes];
	return axes[0] != 'B' ? 0 : s != NULL ? index[0] * S + index[s - axes] : index[0];
}

/* How many cells a value has in a pass. */
static inline int64_t seen_cells(const char *axes, const struct pass *pass)
{
	return strpbrk(axes, "ST") != NULL ? pass->cells : axes[0] == 'B' ? pass->B : 1;
}

#endif
