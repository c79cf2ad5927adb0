/* What is foreign stays text in every format: hostile and random texts, read back by readers of their own. */
#include "export_golden.h"

#include <cmark.h>
#include <math.h>

#include "base/json.h"
#include "base/utf8.h"
#include "draw/show.h"

static const struct {
	const char *bytes;
	size_t length;
} hostile_texts[] = {
#define HOSTILE(text) \
	{ \
		text, sizeof text - 1 \
	}
	HOSTILE("=1+1"),
	HOSTILE("+1"),
	HOSTILE("-1"),
	HOSTILE("@SUM(A1)"),
	HOSTILE("\t=1"),
	HOSTILE("\r=1"),
	HOSTILE("＝1+1"),
	HOSTILE("=HYPERLINK(\"http://x\",\"y\")"),
	HOSTILE("a,b"),
	HOSTILE("a\"b"),
	HOSTILE("a\r\nb"),
	HOSTILE(" a "),
	HOSTILE(""),
	HOSTILE("\x1b[2J\x1b]0;t\x07"),
	HOSTILE("\u202etxt.exe"),
	HOSTILE("\u200b\ufeff"),
	HOSTILE("</svg><script>alert(1)</script>"),
	HOSTILE("]]>&amp;<!--"),
	HOSTILE("a|b`c`*d*_e_[f](g)![h](i)"),
	HOSTILE("<img src=x onerror=alert(1)>"),
	HOSTILE("http://example.org @user #1 $x$ ~~y~~"),
	HOSTILE("| --- |"),
	HOSTILE("nul\0inside"),
	HOSTILE("\xff\xfe half \xe5\xbc"),
	HOSTILE("\xc0\xaf\xed\xa0\x80"),
	HOSTILE("\u0301\u0301"),
	HOSTILE("e\u0301\u0301\u0301\u0301\u0301\u0301"),
	HOSTILE("\\x1b \\n"),
	HOSTILE("👩‍👩‍👧 🇨🇳 ✓️"),
	HOSTILE("{\"a\":1}"),
	HOSTILE("```"),
	HOSTILE("1e5"),
	HOSTILE("开心\u3000"),
	HOSTILE("'"),
	HOSTILE("%s%n"),
	HOSTILE("＠a"),
	HOSTILE("－1"),
	HOSTILE("＋1"),
	HOSTILE("a "),
};

#define HOSTILE_COUNT (sizeof hostile_texts / sizeof *hostile_texts)

static struct table *hostile(struct arena *arena)
{
	struct table *table = table_new(arena, "hostile");
	table_add_column(table, "n", TABLE_INT);
	table_add_column(table, "=text", TABLE_TEXT);
	table_add_column(table, "value", TABLE_FLOAT);
	table_label(table, 1, "text\n</th><b>", NUMBER_EXACT);
	table_set_title(table, "</title><script>*\n");
	for (size_t i = 0; i < HOSTILE_COUNT; i++) {
		size_t row = table_add_row(table, (int)i);
		table_set_int(table, row, 0, (int64_t)i);
		table_set_text(table, row, 1, hostile_texts[i].bytes, hostile_texts[i].length);
		static const float values[] = {0.1f, NAN, INFINITY, -INFINITY, -0.0f, 1e-45f, 3.4028235e38f};
		table_set_float(table, row, 2, values[i % 7]);
	}
	return table;
}

START_TEST(escapes_hostile_text)
{
	struct arena arena = ARENA_INIT;
	struct table *table = hostile(&arena);
	check_table(table, "text", "hostile.txt");
	check_table(table, "csv", "hostile.csv");
	check_table(table, "json", "hostile.json");
	check_table(table, "markdown", "hostile.md");
	check_table(table, "latex", "hostile.tex");
	arena_free(&arena);
}
END_TEST

/* Takes one field of RFC 4180 off the text, written from the grammar of that document. */
static struct buf csv_field(const char **at, const char *end)
{
	struct buf field = BUF_INIT;
	bool is_quoted = *at < end && **at == '"';
	if (is_quoted)
		(*at)++;
	while (*at < end) {
		char c = **at;
		if (is_quoted && c == '"') {
			(*at)++;
			if (*at == end || **at != '"')
				break;
		} else if (!is_quoted && (c == ',' || c == '\r' || c == '\n')) {
			break;
		} else if (!is_quoted) {
			ck_assert_int_ne(c, '"');
		}
		buf_add_char(&field, c);
		(*at)++;
	}
	return field;
}

