#include "text/normalizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/bytechar.h"
#include "text/charsmap.h"
#include "text/pattern.h"
#include "text/setting.h"
#include "text/unicode.h"

struct normalizer_kind {
	const char *type;
	enum unicode_form form; /* of the normal forms */
	const char *const *known;
	bool (*load)(struct normalizer_step *step, const struct json *node, struct err *err); /* may be NULL */
	bool (*run)(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
		struct err *err);
};

struct normalizer_step {
	const struct normalizer_kind *kind;
	struct pattern *pattern; /* Replace */
	char *content;           /* Replace, Prepend */
	size_t content_length;
	bool left, right;     /* Strip */
	struct charsmap *map; /* Precompiled */
};

static bool is_boundary(const char *bytes, size_t length, size_t at)
{
	return at >= length || ((unsigned char)bytes[at] & 0xc0) != 0x80;
}

/* Appends what became of bytes [start, end). Characters at either end that are still the same stand for themselves. */
static void build_changed(struct piece_builder *out, const struct piece *piece, size_t start, size_t end,
	const struct buf *changed)
{
	const char *old = piece->bytes + start, *new = buf_text(changed);
	size_t old_length = end - start, new_length = changed->length, head = 0, tail = 0;
	size_t most = old_length < new_length ? old_length : new_length;
	while (head < most && old[head] == new[head])
		head++;
	while (!is_boundary(old, old_length, head) || !is_boundary(new, new_length, head))
		head--;
	while (tail < most - head && old[old_length - 1 - tail] == new[new_length - 1 - tail])
		tail++;
	while (!is_boundary(old, old_length, old_length - tail) || !is_boundary(new, new_length, new_length - tail))
		tail--;
	piece_build_part(out, piece, start, start + head);
	struct piece_origin stretch = piece_stretch(piece, start + head, end - tail);
	piece_build(out, new + head, new_length - tail - head, stretch);
	piece_build_part(out, piece, end - tail, end);
}

static bool run_form(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	struct buf changed = BUF_INIT;
	(void)err;
	for (size_t at = 0; at < piece->length;) {
		size_t length = unicode_segment(piece->bytes + at, piece->length - at);
		length = length > 0 ? length : 1;
		buf_clear(&changed);
		unicode_normalize(piece->bytes + at, length, step->kind->form, &changed);
		build_changed(out, piece, at, at + length, &changed);
		at += length;
	}
	buf_free(&changed);
	return true;
}

/* Lowercase and StripAccents: character by character. */
static bool run_characters(const struct piece *piece, struct piece_builder *out,
	size_t (*change)(uint32_t c, uint32_t changed[3]))
{
	struct buf changed = BUF_INIT;
	for (size_t at = 0; at < piece->length;) {
		uint32_t c = 0, now[3];
		size_t length = utf8_decode(piece->bytes + at, piece->length - at, &c);
		length = length > 0 ? length : 1;
		buf_clear(&changed);
		size_t count = change(c, now);
		for (size_t i = 0; i < count; i++) {
			char bytes[4];
			buf_add(&changed, bytes, utf8_encode(now[i], bytes));
		}
		build_changed(out, piece, at, at + length, &changed);
		at += length;
	}
	buf_free(&changed);
	return true;
}

static bool run_lower(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	return run_characters(piece, out, unicode_lower);
}

static size_t drop_mark(uint32_t c, uint32_t changed[3])
{
	changed[0] = c;
	return unicode_is_mark(c) ? 0 : 1;
}

static bool run_strip_accents(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	return run_characters(piece, out, drop_mark);
}

/* ---- BertNormalizer: up to four steps ---- */

static size_t clean(uint32_t c, uint32_t changed[3])
{
	changed[0] = unicode_is_space(c) ? ' ' : c;
	return unicode_is_unseen(c) ? 0 : 1;
}

/* Blanks around the characters of Chinese, in the blocks that BERT counts. */
static size_t set_apart(uint32_t c, uint32_t changed[3])
{
	static const uint32_t blocks[][2] = {{0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x2a6df},
		{0x2a700, 0x2b81f}, {0x2b920, 0x2ceaf}, {0x2f800, 0x2fa1f}};
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		if (c >= blocks[i][0] && c <= blocks[i][1]) {
			changed[0] = changed[2] = ' ';
			changed[1] = c;
			return 3;
		}
	}
	changed[0] = c;
	return 1;
}

static size_t drop_accent(uint32_t c, uint32_t changed[3])
{
	changed[0] = c;
	return unicode_is_accent(c) ? 0 : 1;
}

static bool run_clean(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	return run_characters(piece, out, clean);
}

static bool run_set_apart(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	return run_characters(piece, out, set_apart);
}

static bool run_drop_accents(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	return run_characters(piece, out, drop_accent);
}

/* ---- the others ---- */

