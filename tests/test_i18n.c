/* Messages in another language, and numbers that stay numbers in every locale. */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/i18n.h"
#include "harness.h"

static void add_word(struct buf *buf, uint32_t word)
{
	buf_add(buf, &word, sizeof word);
}

/* A catalogue of gettext's binary form: the header that tells the encoding, and one message. */
static void make_catalogue(struct buf *mo, const char *message, const char *translation)
{
	static const char header[] = "Content-Type: text/plain; charset=UTF-8\n";
	const uint32_t tables = 7 * 4, texts = tables + 4 * 8;
	const uint32_t lengths[4] = {0, (uint32_t)strlen(message), sizeof header - 1, (uint32_t)strlen(translation)};
	const char *const parts[4] = {"", message, header, translation};
	const uint32_t start[7] = {0x950412de, 0, 2, tables, tables + 16, 0, texts};
	for (int i = 0; i < 7; i++)
		add_word(mo, start[i]);
	uint32_t at = texts;
	for (int i = 0; i < 4; i++) {
		add_word(mo, lengths[i]);
		add_word(mo, at);
		at += lengths[i] + 1;
	}
	for (int i = 0; i < 4; i++)
		buf_add(mo, parts[i], lengths[i] + 1);
}

/* Puts the first `length` bytes of a catalogue where i18n_start looks for it. */
static void save_catalogue(const char *folder, const struct buf *mo, size_t length)
{
	static const char *const steps[] = {"zh", "LC_MESSAGES"};
	char path[256], inner[256];
	struct err err = ERR_INIT;
	snprintf(path, sizeof path, "%s", folder);
	for (int i = 0; i < 2; i++) {
		ck_assert(file_join(inner, sizeof inner, path, steps[i], &err));
		ck_assert(file_is_folder(inner) || file_make_folder(inner, &err));
		memcpy(path, inner, sizeof path);
	}
	ck_assert(file_join(inner, sizeof inner, path, "rowscope.mo", &err));
	ck_assert(file_save(inner, mo->data, length, true, &err));
}

START_TEST(translates_into_the_language_asked_for)
{
	char folder[] = "/tmp/rowscope-test-XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(folder));
	struct buf mo = BUF_INIT;
	make_catalogue(&mo, "the row is done", "该行已完成");
	save_catalogue(folder, &mo, mo.length);
	setenv("LC_ALL", "C", 1);
	i18n_start("zh", folder);
	ck_assert_str_eq(i18n_language(), "zh");
	ck_assert_str_eq(_("the row is done"), "该行已完成");
	ck_assert_str_eq(_("not in the catalogue"), "not in the catalogue");
	ck_assert_str_eq(_(""), "");
	ck_assert_str_eq(P_("the row is done", "the rows are done", 3ul), "该行已完成");
	ck_assert_str_eq(P_("a row", "rows", 1ul), "a row");
	ck_assert_str_eq(P_("a row", "rows", 0ul), "rows");
	i18n_start("en", folder);
	ck_assert_str_eq(i18n_language(), "en");
	ck_assert_str_eq(_("the row is done"), "the row is done");
	buf_free(&mo);
	file_remove_folder(folder);
}
END_TEST

/* Cut anywhere, or with any byte of its tables changed, a catalogue leaves English or translates; nothing is read outside. */
START_TEST(a_damaged_catalogue_leaves_english)
{
	char folder[] = "/tmp/rowscope-test-XXXXXX";
	ck_assert_ptr_nonnull(mkdtemp(folder));
	struct buf mo = BUF_INIT;
	make_catalogue(&mo, "the row is done", "该行已完成");
	for (size_t length = 0; length < mo.length; length++) {
		save_catalogue(folder, &mo, length);
		i18n_start("zh", folder);
		ck_assert_str_eq(_("the row is done"), "the row is done");
	}
	for (size_t i = 0; i < 60; i++) {
		for (int bit = 0; bit < 8; bit++) {
			mo.data[i] = (char)(mo.data[i] ^ (1 << bit));
			save_catalogue(folder, &mo, mo.length);
			i18n_start("zh", folder);
			ck_assert_uint_gt(strlen(_("the row is done")) + 1, 0);
			mo.data[i] = (char)(mo.data[i] ^ (1 << bit));
		}
	}
	i18n_start("en", NULL);
	buf_free(&mo);
	file_remove_folder(folder);
}
END_TEST

START_TEST(the_environment_decides_by_precedence)
{
	static const struct {
		const char *all, *messages, *lang, *expected;
	} cases[] = {
		{"", "", "", "en"},
		{"", "", "zh_CN.UTF-8", "zh"},
		{"", "de_DE.UTF-8", "zh_CN.UTF-8", "en"},
		{"zh_TW", "de_DE.UTF-8", "en_US.UTF-8", "zh"},
		{"tr_TR.UTF-8", "zh_CN", "zh_CN", "en"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		setenv("LC_ALL", cases[i].all, 1);
		setenv("LC_MESSAGES", cases[i].messages, 1);
		setenv("LANG", cases[i].lang, 1);
		i18n_start(NULL, NULL);
		ck_assert_str_eq(i18n_language(), cases[i].expected);
	}
}
END_TEST

START_TEST(numbers_and_widths_do_not_depend_on_the_environment)
{
	static const char *const locales[] = {"C", "de_DE.UTF-8", "tr_TR.UTF-8", "zh_CN.GB18030", "nonsense"};
	for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
		setenv("LC_ALL", locales[i], 1);
		i18n_start(NULL, NULL);
		ck_assert_double_eq(strtod("0.75", NULL), 0.75);
		ck_assert_str_eq(setlocale(LC_NUMERIC, NULL), "C");
		ck_assert_int_eq(wcwidth(L'很'), 2);
	}
}
END_TEST

TEST_PROGRAM("i18n", {
	tcase_add_test(tests, translates_into_the_language_asked_for);
	tcase_add_test(tests, a_damaged_catalogue_leaves_english);
	tcase_add_test(tests, the_environment_decides_by_precedence);
	tcase_add_test(tests, numbers_and_widths_do_not_depend_on_the_environment);
})
