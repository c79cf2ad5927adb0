#include "analysis/stops.h"

#include <string.h>

#include "text/tokenizer.h"

/* Where the first of the stop texts begins in `text`; NULL when none is there. */
static const char *first_stop(const struct request *request, const char *text)
{
	const char *first = NULL;
	for (int64_t i = 0; i < request->stop_count; i++) {
		const char *at = request->stops[i][0] != '\0' ? strstr(text, request->stops[i]) : NULL;
		if (at != NULL && (first == NULL || at < first))
			first = at;
	}
	return first;
}

static bool stops(void *self, const struct request *request, const int32_t *generated, int64_t count)
{
	const struct tokenizer *tokenizer = self;
	struct buf text = BUF_INIT;
	if (tokenizer != NULL)
		tokenizer_decode(tokenizer, generated, (size_t)count, true, &text);
	bool found = first_stop(request, buf_text(&text)) != NULL;
	buf_free(&text);
	return found;
}

struct stop_rule stops_rule(const struct model *model)
{
	return (struct stop_rule){.stops = stops, .self = (void *)(uintptr_t)model_tokenizer(model)};
}

void stops_text(const struct model *model, const struct request *request, const int32_t *generated, int64_t count,
	struct buf *out)
{
	struct buf text = BUF_INIT;
	if (model_tokenizer(model) != NULL && count > 0)
		tokenizer_decode(model_tokenizer(model), generated, (size_t)count, true, &text);
	const char *stop = first_stop(request, buf_text(&text));
	buf_add(out, buf_text(&text), stop != NULL ? (size_t)(stop - buf_text(&text)) : text.length);
	buf_free(&text);
}
