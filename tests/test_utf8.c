/* Foreign text made safe to show: what becomes an escape, what stays, and that nothing leaves its cell. */
#include <locale.h>
#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "harness.h"

/* Half of the tests run as in the program, with wcwidth in a Unicode locale; half as in a tool without one. */
static void set_locale(int round)
{
	setlocale(LC_CTYPE, "C");
	if (round == 1 && setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		setlocale(LC_CTYPE, "en_US.UTF-8");
}

START_TEST(decodes_exactly_the_valid_forms)
{
	static const struct {
		const char *bytes;
		size_t length, taken;
		uint32_t code_point;
	} cases[] = {
		{"a", 1, 1, 'a'},
		{"\0", 1, 1, 0},
		{"\x7f", 1, 1, 0x7f},
		{"\xc2\x80", 2, 2, 0x80},
		{"\xdf\xbf", 2, 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 3, 0x800},
		{"\xed\x9f\xbf", 3, 3, 0xd7ff},
		{"\xee\x80\x80", 3, 3, 0xe000},
		{"\xef\xbf\xbf", 3, 3, 0xffff},
		{"\xf0\x90\x80\x80", 4, 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
		{"", 0, 0, 0},
		{"\x80", 1, 0, 0},
		{"\xbf", 1, 0, 0},
		{"\xc0\x80", 2, 0, 0},
		{"\xc1\xbf", 2, 0, 0},
		{"\xc2", 1, 0, 0},
		{"\xc2\xc0", 2, 0, 0},
		{"\xe0\x9f\xbf", 3, 0, 0},
		{"\xed\xa0\x80", 3, 0, 0},
		{"\xed\xbf\xbf", 3, 0, 0},
		{"\xe5\xbe", 2, 0, 0},
		{"\xf0\x8f\xbf\xbf", 4, 0, 0},
		{"\xf4\x90\x80\x80", 4, 0, 0},
		{"\xf5\x80\x80\x80", 4, 0, 0},
		{"\xf0\x90\x80", 3, 0, 0},
		{"\xff", 1, 0, 0},
		{"\xfe", 1, 0, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t code_point = 0;
		ck_assert_uint_eq(utf8_decode(cases[i].bytes, cases[i].length, &code_point), cases[i].taken);
		ck_assert_uint_eq(code_point, cases[i].code_point);
	}
}
END_TEST

START_TEST(encodes_what_it_decodes)
{
	for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point++) {
		char bytes[4];
		uint32_t back = UINT32_MAX;
		if (code_point >= 0xd800 && code_point <= 0xdfff)
			continue;
		size_t length = utf8_encode(code_point, bytes);
		if (utf8_decode(bytes, length, &back) != length || back != code_point)
			ck_abort_msg("U+%04X", (unsigned)code_point);
	}
	ck_assert(utf8_is_valid("很\0x", 5));
	ck_assert(!utf8_is_valid("很\xe5", 4));
}
END_TEST

START_TEST(shows_what_would_act_or_hide)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *shown;
		int columns;
	} cases[] = {
		{"abc", 3, "abc", 3},
		{"", 0, "", 0},
		{" a b ", 5, " a b ", 5},
		{"很", 3, "很", 2},
		{"\n\t\r", 3, "\\n\\t\\r", 6},
		{"\0\x1b\x7f", 3, "\\x00\\x1b\\x7f", 12},
		{"\xff\xc2", 2, "\\xff\\xc2", 8},
		{"\xed\xa0\x80", 3, "\\xed\\xa0\\x80", 12},
		{"\\n", 2, "\\\\n", 3},
		{"\xc2\x85", 2, "\\u0085", 6},                         /* C1: next line */
		{"\xc2\xad", 2, "\\u00ad", 6},                         /* soft hyphen */
		{"\xe2\x80\xae", 3, "\\u202e", 6},                     /* right-to-left override */
		{"\xe2\x81\xa6", 3, "\\u2066", 6},                     /* isolate */
		{"\xe2\x80\x8b\xe2\x80\x8d", 6, "\\u200b\\u200d", 12}, /* zero-width space, joiner */
		{"\xe2\x80\xa8\xe2\x80\xa9", 6, "\\u2028\\u2029", 12}, /* separators */
		{"\xef\xbb\xbf", 3, "\\ufeff", 6},
		{"\xef\xbf\xbf", 3, "\\uffff", 6},          /* noncharacter */
		{"\xee\x80\x80", 3, "\\ue000", 6},          /* private use */
		{"\xf3\xa0\x80\x81", 4, "\\U000e0001", 10}, /* tag */
		{"\xcd\xb8", 2, "\\u0378", 6},              /* unassigned */
		{"e\xcc\x81", 3, "e\xcc\x81", 1},           /* combining acute on a base */
		{"\xcc\x81", 2, "\\u0301", 6},              /* and alone */
		{" \xcc\x81", 3, " \\u0301", 7},
		{"\n\xcc\x81", 3, "\\n\\u0301", 8}, /* on an escape it would change the escape */
		{"e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81", 11, "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\\u0301", 7},
		{"\xe2\x9d\xa4\xef\xb8\x8f", 6, "\xe2\x9d\xa4\\ufe0f", 7}, /* variation selector */
		{"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80", 2},
	};
	for (int round = 0; round < 2; round++) {
		set_locale(round);
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			char shown[128];
			int columns = utf8_display(cases[i].bytes, cases[i].length, shown, sizeof shown, -1);
			ck_assert_str_eq(shown, cases[i].shown);
			ck_assert_int_eq(columns, cases[i].columns);
			ck_assert_int_eq(utf8_width(shown), columns);
		}
	}
}
END_TEST

