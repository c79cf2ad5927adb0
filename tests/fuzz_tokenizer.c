/*
 * Any bytes as a tokenizer.json and a text: no crash, no leak, no hang. The input is cut at its last NUL: before it the
 * file, after it the text. What encodes must have its offsets in the text and decode, at once and in parts, to the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_offsets(const struct tokenizer_list *tokens, size_t length)
{
	for (size_t i = 0; i < tokens->count; i++) {
		if (tokens->items[i].start > tokens->items[i].end || tokens->items[i].end > length)
			abort();
	}
}

static void decode(const struct tokenizer *tokenizer, const struct tokenizer_list *tokens, bool skip)
{
	struct buf whole = BUF_INIT, parts = BUF_INIT;
	int32_t *ids = calloc(tokens->count + 1, sizeof *ids);
	struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, skip);
	for (size_t i = 0; i < tokens->count; i++) {
		ids[i] = tokens->items[i].id;
		tokenizer_stream_add(stream, ids[i], &parts);
		if (!utf8_is_valid(buf_text(&parts), parts.length))
			abort();
	}
	tokenizer_stream_finish(stream, &parts);
	tokenizer_decode(tokenizer, ids, tokens->count, skip, &whole);
	if (!utf8_is_valid(buf_text(&whole), whole.length))
		abort();
	tokenizer_stream_delete(stream);
	free(ids);
	buf_free(&whole);
	buf_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct tokenizer *tokenizer;
	struct err err = ERR_INIT;
	size_t cut = length;
	while (cut > 0 && bytes[cut - 1] != 0)
		cut--;
	size_t file = cut > 0 ? cut - 1 : length;
	const char *text = (const char *)bytes + (cut > 0 ? cut : length);
	size_t text_length = cut > 0 ? length - cut : 0;
	if (!tokenizer_parse(&tokenizer, (const char *)bytes, file, "fuzz", &err)) {
		if (err.kind != ERR_INPUT || err.message[0] == '\0')
			abort();
		return 0;
	}
	for (int special = 0; special <= 1; special++) {
		struct arena arena = ARENA_INIT;
		struct tokenizer_list tokens;
		struct err refused = ERR_INIT;
		if (tokenizer_encode(tokenizer, (struct tokenizer_text){text, text_length, special == 1}, &arena,
			    &tokens, &refused)) {
			check_offsets(&tokens, text_length);
			decode(tokenizer, &tokens, special == 1);
		} else if (refused.kind != ERR_USAGE) {
			abort();
		}
		arena_free(&arena);
	}
	tokenizer_delete(tokenizer);
	return 0;
}
