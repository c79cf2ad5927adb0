/* Character classes, normal forms, repair of bytes; and patterns carried over to PCRE2. */
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "harness.h"
#include "text/bytechar.h"
#include "text/dialect.h"
#include "text/newer_classes.h"
#include "text/unicode.h"

static void normal(enum unicode_form form, const char *text, const char *expected)
{
	struct buf out = BUF_INIT;
	unicode_normalize(text, strlen(text), form, &out);
	ck_assert_str_eq(buf_text(&out), expected);
	buf_free(&out);
}

START_TEST(normal_forms)
{
	normal(UNICODE_NFC, "e\u0301", "\u00e9");
	normal(UNICODE_NFD, "\u00e9", "e\u0301");
	normal(UNICODE_NFC, "a\u0301\u0316", "\u00e1\u0316"); /* ordered by class, then composed */
	normal(UNICODE_NFD, "\u1ea5", "a\u0302\u0301");
	normal(UNICODE_NFC, "\u1112\u1161\u11ab", "\ud55c");
	normal(UNICODE_NFD, "\ud55c", "\u1112\u1161\u11ab");
	normal(UNICODE_NFC, "\u0958", "\u0915\u093c"); /* excluded from composition */
	normal(UNICODE_NFC, "\u09c7\u09be", "\u09cb"); /* the second is no mark by class, only by cluster */
	normal(UNICODE_NFC, "\u212b\ufb01", "\u00c5\ufb01");
	normal(UNICODE_NFKC, "\u212b\ufb01\uff21\u2460", "\u00c5fiA1");
	normal(UNICODE_NFKD, "\ufdfa",
		"\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064a\u0647 \u0648\u0633\u0644\u0645");
	normal(UNICODE_NFC, "", "");
	normal(UNICODE_NFC, "\u0301", "\u0301");
}
END_TEST

/* As Hugging Face tokenizers, whose normal forms are of Unicode 9. */
START_TEST(what_came_after_unicode_9_is_left_alone)
{
	normal(UNICODE_NFC, "a\u1ac7\u0301",
		"a\u1ac7\u0301"); /* a mark since Unicode 14 parts the letter from its accent */
	normal(UNICODE_NFD, "a\u0301\u1ac7\u0316", "a\u0301\u1ac7\u0316");
	normal(UNICODE_NFC, "\U00011935\U00011930", "\U00011935\U00011930");
	normal(UNICODE_NFD, "\U00011938", "\U00011938");
	normal(UNICODE_NFKC, "\u32ff\U0001fbf6\u3300", "\u32ff\U0001fbf6\u30a2\u30d1\u30fc\u30c8");
	ck_assert(!unicode_is_mark(0x1ac7) && !unicode_is_mark(0x11a01) && unicode_is_mark(0x1cf2));
	ck_assert(unicode_is_newer(0x558) && !unicode_is_newer(0x557) && unicode_is_newer(0x1fbf9) &&
		!unicode_is_newer(0x1fbfa));
}
END_TEST

/* Letters for compatibility and of half width become vowels and finals that join the syllable before. */
START_TEST(syllables_form_across_what_a_reader_sees)
{
	static const char text[] = "\uffa9\uffd6 \u3131\u314f\u3131 \u3260\u1161\uffa1 \u314b\u314b";
	struct buf parts = BUF_INIT;
	normal(UNICODE_NFC, "\ub7d0\u11a7x\uac01\u11a7",
		"\ub7d0\u11a7x\uac01\u11a7"); /* before the first final: none */
	normal(UNICODE_NFKC, text, "\ub93c \uac00\u1100 \uac00\u1100 \u110f\u110f");
	for (size_t at = 0, step; (step = unicode_segment(text + at, strlen(text + at))) > 0; at += step)
		unicode_normalize(text + at, step, UNICODE_NFKC, &parts);
	ck_assert_str_eq(buf_text(&parts), "\ub93c \uac00\u1100 \uac00\u1100 \u110f\u110f");
	buf_free(&parts);
}
END_TEST

START_TEST(the_form_of_a_text_is_the_forms_of_its_segments)
{
	static const uint32_t points[] = {'a', 'e', ' ', '\n', 0x300, 0x301, 0x316, 0x327, 0x345, 0x5b0, 0x93c, 0x915,
		0x9c7, 0x9be, 0xac00, 0x1100, 0x1161, 0x11a8, 0x200d, 0x1f600, 0x1f3fd, 0xfb01, 0x1e9b, 0x323};
	uint32_t state = 1;
	for (int round = 0; round < 2000; round++) {
		char text[64];
		size_t length = 0;
		struct buf once = BUF_INIT, twice = BUF_INIT, parts = BUF_INIT;
		for (int i = 0; i < 12; i++) {
			state = state * 1664525u + 1013904223u;
			length += utf8_encode(points[(state >> 16) % (sizeof points / sizeof *points)], text + length);
		}
		enum unicode_form form = (enum unicode_form)(round % 4);
		unicode_normalize(text, length, form, &once);
		unicode_normalize(once.data, once.length, form, &twice);
		ck_assert_str_eq(buf_text(&once), buf_text(&twice));
		for (size_t at = 0; at < length;) {
			size_t step = unicode_segment(text + at, length - at);
			ck_assert_uint_gt(step, 0);
			unicode_normalize(text + at, step, form, &parts);
			at += step;
		}
		ck_assert_str_eq(buf_text(&once), buf_text(&parts));
		buf_free(&once);
		buf_free(&twice);
		buf_free(&parts);
	}
}
END_TEST