START_TEST(cuts_with_an_ellipsis_that_fits)
{
	char shown[64];
	ck_assert_int_eq(utf8_display("abcdef", 6, shown, sizeof shown, 6), 6);
	ck_assert_str_eq(shown, "abcdef");
	ck_assert_int_eq(utf8_display("abcdef", 6, shown, sizeof shown, 5), 5);
	ck_assert_str_eq(shown, "abcd…");
	ck_assert_int_eq(utf8_display("今天很", 9, shown, sizeof shown, 4), 3);
	ck_assert_str_eq(shown, "今…");
	ck_assert_int_eq(utf8_display("今天很", 9, shown, sizeof shown, 5), 5);
	ck_assert_str_eq(shown, "今天…");
	ck_assert_int_eq(utf8_display("a\x1b", 2, shown, sizeof shown, 4), 2);
	ck_assert_str_eq(shown, "a…");
	ck_assert_int_eq(utf8_display("ab", 2, shown, sizeof shown, 1), 1);
	ck_assert_str_eq(shown, "…");
	ck_assert_int_eq(utf8_display("ab", 2, shown, sizeof shown, 0), 0);
	ck_assert_str_eq(shown, "");
	ck_assert_int_eq(utf8_display("", 0, shown, sizeof shown, 0), 0);
	ck_assert_int_eq(utf8_display("abcdef", 6, shown, 7, -1), 6);
	ck_assert_int_eq(utf8_display("abcdef", 6, shown, 6, -1), 3);
	ck_assert_str_eq(shown, "ab…");
	ck_assert_int_eq(utf8_display("abcdef", 6, shown, 3, -1), 0);
	ck_assert_str_eq(shown, "");
	ck_assert_int_eq(utf8_display("abc", 3, shown, 1, -1), 0);
	shown[0] = 'x';
	ck_assert_int_eq(utf8_display("abc", 3, shown, 0, -1), 0);
	ck_assert_int_eq(shown[0], 'x');
}
END_TEST

START_TEST(fits_whole_characters)
{
	int used;
	ck_assert_uint_eq(utf8_fit("今天", 3, &used), 3);
	ck_assert_int_eq(used, 2);
	ck_assert_uint_eq(utf8_fit("e\xcc\x81x", 1, &used), 3); /* the mark belongs to its base */
	ck_assert_uint_eq(utf8_fit("abc", 0, &used), 0);
	ck_assert_uint_eq(utf8_fit("abc", 9, &used), 3);
	ck_assert_int_eq(used, 3);
	ck_assert_int_eq(utf8_width("a今"), 3);
}
END_TEST

static bool may_be_shown(uint32_t code_point, bool is_first)
{
	switch (utf8proc_category((utf8proc_int32_t)code_point)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP: return false;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME: return !is_first;
	default: return true;
	}
}

/* What every display string is, whatever went in. One assertion for many, because each costs a system call. */
static bool is_safe(const char *shown, int columns)
{
	size_t length = strlen(shown);
	for (size_t at = 0; at < length;) {
		uint32_t code_point = 0;
		size_t size = utf8_decode(shown + at, length - at, &code_point);
		if (size == 0 || !may_be_shown(code_point, at == 0))
			return false;
		at += size;
	}
	return utf8_width(shown) == columns;
}

/* Shows the bytes in cells and buffers of several sizes; gives the number of those that were left. */
static int count_escapes_from_cells(const char *bytes, size_t length)
{
	static const int limits[] = {-1, 0, 1, 2, 3, 7, 20};
	static const size_t sizes[] = {1, 4, 17, 256};
	int left = 0;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			char shown[256];
			int columns = utf8_display(bytes, length, shown, sizes[k], limits[i]);
			bool fits = strlen(shown) < sizes[k] && columns >= 0 && (limits[i] < 0 || columns <= limits[i]);
			left += !fits || !is_safe(shown, columns);
		}
	}
	return left;
}

