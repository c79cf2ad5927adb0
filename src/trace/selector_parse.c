/* Reading the text of a selector. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/selector.h"

/* Indices beyond this are refused: no axis is longer, and sums stay far from overflow. */
#define INDEX_MOST ((int64_t)1 << 53)

struct cursor {
	const char *text;
	const char *at;
	struct arena *arena;
	struct err *err;
};

static const struct {
	const char *word;
	const char *letters;
} axes[] = {{"row", "B"}, {"pos", "S"}, {"token", "T"}, {"head", "N"}, {"kvhead", "G"}, {"key", "K"}, {"unit", "HF"},
	{"dim", "D"}, {"vocab", "V"}};

#define AXIS_COUNT (sizeof axes / sizeof *axes)

const char *selector_axis_word(char letter)
{
	static const char *const words[] = {"", "row", "pos", "token", "head", "kvhead", "key", "unit", "dim", "vocab"};
	for (size_t i = 0; i < AXIS_COUNT; i++) {
		if (letter != '\0' && strchr(axes[i].letters, letter) != NULL)
			return words[i + 1];
	}
	return words[0];
}

static bool bad(const struct cursor *cursor, const char *at, const char *format, ...) ERR_PRINTF(3, 4);

/* A usage error that names the byte of `at` in the selector. */
static bool bad(const struct cursor *cursor, const char *at, const char *format, ...)
{
	char message[400];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	return err_usage(cursor->err, cursor->text, "at byte %zu: %s", (size_t)(at - cursor->text), message);
}

