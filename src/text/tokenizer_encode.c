/* Encoding: the five stages, one after the other. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "text/tokenizer_parts.h"

static bool check_text(const char *text, size_t length, struct err *err)
{
	if (length > TOKENIZER_MAX_TEXT)
		return err_usage(err, NULL, "a text of %zu bytes is too long to tokenize; the most is %zu", length,
			TOKENIZER_MAX_TEXT);
	for (size_t at = 0; at < length;) {
		uint32_t c;
		size_t step = utf8_decode(text + at, length - at, &c);
		if (step == 0) {
			char where[64];
			(void)snprintf(where, sizeof where, "byte %zu", at);
			return err_usage(err, where, "the text is not UTF-8 there; convert it to UTF-8 first");
		}
		at += step;
	}
	return true;
}

/* Finds raw added tokens, normalizes what is left, finds normalized added tokens in that. */
static bool find_added(const struct tokenizer *tokenizer, const struct piece *whole, bool special,
	struct piece_list *pieces, struct arena *scratch, struct err *err)
{
	struct piece_list raw = PIECE_LIST_INIT;
	bool done = true;
	added_find(&tokenizer->added, &tokenizer->added.raw, whole, special, &raw);
	for (size_t i = 0; done && i < raw.count; i++) {
		struct piece *piece = &raw.items[i];
		if (piece->id != PIECE_IS_TEXT) {
			piece_add(pieces, *piece);
			continue;
		}
		done = normalizer_run(&tokenizer->normalizer, piece, scratch, err);
		if (done)
			added_find(&tokenizer->added, &tokenizer->added.normal, piece, special, pieces);
	}
	piece_list_free(&raw);
	return done;
}

static bool cut_all(const struct tokenizer *tokenizer, const struct piece_list *pieces, struct subword_output *output,
	struct err *err)
{
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->items[i];
		if (piece->id != PIECE_IS_TEXT) {
			struct piece_origin stretch = piece_stretch(piece, 0, piece->length);
			subword_emit(output, piece->id, stretch.start, stretch.end);
		} else if (!subword_cut(&tokenizer->model, piece, output, err)) {
			return false;
		}
	}
	return true;
}

bool tokenizer_encode(const struct tokenizer *tokenizer, struct tokenizer_text text, struct arena *arena,
	struct tokenizer_list *tokens, struct err *err)
{
	struct arena scratch = ARENA_INIT;
	struct piece_list pieces = PIECE_LIST_INIT;
	struct subword_output output = SUBWORD_OUTPUT_INIT;
	bool done = false;
	if (!check_text(text.bytes, text.length, err))
		goto done;
	struct piece whole = piece_of_text(text.bytes, text.length, &scratch);
	if (!find_added(tokenizer, &whole, text.special, &pieces, &scratch, err) ||
		!pretokenizer_run(&tokenizer->pretokenizer, &pieces, &scratch, err) ||
		!cut_all(tokenizer, &pieces, &output, err))
		goto done;
	struct processor_texts texts = {text.bytes, &tokenizer->added, &tokenizer->model.vocab};
	processor_run(&tokenizer->processor, &texts, text.special, &output);
	tokens->items = ARENA_ARRAY(arena, struct tokenizer_token, output.count);
	if (output.count > 0)
		memcpy(tokens->items, output.tokens, output.count * sizeof *output.tokens);
	tokens->count = output.count;
	done = true;
done:
	subword_output_free(&output);
	piece_list_free(&pieces);
	arena_free(&scratch);
	return done;
}
