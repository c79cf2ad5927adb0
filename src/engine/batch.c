#include "engine/batch.h"

#include <string.h>

#include "base/hash.h"

static const char *const schedules[SCHEDULE_COUNT] = {"continuous", "static", "chunked"};

const char *finish_reason_name(enum finish_reason reason)
{
	static const char *const names[] = {"", "eos", "stop", "length", "context"};
	return names[reason];
}

const char *schedule_name(enum schedule schedule)
{
	return schedules[schedule];
}

bool schedule_find(const char *name, enum schedule *schedule, struct err *err)
{
	for (int i = 0; i < SCHEDULE_COUNT; i++) {
		if (strcmp(schedules[i], name) == 0) {
			*schedule = (enum schedule)i;
			return true;
		}
	}
	return err_usage(err, "schedule", "continuous, static or chunked was expected, got \"%.60s\"", name);
}

int64_t batch_lanes(const struct batch *batch)
{
	return batch->max_rows > 0 && batch->max_rows < batch->count ? batch->max_rows : batch->count;
}

bool sampling_is_used(const struct sampling *s)
{
	bool penalised = (s->repetition_penalty != 0 && s->repetition_penalty != 1) || s->presence_penalty != 0 ||
		s->frequency_penalty != 0;
	return s->temperature > 0 || penalised;
}

int32_t request_token(const struct request *request, int64_t position, int32_t chosen)
{
	for (int64_t i = 0; i < request->edit_count; i++) {
		if (request->edits[i].position == position && request->edits[i].token >= 0)
			chosen = request->edits[i].token;
	}
	return chosen;
}

const struct sampling *request_sampling(const struct request *request, int64_t position)
{
	const struct sampling *sampling = &request->sampling;
	for (int64_t i = 0; i < request->edit_count && request->edits[i].position <= position; i++) {
		if (request->edits[i].token < 0)
			sampling = &request->edits[i].sampling;
	}
	return sampling;
}

struct pass_draw request_draw(const struct request *request, int64_t position)
{
	uint64_t hash = hash_fnv1a(request->id, strlen(request->id));
	return (struct pass_draw){.key = request_sampling(request, position)->seed,
		.counter = {(uint32_t)position, 0, (uint32_t)hash, (uint32_t)(hash >> 32)}};
}

static bool is_ever_sampled(const struct request *request)
{
	bool is = sampling_is_used(&request->sampling);
	for (int64_t i = 0; i < request->edit_count; i++)
		is = is || (request->edits[i].token < 0 && sampling_is_used(&request->edits[i].sampling));
	return is;
}

struct plan_way batch_way(const struct batch *batch)
{
	struct plan_way way = {.layout = batch->layout};
	for (int64_t i = 0; i < batch->count; i++)
		way.sampled = way.sampled || is_ever_sampled(&batch->requests[i]);
	return way;
}

static bool holds(const int32_t *list, int64_t count, int32_t token)
{
	for (int64_t i = 0; i < count; i++) {
		if (list[i] == token)
			return true;
	}
	return false;
}

enum finish_reason request_finish(const struct request *request, const struct finish_rule *rule, const int32_t *tokens,
	int64_t count)
{
	int64_t generated = count - request->prompt_length;
	if (holds(rule->end_tokens, rule->end_token_count, tokens[count - 1]))
		return FINISH_EOS;
	if (holds(request->stop_ids, request->stop_id_count, tokens[count - 1]))
		return FINISH_STOP;
	if (request->stop_count > 0 && rule->stop.stops != NULL &&
		rule->stop.stops(rule->stop.self, request, tokens, generated))
		return FINISH_STOP;
	if (!request_is_full(request, count, rule->context))
		return FINISH_NONE;
	return generated >= request->max_new_tokens ? FINISH_LENGTH : FINISH_CONTEXT;
}

bool request_is_full(const struct request *request, int64_t count, int64_t context)
{
	return count - request->prompt_length >= request->max_new_tokens || count > context;
}
