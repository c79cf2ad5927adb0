/*
 * batch.h: what is asked for: the requests of a batch and how they are to be run. Plain data, token IDs only.
 */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include <stdbool.h>
#include <stdint.h>

enum finish_reason { FINISH_NONE, FINISH_EOS, FINISH_LENGTH, FINISH_CONTEXT };

/* One request: a row of the batch. */
struct request {
	const char *id;    /* unique in the batch */
	const char *text;  /* the prompt as it was given, or NULL when it was given as tokens */
	int32_t *prompt;   /* token IDs, at least one */
	int64_t prompt_length;
	int64_t max_new_tokens; /* at least 1 */
	int64_t arrives;        /* index of the first pass it may take part in */
};

struct batch {
	struct request *requests;
	int64_t count;
	int64_t max_rows; /* rows that may take part at once; 0: all */
};

#define BATCH_DEFAULT_NEW_TOKENS 16

const char *finish_reason_name(enum finish_reason reason); /* "eos", "length", "context"; "" while running */

/* True when a row that has `count` tokens, prompt included, may not go on: it has produced its number, or a model of that
 * context has no position for the last of them. */
bool request_is_full(const struct request *request, int64_t count, int64_t context);

#endif
