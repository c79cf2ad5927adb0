/*
 * schedule.h: who takes part in the next pass, and with how many tokens; and the state of a row.
 */
#ifndef ENGINE_SCHEDULE_H
#define ENGINE_SCHEDULE_H

#include "engine/batch.h"
#include "engine/kvcache.h"

/* A row's state: what it has produced so far. */
struct row {
	int32_t *tokens; /* prompt, then generated; [count] */
	int64_t count;
	int64_t computed; /* positions whose keys and values are cached */
	float *logprobs;  /* of the generated tokens */
	enum finish_reason finish;
	bool admitted; /* it holds, or has held, a lane of the cache */
	bool left;     /* it has given it back */
};

struct schedule_state {
	const struct batch *batch;
	struct row *rows; /* [requests] */
	struct kvcache *cache;
	int64_t longest;     /* positions of the longest row */
	bool go_on;          /* finished rows are not frozen: a fault */
	const uint8_t *cuts; /* see run.h */
	int64_t clock;       /* what `arrives` is compared with: passes, and those skipped because nobody was there */
};

/* Admits the rows that may start; gives the number of rows that take part. */
int64_t schedule_admit(struct schedule_state *state);
/* The same after the clock was put forward to the next arrival where nobody would take part. */
int64_t schedule_next(struct schedule_state *state);
bool schedule_takes_part(const struct schedule_state *state, int64_t i);
/* New tokens of a row that takes part; 0 for one that has finished and stays. */
int64_t schedule_fresh(const struct schedule_state *state, int64_t i);
/* True for a row that has arrived and has found no place. */
bool schedule_waits(const struct schedule_state *state, int64_t i);
/* After a pass: rows that need their place no longer give it back. */
void schedule_leave(struct schedule_state *state);
/* Whether any row has not finished. */
bool schedule_goes_on(const struct schedule_state *state);

#endif
