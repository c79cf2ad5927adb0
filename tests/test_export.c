#include "export_golden.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "draw/table_grid.h"

static void set_choice(struct table *table, int lane, const char *token, int id, float p, uint32_t bits)
{
	static const char *const ids[] = {"A", "B", "C", "D"};
	size_t row = table_add_row(table, lane);
	table_set_string(table, row, 0, ids[lane]);
	table_set_string(table, row, 1, token);
	table_set_int(table, row, 2, id);
	table_set_float(table, row, 3, p);
	table_set_double(table, row, 4, (double)p / 3);
	table_set_bool(table, row, 5, lane % 2 == 0);
	table_set_bits(table, row, 6, bits);
}

static struct table *choices(struct arena *arena)
{
	struct table *table = table_new(arena, "choices");
	table_set_title(table, "Choices of pass 1");
	table_set_caption(table, "Greedy: the largest logit, the lowest ID on a tie.");
	table_add_column(table, "row", TABLE_TEXT);
	table_add_column(table, "token", TABLE_TEXT);
	table_add_column(table, "id", TABLE_INT);
	table_label(table, table_add_column(table, "probability", TABLE_FLOAT), "p", 4);
	table_add_column(table, "third", TABLE_DOUBLE);
	table_add_column(table, "finished", TABLE_BOOL);
	table_add_column(table, "bits", TABLE_BITS);
	table->columns[4].unit = "nats";
	set_choice(table, 0, "开心", 520, 0.8125f, 0x3f500000u);
	set_choice(table, 1, "不错", 89, 0.1f, 0x3dcccccdu);
	set_choice(table, 2, "你好", -12, 1e-20f, 0x00000000u);
	set_choice(table, 3, " the", 7, -INFINITY, 0xff800000u);
	table_add_row(table, STYLE_NO_LANE);
	return table;
}

START_TEST(writes_tables)
{
	struct arena arena = ARENA_INIT;
	struct table *table = choices(&arena);
	check_table(table, "csv", "choices.csv");
	table->omitted = 3;
	check_table(table, "text", "choices.txt");
	check_table(table, "json", "choices.json");
	check_table(table, "markdown", "choices.md");
	check_table(table, "latex", "choices.tex");
	arena_free(&arena);
}
END_TEST

/* A small screen with everything on it. */
static struct grid screen(struct arena *arena)
{
	struct grid grid = grid_new(arena, 40, 12);
	struct grid inside = grid_box(&grid, style_of(STYLE_BORDER_FOCUS), "attn.scores");
	grid_text(&inside, grid_at(1, 0, 20), style_of(STYLE_LABEL), "row   k=0   k=1");
	for (int row = 0; row < 3; row++) {
		static const char *const tokens[] = {"很", "气", "<s>"};
		grid_text(&inside, grid_at(1, 1 + row, 1), style_lane(row), style_lane_mark(row));
		grid_foreign(&inside, grid_at(2, 1 + row, 3), style_lane(row), tokens[row], strlen(tokens[row]));
		grid_number(&inside, grid_at(5, 1 + row, 6), style_of(STYLE_NORMAL),
			row == 2 ? -INFINITY : 0.3021 * row, 3);
		struct grid_span number = grid_at(12, 1 + row, 7);
		grid_number(&inside, number, style_of(row == 1 ? STYLE_PAD : STYLE_NORMAL), 0.8125, 4);
		if (row == 0)
			grid_flag(&inside, number, STYLE_CURSOR);
	}
	struct heat heat;
	heat_init(&heat);
	heat_add(&heat, -1);
	heat_add(&heat, 1);
	heat_settle(&heat);
	for (int i = 0; i < 15; i++)
		grid_heat(&inside, 1 + 2 * i, 5, &heat, (i - 7) / 7.0);
	grid_heat(&inside, 31, 5, &heat, -INFINITY);
	grid_heat(&inside, 33, 5, &heat, (double)NAN);
	heat.is_signed = false;
	for (int i = 0; i < 16; i++)
		grid_heat(&inside, 1 + 2 * i, 6, &heat, (i - 7.5) / 7.5);
	grid_text(&inside, grid_at(1, 8, 9), style_of(STYLE_GOOD), "ok 3/3");
	grid_text(&inside, grid_at(9, 8, 9), style_of(STYLE_BAD), "LEAK");
	grid_text(&inside, grid_at(15, 8, 9), style_of(STYLE_HIDDEN), "▒▒▒");
	grid_text(&inside, grid_at(20, 8, 12), style_of(STYLE_WEIGHT), "weights 权重");
	grid_text(&inside, grid_at(1, 9, 2), style_of(STYLE_KEY), "e");
	grid_text(&inside, grid_at(3, 9, 12), style_of(STYLE_DIM), "explain");
	grid_text(&inside, grid_at(15, 9, 12), style_of(STYLE_NORMAL), "▁▂▃▄▅▆▇█ ┼─");
	return grid;
}