static void skip_blanks(struct cursor *cursor)
{
	while (*cursor->at == ' ' || *cursor->at == '\t')
		cursor->at++;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take(struct cursor *cursor, char c)
{
	if (*cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* An integer with an optional sign; it is known that one starts here. */
static bool take_int(struct cursor *cursor, int64_t *value)
{
	const char *start = cursor->at;
	bool negative = take(cursor, '-');
	if (!is_digit(*cursor->at))
		return bad(cursor, cursor->at, "a digit is expected after '-'");
	for (*value = 0; is_digit(*cursor->at); cursor->at++) {
		*value = *value * 10 + (*cursor->at - '0');
		if (*value > INDEX_MOST)
			return bad(cursor, start, "the number is too large for any axis");
	}
	*value = negative ? -*value : *value;
	return true;
}

static bool at_int(const struct cursor *cursor)
{
	return *cursor->at == '-' || is_digit(*cursor->at);
}

/* i, i:, :j, i:j or : */
static bool take_range(struct cursor *cursor, struct selector_part *part)
{
	if (at_int(cursor)) {
		part->has_first = true;
		if (!take_int(cursor, &part->first))
			return false;
		skip_blanks(cursor);
	}
	part->is_slice = take(cursor, ':');
	if (!part->is_slice)
		return true;
	skip_blanks(cursor);
	if (at_int(cursor)) {
		part->has_end = true;
		if (!take_int(cursor, &part->end))
			return false;
		skip_blanks(cursor);
	}
	return *cursor->at != ':' || bad(cursor, cursor->at, "a slice is first:end; steps are not supported");
}

/* "…": an ID in quotes, where \ makes the next byte plain. */
static bool take_quoted(struct cursor *cursor, struct selector_part *part)
{
	const char *start = cursor->at++;
	char *id = arena_raw(cursor->arena, strlen(start) + 1, 1);
	size_t length = 0;
	for (; *cursor->at != '"'; cursor->at++) {
		if (*cursor->at == '\\' && cursor->at[1] != '\0')
			cursor->at++;
		if (*cursor->at == '\0')
			return bad(cursor, start, "the quote that opens here is never closed");
		id[length++] = *cursor->at;
	}
	cursor->at++;
	id[length] = '\0';
	part->row = id;
	return true;
}

static bool take_id(struct cursor *cursor, struct selector_part *part)
{
	size_t length = strcspn(cursor->at, ",:[]\"= \t");
	if (length == 0)
		return bad(cursor, cursor->at, "an index, a slice as 1:3, or a row's ID is expected");
	part->row = arena_strndup(cursor->arena, cursor->at, length);
	cursor->at += length;
	return true;
}

/* The word of an axis and '=', if that stands here. */
static bool take_axis(struct cursor *cursor, struct selector_part *part)
{
	size_t length = strcspn(cursor->at, ",:[]\"= \t");
	const char *after = cursor->at + length + strspn(cursor->at + length, " \t");
	if (length == 0 || *after != '=')
		return true;
	for (size_t i = 0; i < AXIS_COUNT; i++) {
		if (strlen(axes[i].word) == length && memcmp(axes[i].word, cursor->at, length) == 0) {
			snprintf(part->axis, sizeof part->axis, "%s", axes[i].letters);
			cursor->at = after + 1;
			skip_blanks(cursor);
			return true;
		}
	}
	return bad(cursor, cursor->at, "'%.*s' is no axis; the axes are row, pos, head, kvhead, key, unit, dim, vocab",
		(int)length, cursor->at);
}

static bool has_rest(const struct selector *selector)
{
	for (int i = 0; i < selector->part_count; i++) {
		if (selector->parts[i].is_rest)
			return true;
	}
	return false;
}

static bool take_rest(struct cursor *cursor, const struct selector *selector, struct selector_part *part)
{
	if (has_rest(selector))
		return bad(cursor, cursor->at, "... can stand once");
	cursor->at += 3;
	part->is_rest = true;
	return true;
}

static bool take_part(struct cursor *cursor, struct selector *selector)
{
	if (selector->part_count - has_rest(selector) == TENSOR_MAX_RANK && strncmp(cursor->at, "...", 3) != 0)
		return bad(cursor, cursor->at, "a tensor has at most %d axes", TENSOR_MAX_RANK);
	if (selector->part_count == TENSOR_MAX_RANK + 1)
		return bad(cursor, cursor->at, "... can stand once");
	struct selector_part *part = &selector->parts[selector->part_count++];
	*part = (struct selector_part){.at = (size_t)(cursor->at - cursor->text)};
	if (!take_axis(cursor, part))
		return false;
	bool named = part->axis[0] != '\0';
	if (!named && strncmp(cursor->at, "...", 3) == 0)
		return take_rest(cursor, selector, part);
	if (at_int(cursor) || *cursor->at == ':')
		return take_range(cursor, part);
	if (named && part->axis[0] != 'B')
		return bad(cursor, cursor->at, "an index or a slice as 1:3 is expected");
	return *cursor->at == '"' ? take_quoted(cursor, part) : take_id(cursor, part);
}

/* [part,part,...]; nothing between the brackets takes everything. */
static bool take_parts(struct cursor *cursor, struct selector *selector)
{
	if (!take(cursor, '['))
		return true;
	skip_blanks(cursor);
	if (take(cursor, ']'))
		return true;
	for (;;) {
		skip_blanks(cursor);
		if (!take_part(cursor, selector))
			return false;
		skip_blanks(cursor);
		if (take(cursor, ']'))
			return true;
		if (!take(cursor, ','))
			return bad(cursor, cursor->at, "',' or ']' is expected");
	}
}

static bool take_pass(struct cursor *cursor, struct selector *selector)
{
	const char *at = cursor->at;
	if (strncmp(at, "pass", 4) != 0 || at[4 + strspn(at + 4, " \t")] != '=')
		return true;
	cursor->at += 4 + strspn(at + 4, " \t") + 1;
	skip_blanks(cursor);
	if (!at_int(cursor))
		return bad(cursor, cursor->at, "the number of a pass is expected after 'pass='");
	selector->has_pass = true;
	if (!take_int(cursor, &selector->pass))
		return false;
	if (*cursor->at != ' ' && *cursor->at != '\t' && *cursor->at != '\0')
		return bad(cursor, cursor->at, "a blank is expected between the pass and the name of a tensor");
	skip_blanks(cursor);
	return true;
}

static bool take_name(struct cursor *cursor, struct selector *selector)
{
	static const char prefix[] = "weights.";
	size_t length = strcspn(cursor->at, " \t[");
	selector->is_weight = strncmp(cursor->at, prefix, sizeof prefix - 1) == 0;
	size_t skipped = selector->is_weight ? sizeof prefix - 1 : 0;
	if (length <= skipped)
		return bad(cursor, cursor->at, "the name of a tensor is expected, as in pass=1 logits[0,:]");
	selector->name = arena_strndup(cursor->arena, cursor->at + skipped, length - skipped);
	cursor->at += length;
	return true;
}

bool selector_parse(struct selector *selector, const char *text, struct arena *arena, struct err *err)
{
	*selector = (struct selector){.text = arena_strdup(arena, text)};
	struct cursor cursor = {.text = selector->text, .at = selector->text, .arena = arena, .err = err};
	skip_blanks(&cursor);
	if (!take_pass(&cursor, selector) || !take_name(&cursor, selector))
		return false;
	skip_blanks(&cursor);
	if (!take_parts(&cursor, selector))
		return false;
	skip_blanks(&cursor);
	return *cursor.at == '\0' || bad(&cursor, cursor.at, "nothing more is expected after the tensor");
}
