#include "text/pretokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "text/bytechar.h"
#include "text/metaspace.h"
#include "text/newer_classes.h"
#include "text/pattern.h"
#include "text/setting.h"

struct pretokenizer_kind {
	const char *type;
	const char *const *known;
	bool (*load)(struct pretokenizer_step *step, const struct json *node, struct err *err);
	bool (*run)(const struct pretokenizer_step *step, struct piece_list *pieces, struct arena *arena,
		struct err *err);
};

struct pretokenizer_step {
	const struct pretokenizer_kind *kind;
	struct pattern *pattern; /* NULL: cut nothing */
	enum piece_behavior behavior;
	bool invert;       /* what does not match is the match */
	bool prefix_space; /* ByteLevel: each stretch of text begins with a space */
	struct metaspace metaspace;
};

/* GPT-2's cut into words: contractions, letters, digits and the rest with a space before them, white space. */
static const char words[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/* ---- cutting ---- */

static bool cut_piece(const struct pretokenizer_step *step, const struct piece *piece, struct piece_list *out,
	struct err *err)
{
	struct piece_span_list spans = PIECE_SPAN_LIST_INIT;
	bool found = pattern_find(step->pattern, piece, &spans, err);
	for (size_t i = 0; i < spans.count; i++)
		spans.items[i].is_match ^= step->invert;
	if (found)
		piece_cut(piece, &spans, step->behavior, out);
	piece_span_list_free(&spans);
	return found;
}

static bool run_cut(const struct pretokenizer_step *step, struct piece_list *pieces, struct arena *arena,
	struct err *err)
{
	struct piece_list cut = PIECE_LIST_INIT;
	bool done = true;
	(void)arena;
	if (step->pattern == NULL)
		return true;
	for (size_t i = 0; done && i < pieces->count; i++) {
		if (pieces->items[i].id != PIECE_IS_TEXT)
			piece_add(&cut, pieces->items[i]);
		else
			done = cut_piece(step, &pieces->items[i], &cut, err);
	}
	piece_list_free(pieces);
	*pieces = cut;
	return done;
}

/* ---- ByteLevel ---- */

static void add_prefix_spaces(struct piece_list *pieces, struct arena *arena)
{
	for (size_t i = 0; i < pieces->count; i++) {
		struct piece *piece = &pieces->items[i];
		if (piece->id != PIECE_IS_TEXT || piece->length == 0 || piece->bytes[0] == ' ')
			continue;
		struct piece_builder builder = PIECE_BUILDER_INIT;
		uint32_t at = piece->origin[0].start;
		piece_build(&builder, " ", 1, (struct piece_origin){at, at});
		piece_build_part(&builder, piece, 0, piece->length);
		*piece = piece_built(&builder, arena);
	}
}

static void rewrite_bytes(struct piece_list *pieces, struct arena *arena)
{
	struct piece_builder builder = PIECE_BUILDER_INIT;
	for (size_t i = 0; i < pieces->count; i++) {
		struct piece *piece = &pieces->items[i];
		size_t before = builder.length;
		if (piece->id != PIECE_IS_TEXT)
			continue;
		for (size_t k = 0; k < piece->length; k++) {
			char character[4];
			size_t length = utf8_encode(bytechar_of_byte((unsigned char)piece->bytes[k]), character);
			piece_build(&builder, character, length, piece->origin[k]);
		}
		piece->length = builder.length - before;
	}
	/* All pieces share one allocation: there may be hundreds of thousands of them. */
	struct piece whole = piece_built(&builder, arena);
	size_t at = 0;
	for (size_t i = 0; i < pieces->count; i++) {
		struct piece *piece = &pieces->items[i];
		if (piece->id != PIECE_IS_TEXT)
			continue;
		*piece = piece_part(&whole, at, at + piece->length);
		at += piece->length;
	}
}

static bool run_byte_level(const struct pretokenizer_step *step, struct piece_list *pieces, struct arena *arena,
	struct err *err)
{
	if (step->prefix_space)
		add_prefix_spaces(pieces, arena);
	if (!run_cut(step, pieces, arena, err))
		return false;
	rewrite_bytes(pieces, arena);
	return true;
}

static bool load_byte_level(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	bool use_words, trim; /* trimming is the post-processor's */
	if (!setting_bool(node, "add_prefix_space", true, &step->prefix_space, err) ||
		!setting_bool(node, "trim_offsets", true, &trim, err) ||
		!setting_bool(node, "use_regex", true, &use_words, err))
		return false;
	step->behavior = PIECE_ISOLATED;
	return !use_words || pattern_builtin(&step->pattern, words, node, err);
}

/* ---- Metaspace ---- */

static bool load_metaspace(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	return metaspace_load(&step->metaspace, node, err);
}

/* Spells blanks with the replacement and puts one in front. */
static struct piece spell_blanks(const struct metaspace *metaspace, const struct piece *piece, struct arena *arena)
{
	struct piece_builder builder = PIECE_BUILDER_INIT;
	size_t length = metaspace->length;
	bool begins = piece->length >= length && memcmp(piece->bytes, metaspace->text, length) == 0;
	uint32_t start = piece->origin[0].start;
	begins = begins || piece->bytes[0] == ' ';
	if (!begins && (metaspace->scheme == METASPACE_ALWAYS || (metaspace->scheme == METASPACE_FIRST && start == 0)))
		piece_build(&builder, metaspace->text, length, (struct piece_origin){start, start});
	for (size_t at = 0, next; at < piece->length; at = next) {
		next = at + 1;
		if (piece->bytes[at] == ' ') {
			piece_build(&builder, metaspace->text, length, piece->origin[at]);
			continue;
		}
		while (next < piece->length && piece->bytes[next] != ' ')
			next++;
		piece_build_part(&builder, piece, at, next);
	}
	return piece_built(&builder, arena);
}

/* Cuts before every replacement. */
static void cut_words(const struct metaspace *metaspace, const struct piece *piece, struct piece_list *out)
{
	size_t start = 0;
	for (size_t at = 1; at < piece->length; at++) {
		if (piece->length - at < metaspace->length ||
			memcmp(piece->bytes + at, metaspace->text, metaspace->length) != 0)
			continue;
		piece_add(out, piece_part(piece, start, at));
		start = at;
	}
	piece_add(out, piece_part(piece, start, piece->length));
}

static bool run_metaspace(const struct pretokenizer_step *step, struct piece_list *pieces, struct arena *arena,
	struct err *err)
{
	struct piece_list cut = PIECE_LIST_INIT;
	(void)err;
	for (size_t i = 0; i < pieces->count; i++) {
		struct piece piece = pieces->items[i];
		bool is_text = piece.id == PIECE_IS_TEXT && piece.length > 0;
		if (is_text)
			piece = spell_blanks(&step->metaspace, &piece, arena);
		if (is_text && step->metaspace.split)
			cut_words(&step->metaspace, &piece, &cut);
		else
			piece_add(&cut, piece);
	}
	piece_list_free(pieces);
	*pieces = cut;
	return true;
}

/* ---- the kinds that are a pattern with a behavior ---- */

static bool load_behavior(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	static const char *const names[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext",
		"Contiguous"};
	const char *name;
	size_t length;
	if (!setting_text(node, "behavior", &name, &length, err))
		return false;
	step->behavior = PIECE_ISOLATED;
	for (size_t i = 0; name != NULL; i++) {
		if (i == sizeof names / sizeof names[0])
			return json_error(json_find(node, "behavior"), err, "the behavior \"%s\" is not known", name);
		if (strcmp(name, names[i]) == 0) {
			step->behavior = (enum piece_behavior)i;
			break;
		}
	}
	return true;
}

static bool load_split(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	const struct json *pattern, *behavior;
	return setting_need(node, "pattern", &pattern, err) && pattern_load(&step->pattern, pattern, err) &&
		setting_need(node, "behavior", &behavior, err) && load_behavior(step, node, err) &&
		setting_bool(node, "invert", false, &step->invert, err);
}

static bool load_digits(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	bool individual;
	if (!setting_bool(node, "individual_digits", false, &individual, err))
		return false;
	step->behavior = individual ? PIECE_ISOLATED : PIECE_CONTIGUOUS;
	return pattern_builtin(&step->pattern, "[\\p{N}" NEWER_NUMBERS "]", node, err);
}

static bool load_whitespace(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	step->behavior = PIECE_REMOVED;
	step->invert = true;
	return pattern_builtin(&step->pattern, "[\\w" NEWER_WORDS "]+|[^\\w\\s" NEWER_WORDS "]+", node, err);
}

static bool load_whitespace_split(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	step->behavior = PIECE_REMOVED;
	return pattern_builtin(&step->pattern, "\\s", node, err);
}

/* What Hugging Face tokenizers takes for punctuation: all of ASCII's, and that of Unicode 8. */
#define MARKS "\\p{P}$+<=>^`|~\\x{166D}\\x{111C9}"
static const char punctuation[] = "(?![" NEWER_PUNCTUATION "])[" MARKS "]";

static bool load_punctuation(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	return pattern_builtin(&step->pattern, punctuation, node, err) && load_behavior(step, node, err);
}

/* White space is left out, punctuation stands alone: a match is a word or one mark. */
static bool load_bert(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	struct buf pattern = BUF_INIT;
	buf_printf(&pattern, "%s|(?:[^\\s" MARKS "]++|[" NEWER_PUNCTUATION "]++)+", punctuation);
	step->behavior = PIECE_REMOVED;
	step->invert = true;
	bool done = pattern_builtin(&step->pattern, buf_text(&pattern), node, err);
	buf_free(&pattern);
	return done;
}

static bool load_delimiter(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	const struct json *member;
	const char *text;
	size_t length;
	uint32_t c;
	if (!setting_need(node, "delimiter", &member, err) || !json_string(member, &text, &length, err))
		return false;
	if (length == 0 || utf8_decode(text, length, &c) != length)
		return json_error(member, err, "one character was expected");
	step->behavior = PIECE_REMOVED;
	return pattern_new(&step->pattern, text, length, true, member, err);
}

static bool load_fixed_length(struct pretokenizer_step *step, const struct json *node, struct err *err)
{
	const struct json *member = setting_find(node, "length");
	int64_t length = 5;
	char pattern[48];
	if (member != NULL && !json_int(member, 1, 65535, &length, err))
		return false;
	step->behavior = PIECE_ISOLATED;
	(void)snprintf(pattern, sizeof pattern, "[\\x{0}-\\x{10ffff}]{1,%d}", (int)length);
	return pattern_builtin(&step->pattern, pattern, node, err);
}

static const char *const only_type[] = {"type", NULL};
static const char *const byte_level_keys[] = {"type", "add_prefix_space", "trim_offsets", "use_regex", NULL};
static const char *const split_keys[] = {"type", "pattern", "behavior", "invert", NULL};
static const char *const digits_keys[] = {"type", "individual_digits", NULL};
static const char *const delimiter_keys[] = {"type", "delimiter", NULL};
static const char *const length_keys[] = {"type", "length", NULL};
static const char *const punctuation_keys[] = {"type", "behavior", NULL};

static const struct pretokenizer_kind kinds[] = {
	{"ByteLevel", byte_level_keys, load_byte_level, run_byte_level},
	{"Split", split_keys, load_split, run_cut},
	{"Metaspace", metaspace_keys, load_metaspace, run_metaspace},
	{"Digits", digits_keys, load_digits, run_cut},
	{"Whitespace", only_type, load_whitespace, run_cut},
	{"WhitespaceSplit", only_type, load_whitespace_split, run_cut},
	{"Punctuation", punctuation_keys, load_punctuation, run_cut},
	{"BertPreTokenizer", only_type, load_bert, run_cut},
	{"CharDelimiterSplit", delimiter_keys, load_delimiter, run_cut},
	{"FixedLength", length_keys, load_fixed_length, run_cut},
};

static const struct pretokenizer_kind *find_kind(const char *type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(kinds[i].type, type) == 0)
			return &kinds[i];
	}
	return NULL;
}