START_TEST(csv_reads_back)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct table *table = hostile(&arena);
	ck_assert(export_table(export_find("csv"), table, NULL, &out, &err));
	ck_assert(utf8_is_valid(out.data, out.length));
	const char *at = out.data;
	const char *end = out.data + out.length;
	for (size_t row = 0; row <= HOSTILE_COUNT; row++) {
		for (int column = 0; column < 3; column++) {
			struct buf field = csv_field(&at, end);
			if (row > 0 && column == 0)
				ck_assert_int_eq(atoi(buf_text(&field)), (int)row - 1);
			if (column == 1)
				ck_assert(strchr("=+-@\t\r", buf_text(&field)[0]) == NULL || field.length == 0);
			if (row > 0 && column == 1 &&
				utf8_is_valid(hostile_texts[row - 1].bytes, hostile_texts[row - 1].length) &&
				strlen(hostile_texts[row - 1].bytes) == hostile_texts[row - 1].length) {
				const char *text = buf_text(&field);
				if (strcmp(text, hostile_texts[row - 1].bytes) != 0) {
					ck_assert_int_eq(text[0], '\'');
					ck_assert_str_eq(text + 1, hostile_texts[row - 1].bytes);
				}
			}
			if (row > 0 && column == 2) {
				float value = table_cell(table, row - 1, 2)->value.number;
				float back = strtof(buf_text(&field), NULL);
				ck_assert(isnan(value) ? isnan(back) : memcmp(&value, &back, sizeof value) == 0);
			}
			buf_free(&field);
			if (column < 2)
				ck_assert_int_eq(*at++, ',');
		}
		ck_assert_int_eq(*at++, '\r');
		ck_assert_int_eq(*at++, '\n');
	}
	ck_assert_ptr_eq(at, end);
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(json_reads_back)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct json *document;
	struct table *table = hostile(&arena);
	ck_assert(export_table(export_find("json"), table, NULL, &out, &err));
	ck_assert_msg(json_parse(out.data, out.length, "out", &arena, &document, &err), "%s", err.message);
	const struct json *rows = json_find(document, "rows");
	ck_assert_uint_eq(rows->count, HOSTILE_COUNT);
	for (size_t row = 0; row < HOSTILE_COUNT; row++) {
		const struct json *text = json_find(rows->items[row], "=text");
		const struct json *value = json_find(rows->items[row], "value");
		float original = table_cell(table, row, 2)->value.number;
		if (utf8_is_valid(hostile_texts[row].bytes, hostile_texts[row].length)) {
			ck_assert_uint_eq(text->length, hostile_texts[row].length);
			ck_assert_mem_eq(text->text, hostile_texts[row].bytes, text->length);
		}
		if (isfinite(original)) {
			float back = strtof(value->text, NULL);
			ck_assert_mem_eq(&back, &original, sizeof back);
		} else {
			ck_assert_int_eq(value->type, JSON_NULL);
		}
	}
	/* -inf, inf, nan and broken text are all told under "special" */
	const struct json *special = json_find(document, "special");
	ck_assert_uint_eq(special->count, 18 + 2);
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(text_holds_no_control)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct table *table = hostile(&arena);
	static const char *const names[] = {"text", "markdown"};
	for (int i = 0; i < 2; i++) {
		buf_clear(&out);
		ck_assert(export_table(export_find(names[i]), table, NULL, &out, &err));
		for (size_t k = 0; k < out.length; k++)
			ck_assert(out.data[k] == '\n' || ((unsigned char)out.data[k] >= 0x20 && out.data[k] != 0x7f));
		ck_assert_ptr_null(strstr(out.data, "\u202e"));
	}
	ck_assert_ptr_null(strstr(out.data, "<script"));
	ck_assert_ptr_null(strstr(out.data, "<img"));
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

/* The text that a Markdown reader makes of one paragraph, when that holds nothing but plain text; else NULL. */
static char *markdown_plain(struct arena *arena, const char *source)
{
	cmark_node *document = cmark_parse_document(source, strlen(source), CMARK_OPT_DEFAULT);
	cmark_node *paragraph = cmark_node_first_child(document);
	char *text = arena_strdup(arena, "");
	if (paragraph != NULL &&
		(cmark_node_get_type(paragraph) != CMARK_NODE_PARAGRAPH || cmark_node_next(paragraph) != NULL))
		text = NULL;
	cmark_node *part = paragraph != NULL ? cmark_node_first_child(paragraph) : NULL;
	for (; text != NULL && part != NULL; part = cmark_node_next(part))
		text = cmark_node_get_type(part) == CMARK_NODE_TEXT
			? arena_printf(arena, "%s%s", text, cmark_node_get_literal(part))
			: NULL;
	cmark_node_free(document);
	return text;
}

static void replace_edge(struct buf *shown, struct arena *arena, char **expected)
{
	size_t length = shown->length;
	bool is_first = length > 0 && shown->data[0] == ' ';
	bool is_last = length > 1 && shown->data[length - 1] == ' ';
	*expected = arena_printf(arena, "%s%.*s%s", is_first ? "\u00a0" : "", (int)(length - is_first - is_last),
		buf_text(shown) + is_first, is_last ? "\u00a0" : "");
}

/* A caption is a paragraph of its own: what a reader sees of it must be its display string, letter by letter. */
static void check_markdown(const char *bytes, size_t length)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct buf shown = BUF_INIT;
	char *text = arena_strndup(&arena, bytes, length);
	struct table *table = table_new(&arena, "t");
	table_set_caption(table, text);
	ck_assert(export_table(export_find("markdown"), table, NULL, &out, &err));
	show_text(&shown, text);
	char *expected;
	replace_edge(&shown, &arena, &expected);
	char *seen = markdown_plain(&arena, buf_text(&out));
	ck_assert_msg(seen != NULL && strcmp(seen, expected) == 0, "%s is read as %s", buf_text(&out),
		seen != NULL ? seen : "markup");
	buf_free(&shown);
	buf_free(&out);
	arena_free(&arena);
}

