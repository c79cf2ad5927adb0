#include "engine/batch.h"

#include <string.h>

static const char *const schedules[SCHEDULE_COUNT] = {"continuous", "static", "chunked"};

const char *finish_reason_name(enum finish_reason reason)
{
	static const char *const names[] = {"", "eos", "length", "context"};
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

bool request_is_full(const struct request *request, int64_t count, int64_t context)
{
	return count - request->prompt_length >= request->max_new_tokens || count > context;
}
