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
#include "engine/plan.h"

enum finish_reason { FINISH_NONE, FINISH_EOS, FINISH_STOP, FINISH_LENGTH, FINISH_CONTEXT };

/*
 * Which rows take part in a pass, and with how many tokens.
 *   continuous  a row joins when it has arrived and a place in the cache is free, and leaves when it has finished
 *   static      rows start together; finished rows stay as padding until all have ended; then the next rows start
 *   chunked     continuous, but a row reads at most `chunk` tokens of its prompt per pass
 */
enum schedule { SCHEDULE_CONTINUOUS, SCHEDULE_STATIC, SCHEDULE_CHUNKED, SCHEDULE_COUNT };

/*
 * How a row's next token is chosen from its logits, in this order: penalties over the row's own tokens, prompt included
 * (repetition divides positive and multiplies negative logits; presence is taken off once, frequency for every occurrence), then
 * temperature, top-k, top-p, min-p, and a draw by the row's own random stream. Temperature 0 takes the largest logit after the
 * penalties. 0 leaves anything out.
 * Sources: Keskar et al., "CTRL", 2019 (repetition); Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020 (top-p);
 * Nguyen et al., "Min-p Sampling", 2024.
 */
struct sampling {
	float temperature;
	int64_t top_k;
	float top_p, min_p;
	float repetition_penalty, presence_penalty, frequency_penalty;
	uint64_t seed;
};

/*
 * Something that was changed in a row on its way (a fork). It is told by logical position, so that it means the same whatever the
 * batch, the layout and the schedule: the token at that position is this one, whatever was chosen; or tokens from that
 * position on are chosen by these settings.
 */
struct edit {
	int64_t position;
	int32_t token; /* -1: it is the settings that change */
	struct sampling sampling;
};

/* One request: a row of the batch. */
struct request {
	const char *id;   /* unique in the batch */
	const char *text; /* the prompt as it was given, or NULL when it was given as tokens */
	int32_t *prompt;  /* token IDs, at least one */
	int64_t prompt_length;
	int64_t max_new_tokens; /* at least 1 */
	struct sampling sampling;
	const int32_t *stop_ids; /* tokens that end the row, besides the model's end tokens */
	int64_t stop_id_count;
	const char *const *stops; /* texts that end the row; who runs the batch looks for them (struct stop_rule) */
	int64_t stop_count;
	const struct edit *edits; /* in ascending order of position; tokens only behind the prompt */
	int64_t edit_count;
	int64_t arrives; /* index of the first pass it may take part in; 0 in schedule static */
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

const char *finish_reason_name(enum finish_reason reason); /* "eos", "stop", "length", "context"; "" while running */

const char *schedule_name(enum schedule schedule);
/* The schedule of that name; usage error that lists the names when there is none. */
bool schedule_find(const char *name, enum schedule *schedule, struct err *err);

/* The token that a row goes on with at a position for which `chosen` was chosen. */
int32_t request_token(const struct request *request, int64_t position, int32_t chosen);
/* The settings by which the token at a position is chosen. They belong to the request. */
const struct sampling *request_sampling(const struct request *request, int64_t position);

/* Key and counter of the draw for a request's token at a logical position: they depend on seed, ID and position alone. */
struct pass_draw request_draw(const struct request *request, int64_t position);

/* Whether a row draws or is penalised: then the list of operations holds the steps of the sampler. */
bool sampling_is_used(const struct sampling *sampling);

/* What of a batch decides its list of operations. */
struct plan_way batch_way(const struct batch *batch);

/* Rows that may take part at once. */
int64_t batch_lanes(const struct batch *batch);

/* Looks for a request's stop texts in the `generated` last of a row's `tokens`, which follow its prompt: true when one has just been
 * completed. The engine knows no text. NULL looks for none. */
struct stop_rule {
	bool (*stops)(void *self, const struct request *request, const int32_t *tokens, int64_t generated);
	void *self;
};

/* What ends rows, besides their own limits. */
struct finish_rule {
	const int32_t *end_tokens;
	int end_token_count;
	int64_t context;
	struct stop_rule stop;
};

/* Whether and why a row ends with its newest token: `tokens` [count] are its prompt and what it has generated, that token included. */
enum finish_reason request_finish(const struct request *request, const struct finish_rule *rule, const int32_t *tokens,
	int64_t count);

/* True when a row that has `count` tokens, prompt included, may not go on: it has produced its number, or a model of that
 * context has no position for the last of them. */
bool request_is_full(const struct request *request, int64_t count, int64_t context);

#endif
