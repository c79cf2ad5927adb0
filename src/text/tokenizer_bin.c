/*
 * tokenizer.bin of llama2.c: the longest length of a token, then of every token its score, length and text.
 *
 * Tokens 1 and 2 begin and end a text; a blank is put before it; a character that is no token becomes its bytes, tokens <0x00> to
 * <0xFF>, before anything is merged.
 *
 * Source: tokenizer.py (export) and run.c (encode, decode) of github.com/karpathy/llama2.c.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "format/cursor.h"
#include "text/telling.h"

#define MOST_LENGTH 4096

enum { START = 1, END = 2 };

static bool read_token(struct cursor *c, struct telling *t, uint32_t longest)
{
	char text[MOST_LENGTH];
	double score = (double)cursor_f32(c, "the score of a token");
	uint32_t length = cursor_u32(c, "the length of a token");
	if (c->ok && (length == 0 || length > longest))
		return cursor_fail(c,
			"token %zu has a length of %" PRId32 " bytes; expected 1 to %" PRIu32
			", the longest that the file announces",
			t->count, (int32_t)length, longest);
	if (c->ok && !(score > -1e30 && score < 1e30))
		return cursor_fail(c, "token %zu has a score that is no number", t->count);
	if (!cursor_bytes(c, text, length, "the text of a token"))
		return false;
	bool is_control = t->count == START || t->count == END;
	telling_add_token(t, text, length, score, is_control ? TOKEN_CONTROL : TOKEN_NORMAL);
	return true;
}

static bool read_all(struct cursor *c, struct telling *t, int64_t vocabulary)
{
	uint32_t longest = cursor_u32(c, "the length of the longest token");
	if (c->ok && (longest == 0 || longest > MOST_LENGTH))
		return cursor_fail(c,
			"the longest token is said to have %" PRId32
			" bytes; expected 1 to %d: this is no tokenizer.bin of llama2.c",
			(int32_t)longest, MOST_LENGTH);
	while (c->ok && cursor_left(c) > 0 && (vocabulary == 0 || (int64_t)t->count <= vocabulary)) {
		if (!read_token(c, t, longest))
			return false;
	}
	return c->ok;
}

bool tokenizer_load_bin(struct tokenizer **out, const char *path, int64_t vocabulary, struct err *err)
{
	struct cursor *c = MEM_NEW(struct cursor);
	struct telling t;
	struct file file = FILE_CLOSED;
	telling_init(&t, path);
	bool ok = file_open(&file, path, err);
	if (ok) {
		cursor_init(c, &file, 0, err);
		ok = read_all(c, &t, vocabulary);
	}
	if (ok && vocabulary > 0 && (int64_t)t.count != vocabulary)
		ok = err_input(err, path, NULL,
			"it has %s%zu tokens, but the model has %" PRId64
			"; give the tokenizer of this model with --tokenizer",
			(int64_t)t.count > vocabulary ? "at least " : "", t.count, vocabulary);
	if (ok && t.count <= END)
		ok = err_input(err, path, NULL,
			"it has %zu tokens; expected at least 3, of which 1 and 2 begin and end a text", t.count);
	file_close(&file);
	free(c);
	if (ok) {
		telling_add_sentencepiece(&t, 0, false, true);
		telling_add_named(&t);
		telling_add_ends(&t, START, -1);
		return telling_end(&t, out, NULL, err);
	}
	telling_free(&t);
	return false;
}
