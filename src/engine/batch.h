/*
 * batch.h: what is asked for: the requests of a batch and how they are to be run. Plain data, token IDs only.
 *
 * A batch of zeros with requests is the default: layout left, schedule continuous, all rows at once, a contiguous cache.
 */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/pass.h"

enum finish_reason { FINISH_NONE, FINISH_EOS, FINISH_LENGTH, FINISH_CONTEXT };

/*
 * Which rows take part in a pass, and with how many tokens.
 *   continuous  a row joins when it has arrived and a place in the cache is free, and leaves when it has finished
 *   static      rows start together; finished rows stay as padding until all have ended; then the next rows start
 *   chunked     continuous, but a row reads at most `chunk` tokens of its prompt per pass
 */
enum schedule { SCHEDULE_CONTINUOUS, SCHEDULE_STATIC, SCHEDULE_CHUNKED, SCHEDULE_COUNT };

/* One request: a row of the batch. */
struct request {
	const char *id;    /* unique in the batch */
	const char *text;  /* the prompt as it was given, or NULL when it was given as tokens */
	int32_t *prompt;   /* token IDs, at least one */
	int64_t prompt_length;
	int64_t max_new_tokens; /* at least 1 */
	int64_t arrives;        /* index of the first pass it may take part in; 0 in schedule static */
};

struct batch {
	struct request *requests;
	int64_t count;
	int64_t max_rows; /* rows that may take part at once; 0: all */
	enum layout layout;
	enum schedule schedule;
	int64_t chunk;     /* of schedule chunked; 0: BATCH_DEFAULT_CHUNK */
	int64_t page_size; /* slots per block of the cache; 0: contiguous */
};

#define BATCH_DEFAULT_NEW_TOKENS 16
#define BATCH_DEFAULT_CHUNK 16

const char *finish_reason_name(enum finish_reason reason); /* "eos", "length", "context"; "" while running */

const char *schedule_name(enum schedule schedule);
/* The schedule of that name; usage error that lists the names when there is none. */
bool schedule_find(const char *name, enum schedule *schedule, struct err *err);

/* Rows that may take part at once. */
int64_t batch_lanes(const struct batch *batch);

/* True when a row that has `count` tokens, prompt included, may not go on: it has produced its number, or a model of that
 * context has no position for the last of them. */
bool request_is_full(const struct request *request, int64_t count, int64_t context);

#endif
