/*
 * What a tokenizer makes of many texts, for tests/tokenizer_proof.py to compare with another library's. Not part of `make test`:
 * `make tokenizer-proof`.
 *
 *     tokenizer_proof FILE <texts >answers
 *
 * Texts: each its length (4 bytes, little end first) and its bytes. Answers: a line per text, IDs with special tokens, IDs without, and in
 * hexadecimal the text of the former with control tokens and without: "1 5 2;5;3c733e61;61". What is refused is "!" and the reason.
 * Decoding token by token must give the same text as decoding at once, or the line is "!" too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/tokenizer.h"

static bool read_text(struct buf *text)
{
	unsigned char size[4];
	char part[4096];
	if (fread(size, 1, sizeof size, stdin) != sizeof size)
		return false;
	size_t left = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
	buf_clear(text);
	while (left > 0) {
		size_t count = fread(part, 1, left < sizeof part ? left : sizeof part, stdin);
		if (count == 0)
			return false;
		buf_add(text, part, count);
		left -= count;
	}
	return true;
}

static void add_ids(struct buf *line, const struct tokenizer_list *tokens)
{
	for (size_t i = 0; i < tokens->count; i++)
		buf_printf(line, "%s%d", i > 0 ? " " : "", (int)tokens->items[i].id);
	buf_add_char(line, ';');
}

/* False when the parts are not the whole. */
static bool add_text(struct buf *line, const struct tokenizer *tokenizer, const struct tokenizer_list *tokens,
	bool skip)
{
	struct buf whole = BUF_INIT, parts = BUF_INIT;
	int32_t *ids = MEM_ARRAY(int32_t, tokens->count + 1);
	struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, skip);
	for (size_t i = 0; i < tokens->count; i++) {
		ids[i] = tokens->items[i].id;
		tokenizer_stream_add(stream, ids[i], &parts);
	}
	tokenizer_stream_finish(stream, &parts);
	tokenizer_decode(tokenizer, ids, tokens->count, skip, &whole);
	bool same = whole.length == parts.length && memcmp(buf_text(&whole), buf_text(&parts), whole.length) == 0;
	for (size_t i = 0; i < whole.length; i++)
		buf_printf(line, "%02x", (unsigned)(unsigned char)whole.data[i]);
	buf_add_char(line, ';');
	tokenizer_stream_delete(stream);
	free(ids);
	buf_free(&whole);
	buf_free(&parts);
	return same;
}

static void answer(const struct tokenizer *tokenizer, const struct buf *text)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct tokenizer_list special, plain;
	struct buf line = BUF_INIT;
	const char *bytes = buf_text(text);
	if (!tokenizer_encode(tokenizer, (struct tokenizer_text){bytes, text->length, true}, &arena, &special, &err) ||
		!tokenizer_encode(tokenizer, (struct tokenizer_text){bytes, text->length, false}, &arena, &plain,
			&err)) {
		printf("!%s\n", err.message);
	} else {
		add_ids(&line, &special);
		add_ids(&line, &plain);
		bool same = add_text(&line, tokenizer, &special, false);
		same = add_text(&line, tokenizer, &special, true) && same;
		puts(same ? buf_text(&line) : "!token by token the text is another");
	}
	buf_free(&line);
	arena_free(&arena);
}

int main(int count, char **arguments)
{
	struct tokenizer *tokenizer;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	char why[1024];
	if (count != 2 || !tokenizer_open(&tokenizer, arguments[1], 0, &err)) {
		err_text(&err, why, sizeof why);
		fprintf(stderr, "tokenizer_proof: %s\n", count != 2 ? "one file was expected" : why);
		return 1;
	}
	while (read_text(&text))
		answer(tokenizer, &text);
	buf_free(&text);
	tokenizer_delete(tokenizer);
	return 0;
}