static bool load_step(struct pretokenizer *pretokenizer, const struct json *node, const char *type, struct err *err)
{
	const struct pretokenizer_kind *kind = find_kind(type);
	if (kind == NULL)
		return json_error(node, err, "a pre-tokenizer of type \"%s\" is not supported", type);
	pretokenizer->steps = mem_resize(pretokenizer->steps, pretokenizer->count + 1, sizeof *pretokenizer->steps);
	struct pretokenizer_step *step = &pretokenizer->steps[pretokenizer->count++];
	*step = (struct pretokenizer_step){.kind = kind};
	return json_only_keys(node, kind->known, err) && kind->load(step, node, err);
}

static bool load_any(struct pretokenizer *pretokenizer, const struct json *node, struct err *err)
{
	static const char *const known[] = {"type", "pretokenizers", NULL};
	const char *type;
	const struct json *list;
	if (!setting_type(node, &type, err))
		return false;
	if (strcmp(type, "Sequence") != 0)
		return load_step(pretokenizer, node, type, err);
	if (!json_only_keys(node, known, err) || !setting_need(node, "pretokenizers", &list, err))
		return false;
	if (list->type != JSON_ARRAY)
		return json_error(list, err, "a list of pre-tokenizers was expected");
	for (size_t i = 0; i < list->count; i++) {
		if (!load_any(pretokenizer, list->items[i], err))
			return false;
	}
	return true;
}

bool pretokenizer_load(struct pretokenizer *pretokenizer, const struct json *node, struct err *err)
{
	*pretokenizer = (struct pretokenizer){0};
	return setting_is_absent(node) || load_any(pretokenizer, node, err);
}

void pretokenizer_free(struct pretokenizer *pretokenizer)
{
	for (size_t i = 0; i < pretokenizer->count; i++)
		pattern_delete(pretokenizer->steps[i].pattern);
	free(pretokenizer->steps);
	*pretokenizer = (struct pretokenizer){0};
}

bool pretokenizer_run(const struct pretokenizer *pretokenizer, struct piece_list *pieces, struct arena *arena,
	struct err *err)
{
	for (size_t i = 0; i < pretokenizer->count; i++) {
		const struct pretokenizer_step *step = &pretokenizer->steps[i];
		if (!step->kind->run(step, pieces, arena, err))
			return false;
	}
	return true;
}
