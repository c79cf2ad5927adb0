#include "text/unicode.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/mem.h"
#include "base/utf8.h"

bool unicode_is_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
		(c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Alphabetic characters of category So: circled, squared and negative letters. */
static bool is_enclosed_letter(uint32_t c)
{
	return (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) || (c >= 0x1f150 && c <= 0x1f169) ||
		(c >= 0x1f170 && c <= 0x1f189);
}

bool unicode_is_word(uint32_t c)
{
	switch (utf8proc_category((utf8proc_int32_t)c)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NL:
	case UTF8PROC_CATEGORY_PC: return true;
	default: return c == 0x200c || c == 0x200d || is_enclosed_letter(c) || unicode_is_newer_word(c);
	}
}

bool unicode_is_mark(uint32_t c)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
	bool was_mark = c == 0x1cf2 || c == 0x1cf3; /* letters since Unicode 12 */
	return was_mark ||
		(!unicode_is_newer(c) &&
			(category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
				category == UTF8PROC_CATEGORY_ME));
}

bool unicode_is_accent(uint32_t c)
{
	if (c == 0x1734 || c == 0x1171e) /* Mc since */
		return true;
	return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_MN && !unicode_is_newer(c) &&
		!unicode_is_plain(c);
}

size_t unicode_lower(uint32_t c, uint32_t lower[2])
{
	/* The one character whose full lower-case form is longer than its simple one (SpecialCasing.txt). */
	if (c == 0x130) {
		lower[0] = 'i';
		lower[1] = 0x307;
		return 2;
	}
	lower[0] = unicode_newer_lower(c);
	if (lower[0] == c)
		lower[0] = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
	return 1;
}

/* Whether its decomposition can go on with the syllable before: vowels and finals of Hangul, which one may also write with the
 * letters for compatibility and those of half width. */
static bool continues_syllable(uint32_t c)
{
	return (c >= 0x1161 && c <= 0x11c2) || (c >= 0x3131 && c <= 0x318e) || (c >= 0xffa0 && c <= 0xffdc);
}

size_t unicode_segment(const char *text, size_t length)
{
	uint32_t before;
	size_t at = utf8_decode(text, length, &before);
	while (at > 0 && at < length) {
		uint32_t after;
		size_t step = utf8_decode(text + at, length - at, &after);
		if (step == 0 ||
			(!continues_syllable(after) &&
				utf8proc_grapheme_break((utf8proc_int32_t)before, (utf8proc_int32_t)after)))
			break;
		before = after;
		at += step;
	}
	return at;
}

/* One code point of a decomposition, with what canonical ordering needs. */
struct mark {
	utf8proc_int32_t code_point;
	int class;
	size_t place;
};

static int by_class(const void *a, const void *b)
{
	const struct mark *left = a, *right = b;
	if (left->class != right->class)
		return left->class < right->class ? -1 : 1;
	return left->place < right->place ? -1 : left->place > right->place;
}

static int combining_class(utf8proc_int32_t c)
{
	return unicode_is_newer((uint32_t)c) ? 0 : (int)utf8proc_get_property(c)->combining_class;
}

/* Canonical ordering: each run of marks with a class above 0, stably by class. utf8proc's own takes quadratic
 * time for a long run. */
static void order_marks(utf8proc_int32_t *points, size_t count)
{
	struct mark *marks = NULL;
	for (size_t i = 0; i < count;) {
		size_t end = i;
		while (end < count && combining_class(points[end]) != 0)
			end++;
		if (end - i > 1) {
			if (marks == NULL)
				marks = MEM_ARRAY(struct mark, count);
			for (size_t k = i; k < end; k++)
				marks[k - i] = (struct mark){points[k], combining_class(points[k]), k};
			qsort(marks, end - i, sizeof *marks, by_class);
			for (size_t k = i; k < end; k++)
				points[k] = marks[k - i].code_point;
		}
		i = end + 1;
	}
	free(marks);
}

/* A character decomposes into at most 18 code points (U+FDFA under NFKD). */
enum { MAX_DECOMPOSED = 18 };

/* The ordered decomposition of valid text; returns its code points' count. */
static size_t decompose(const char *text, size_t length, bool compatible, utf8proc_int32_t **points)
{
	utf8proc_option_t options = UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
	size_t count = 0, capacity = length + MAX_DECOMPOSED;
	*points = MEM_ARRAY(utf8proc_int32_t, capacity);
	for (size_t at = 0; at < length;) {
		uint32_t c;
		size_t step = utf8_decode(text + at, length - at, &c);
		if (step == 0)
			break;
		if (capacity - count < MAX_DECOMPOSED) {
			capacity *= 2;
			*points = mem_resize(*points, capacity, sizeof **points);
		}
		utf8proc_ssize_t more = 1;
		(*points)[count] = (utf8proc_int32_t)c;
		if (!unicode_is_newer(c))
			more = utf8proc_decompose_char((utf8proc_int32_t)c, *points + count, MAX_DECOMPOSED, options,
				NULL);
		count += more > 0 ? (size_t)more : 0;
		at += step;
	}
	order_marks(*points, count);
	return count;
}

