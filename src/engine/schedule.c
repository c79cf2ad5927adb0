#include "engine/schedule.h"

bool schedule_takes_part(const struct schedule_state *state, int64_t i)
{
	return state->rows[i].admitted && !state->rows[i].left;
}

static int64_t count_rows(const struct schedule_state *state)
{
	int64_t count = 0;
	for (int64_t i = 0; i < state->batch->count; i++)
		count += schedule_takes_part(state, i);
	return count;
}

static bool has_arrived(const struct schedule_state *state, int64_t i)
{
	return !state->rows[i].admitted && state->batch->requests[i].arrives <= state->clock;
}

bool schedule_waits(const struct schedule_state *state, int64_t i)
{
	return has_arrived(state, i);
}

int64_t schedule_admit(struct schedule_state *state)
{
	/* a static batch is closed until all of its rows have ended */
	bool open = state->batch->schedule != SCHEDULE_STATIC || count_rows(state) == 0;
	for (int64_t i = 0; open && i < state->batch->count; i++) {
		if (has_arrived(state, i))
			state->rows[i].admitted = kvcache_admit(state->cache, (int32_t)i);
	}
	return count_rows(state);
}

/* The earliest arrival of a row that has not started; -1 when there is none. */
static int64_t next_arrival(const struct schedule_state *state)
{
	int64_t earliest = -1;
	for (int64_t i = 0; i < state->batch->count; i++) {
		int64_t arrives = state->batch->requests[i].arrives;
		if (!state->rows[i].admitted && (earliest < 0 || arrives < earliest))
			earliest = arrives;
	}
	return earliest;
}

int64_t schedule_next(struct schedule_state *state)
{
	int64_t count = schedule_admit(state);
	if (count > 0 || next_arrival(state) <= state->clock)
		return count;
	state->clock = next_arrival(state);
	return schedule_admit(state);
}

int64_t schedule_fresh(const struct schedule_state *state, int64_t i)
{
	const struct batch *batch = state->batch;
	const struct row *row = &state->rows[i];
	int64_t fresh = row->count - row->computed, chunk = batch->chunk > 0 ? batch->chunk : BATCH_DEFAULT_CHUNK;
	if (row->finish != FINISH_NONE && (!state->go_on || row->count > state->longest))
		return 0;
	if (state->cuts != NULL) {
		int64_t end = row->computed + 1;
		while (end < row->count && state->cuts[end] == 0)
			end++;
		return end - row->computed;
	}
	return batch->schedule == SCHEDULE_CHUNKED && fresh > chunk ? chunk : fresh;
}

static void leave(struct schedule_state *state, int64_t i)
{
	state->rows[i].left = true;
	kvcache_release(state->cache, (int32_t)i);
}

void schedule_leave(struct schedule_state *state)
{
	bool all = true;
	for (int64_t i = 0; i < state->batch->count; i++)
		all = all && (!schedule_takes_part(state, i) || state->rows[i].finish != FINISH_NONE);
	for (int64_t i = 0; i < state->batch->count; i++) {
		bool done = schedule_takes_part(state, i) && state->rows[i].finish != FINISH_NONE;
		if (done && (all || state->batch->schedule != SCHEDULE_STATIC))
			leave(state, i);
	}
}

bool schedule_goes_on(const struct schedule_state *state)
{
	for (int64_t i = 0; i < state->batch->count; i++) {
		if (state->rows[i].finish == FINISH_NONE)
			return true;
	}
	return false;
}
