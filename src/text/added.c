#include "text/added.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/setting.h"
#include "text/unicode.h"

/* The longest token at the start of the text and its length; TRIE_NONE when there is none. */
static int32_t longest(const struct trie *trie, const char *text, size_t length, size_t *matched)
{
	int32_t token = TRIE_NONE;
	uint32_t node = TRIE_ROOT;
	for (size_t i = 0; i < length && trie_step(trie, &node, text[i]); i++) {
		if (trie_value(trie, node) != TRIE_NONE) {
			token = trie_value(trie, node);
			*matched = i + 1;
		}
	}
	return token;
}

/* ---- loading ---- */

static bool read_token(struct added_token *token, const struct json *node, struct arena *arena, struct err *err)
{
	static const char *const known[] = {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special",
		NULL};
	const struct json *content, *id_node;
	const char *text;
	int64_t id;
	if (!setting_need(node, "id", &id_node, err) || !json_int(id_node, 0, VOCAB_MAX_ID, &id, err) ||
		!setting_need(node, "content", &content, err) || !json_string(content, &text, &token->length, err) ||
		!setting_bool(node, "special", false, &token->special, err) ||
		!setting_bool(node, "normalized", !token->special, &token->normalized, err) ||
		!setting_bool(node, "single_word", false, &token->single_word, err) ||
		!setting_bool(node, "lstrip", false, &token->strip_left, err) ||
		!setting_bool(node, "rstrip", false, &token->strip_right, err) || !json_only_keys(node, known, err))
		return false;
	if (token->length > ADDED_MAX_LENGTH)
		return json_error(content, err, "an added token of %zu bytes is too long; the most is %d",
			token->length, ADDED_MAX_LENGTH);
	token->id = (int32_t)id;
	token->content = arena_strndup(arena, text, token->length);
	return true;
}

/* The ID must not contradict the vocabulary. */
static bool agrees(const struct added_token *token, const struct json *node, const struct vocab *vocab, struct err *err)
{
	int32_t other = vocab_find(vocab, token->content, token->length);
	const struct vocab_entry *entry = vocab_entry(vocab, token->id);
	if (other >= 0 && other != token->id)
		return json_error(node, err, "the added token \"%s\" has the ID %d here and %d in the vocabulary",
			token->content, (int)token->id, (int)other);
	if (other < 0 && entry != NULL)
		return json_error(node, err, "the ID %d of the added token \"%s\" is \"%s\" in the vocabulary",
			(int)token->id, token->content, entry->text);
	return true;
}