/* The character that two in a row are, or 0. */
static utf8proc_int32_t compose_pair(utf8proc_int32_t first, utf8proc_int32_t second)
{
	utf8proc_int32_t pair[] = {first, second};
	if (second == 0x11a7) /* no final, though utf8proc 2.8 takes it for one and loses it */
		return 0;
	bool is_one = utf8proc_normalize_utf32(pair, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE) == 1;
	return is_one && !unicode_is_newer((uint32_t)pair[0]) ? pair[0] : 0;
}

/* Canonical composition (Unicode 15, section 3.11, D117): joins a character to the last starter unless one of its class or a higher
 * stands between. Returns how many are left. */
static size_t compose(utf8proc_int32_t *points, size_t count)
{
	size_t starter = SIZE_MAX, kept = 0;
	int last_class = 0;
	for (size_t i = 0; i < count; i++) {
		int class = combining_class(points[i]);
		bool is_blocked = starter == SIZE_MAX || (kept > starter + 1 && last_class >= class);
		utf8proc_int32_t joined = is_blocked ? 0 : compose_pair(points[starter], points[i]);
		if (joined != 0) {
			points[starter] = joined;
			continue;
		}
		if (class == 0)
			starter = kept;
		last_class = class;
		points[kept++] = points[i];
	}
	return kept;
}

static void normalize_segment(const char *text, size_t length, enum unicode_form form, struct buf *out)
{
	utf8proc_int32_t *points;
	size_t count = decompose(text, length, form == UNICODE_NFKC || form == UNICODE_NFKD, &points);
	if (form == UNICODE_NFC || form == UNICODE_NFKC)
		count = compose(points, count);
	for (size_t i = 0; i < count; i++) {
		char bytes[4];
		buf_add(out, bytes, utf8_encode((uint32_t)points[i], bytes));
	}
	free(points);
}

void unicode_normalize(const char *text, size_t length, enum unicode_form form, struct buf *out)
{
	for (size_t at = 0; at < length;) {
		size_t step = unicode_segment(text + at, length - at);
		if (step == 0)
			break;
		if (step == 1) /* ASCII is its own normal form */
			buf_add(out, text + at, 1);
		else
			normalize_segment(text + at, step, form, out);
		at += step;
	}
}

/* What a lead byte asks for: bytes of the whole character, and the range of the second byte. 0: no lead byte. */
static size_t lead(unsigned char byte, unsigned char *low, unsigned char *high)
{
	*low = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
	*high = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if (byte >= 0xe0 && byte <= 0xef)
		return 3;
	return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/* Bytes of the longest part at bytes[0] that could begin a character: at least 1. *whole: how many the character
 * would have, 0 when no character begins so. */
static size_t subpart(const char *bytes, size_t length, size_t *whole)
{
	unsigned char low, high;
	*whole = lead((unsigned char)bytes[0], &low, &high);
	size_t count = 1;
	while (count < *whole && count < length) {
		unsigned char byte = (unsigned char)bytes[count];
		if (byte < low || byte > high)
			break;
		low = 0x80;
		high = 0xbf;
		count++;
	}
	return count;
}

void unicode_repair(const char *bytes, size_t length, struct buf *out)
{
	for (size_t at = 0; at < length;) {
		size_t whole, step = subpart(bytes + at, length - at, &whole);
		bool valid = step == whole || (unsigned char)bytes[at] < 0x80;
		if (valid)
			buf_add(out, bytes + at, step);
		else
			buf_add(out, "\xef\xbf\xbd", 3);
		at += step;
	}
}

size_t unicode_incomplete(const char *bytes, size_t length)
{
	for (size_t back = 1; back <= 3 && back <= length; back++) {
		size_t whole, step = subpart(bytes + length - back, back, &whole);
		if (whole > back && step == back)
			return back;
	}
	return 0;
}

size_t unicode_grapheme(const char *text, size_t length)
{
	utf8proc_int32_t state = 0;
	uint32_t before, c;
	size_t at = utf8_decode(text, length, &before);
	if (at == 0)
		return length > 0 ? 1 : 0;
	while (at < length) {
		size_t step = utf8_decode(text + at, length - at, &c);
		if (step == 0 ||
			utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)c, &state))
			break;
		before = c;
		at += step;
	}
	return at;
}