START_TEST(many_marks_take_no_quadratic_time)
{
	size_t count = 100000;
	char *text = malloc(count * 4);
	struct buf out = BUF_INIT;
	for (size_t i = 0; i < count; i++)
		memcpy(text + i * 4, "\u0301\u0316", 4);
	clock_t start = clock();
	unicode_normalize(text, count * 4, UNICODE_NFC, &out);
	ck_assert_uint_eq(out.length, count * 4);
	ck_assert(memcmp(out.data, "\u0316\u0316", 4) == 0);
	ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 5);
	buf_free(&out);
	free(text);
}
END_TEST

START_TEST(classes)
{
	ck_assert(unicode_is_space(' ') && unicode_is_space(0x85) && unicode_is_space(0x3000));
	ck_assert(!unicode_is_space(0x180e) && !unicode_is_space(0x200b) && !unicode_is_space(0xfeff));
	ck_assert(unicode_is_word('a') && unicode_is_word('_') && unicode_is_word(0x301) && unicode_is_word(0x24b6) &&
		unicode_is_word(0x200d));
	ck_assert(!unicode_is_word('-') && !unicode_is_word(0xb2) && !unicode_is_word(0x1f600));
	ck_assert(unicode_is_mark(0x301) && unicode_is_mark(0x903) && unicode_is_mark(0x20e3) && !unicode_is_mark('a'));
	uint32_t lower[2];
	ck_assert_uint_eq(unicode_lower(0x130, lower), 2);
	ck_assert(lower[0] == 'i' && lower[1] == 0x307);
	ck_assert_uint_eq(unicode_lower(0x416, lower), 1);
	ck_assert_uint_eq(lower[0], 0x436);
	ck_assert(unicode_lower(0xa7cb, lower) == 1 && lower[0] == 0x264);
	ck_assert(unicode_lower(0x10d65, lower) == 1 && lower[0] == 0x10d85);
	ck_assert(unicode_is_accent(0x301) && unicode_is_accent(0x1734) && !unicode_is_accent(0x903) &&
		!unicode_is_accent(0x8d4));
	ck_assert(unicode_is_unseen(0) && unicode_is_unseen(0x7f) && unicode_is_unseen(0xfffd) &&
		unicode_is_unseen(0xe000));
	ck_assert(!unicode_is_unseen('\n') && !unicode_is_unseen('\t') && !unicode_is_unseen(0x378));
	ck_assert(unicode_is_word(0x13d80) && !unicode_is_word(0x33000));
}
END_TEST

static void repaired(const char *bytes, size_t length, const char *expected)
{
	struct buf out = BUF_INIT;
	unicode_repair(bytes, length, &out);
	ck_assert_str_eq(buf_text(&out), expected);
	buf_free(&out);
}

#define R "\ufffd"

START_TEST(repair_replaces_each_maximal_part)
{
	repaired("", 0, "");
	repaired("a\xc3\xa9\xe5\xa4\xa9", 6, "a\u00e9\u5929");
	repaired("a\xff"
		 "b",
		3, "a" R "b");
	repaired("\xc3", 1, R);
	repaired("\xe5\xa4", 2, R);
	repaired("\xe5\xa4"
		 "a",
		3, R "a");
	/* Unicode 15, tables 3-8 to 3-11 */
	repaired("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", 9, R R R R R R R R "A");
	repaired("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", 9, R R R R R R R R "A");
	repaired("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", 9, R R R R R "A" R R "B");
	repaired("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", 9, R R R R "A");
}
END_TEST

START_TEST(what_could_still_become_a_character)
{
	ck_assert_uint_eq(unicode_incomplete("", 0), 0);
	ck_assert_uint_eq(unicode_incomplete("a", 1), 0);
	ck_assert_uint_eq(unicode_incomplete("a\xc3", 2), 1);
	ck_assert_uint_eq(unicode_incomplete("a\xe5\xa4", 3), 2);
	ck_assert_uint_eq(unicode_incomplete("\xf0\x9f\x98", 3), 3);
	ck_assert_uint_eq(unicode_incomplete("\xf0\x9f\x98\x80", 4), 0);
	ck_assert_uint_eq(unicode_incomplete("\xff", 1), 0);
	ck_assert_uint_eq(unicode_incomplete("\x80\x80", 2), 0);
	ck_assert_uint_eq(unicode_incomplete("\xe0\x80", 2), 0);
	ck_assert_uint_eq(unicode_incomplete("\xe5\xa4\xa9\xe5", 4), 1);
}
END_TEST

