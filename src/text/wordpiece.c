/*
 * The WordPiece model (Schuster, Nakajima 2012; as BERT uses it): a piece is cut from left to right, each time into the longest token that goes
 * on there; tokens that do not begin a piece are spelled with a prefix, "##". A piece that cannot be cut so to its end is one unknown token, and
 * so is one of too many characters.
 */
#include "base/utf8.h"
#include "text/setting.h"
#include "text/subword.h"
#include "text/trie.h"

struct wordpiece {
	struct trie trie;
	const char *prefix;
	size_t prefix_length;
	int64_t most; /* characters of a piece */
};

static bool load(struct subword *model, const struct json *node, const struct vocab_tables *tables, struct arena *arena,
	struct err *err)
{
	static const char *const known[] = {"type", "vocab", "unk_token", "continuing_subword_prefix",
		"max_input_chars_per_word", NULL};
	struct wordpiece *wordpiece = model->own = ARENA_NEW(arena, struct wordpiece);
	const struct json *most = setting_find(node, "max_input_chars_per_word");
	const char *prefix;
	(void)tables;
	wordpiece->most = 100;
	if (!json_only_keys(node, known, err) ||
		!setting_text(node, "continuing_subword_prefix", &prefix, &wordpiece->prefix_length, err) ||
		(most != NULL && !json_int(most, 0, INT32_MAX, &wordpiece->most, err)))
		return false;
	if (prefix == NULL) {
		prefix = "##";
		wordpiece->prefix_length = 2;
	}
	wordpiece->prefix = arena_strndup(arena, prefix, wordpiece->prefix_length);
	for (size_t i = 0; i < model->vocab.count; i++) {
		const struct vocab_entry *entry = &model->vocab.entries[i];
		trie_add(&wordpiece->trie, entry->text, entry->length, entry->id);
	}
	return true;
}

static void unload(struct subword *model)
{
	struct wordpiece *wordpiece = model->own;
	if (wordpiece != NULL)
		trie_free(&wordpiece->trie);
}

static int64_t count_characters(const struct piece *piece)
{
	int64_t count = 0;
	for (size_t i = 0; i < piece->length; i++)
		count += ((unsigned char)piece->bytes[i] & 0xc0) != 0x80;
	return count;
}

/* The longest token at `at` and where it ends; TRIE_NONE when there is none. */
static int32_t longest(const struct wordpiece *wordpiece, const struct piece *piece, size_t at, size_t *end)
{
	int32_t id = TRIE_NONE;
	uint32_t node = TRIE_ROOT;
	for (size_t i = 0; at > 0 && i < wordpiece->prefix_length; i++) {
		if (!trie_step(&wordpiece->trie, &node, wordpiece->prefix[i]))
			return TRIE_NONE;
	}
	for (size_t i = at; i < piece->length && trie_step(&wordpiece->trie, &node, piece->bytes[i]); i++) {
		if (trie_value(&wordpiece->trie, node) == TRIE_NONE)
			continue;
		id = trie_value(&wordpiece->trie, node);
		*end = i + 1;
	}
	return id;
}

static bool cut(const struct subword *model, const struct piece *piece, struct subword_output *output, struct err *err)
{
	const struct wordpiece *wordpiece = model->own;
	size_t before = output->count, end = 0;
	bool is_known = count_characters(piece) <= wordpiece->most;
	for (size_t at = 0; is_known && at < piece->length; at = end) {
		int32_t id = longest(wordpiece, piece, at, &end);
		is_known = id != TRIE_NONE;
		if (!is_known)
			break;
		struct piece_origin stretch = piece_stretch(piece, at, end);
		subword_emit(output, id, stretch.start, stretch.end);
	}
	if (is_known)
		return true;
	output->count = before;
	if (model->unknown < 0)
		return subword_no_token(piece, 0, err);
	struct piece_origin stretch = piece_stretch(piece, 0, piece->length);
	subword_emit(output, model->unknown, stretch.start, stretch.end);
	return true;
}

const struct subword_kind wordpiece_kind = {.type = "WordPiece", .load = load, .cut = cut, .unload = unload};
