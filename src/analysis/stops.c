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

/* What a row has said behind its prompt. */
static void add_said(const struct tokenizer *tokenizer, const struct request *request, const int32_t *tokens,
	int64_t generated, struct buf *text)
{
	if (tokenizer != NULL && generated > 0)
		tokenizer_decode_after(tokenizer, tokens, (size_t)request->prompt_length, (size_t)generated, true,
			text);
}

static bool stops(void *self, const struct request *request, const int32_t *tokens, int64_t generated)
{
	struct buf text = BUF_INIT;
	add_said(self, request, tokens, generated, &text);
	bool found = first_stop(request, buf_text(&text)) != NULL;
	buf_free(&text);
	return found;
}

struct stop_rule stops_rule(const struct model *model)
{
	return (struct stop_rule){.stops = stops, .self = (void *)(uintptr_t)model_tokenizer(model)};
}

void stops_text(const struct model *model, const struct request *request, const int32_t *tokens, int64_t generated,
	struct buf *out)
{
	struct buf text = BUF_INIT;
	add_said(model_tokenizer(model), request, tokens, generated, &text);
	const char *stop = first_stop(request, buf_text(&text));
	buf_add(out, buf_text(&text), stop != NULL ? (size_t)(stop - buf_text(&text)) : text.length);
	buf_free(&text);
}
