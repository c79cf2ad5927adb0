/*
 * cases.h: a small batch that is recorded whole and looked into: for test_cases.c.
 */
#ifndef CASES_H
#define CASES_H

#include <check.h>

#include "compositions.h"

/* A batch on a bundled model, recorded whole. */
struct desk {
	struct compositions c;
	struct arena arena;
	struct batch batch;
	struct trace *trace;
	struct err err;
};

#define ROWS 33

/* Rows with these prompt lengths; tokens are some of the vocabulary, none of them an end token. */
static inline void desk_init(struct desk *d, const char *model, const int64_t *lengths, int64_t count)
{
	*d = (struct desk){.arena = ARENA_INIT, .err = ERR_INIT};
	ck_assert(compositions_open(&d->c, model));
	d->batch = (struct batch){.count = count, .requests = ARENA_ARRAY(&d->arena, struct request, count)};
	for (int64_t i = 0; i < count; i++) {
		int32_t *prompt = ARENA_ARRAY(&d->arena, int32_t, lengths[i]);
		for (int64_t t = 0; t < lengths[i]; t++)
			prompt[t] = 4 + (int32_t)((i * 5 + t * 3) % 9);
		d->batch.requests[i] =
			(struct request){.id = arena_printf(&d->arena, "%c%d", 'A' + (int)(i % 26), (int)(i / 26)),
				.prompt = prompt,
				.prompt_length = lengths[i],
				.max_new_tokens = 5};
	}
}

static inline void desk_record(struct desk *d, const char *fault)
{
	struct run_options options = {.threads = 1};
	trace_close(d->trace);
	d->trace = NULL;
	ck_assert(composition_record(&d->c, &d->batch, fault, &options, &d->err));
	ck_assert(trace_open(&d->trace, d->c.folder, &d->err));
}

/* All proofs over all tensors. */
static inline bool desk_proved(struct desk *d, const char *fault)
{
	struct isolation result;
	struct arena arena = ARENA_INIT;
	trace_close(d->trace);
	d->trace = NULL;
	ck_assert(composition_check(&d->c, &d->batch, fault, 1, &result, &arena));
	ck_assert(trace_open(&d->trace, d->c.folder, &d->err));
	arena_free(&arena);
	return result.ok;
}

static inline void desk_free(struct desk *d)
{
	trace_close(d->trace);
	compositions_close(&d->c);
	arena_free(&d->arena);
}

/* A recorded tensor, as stored. */
static inline const void *tensor_of(struct desk *d, int64_t pass, const char *name, struct trace_tensor *t)
{
	ck_assert_msg(trace_find(d->trace, pass, name, t, &d->err), "%s", d->err.message);
	void *data = arena_raw(&d->arena, tensor_bytes(&t->tensor) + 1, 1);
	ck_assert(trace_read(d->trace, t, 0, tensor_count(&t->tensor), data, &d->err));
	return data;
}

static inline const struct pass *layout_of(struct desk *d, int64_t pass)
{
	return &trace_pass(d->trace, pass)->layout;
}

/* What row `request` generated, up to 16 tokens. */
static inline void generated(struct desk *d, int32_t request, int32_t out[16])
{
	memset(out, 0xff, 16 * sizeof *out);
	trace_generated(d->trace, request, out, 16);
}

#endif
