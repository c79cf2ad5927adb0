/*
 * The Unigram model (Kudo 2018, "Subword regularization"): every token has a log-probability, and a piece is cut where their sum is
 * largest (Viterbi). Of equal sums the one found first stays: the shorter last token. A character that is no token costs 10 less than
 * the unlikeliest token; a run of such is one unknown, or bytes.
 */
#include "base/utf8.h"
#include "text/bytechar.h"
#include "text/setting.h"
#include "text/subword.h"
#include "text/trie.h"

#define UNKNOWN_COST 10.0
#define NO_WAY UINT32_MAX

struct unigram {
	struct trie trie;
	double *scores; /* by ID */
	double unknown_score;
	bool byte_fallback;
};

/* The best way to a place. */
struct way {
	double score;
	uint32_t start; /* of its last token; NO_WAY: none found yet */
	int32_t id;
};

static bool read_scores(struct subword *model, const struct json *list, struct arena *arena, struct err *err)
{
	struct unigram *unigram = model->own;
	double least = 0;
	if (list->type != JSON_ARRAY || list->count == 0)
		return json_error(list, err, "a list of tokens and their scores was expected");
	unigram->scores = ARENA_ARRAY(arena, double, list->count);
	for (size_t i = 0; i < list->count; i++) {
		if (!json_number(list->items[i]->items[1], -1e30, 1e30, &unigram->scores[i], err))
			return false;
		least = i == 0 || unigram->scores[i] < least ? unigram->scores[i] : least;
		const struct vocab_entry *entry = vocab_entry(&model->vocab, (int32_t)i);
		if (vocab_find(&model->vocab, entry->text, entry->length) == (int32_t)i)
			trie_add(&unigram->trie, entry->text, entry->length, (int32_t)i);
	}
	unigram->unknown_score = least - UNKNOWN_COST;
	return true;
}

static bool load(struct subword *model, const struct json *node, const struct vocab_tables *tables, struct arena *arena,
	struct err *err)
{
	static const char *const known[] = {"type", "unk_id", "vocab", "byte_fallback", NULL};
	struct unigram *unigram = model->own = ARENA_NEW(arena, struct unigram);
	const struct json *unknown = setting_find(node, "unk_id");
	int64_t id = -1;
	(void)tables;
	if (!json_only_keys(node, known, err) ||
		!setting_bool(node, "byte_fallback", false, &unigram->byte_fallback, err) ||
		!read_scores(model, json_find(node, "vocab"), arena, err))
		return false;
	if (unknown != NULL && !json_int(unknown, 0, vocab_max_id(&model->vocab), &id, err))
		return false;
	model->has_unknown = id >= 0;
	model->unknown = (int32_t)id;
	return true;
}

static void unload(struct subword *model)
{
	struct unigram *unigram = model->own;
	if (unigram != NULL)
		trie_free(&unigram->trie);
}

static void improve(struct way *way, double score, size_t start, int32_t id)
{
	if (way->start == NO_WAY || score > way->score)
		*way = (struct way){score, (uint32_t)start, id};
}

/* Goes on from `at` with every token that begins there; *has_character when one of them is a character of `step` bytes. */
static void try_tokens(const struct unigram *unigram, const struct piece *piece, size_t at, size_t step,
	struct way *ways, bool *has_character)
{
	uint32_t node = TRIE_ROOT;
	*has_character = false;
	for (size_t end = at; end < piece->length && trie_step(&unigram->trie, &node, piece->bytes[end]); end++) {
		int32_t id = trie_value(&unigram->trie, node);
		if (id < 0)
			continue;
		improve(&ways[end + 1], unigram->scores[id] + ways[at].score, at, id);
		*has_character = *has_character || end + 1 - at == step;
	}
}

static bool find_ways(const struct subword *model, const struct piece *piece, struct way *ways, struct err *err)
{
	const struct unigram *unigram = model->own;
	for (size_t at = 0; at <= piece->length; at++)
		ways[at] = (struct way){.start = NO_WAY};
	for (size_t at = 0; at < piece->length;) {
		uint32_t c;
		bool has_character;
		size_t step = utf8_decode(piece->bytes + at, piece->length - at, &c);
		step = step > 0 ? step : 1;
		try_tokens(unigram, piece, at, step, ways, &has_character);
		if (!has_character) {
			if (!model->has_unknown)
				return subword_no_token(piece, at, err);
			improve(&ways[at + step], unigram->unknown_score + ways[at].score, at, model->unknown);
		}
		at += step;
	}
	return true;
}

/* The bytes of a stretch, each with all of it as its origin; false, and none, when one of them is no token. */
static bool emit_bytes(const struct subword *model, const struct piece *piece, size_t start, size_t end,
	struct subword_output *output)
{
	struct piece_origin stretch = piece_stretch(piece, start, end);
	char token[BYTECHAR_FALLBACK_LENGTH];
	for (size_t i = start; i < end; i++) {
		bytechar_fallback((unsigned char)piece->bytes[i], token);
		if (vocab_find(&model->vocab, token, sizeof token) < 0)
			return false;
	}
	for (size_t i = start; i < end; i++) {
		bytechar_fallback((unsigned char)piece->bytes[i], token);
		subword_emit(output, vocab_find(&model->vocab, token, sizeof token), stretch.start, stretch.end);
	}
	return true;
}

static void emit(const struct subword *model, const struct piece *piece, size_t start, size_t end,
	struct subword_output *output)
{
	const struct unigram *unigram = model->own;
	int32_t id = vocab_find(&model->vocab, piece->bytes + start, end - start);
	if (id < 0 && unigram->byte_fallback && emit_bytes(model, piece, start, end, output))
		return;
	struct piece_origin stretch = piece_stretch(piece, start, end);
	subword_emit(output, id < 0 ? model->unknown : id, stretch.start, stretch.end);
}

static bool cut(const struct subword *model, const struct piece *piece, struct subword_output *output, struct err *err)
{
	arena_reset(&output->scratch);
	struct way *ways = arena_raw(&output->scratch, piece->length + 1, sizeof *ways);
	uint32_t *starts = arena_raw(&output->scratch, piece->length, sizeof *starts);
	size_t count = 0;
	if (!find_ways(model, piece, ways, err))
		return false;
	for (size_t at = piece->length; at > 0; at = ways[at].start)
		starts[count++] = ways[at].start;
	for (size_t i = count; i > 0;) {
		size_t start = starts[--i], end = i > 0 ? starts[i - 1] : piece->length;
		bool is_unknown = model->has_unknown && ways[end].id == model->unknown;
		while (is_unknown && i > 0 && ways[i > 1 ? starts[i - 2] : piece->length].id == model->unknown) {
			i--;
			end = i > 0 ? starts[i - 1] : piece->length;
		}
		emit(model, piece, start, end, output);
	}
	return true;
}

const struct subword_kind unigram_kind = {.type = "Unigram", .load = load, .cut = cut, .unload = unload};