START_TEST(a_character_for_every_byte)
{
	for (int byte = 0; byte < 256; byte++)
		ck_assert_int_eq(bytechar_to_byte(bytechar_of_byte((unsigned char)byte)), byte);
	ck_assert_uint_eq(bytechar_of_byte(' '), 0x120);
	ck_assert_uint_eq(bytechar_of_byte('\n'), 0x10a);
	ck_assert_uint_eq(bytechar_of_byte(0x7f), 0x121);
	ck_assert_uint_eq(bytechar_of_byte(0xa0), 0x142);
	ck_assert_uint_eq(bytechar_of_byte(0xad), 0x143);
	ck_assert_uint_eq(bytechar_of_byte(0xff), 0xff);
	ck_assert_int_eq(bytechar_to_byte(' '), -1);
	ck_assert_int_eq(bytechar_to_byte(0x144), -1);
}
END_TEST

static void translates(const char *pattern, const char *expected)
{
	struct buf out = BUF_INIT;
	struct dialect_problem problem = {0, ""};
	ck_assert_msg(dialect_translate(pattern, strlen(pattern), &out, &problem), "%s: %s", pattern, problem.what);
	ck_assert_str_eq(buf_text(&out), expected);
	buf_free(&out);
}

static void refused(const char *pattern, size_t offset, const char *what)
{
	struct buf out = BUF_INIT;
	struct dialect_problem problem = {0, ""};
	ck_assert_msg(!dialect_translate(pattern, strlen(pattern), &out, &problem), "accepted: %s", pattern);
	ck_assert_uint_eq(problem.offset, offset);
	ck_assert_str_eq(problem.what, what);
	buf_free(&out);
}

START_TEST(patterns_that_mean_the_same)
{
	translates(" ?\\p{L}+|'s|(?i:'re)|(?!\\p{^Lu})", " ?[\\p{L}" NEWER_L "]+|'s|(?i:'re)|(?!\\p{^Lu})");
	translates("[^\\r\\n\\p{N}]{1,3}a{,2}b{x}", "[^\\r\\n\\p{N}" NEWER_N "]{1,3}a{0,2}b\\{x}");
	translates("\\P{P}[\\P{M}]\\p{Lo}", "[^\\p{P}" NEWER_P "][\\P{M}]\\p{Lo}");
	translates("\\h[\\h\\d]\\v\\x41\\x{4e00}\\u5929",
		"[0-9A-Fa-f][0-9A-Fa-f\\p{Nd}]\\x{b}\\x{41}\\x{4e00}\\x{5929}");
	translates("[]a]|[^]]|(?<n>a)|(?#c)|(?<=a)(?<!b)(?>c)", "[\\]a]|[^\\]]|(?<n>a)|(?#c)|(?<=a)(?<!b)(?>c)");
	translates("\\[\\\\\\.", "\\[\\\\\\.");
	translates("a?+b++", "a?+b++");
}
END_TEST

START_TEST(patterns_that_would_mean_something_else)
{
	refused("[[:alpha:]]", 1, "a POSIX bracket");
	refused("[a[b]]", 2, "a class inside a class");
	refused("[a&&b]", 2, "an intersection of classes");
	refused("(?m)a", 0, "a kind of group that is not supported");
	refused("(?P<n>a)", 0, "a kind of group that is not supported");
	refused("(*FAIL)", 0, "a control verb");
	refused("a{2}+", 4, "a quantifier after an interval");
	refused("a{2}?", 4, "a quantifier after an interval");
	refused("\\Qa\\E", 0, "an escape that is not supported there");
	refused("[\\W]", 1, "an escape that is not supported there");
	refused("\\pL", 0, "an escape without its braces");
	refused("\\xe9", 0, "an escape without its braces");
	refused("\\u12", 0, "a \\u without four hexadecimal digits");
	refused("a\\", 1, "a backslash at the end");
	refused("\\012", 0, "an octal escape");
}
END_TEST

TEST_PROGRAM("unicode", {
	tcase_add_test(tests, normal_forms);
	tcase_add_test(tests, what_came_after_unicode_9_is_left_alone);
	tcase_add_test(tests, syllables_form_across_what_a_reader_sees);
	tcase_add_test(tests, the_form_of_a_text_is_the_forms_of_its_segments);
	tcase_add_test(tests, many_marks_take_no_quadratic_time);
	tcase_add_test(tests, classes);
	tcase_add_test(tests, repair_replaces_each_maximal_part);
	tcase_add_test(tests, what_could_still_become_a_character);
	tcase_add_test(tests, a_character_for_every_byte);
	tcase_add_test(tests, patterns_that_mean_the_same);
	tcase_add_test(tests, patterns_that_would_mean_something_else);
})