/* Nmt: white space of all kinds is a blank, controls are left out. Source: nmt.rs of Hugging Face tokenizers. */
static size_t tidy(uint32_t c, uint32_t changed[3])
{
	bool is_dropped =
		(c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f;
	bool is_blank = c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == 0x1680 ||
		(c >= 0x200b && c <= 0x200f) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd;
	changed[0] = is_blank ? ' ' : c;
	return is_dropped ? 0 : 1;
}

static bool run_nmt(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	return run_characters(piece, out, tidy);
}

static bool run_byte_level(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)step;
	(void)err;
	for (size_t i = 0; i < piece->length; i++) {
		char character[4];
		size_t length = utf8_encode(bytechar_of_byte((unsigned char)piece->bytes[i]), character);
		piece_build(out, character, length, piece->origin[i]);
	}
	return true;
}

static bool load_strip(struct normalizer_step *step, const struct json *node, struct err *err)
{
	return setting_bool(node, "strip_left", true, &step->left, err) &&
		setting_bool(node, "strip_right", true, &step->right, err);
}

static bool run_strip(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	size_t start = piece->length, end = 0; /* of what is not white space */
	(void)err;
	for (size_t at = 0; at < piece->length;) {
		uint32_t c = 0;
		size_t length = utf8_decode(piece->bytes + at, piece->length - at, &c);
		length = length > 0 ? length : 1;
		if (!unicode_is_space(c)) {
			start = at < start ? at : start;
			end = at + length;
		}
		at += length;
	}
	start = step->left ? start : 0;
	end = step->right ? end : piece->length;
	if (start < end)
		piece_build_part(out, piece, start, end);
	return true;
}

static bool load_content(struct normalizer_step *step, const struct json *node, const char *key, struct err *err)
{
	const struct json *member;
	const char *text;
	if (!setting_need(node, key, &member, err) || !json_string(member, &text, &step->content_length, err))
		return false;
	step->content = MEM_ARRAY(char, step->content_length + 1);
	memcpy(step->content, text, step->content_length);
	return true;
}

static bool load_prepend(struct normalizer_step *step, const struct json *node, struct err *err)
{
	return load_content(step, node, "prepend", err);
}

static bool run_prepend(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	(void)err;
	if (piece->length == 0)
		return true;
	uint32_t at = piece->origin[0].start;
	piece_build(out, step->content, step->content_length, (struct piece_origin){at, at});
	piece_build_part(out, piece, 0, piece->length);
	return true;
}

static bool load_replace(struct normalizer_step *step, const struct json *node, struct err *err)
{
	const struct json *pattern;
	return load_content(step, node, "content", err) && setting_need(node, "pattern", &pattern, err) &&
		pattern_load(&step->pattern, pattern, err);
}

static bool run_replace(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	struct piece_span_list spans = PIECE_SPAN_LIST_INIT;
	bool found = pattern_find(step->pattern, piece, &spans, err);
	for (size_t i = 0; found && i < spans.count; i++) {
		const struct piece_span *span = &spans.items[i];
		if (span->is_match)
			piece_build(out, step->content, step->content_length,
				piece_stretch(piece, span->start, span->end));
		else
			piece_build_part(out, piece, span->start, span->end);
	}
	piece_span_list_free(&spans);
	return found;
}

static bool load_precompiled(struct normalizer_step *step, const struct json *node, struct err *err)
{
	const struct json *map;
	return setting_need(node, "precompiled_charsmap", &map, err) && charsmap_load(&step->map, map, err);
}

/* Replaces a stretch if the map has it. */
static bool replace_mapped(const struct normalizer_step *step, const struct piece *piece, size_t start, size_t end,
	struct piece_builder *out)
{
	size_t length;
	const char *text = charsmap_find(step->map, piece->bytes + start, end - start, &length);
	if (text != NULL)
		piece_build(out, text, length, piece_stretch(piece, start, end));
	return text != NULL;
}

/* Characters as a reader sees them are looked up whole when they are short, and code point by code point otherwise. */
static bool run_precompiled(const struct normalizer_step *step, const struct piece *piece, struct piece_builder *out,
	struct err *err)
{
	enum { SHORT = 6 }; /* bytes, exclusive */
	(void)err;
	for (size_t at = 0, end; at < piece->length; at = end) {
		end = at + unicode_grapheme(piece->bytes + at, piece->length - at);
		if (end - at < SHORT && replace_mapped(step, piece, at, end, out))
			continue;
		for (size_t part = at, next; part < end; part = next) {
			uint32_t c;
			size_t length = utf8_decode(piece->bytes + part, end - part, &c);
			next = part + (length > 0 ? length : 1);
			if (!replace_mapped(step, piece, part, next, out))
				piece_build_part(out, piece, part, next);
		}
	}
	return true;
}

static const char *const only_type[] = {"type", NULL};
static const char *const precompiled_keys[] = {"type", "precompiled_charsmap", NULL};
static const char *const strip_keys[] = {"type", "strip_left", "strip_right", NULL};
static const char *const prepend_keys[] = {"type", "prepend", NULL};
static const char *const replace_keys[] = {"type", "pattern", "content", NULL};