static int by_id(const void *a, const void *b)
{
	const struct added_token *left = a, *right = b;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* Sorts by ID and indexes by content; a token may be listed twice if both agree on its ID. */
static bool index_tokens(struct added *added, const struct json *list, struct err *err)
{
	if (added->count > 0)
		qsort(added->tokens, added->count, sizeof *added->tokens, by_id);
	for (size_t i = 0; i < added->count; i++) {
		const struct added_token *token = &added->tokens[i];
		bool fresh = map_put(&added->by_content, token->content, token->length, (int64_t)i);
		bool twin = i > 0 && added->tokens[i - 1].id == token->id;
		if (fresh == twin)
			return json_error(list, err, "the added token \"%s\" with the ID %d contradicts another one",
				token->content, (int)token->id);
	}
	return true;
}

static bool normalize_tokens(struct added *added, const struct normalizer *normalizer, struct arena *arena,
	struct err *err)
{
	for (size_t i = 0; i < added->count; i++) {
		struct added_token *token = &added->tokens[i];
		struct piece piece = piece_of_text(token->content, token->length, arena);
		if (token->normalized && !normalizer_run(normalizer, &piece, arena, err))
			return false;
		token->found = piece.bytes;
		token->found_length = piece.length;
	}
	return true;
}

/* Control tokens first, as Hugging Face tokenizers order them: of two that look the same the first is found. */
static void grow_tries(struct added *added)
{
	for (int special = 1; special >= 0; special--) {
		for (size_t i = 0; i < added->count; i++) {
			const struct added_token *token = &added->tokens[i];
			struct trie *trie = token->normalized ? &added->normal : &added->raw;
			if (token->special == (special == 1) && token->found_length > 0)
				trie_add(trie, token->found, token->found_length, (int32_t)i);
		}
	}
}

bool added_load(struct added *added, const struct json *list, const struct vocab *vocab,
	const struct normalizer *normalizer, struct arena *arena, struct err *err)
{
	*added = (struct added){0};
	if (setting_is_absent(list))
		return true;
	if (list->type != JSON_ARRAY)
		return json_error(list, err, "a list of added tokens was expected");
	added->tokens = ARENA_ARRAY(arena, struct added_token, list->count);
	for (size_t i = 0; i < list->count; i++) {
		struct added_token *token = &added->tokens[added->count];
		if (!read_token(token, list->items[i], arena, err) || !agrees(token, list->items[i], vocab, err))
			return false;
		if (token->length > 0)
			added->count++;
	}
	if (!index_tokens(added, list, err) || !normalize_tokens(added, normalizer, arena, err))
		return false;
	grow_tries(added);
	return true;
}

void added_free(struct added *added)
{
	map_free(&added->by_content);
	trie_free(&added->raw);
	trie_free(&added->normal);
	*added = (struct added){0};
}

/* ---- finding ---- */

const struct added_token *added_by_id(const struct added *added, int32_t id)
{
	size_t low = 0, high = added->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (added->tokens[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < added->count && added->tokens[low].id == id ? &added->tokens[low] : NULL;
}

const struct added_token *added_by_content(const struct added *added, const char *content, size_t length)
{
	int64_t index = map_get(&added->by_content, content, length);
	return index < 0 ? NULL : &added->tokens[index];
}

/* The start of the character that ends before `at`. */
static size_t character_before(const struct piece *piece, size_t at)
{
	do
		at--;
	while (at > 0 && ((unsigned char)piece->bytes[at] & 0xc0) == 0x80);
	return at;
}

static uint32_t character_at(const struct piece *piece, size_t at, size_t *length)
{
	uint32_t c = 0;
	*length = utf8_decode(piece->bytes + at, piece->length - at, &c);
	*length = *length > 0 ? *length : 1;
	return c;
}

static bool stands_alone(const struct piece *piece, size_t start, size_t end)
{
	size_t length;
	if (start > 0 && unicode_is_word(character_at(piece, character_before(piece, start), &length)))
		return false;
	return end == piece->length || !unicode_is_word(character_at(piece, end, &length));
}

/* Widens [*start, *end) over white space as the token asks, but not before `floor`. */
static void take_space(const struct added_token *token, const struct piece *piece, size_t floor, size_t *start,
	size_t *end)
{
	size_t length;
	while (token->strip_left && *start > floor) {
		size_t before = character_before(piece, *start);
		if (!unicode_is_space(character_at(piece, before, &length)))
			break;
		*start = before;
	}
	while (token->strip_right && *end < piece->length) {
		if (!unicode_is_space(character_at(piece, *end, &length)))
			break;
		*end += length;
	}
}

static void add_text(const struct piece *piece, size_t start, size_t end, struct piece_list *out)
{
	if (start < end)
		piece_add(out, piece_part(piece, start, end));
}

void added_find(const struct added *added, const struct trie *trie, const struct piece *piece, bool special,
	struct piece_list *out)
{
	size_t done = 0; /* up to here the piece has been cut */
	for (size_t at = 0; at < piece->length;) {
		size_t length = 0;
		int32_t index = longest(trie, piece->bytes + at, piece->length - at, &length);
		if (index == TRIE_NONE) {
			at++;
			continue;
		}
		const struct added_token *token = &added->tokens[index];
		size_t start = at, end = at + length;
		at = end;
		if ((token->special && !special) || (token->single_word && !stands_alone(piece, start, end)))
			continue;
		take_space(token, piece, done, &start, &end);
		add_text(piece, done, start, out);
		struct piece found = piece_part(piece, start, end);
		found.id = token->id;
		piece_add(out, found);
		/* Goes on after the token, not after the space it took: a token of white space is found there
		 * again, as in Hugging Face tokenizers. */
		done = end;
	}
	add_text(piece, done, piece->length, out);
}
