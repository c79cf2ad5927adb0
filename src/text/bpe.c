/*
 * Byte-pair encoding (Sennrich, Haddow, Birch 2016, "Neural machine translation of rare words with subword units"):
 * a piece starts as its characters; of all neighbours that have a merge, the pair of lowest rank, and of those the
 * leftmost, becomes one symbol, until none is left. A heap of (rank, place) finds it; an entry whose symbols have
 * changed since is skipped when it comes up. Time n log n for a piece of n bytes.
 *
 * SentencePiece's BPE (Kudo, Richardson 2018) differs in which neighbours merge and in the order: any two whose texts
 * together are a token, the one with the highest score first; a character outside the vocabulary becomes bytes at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/utf8.h"
#include "text/bytechar.h"
#include "text/setting.h"
#include "text/subword.h"

struct bpe {
	struct map merges; /* the two IDs of a pair (8 bytes) -> rank * 2^32 + ID of the merged token */
	bool fuse_unknown;
	bool byte_fallback;    /* a character outside the vocabulary is the tokens of its bytes, where there are such */
	bool ignore_merges;    /* a piece that is a token is that token */
	const uint32_t *ranks; /* SentencePiece: of every ID, by descending score; NULL otherwise */
	bool merges_unknown;   /* SentencePiece: a character outside the vocabulary may still be a part of a token */
};

enum { NONE = -1 };

struct symbol {
	int32_t id;
	int32_t previous, next; /* indices, or NONE */
	uint32_t start, end;    /* bytes of the piece; start == end: merged away */
};

struct merge {
	uint32_t rank;
	int32_t place; /* index of the left symbol */
	int32_t id;    /* of the merged token */
};

struct word {
	const char *text; /* of the piece */
	struct symbol *symbols;
	size_t count;
	struct merge *heap;
	size_t heap_count;
};

/* ---- loading ---- */

static bool add_merge(struct subword *model, size_t rank, const struct vocab_entry pair[2], struct err *err)
{
	struct bpe *bpe = model->own;
	int32_t ids[2];
	char where[48];
	snprintf(where, sizeof where, "merges[%zu]", rank);
	for (int i = 0; i < 2; i++) {
		ids[i] = vocab_find(&model->vocab, pair[i].text, pair[i].length);
		if (ids[i] < 0)
			return err_input(err, NULL, where,
				"the merge needs the token \"%.*s\", which is not in the vocabulary",
				(int)pair[i].length, pair[i].text);
	}
	struct buf joined = BUF_INIT;
	buf_add(&joined, pair[0].text, pair[0].length);
	buf_add(&joined, pair[1].text, pair[1].length);
	int32_t id = vocab_find(&model->vocab, buf_text(&joined), joined.length);
	buf_free(&joined);
	if (id < 0)
		return err_input(err, NULL, where, "the merge of \"%.*s\" and \"%.*s\" is not in the vocabulary",
			(int)pair[0].length, pair[0].text, (int)pair[1].length, pair[1].text);
	(void)map_put(&bpe->merges, (const char *)ids, sizeof ids, (int64_t)rank << 32 | id);
	return true;
}

/* ["a", "b"], or "a b" in older files. */
static bool read_merge(const struct json *node, struct vocab_entry pair[2], struct err *err)
{
	if (node->type == JSON_ARRAY && node->count == 2)
		return json_string(node->items[0], &pair[0].text, &pair[0].length, err) &&
			json_string(node->items[1], &pair[1].text, &pair[1].length, err);
	const char *text = node->text;
	const char *space = node->type == JSON_STRING ? memchr(text, ' ', node->length) : NULL;
	if (space == NULL || memchr(space + 1, ' ', node->length - (size_t)(space + 1 - text)) != NULL)
		return json_error(node, err, "a merge is two tokens: [\"a\", \"b\"] or \"a b\" with one space");
	pair[0] = (struct vocab_entry){.text = text, .length = (size_t)(space - text)};
	pair[1] = (struct vocab_entry){.text = space + 1, .length = node->length - pair[0].length - 1};
	return true;
}

