/*
 * trace.h: a recorded trace, read by bounded reads: opening costs the two lists only, whatever the size of the numbers.
 *
 * Everything in a trace is foreign: counts are checked against files, names are plain components, and a pass
 * counts only when its line in passes.jsonl is whole. trace_refresh sees passes that were added since. A trace is
 * for one thread: layouts and open files are made when first asked for.
 *
 *     struct trace *trace;
 *     if (!trace_open(&trace, "run1", err)) return false;
 *     struct trace_tensor t;
 *     if (!trace_find(trace, 1, "logits", &t, err)) ...   // shape, axes, type
 *     if (!trace_read(trace, &t, 0, tensor_count(&t.tensor), values, err)) ...
 *     trace_close(trace);
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "base/err.h"
#include "engine/batch.h"
#include "engine/pass.h"
#include "model/model.h"
#include "tensor/tensor.h"

struct trace;

/* What ran, from trace.json. Texts are foreign. */
struct trace_info {
	const char *rowscope; /* version of the program that recorded it */
	const char *model, *family, *weights_digest, *tokenizer_digest;
	const char *layout, *schedule, *capture;
	const char *const *faults;      /* NULL-terminated */
	const char *parent;             /* of a fork: the name of the trace that it goes on from; else NULL */
	const char *parent_digest;      /* of that one's trace.json */
	int64_t parent_pass;            /* the first pass that may differ */
	const char *const *notes;       /* NULL-terminated: what was done to the model on loading */
	int64_t B, H, N, G, D, F, V, L; /* B: rows of the batch; the others from the model's config */
	int64_t pad_token;              /* -1: none */
	struct config config;
};

/* One operation of the recorded list. */
struct trace_op {
	const char *name, *kind;
	int layer;                  /* -1 outside the layers */
	const char *const *inputs;  /* NULL-terminated names of values */
	const char *const *outputs; /* NULL-terminated names of values */
	const char *const *weights; /* NULL-terminated canonical names */
};

/* A value of the list: an output of an operation. Values are in the order in which they are computed. */
struct trace_value {
	const char *name;
	char axes[TENSOR_MAX_RANK + 1];
	enum dtype dtype;
	int op;        /* that writes it */
	bool captured; /* in the capture set */
	bool is_state; /* the cache of a layer: never recorded */
};

enum trace_event_kind { TRACE_STARTS, TRACE_ENDS, TRACE_WAITS };

/* Something that happened to a request in a pass. */
struct trace_event {
	enum trace_event_kind kind;
	int32_t request;
	enum finish_reason finish; /* of TRACE_ENDS */
	int64_t lanes;             /* of TRACE_WAITS: places in the cache, all taken */
};

struct trace_pass {
	struct pass layout;      /* slots are NULL, and nobody is in `waiting`: see events */
	const int32_t *next;     /* [B]: the chosen tokens; -1 where a row was not sampled */
	const uint8_t *finished; /* [B]: 1 when the row ended with this pass */
	const char *file;        /* a plain name in the folder */
	uint64_t bytes, digest;
	const struct trace_event *events;
	int event_count;
	uint64_t line_end; /* bytes of passes.jsonl up to the end of its line */
};

struct trace_tensor {
	int64_t pass;
	const char *name;
	int value;            /* its number in the list */
	struct tensor tensor; /* type, axes, shape; data NULL */
};

/* Opens a folder. Input error naming file and place when it is no trace, damaged, or of a later version. */
bool trace_open(struct trace **trace, const char *folder, struct err *err);
/* NULL is allowed. */
void trace_close(struct trace *trace);
/* Reads lines that were added to passes.jsonl since. Input error for a line that is damaged; the passes before it
 * stay. */
bool trace_refresh(struct trace *trace, struct err *err);

/* What was opened; all of it lives until trace_close. */
const char *trace_folder(const struct trace *trace);
const struct trace_info *trace_info(const struct trace *trace);
/* The requests, to run the batch again. */
const struct batch *trace_batch(const struct trace *trace);
int64_t trace_pass_count(const struct trace *trace);
/* A pass from 0 to trace_pass_count - 1, its layout filled in; it stays where it is until trace_close. */
const struct trace_pass *trace_pass(const struct trace *trace, int64_t pass);
int trace_op_count(const struct trace *trace);
const struct trace_op *trace_op(const struct trace *trace, int op);
int trace_value_count(const struct trace *trace);
const struct trace_value *trace_value(const struct trace *trace, int value);
/* The value of that name, or -1. */
int trace_find_value(const struct trace *trace, const char *name);
/* The index in the batch of the request with that ID, or -1. */
int32_t trace_find_request(const struct trace *trace, const char *id);

/* A recorded tensor. Input error when the pass or the tensor is not there, saying whether the name is unknown (and which
 * was meant) or only not in the capture set (and how to record it). */
bool trace_find(struct trace *trace, int64_t pass, const char *name, struct trace_tensor *tensor, struct err *err);
/* `count` elements from element `first`, as stored, into `data` (count times the type's size). Input error when the
 * file of the pass is not as its line says, system error when it cannot be read. */
bool trace_read(struct trace *trace, const struct trace_tensor *tensor, int64_t first, int64_t count, void *data,
	struct err *err);

/* The text of a token as recorded (raw bytes, foreign), or NULL when it never occurred. */
const char *trace_token_text(const struct trace *trace, int32_t token, size_t *length);
/* The generated tokens of a request over all recorded passes, into tokens[max] (NULL: only count); gives their
 * number. */
int64_t trace_generated(const struct trace *trace, int32_t request, int32_t *tokens, int64_t max);
/* The tokens of a request that are known, from position 0 on; until the next pass is read. */
const int32_t *trace_history(const struct trace *trace, int32_t request);
/* How many passes from the first on have files that are there and have their recorded size and digest. */
int64_t trace_whole_passes(struct trace *trace);
/* Checks every pass file against its recorded size and digest. Input error naming the first that differs. */
bool trace_check(struct trace *trace, struct err *err);

#endif
