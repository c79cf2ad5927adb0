/*
 * reader.h: a recorded trace, read by bounded reads: opening costs the manifest only, whatever the size.
 *
 * Everything in a trace is foreign: counts are checked against files, names are plain components, and a pass
 * counts only when its line in passes.jsonl is whole. reader_refresh sees passes that were added since.
 *
 *     struct trace *trace;
 *     if (!trace_open(&trace, "run1", err)) return false;
 *     struct trace_tensor t;
 *     if (!trace_find(trace, 1, "logits", &t, err)) ...   // shape, axes, type
 *     if (!trace_read(trace, &t, 0, tensor_count(&t.tensor), values, err)) ...
 */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "base/err.h"
#include "engine/batch.h"
#include "engine/pass.h"
#include "format/safetensors.h"

struct trace;

/* What ran, from trace.json. */
struct trace_info {
	const char *model, *family, *weights_digest, *tokenizer_digest;
	const char *layout, *schedule, *capture;
	const char *const *faults; /* NULL-terminated */
	int64_t B, H, N, G, D, F, V, L; /* B: rows of the batch; the others from the model's config */
	int64_t pad_token;
};

/* One operation of the recorded list. */
struct trace_op {
	const char *name, *kind;
	int layer;
	const char *const *inputs;  /* NULL-terminated names of values */
	const char *const *outputs;
	const char *const *weights; /* canonical names */
};

/* A value of the list: an output of an operation. */
struct trace_value {
	const char *name;
	char axes[TENSOR_MAX_RANK + 1];
	enum dtype dtype;
	int op;        /* that writes it */
	bool captured; /* in the capture set */
};

struct trace_pass {
	struct pass layout; /* rows, past, fresh, sampled, last, tokens, positions, pad, key_position; slots are NULL */
	const char *file;
	uint64_t bytes, digest;
	const char *const *events; /* NULL-terminated sentences; may be empty */
};

struct trace_tensor {
	int64_t pass;
	const char *name;
	struct tensor tensor; /* type, axes, shape; data NULL */
	const struct safetensors_entry *entry;
};

bool trace_open(struct trace **trace, const char *folder, struct err *err);
void trace_close(struct trace *trace);
/* Reads lines that were added to passes.jsonl since. */
bool trace_refresh(struct trace *trace, struct err *err);

const char *trace_folder(const struct trace *trace);
const struct trace_info *trace_info(const struct trace *trace);
const struct batch *trace_batch(const struct trace *trace); /* the requests, to run it again */
int64_t trace_pass_count(const struct trace *trace);
const struct trace_pass *trace_pass(const struct trace *trace, int64_t pass);
int trace_op_count(const struct trace *trace);
const struct trace_op *trace_op(const struct trace *trace, int op);
int trace_value_count(const struct trace *trace);
const struct trace_value *trace_value(const struct trace *trace, int value);
int trace_find_value(const struct trace *trace, const char *name); /* -1: no such value */

/* A recorded tensor. Input error when the pass or the tensor is not there, saying whether the name is unknown or only
 * not in the capture set, and how to record it. */
bool trace_find(struct trace *trace, int64_t pass, const char *name, struct trace_tensor *tensor, struct err *err);
/* `count` elements from `first`, as stored. */
bool trace_read(struct trace *trace, const struct trace_tensor *tensor, int64_t first, int64_t count, void *data,
	struct err *err);

/* The text of a token as recorded (raw bytes, foreign), or NULL when it never occurred. */
const char *trace_token_text(const struct trace *trace, int32_t token, size_t *length);
/* The generated tokens of a request over all recorded passes, into tokens[max]; gives their number. */
int64_t trace_generated(struct trace *trace, int32_t request, int32_t *tokens, int64_t max);
/* Checks every file against its recorded digest. Input error naming the first that differs. */
bool trace_check(struct trace *trace, struct err *err);

#endif