/* From the last to the first, so that of a pair given twice the later rank holds, as in Hugging Face tokenizers. */
static bool read_merges(struct subword *model, const struct json *list, struct err *err)
{
	if (list->type != JSON_ARRAY)
		return json_error(list, err, "a list of merges was expected");
	size_t heading = 0;
	if (list->count > 0 && list->items[0]->type == JSON_STRING && strncmp(list->items[0]->text, "#version", 8) == 0)
		heading = 1;
	for (size_t i = list->count; i-- > heading;) {
		struct vocab_entry pair[2];
		if (!read_merge(list->items[i], pair, err) || !add_merge(model, i, pair, err))
			return false;
	}
	return true;
}

/* What changes the tokens and is not done here must be off. */
static bool refuse_variants(const struct json *node, struct err *err)
{
	static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
	double dropout = 0;
	const struct json *member = setting_find(node, "dropout");
	if (member != NULL && !json_number(member, 0, 1, &dropout, err))
		return false;
	if (dropout > 0)
		return json_error(member, err, "BPE dropout makes tokens random and is not supported");
	for (size_t i = 0; i < 2; i++) {
		const char *text;
		size_t length;
		if (!setting_text(node, affixes[i], &text, &length, err))
			return false;
		if (length > 0)
			return json_error(setting_find(node, affixes[i]), err, "BPE with a %s is not supported",
				affixes[i]);
	}
	return true;
}

static bool take_merges(struct subword *model, const struct vocab_tables *tables, struct err *err)
{
	for (size_t i = tables->merge_count; i-- > 0;) {
		if (!add_merge(model, i, tables->merges[i], err))
			return false;
	}
	return true;
}

static bool load(struct subword *model, const struct json *node, const struct vocab_tables *tables, struct arena *arena,
	struct err *err)
{
	static const char *const known[] = {"type", "dropout", "unk_token", "continuing_subword_prefix",
		"end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges", NULL};
	struct bpe *bpe = model->own = ARENA_NEW(arena, struct bpe);
	const struct json *merges;
	return json_only_keys(node, known, err) && refuse_variants(node, err) &&
		setting_bool(node, "fuse_unk", false, &bpe->fuse_unknown, err) &&
		setting_bool(node, "byte_fallback", false, &bpe->byte_fallback, err) &&
		setting_bool(node, "ignore_merges", false, &bpe->ignore_merges, err) &&
		(tables != NULL ? take_merges(model, tables, err)
				: setting_need(node, "merges", &merges, err) && read_merges(model, merges, err));
}

/* A token's score and ID. */
struct scored {
	double score;
	int32_t id;
};