/* A small generator with a fixed seed: the same strings on every machine. */
static uint32_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static size_t hostile_string(uint64_t *state, char *bytes, size_t size)
{
	static const uint32_t favourites[] = {'\n', 0x1b, 0x9b, 0x202e, 0x2066, 0x200d, 0xfe0f, 0x301, 0x5b0, 0x1160,
		0x11a8, 0xad, 0x3000, 0x4eca, 0x1f600, 0x1f468, 0xe0001, 0xffff, 0x378, 0xe000, '\\', ' ', 'a', 0x0e33,
		0x0903, 0x1f1e9};
	size_t length = 0, pieces = draw(state) % 24;
	for (size_t i = 0; i < pieces && length + 4 <= size; i++) {
		uint32_t kind = draw(state) % 4, code_point = draw(state) % 0x110000;
		if (kind == 0)
			bytes[length++] = (char)(unsigned char)draw(state);
		else if (kind == 1 || (code_point >= 0xd800 && code_point <= 0xdfff))
			length += utf8_encode(favourites[draw(state) % (sizeof favourites / sizeof *favourites)],
				bytes + length);
		else
			length += utf8_encode(code_point % (kind == 2 ? 0x3000 : 0x110000), bytes + length);
	}
	return length;
}

START_TEST(ten_thousand_hostile_strings_stay_in_their_cell)
{
	uint64_t state = 7;
	int left = 0;
	for (int i = 0; i < 10000; i++) {
		char bytes[128];
		set_locale(i % 2);
		left += count_escapes_from_cells(bytes, hostile_string(&state, bytes, sizeof bytes));
	}
	ck_assert_int_eq(left, 0);
}
END_TEST

START_TEST(every_code_point_is_safe_alone_and_behind_a_letter)
{
	for (uint32_t code_point = 0; code_point <= 0x10ffff; code_point += code_point < 0x3100 ? 1 : 7) {
		char bytes[5] = {'a'}, shown[32];
		if (code_point >= 0xd800 && code_point <= 0xdfff)
			continue;
		size_t length = utf8_encode(code_point, bytes + 1);
		bool alone = is_safe(shown, utf8_display(bytes + 1, length, shown, sizeof shown, -1));
		bool behind = is_safe(shown, utf8_display(bytes, length + 1, shown, sizeof shown, -1));
		if (!alone || !behind)
			ck_abort_msg("U+%04X", (unsigned)code_point);
	}
}
END_TEST

START_TEST(naughty_strings_stay_in_their_cell)
{
	if (harness_testdata() == NULL)
		return;
	char path[1024], line[8192];
	snprintf(path, sizeof path, "%s/strings/blns.txt", harness_testdata());
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	int count = 0;
	set_locale(1);
	for (; fgets(line, sizeof line, file) != NULL; count++)
		ck_assert_msg(count_escapes_from_cells(line, strlen(line)) == 0, "%s", line);
	fclose(file);
	ck_assert_int_gt(count, 500);
}
END_TEST

/* Bytes of a run of hexadecimal digits; ends at anything else. */
static size_t read_hex(const char *text, char *bytes, size_t size)
{
	size_t length = 0;
	unsigned byte;
	for (; length < size && sscanf(text, "%2x", &byte) == 1; text += 2 + (text[2] == ' '))
		bytes[length++] = (char)(unsigned char)byte;
	return length;
}

START_TEST(agrees_with_the_decoder_cases)
{
	if (harness_testdata() == NULL)
		return;
	char path[1024], line[2048], bytes[512];
	snprintf(path, sizeof path, "%s/strings/utf8tests.txt", harness_testdata());
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	int count = 0;
	while (fgets(line, sizeof line, file) != NULL) {
		const char *valid = strstr(line, ":valid hex:"), *invalid = strstr(line, ":invalid hex:");
		if (line[0] == '#' || (valid == NULL && invalid == NULL))
			continue;
		const char *hex = valid != NULL ? valid + 11 : invalid + 13;
		size_t length = read_hex(hex, bytes, sizeof bytes);
		ck_assert_msg(utf8_is_valid(bytes, length) == (valid != NULL), "%s", line);
		count++;
	}
	fclose(file);
	ck_assert_int_gt(count, 100);
}
END_TEST

TEST_PROGRAM("utf8", {
	tcase_add_test(tests, decodes_exactly_the_valid_forms);
	tcase_add_test(tests, encodes_what_it_decodes);
	tcase_add_test(tests, shows_what_would_act_or_hide);
	tcase_add_test(tests, cuts_with_an_ellipsis_that_fits);
	tcase_add_test(tests, fits_whole_characters);
	tcase_add_test(tests, ten_thousand_hostile_strings_stay_in_their_cell);
	tcase_add_test(tests, every_code_point_is_safe_alone_and_behind_a_letter);
	tcase_add_test(tests, naughty_strings_stay_in_their_cell);
	tcase_add_test(tests, agrees_with_the_decoder_cases);
})