static const struct normalizer_kind kinds[] = {
	{"NFC", UNICODE_NFC, only_type, NULL, run_form},
	{"NFD", UNICODE_NFD, only_type, NULL, run_form},
	{"NFKC", UNICODE_NFKC, only_type, NULL, run_form},
	{"NFKD", UNICODE_NFKD, only_type, NULL, run_form},
	{"Lowercase", UNICODE_NFC, only_type, NULL, run_lower},
	{"StripAccents", UNICODE_NFC, only_type, NULL, run_strip_accents},
	{"Strip", UNICODE_NFC, strip_keys, load_strip, run_strip},
	{"Prepend", UNICODE_NFC, prepend_keys, load_prepend, run_prepend},
	{"Replace", UNICODE_NFC, replace_keys, load_replace, run_replace},
	{"Precompiled", UNICODE_NFC, precompiled_keys, load_precompiled, run_precompiled},
	{"Nmt", UNICODE_NFC, only_type, NULL, run_nmt},
	{"ByteLevel", UNICODE_NFC, only_type, NULL, run_byte_level},
};

/* The steps of BertNormalizer, in its order. */
static const struct normalizer_kind bert_kinds[] = {
	{.run = run_clean},
	{.run = run_set_apart},
	{.form = UNICODE_NFD, .run = run_form},
	{.run = run_drop_accents},
	{.run = run_lower},
};

static const struct normalizer_kind *find_kind(const char *type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(kinds[i].type, type) == 0)
			return &kinds[i];
	}
	return NULL;
}

static struct normalizer_step *add_step(struct normalizer *normalizer, const struct normalizer_kind *kind)
{
	normalizer->steps = mem_resize(normalizer->steps, normalizer->count + 1, sizeof *normalizer->steps);
	struct normalizer_step *step = &normalizer->steps[normalizer->count++];
	*step = (struct normalizer_step){.kind = kind};
	return step;
}

static bool load_bert(struct normalizer *normalizer, const struct json *node, struct err *err)
{
	static const char *const known[] = {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase",
		NULL};
	bool cleans, sets_apart, strips, lowers;
	if (!json_only_keys(node, known, err) || !setting_bool(node, "lowercase", true, &lowers, err) ||
		!setting_bool(node, "clean_text", true, &cleans, err) ||
		!setting_bool(node, "handle_chinese_chars", true, &sets_apart, err) ||
		!setting_bool(node, "strip_accents", lowers, &strips, err))
		return false;
	const bool wanted[] = {cleans, sets_apart, strips, strips, lowers};
	for (size_t i = 0; i < sizeof bert_kinds / sizeof bert_kinds[0]; i++) {
		if (wanted[i])
			add_step(normalizer, &bert_kinds[i]);
	}
	return true;
}

static bool load_step(struct normalizer *normalizer, const struct json *node, const char *type, struct err *err)
{
	const struct normalizer_kind *kind = find_kind(type);
	if (kind == NULL)
		return json_error(node, err, "a normalizer of type \"%s\" is not supported", type);
	struct normalizer_step *step = add_step(normalizer, kind);
	return json_only_keys(node, kind->known, err) && (kind->load == NULL || kind->load(step, node, err));
}

static bool load_any(struct normalizer *normalizer, const struct json *node, struct err *err)
{
	static const char *const known[] = {"type", "normalizers", NULL};
	const char *type;
	const struct json *list;
	if (!setting_type(node, &type, err))
		return false;
	if (strcmp(type, "BertNormalizer") == 0)
		return load_bert(normalizer, node, err);
	if (strcmp(type, "Sequence") != 0)
		return load_step(normalizer, node, type, err);
	if (!json_only_keys(node, known, err) || !setting_need(node, "normalizers", &list, err))
		return false;
	if (list->type != JSON_ARRAY)
		return json_error(list, err, "a list of normalizers was expected");
	for (size_t i = 0; i < list->count; i++) {
		if (!load_any(normalizer, list->items[i], err))
			return false;
	}
	return true;
}

bool normalizer_load(struct normalizer *normalizer, const struct json *node, struct err *err)
{
	*normalizer = (struct normalizer){0};
	return setting_is_absent(node) || load_any(normalizer, node, err);
}

void normalizer_free(struct normalizer *normalizer)
{
	for (size_t i = 0; i < normalizer->count; i++) {
		pattern_delete(normalizer->steps[i].pattern);
		free(normalizer->steps[i].content);
		charsmap_delete(normalizer->steps[i].map);
	}
	free(normalizer->steps);
	*normalizer = (struct normalizer){0};
}

bool normalizer_run(const struct normalizer *normalizer, struct piece *piece, struct arena *arena, struct err *err)
{
	for (size_t i = 0; i < normalizer->count; i++) {
		const struct normalizer_step *step = &normalizer->steps[i];
		struct piece_builder builder = PIECE_BUILDER_INIT;
		bool done = step->kind->run(step, piece, &builder, err);
		*piece = piece_built(&builder, arena);
		if (!done)
			return false;
	}
	return true;
}