static int by_score(const void *a, const void *b)
{
	const struct scored *left = a, *right = b;
	if (left->score != right->score)
		return left->score < right->score ? 1 : -1;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* Tokens of one score have one rank: of those the leftmost merges first. */
static bool load_scores(struct subword *model, const struct json *node, const struct vocab_tables *tables,
	struct arena *arena, struct err *err)
{
	static const char *const known[] = {"type", "unk_token", "merges_unknown", NULL};
	struct bpe *bpe = model->own = ARENA_NEW(arena, struct bpe);
	struct scored *scored = ARENA_ARRAY(arena, struct scored, tables->count);
	uint32_t *ranks = ARENA_ARRAY(arena, uint32_t, tables->count);
	for (size_t i = 0; i < tables->count; i++)
		scored[i] = (struct scored){tables->scores[i], (int32_t)i};
	qsort(scored, tables->count, sizeof *scored, by_score);
	for (size_t i = 1; i < tables->count; i++)
		ranks[scored[i].id] = ranks[scored[i - 1].id] + (scored[i].score != scored[i - 1].score);
	bpe->ranks = ranks;
	return json_only_keys(node, known, err) &&
		setting_bool(node, "merges_unknown", false, &bpe->merges_unknown, err);
}

static void unload(struct subword *model)
{
	struct bpe *bpe = model->own;
	if (bpe != NULL)
		map_free(&bpe->merges);
}

/* ---- the heap: lowest rank, then leftmost ---- */

static bool before(const struct merge *a, const struct merge *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->place < b->place;
}

static void push(struct word *word, struct merge merge)
{
	struct merge *heap = word->heap;
	size_t at = word->heap_count++;
	while (at > 0 && before(&merge, &heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = merge;
}

static struct merge pop(struct word *word)
{
	struct merge *heap = word->heap, top = heap[0], last = heap[--word->heap_count];
	size_t at = 0, child;
	while ((child = 2 * at + 1) < word->heap_count) {
		if (child + 1 < word->heap_count && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return top;
}

/* ---- merging ---- */

/* The merge of two neighbours: rank * 2^32 + ID, or -1. */
static int64_t find_merge(const struct subword *model, const struct word *word, const struct symbol *left,
	const struct symbol *right)
{
	const struct bpe *bpe = model->own;
	int32_t ids[2] = {left->id, right->id};
	if (bpe->ranks != NULL) {
		if (!bpe->merges_unknown && (left->id == NONE || right->id == NONE))
			return -1;
		int32_t id = vocab_find(&model->vocab, word->text + left->start, right->end - left->start);
		return id < 0 ? -1 : (int64_t)bpe->ranks[id] << 32 | id;
	}
	return map_get(&bpe->merges, (const char *)ids, sizeof ids);
}

/* Notes the pair that starts at symbol `place`, if it has a merge. */
static void consider(const struct subword *model, struct word *word, int32_t place)
{
	if (place == NONE || word->symbols[place].next == NONE)
		return;
	const struct symbol *left = &word->symbols[place], *right = &word->symbols[left->next];
	int64_t merge = find_merge(model, word, left, right);
	if (merge >= 0)
		push(word, (struct merge){(uint32_t)(merge >> 32), place, (int32_t)(merge & INT32_MAX)});
}

static void merge_all(const struct subword *model, struct word *word)
{
	for (size_t i = 0; i + 1 < word->count; i++)
		consider(model, word, (int32_t)i);
	while (word->heap_count > 0) {
		struct merge top = pop(word);
		struct symbol *left = &word->symbols[top.place];
		if (left->start == left->end || left->next == NONE)
			continue;
		struct symbol *right = &word->symbols[left->next];
		int64_t merge = find_merge(model, word, left, right);
		/* Compared by the merged ID, not by the pair: what Hugging Face tokenizers do. */
		if (merge < 0 || (int32_t)(merge & INT32_MAX) != top.id)
			continue;
		left->id = top.id;
		left->start = left->start < right->start ? left->start : right->start;
		left->end = left->end > right->end ? left->end : right->end;
		left->next = right->next;
		right->start = right->end;
		if (left->next != NONE)
			word->symbols[left->next].previous = top.place;
		consider(model, word, left->previous);
		consider(model, word, top.place);
	}
}

static void add_symbol(struct word *word, int32_t id, size_t start, size_t end)
{
	int32_t place = (int32_t)word->count++;
	word->symbols[place] = (struct symbol){id, place - 1, NONE, (uint32_t)start, (uint32_t)end};
	if (place > 0)
		word->symbols[place - 1].next = place;
}

/* The tokens of a character's bytes; false when the vocabulary lacks one of them. */
static bool find_bytes(const struct subword *model, const char *bytes, size_t length, int32_t ids[4])
{
	for (size_t i = 0; i < length; i++) {
		char token[BYTECHAR_FALLBACK_LENGTH];
		bytechar_fallback((unsigned char)bytes[i], token);
		ids[i] = vocab_find(&model->vocab, token, sizeof token);
		if (ids[i] < 0)
			return false;
	}
	return true;
}

/* One symbol per byte of a character; false, and none, when the vocabulary lacks one of the bytes. */
static bool split_bytes(const struct subword *model, const struct piece *piece, size_t at, size_t length,
	struct word *word)
{
	int32_t ids[4];
	if (!find_bytes(model, piece->bytes + at, length, ids))
		return false;
	for (size_t i = 0; i < length; i++)
		add_symbol(word, ids[i], at + i, at + i + 1);
	return true;
}

/* A run of characters outside the vocabulary that has no symbol yet. */
struct run {
	size_t start, end; /* equal: none */
};

static void end_run(const struct subword *model, struct run *run, struct word *word)
{
	if (run->start < run->end)
		add_symbol(word, model->unknown, run->start, run->end);
	*run = (struct run){0, 0};
}

/* A character that is no token: its bytes; or a part of a run, or left out when there is no unknown token. Bytes do not end a run: it comes
 * after them, as in Hugging Face tokenizers, where a vocabulary has the bytes of some characters only. */
static bool split_unknown(const struct subword *model, const struct piece *piece, struct run character, struct run *run,
	struct word *word, struct err *err)
{
	const struct bpe *bpe = model->own;
	if (bpe->byte_fallback && split_bytes(model, piece, character.start, character.end - character.start, word))
		return true;
	if (!model->has_unknown)
		return true;
	if (model->unknown < 0)
		return subword_no_token(piece, character.start, err);
	if (run->start < run->end && bpe->fuse_unknown) {
		run->end = character.end;
		return true;
	}
	end_run(model, run, word);
	*run = character;
	return true;
}

/* One symbol per character; SentencePiece looks at the characters outside the vocabulary later. */
static bool split_characters(const struct subword *model, const struct piece *piece, struct word *word, struct err *err)
{
	const struct bpe *bpe = model->own;
	struct run run = {0, 0};
	for (size_t at = 0, step; at < piece->length; at += step) {
		uint32_t c;
		step = utf8_decode(piece->bytes + at, piece->length - at, &c);
		step = step > 0 ? step : 1;
		int32_t id = vocab_find(&model->vocab, piece->bytes + at, step);
		if (id >= 0 || bpe->ranks != NULL) {
			end_run(model, &run, word);
			add_symbol(word, id >= 0 ? id : NONE, at, at + step);
		} else if (!split_unknown(model, piece, (struct run){at, at + step}, &run, word, err)) {
			return false;
		}
	}
	end_run(model, &run, word);
	return true;
}

/* A character that did not become part of a token: its bytes, or the unknown token. */
static bool emit_unknown(const struct subword *model, const struct piece *piece, const struct symbol *symbol,
	struct subword_output *output, struct err *err)
{
	int32_t ids[4];
	size_t length = symbol->end - symbol->start;
	if (!find_bytes(model, piece->bytes + symbol->start, length, ids)) {
		struct piece_origin whole = piece_stretch(piece, symbol->start, symbol->end);
		if (model->unknown < 0)
			return subword_no_token(piece, symbol->start, err);
		subword_emit(output, model->unknown, whole.start, whole.end);
		return true;
	}
	for (size_t i = 0; i < length; i++) {
		struct piece_origin stretch = piece_stretch(piece, symbol->start + i, symbol->start + i + 1);
		subword_emit(output, ids[i], stretch.start, stretch.end);
	}
	return true;
}

static bool cut(const struct subword *model, const struct piece *piece, struct subword_output *output, struct err *err)
{
	const struct bpe *bpe = model->own;
	int32_t whole = bpe->ignore_merges ? vocab_find(&model->vocab, piece->bytes, piece->length) : -1;
	if (whole >= 0) {
		struct piece_origin stretch = piece_stretch(piece, 0, piece->length);
		subword_emit(output, whole, stretch.start, stretch.end);
		return true;
	}
	arena_reset(&output->scratch);
	/* Every merge takes one entry from the heap and adds at most two. */
	struct word word = {.text = piece->bytes,
		.symbols = arena_raw(&output->scratch, piece->length, sizeof *word.symbols),
		.heap = arena_raw(&output->scratch, piece->length * 2, sizeof *word.heap)};
	if (!split_characters(model, piece, &word, err))
		return false;
	merge_all(model, &word);
	for (size_t i = 0; i < word.count; i++) {
		const struct symbol *symbol = &word.symbols[i];
		if (symbol->start == symbol->end)
			continue;
		if (symbol->id == NONE) {
			if (!emit_unknown(model, piece, symbol, output, err))
				return false;
			continue;
		}
		struct piece_origin stretch = piece_stretch(piece, symbol->start, symbol->end);
		subword_emit(output, symbol->id, stretch.start, stretch.end);
	}
	return true;
}

const struct subword_kind bpe_kind = {.type = "BPE", .load = load, .cut = cut, .unload = unload};
const struct subword_kind sentencepiece_kind = {.type = "SentencePiece",
	.load = load_scores,
	.cut = cut,
	.unload = unload,
	.needs_tables = true};
