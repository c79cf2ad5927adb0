/*
 * Streaming decode. Only the last few tokens are decoded again for each new one: what a decoder makes of a token
 * depends on whether it is the first, and bytes that wait for the rest of their character are at most three, so they
 * belong to the last three tokens that have text. A run of byte tokens (<0xE4>) is kept whole until it ends, however long:
 * one bad byte in it makes U+FFFD of all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/bytechar.h"
#include "text/tokenizer_parts.h"
#include "text/unicode.h"

enum { WINDOW = 8 }; /* tokens */

struct tokenizer_stream {
	const struct tokenizer *tokenizer;
	bool skip_special;
	int32_t *ids;
	size_t count, capacity;
	size_t given; /* of the window's bytes, how many were appended already */
};

struct tokenizer_stream *tokenizer_stream_new(const struct tokenizer *tokenizer, bool skip_special)
{
	struct tokenizer_stream *stream = MEM_NEW(struct tokenizer_stream);
	stream->tokenizer = tokenizer;
	stream->skip_special = skip_special;
	return stream;
}

void tokenizer_stream_delete(struct tokenizer_stream *stream)
{
	if (stream != NULL)
		free(stream->ids);
	free(stream);
}

static void decode_window(const struct tokenizer_stream *stream, struct buf *bytes)
{
	tokenizer_decode_bytes(stream->tokenizer, stream->ids, stream->count, stream->skip_special, bytes);
}

static void append(struct tokenizer_stream *stream, int32_t id)
{
	if (stream->count == stream->capacity) {
		stream->capacity = stream->capacity == 0 ? WINDOW + 1 : stream->capacity * 2;
		stream->ids = mem_resize(stream->ids, stream->capacity, sizeof *stream->ids);
	}
	stream->ids[stream->count++] = id;
}

/* Forgets all but the last tokens; `waiting` bytes at the end have not been given yet. */
static void shrink(struct tokenizer_stream *stream, size_t waiting)
{
	struct buf bytes = BUF_INIT;
	memmove(stream->ids, stream->ids + stream->count - WINDOW, WINDOW * sizeof stream->ids[0]);
	stream->count = WINDOW;
	decode_window(stream, &bytes);
	stream->given = bytes.length > waiting ? bytes.length - waiting : 0;
	buf_free(&bytes);
}

void tokenizer_stream_add(struct tokenizer_stream *stream, int32_t id, struct buf *out)
{
	struct buf bytes = BUF_INIT;
	bool skipped = stream->skip_special && tokenizer_is_special(stream->tokenizer, id);
	if (skipped || !tokenizer_token_spelling(stream->tokenizer, id, &bytes) || bytes.length == 0) {
		buf_free(&bytes);
		return;
	}
	append(stream, id);
	if (stream->tokenizer->decoder.byte_fallback && bytechar_of_fallback(buf_text(&bytes), bytes.length) >= 0) {
		buf_free(&bytes);
		return;
	}
	buf_clear(&bytes);
	decode_window(stream, &bytes);
	size_t waiting = unicode_incomplete(bytes.data, bytes.length);
	size_t certain = bytes.length - waiting;
	if (certain > stream->given) {
		unicode_repair(bytes.data + stream->given, certain - stream->given, out);
		stream->given = certain;
	}
	if (stream->count > WINDOW)
		shrink(stream, waiting);
	buf_free(&bytes);
}

void tokenizer_stream_finish(struct tokenizer_stream *stream, struct buf *out)
{
	struct buf bytes = BUF_INIT;
	decode_window(stream, &bytes);
	if (bytes.length > stream->given)
		unicode_repair(bytes.data + stream->given, bytes.length - stream->given, out);
	stream->count = 0;
	stream->given = 0;
	buf_free(&bytes);
}

void tokenizer_decode_after(const struct tokenizer *tokenizer, const int32_t *ids, size_t before, size_t count,
	bool skip_special, struct buf *out)
{
	struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, skip_special);
	struct buf unused = BUF_INIT;
	for (size_t i = 0; i < before; i++)
		tokenizer_stream_add(stream, ids[i], &unused);
	for (size_t i = before; i < before + count; i++)
		tokenizer_stream_add(stream, ids[i], out);
	tokenizer_stream_finish(stream, out);
	tokenizer_stream_delete(stream);
	buf_free(&unused);
}
