#include "engine/batch.h"

const char *finish_reason_name(enum finish_reason reason)
{
	static const char *const names[] = {"", "eos", "length", "context"};
	return names[reason];
}

bool request_is_full(const struct request *request, int64_t count, int64_t context)
{
	return count - request->prompt_length >= request->max_new_tokens || count > context;
}