START_TEST(markdown_holds_no_markup)
{
	static const char *const more[] = {"1. a", "12) a", "- a", "+ a", "* a", "# a", "#a", "> a", "    code", "---",
		"===", "***", "a\\*", "![a](b)", "<http://x>", "&copy;", "&#65;", "``a``", "[a]: b", "~~~", "a  ",
		"<!-- -->", "2024.", "_a_"};
	for (size_t i = 0; i < HOSTILE_COUNT; i++)
		check_markdown(hostile_texts[i].bytes, hostile_texts[i].length);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		check_markdown(more[i], strlen(more[i]));
	struct arena arena = ARENA_INIT;
	ck_assert_ptr_null(markdown_plain(&arena, "- a")); /* the reader does see markup where there is some */
	arena_free(&arena);
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Bytes that break things, more often than chance would have it. */
static size_t random_text(uint32_t *state, char *bytes, size_t size)
{
	static const char *const pieces[] = {"\x1b[", "\r\n", "\"", ",", "\u202e", "\xff", "\xe4\xbb", "今", "e\u0301",
		"|", "`", "<", "&", "\\", "=", " ", "\t", "\u200d", "\U0001f469", "\xed\xa0\x80", "*", "[x](", "#",
		"1.", "\x7f", "\xc2\x85"};
	size_t length = 0;
	size_t wanted = next_random(state) % (size - 8);
	while (length < wanted) {
		uint32_t pick = next_random(state) % 40;
		if (pick < sizeof pieces / sizeof *pieces) {
			memcpy(bytes + length, pieces[pick], strlen(pieces[pick]));
			length += strlen(pieces[pick]);
		} else {
			bytes[length++] = (char)next_random(state);
		}
	}
	return length;
}

static void check_no_control(const struct buf *out)
{
	ck_assert(utf8_is_valid(out->data, out->length));
	for (size_t i = 0; i < out->length; i++)
		ck_assert(out->data[i] == '\n' || ((unsigned char)out->data[i] >= 0x20 && out->data[i] != 0x7f));
	ck_assert_ptr_null(strstr(out->data, "\u202e"));
	ck_assert_ptr_null(strstr(out->data, "\xc2\x85"));
}

START_TEST(escapes_ten_thousand_random_texts)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "random");
	table_add_column(table, "n", TABLE_INT);
	table_add_column(table, "text", TABLE_TEXT);
	uint32_t state = 5;
	char bytes[40];
	for (int i = 0; i < 10000; i++) {
		size_t length = random_text(&state, bytes, sizeof bytes);
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_int(table, row, 0, i);
		table_set_text(table, row, 1, bytes, length);
		if (i % 10 == 0)
			check_markdown(bytes, length);
	}
	struct buf out = BUF_INIT;
	struct json *document;
	ck_assert(export_table(export_find("text"), table, NULL, &out, &err));
	check_no_control(&out);
	buf_clear(&out);
	ck_assert(export_table(export_find("markdown"), table, NULL, &out, &err));
	check_no_control(&out);
	buf_clear(&out);
	ck_assert(export_table(export_find("csv"), table, NULL, &out, &err));
	const char *at = strchr(out.data, '\n') + 1;
	for (int i = 0; i < 10000; i++) {
		struct buf number = csv_field(&at, out.data + out.length);
		ck_assert_int_eq(atoi(buf_text(&number)), i);
		ck_assert_int_eq(*at++, ',');
		struct buf text = csv_field(&at, out.data + out.length);
		ck_assert(text.length == 0 || strchr("=+-@\t\r\n", text.data[0]) == NULL);
		ck_assert_mem_eq(at, "\r\n", 2);
		at += 2;
		buf_free(&number);
		buf_free(&text);
	}
	ck_assert_ptr_eq(at, out.data + out.length);
	buf_clear(&out);
	ck_assert(export_table(export_find("json"), table, NULL, &out, &err));
	ck_assert(json_parse(out.data, out.length, "out", &arena, &document, &err));
	ck_assert_uint_eq(json_find(document, "rows")->count, 10000);
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(figures_of_hostile_tables)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	ck_assert(export_table(export_find("svg"), hostile(&arena), NULL, &out, &err));
	ck_assert_ptr_null(strstr(out.data, "<script"));
	ck_assert_ptr_null(strstr(out.data, "onerror"));
	ck_assert(utf8_is_valid(out.data, out.length));
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("escape", {
	tcase_add_test(tests, escapes_hostile_text);
	tcase_add_test(tests, csv_reads_back);
	tcase_add_test(tests, json_reads_back);
	tcase_add_test(tests, text_holds_no_control);
	tcase_add_test(tests, markdown_holds_no_markup);
	tcase_add_test(tests, escapes_ten_thousand_random_texts);
	tcase_add_test(tests, figures_of_hostile_tables);
})
