#include "analysis/scramble.h"

#include <math.h>
#include <string.h>

/* Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
uint64_t scramble_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static int64_t below(uint64_t *state, int64_t limit)
{
	return (int64_t)(scramble_next(state) % (uint64_t)limit);
}

/* From one token to twice the length, so that the scrambled row may be the longest or the shortest. */
static void scramble_request(struct request *request, const struct config *config, uint64_t *state, struct arena *arena)
{
	int64_t longest = 2 * request->prompt_length + 1;
	longest = longest > config->context ? config->context : longest;
	request->prompt_length = 1 + below(state, longest);
	request->prompt = ARENA_ARRAY(arena, int32_t, request->prompt_length);
	for (int64_t i = 0; i < request->prompt_length; i++)
		request->prompt[i] = (int32_t)below(state, config->vocabulary);
	request->max_new_tokens = 1 + below(state, request->max_new_tokens + 1);
	request->text = NULL;
	request->edit_count = 0;
}

struct batch scramble_batch(const struct batch *batch, const uint8_t *scrambled, const struct config *config,
	uint64_t seed, struct arena *arena)
{
	struct batch copy = *batch;
	copy.requests = ARENA_ARRAY(arena, struct request, batch->count);
	memcpy(copy.requests, batch->requests, (size_t)batch->count * sizeof *copy.requests);
	for (int64_t i = 0; i < batch->count; i++) {
		if (scrambled[i] != 0)
			scramble_request(&copy.requests[i], config, &seed, arena);
	}
	return copy;
}

bool scramble_plan(struct plan *plan, const uint8_t *scrambled, int64_t count, uint64_t seed, struct err *err)
{
	static const float fills[] = {NAN, INFINITY, -INFINITY, 1e38f, 1e-40f};
	int embed = plan_value(plan, "embed");
	if (embed == PLAN_NONE)
		return err_usage(err, "embed", "the model's list of operations has no value to scramble");
	uint8_t *rows = ARENA_ARRAY(plan->arena, uint8_t, count);
	float *fill = ARENA_ARRAY(plan->arena, float, count);
	for (int64_t i = 0; i < count; i++) {
		int64_t choice = below(&seed, 6);
		rows[i] = scrambled[i] != 0 && choice < 5;
		fill[i] = fills[choice % 5];
	}
	struct op op = plan_op(OP_inject, -1);
	op.rows = rows;
	op.fill = fill;
	return plan_insert_after(plan, op, embed, "embed.scrambled", err) != PLAN_NONE;
}