static void check_screen(const char *format, struct export_options options, const char *golden)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct grid grid = screen(&arena);
	ck_assert(export_grid(export_find(format), &grid, &options, &out, &err));
	check_golden(golden, &out);
	buf_free(&out);
	arena_free(&arena);
}

START_TEST(writes_screens)
{
	const struct theme *dark = theme_find("dark");
	check_screen("text", (struct export_options){.theme = dark}, "screen.txt");
	check_screen("markdown", (struct export_options){.depth = THEME_RGB}, "screen.md");
	check_screen("text", (struct export_options){.theme = dark, .depth = THEME_256}, "screen-256.ans");
	check_screen("text", (struct export_options){.theme = dark, .depth = THEME_8}, "screen-8.ans");
	check_screen("text", (struct export_options){.theme = dark, .depth = THEME_RGB}, "screen-rgb.ans");
}
END_TEST

START_TEST(fences_outlast_backticks)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct grid grid = grid_new(&arena, 8, 1);
	grid_text(&grid, grid_at(0, 0, 8), style_of(STYLE_NORMAL), "a````b");
	ck_assert(export_grid(export_find("markdown"), &grid, NULL, &out, &err));
	ck_assert_str_eq(buf_text(&out), "`````text\na````b\n`````\n");
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(figures_are_safe_and_the_same_twice)
{
	static const char *const names[] = {"svg", "pdf", "png"};
	static const char *const starts[] = {"<?xml", "%PDF", "\x89PNG"};
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct grid grid = screen(&arena);
	struct export_options options = {.title = "a</title><script>\n&\"\u202e"};
	for (int i = 0; i < 3; i++) {
		struct buf first = BUF_INIT;
		struct buf second = BUF_INIT;
		ck_assert_msg(export_grid(export_find(names[i]), &grid, &options, &first, &err), "%s", err.message);
		ck_assert(export_grid(export_find(names[i]), &grid, &options, &second, &err));
		ck_assert_uint_eq(first.length, second.length);
		ck_assert_mem_eq(first.data, second.data, first.length);
		ck_assert_mem_eq(first.data, starts[i], strlen(starts[i]));
		if (i == 0) {
			ck_assert_ptr_null(strstr(first.data, "<script"));
			ck_assert_ptr_null(strstr(first.data, "<text"));
			ck_assert_ptr_nonnull(strstr(first.data,
				"<title>a&lt;/title&gt;&lt;script&gt;\\n&amp;&quot;\\u202e</title>"));
			/* 40 columns of 10 and 12 lines of 24, with a margin of 10 */
			ck_assert_ptr_nonnull(strstr(first.data, "viewBox=\"0 0 420 308\""));
		}
		buf_free(&first);
		buf_free(&second);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(pictures_have_a_limit)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct grid grid = grid_new(&arena, 1000, 1200);
	buf_add_text(&out, "before");
	ck_assert(!export_grid(export_find("png"), &grid, NULL, &out, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_str_eq(buf_text(&out), "before");
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(chooses_formats)
{
	const struct export_format *format;
	struct err err = ERR_INIT;
	ck_assert(export_choose(&format, NULL, "a/b.c/figure.SVG", &err));
	ck_assert_str_eq(format->name, "svg");
	ck_assert(export_choose(&format, NULL, "x.markdown", &err));
	ck_assert_str_eq(format->name, "markdown");
	ck_assert(export_choose(&format, "csv", "figure.svg", &err));
	ck_assert_str_eq(format->name, "csv");
	ck_assert_ptr_null(export_find_for("a.svg/figure"));
	ck_assert_ptr_null(export_find_for("figure."));
	ck_assert_ptr_null(export_find_for("svg"));
	ck_assert(!export_choose(&format, NULL, "figure.gif", &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.message, "csv"));
	err_clear(&err);
	ck_assert(!export_choose(&format, "gif", "figure.svg", &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
}
END_TEST

START_TEST(refuses_what_a_format_cannot_say)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct grid grid = screen(&arena);
	ck_assert(!export_grid(export_find("csv"), &grid, NULL, &out, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	err_clear(&err);
	struct table *table = choices(&arena);
	table->omitted = 1;
	ck_assert(!export_table(export_find("csv"), table, NULL, &out, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_uint_eq(out.length, 0);
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(every_format_takes_empty_forms)
{
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "empty");
	struct grid grid = grid_new(&arena, 0, 0);
	const struct export_format *format;
	for (size_t i = 0; (format = export_at(i)) != NULL; i++) {
		struct err err = ERR_INIT;
		struct buf out = BUF_INIT;
		ck_assert_msg(export_table(format, table, NULL, &out, &err), "%s", err.message);
		if (format->grid != NULL)
			ck_assert_msg(export_grid(format, &grid, NULL, &out, &err), "%s", err.message);
		buf_free(&out);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(writes_long_tables_with_steady_columns)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct table *table = table_new(&arena, "long");
	table_add_column(table, "n", TABLE_INT);
	for (int i = 0; i < 20000; i++)
		table_set_int(table, table_add_row(table, STYLE_NO_LANE), 0, i);
	ck_assert(export_table(export_find("text"), table, NULL, &out, &err));
	/* two lines of head, then every line as wide as the widest number */
	ck_assert_uint_eq(out.length, 6 + (5 * 3 + 1) + 20000 * 6);
	buf_free(&out);
	arena_free(&arena);
}
END_TEST

START_TEST(saves_whole_or_not_at_all)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	char path[512];
	const char *folder = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/rowscope-export-XXXXXX", folder != NULL ? folder : "/tmp");
	int descriptor = mkstemp(path);
	ck_assert_int_ge(descriptor, 0);
	close(descriptor);
	buf_add_text(&out, "n\r\n");
	ck_assert(!export_save(path, &out, false, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	err_clear(&err);
	ck_assert(export_save(path, &out, true, &err));
	ck_assert(!export_save("/nonexistent/folder/x.csv", &out, true, &err));
	unlink(path);
	buf_free(&out);
}
END_TEST

TEST_PROGRAM("export", {
	tcase_add_test(tests, writes_tables);
	tcase_add_test(tests, writes_screens);
	tcase_add_test(tests, fences_outlast_backticks);
	tcase_add_test(tests, figures_are_safe_and_the_same_twice);
	tcase_add_test(tests, pictures_have_a_limit);
	tcase_add_test(tests, chooses_formats);
	tcase_add_test(tests, refuses_what_a_format_cannot_say);
	tcase_add_test(tests, every_format_takes_empty_forms);
	tcase_add_test(tests, writes_long_tables_with_steady_columns);
	tcase_add_test(tests, saves_whole_or_not_at_all);
})
