#include "harness.h"

#include <math.h>
#include <string.h>

#include "draw/show.h"
#include "draw/table_grid.h"

static const char *line(struct arena *arena, const struct grid *grid, int y)
{
	char *text = arena_strdup(arena, "");
	for (int x = 0; x < grid->width; x++)
		text = arena_printf(arena, "%s%s", text, grid_cell(grid, x, y)->glyph);
	return text;
}

#define ASSERT_LINE(grid, y, text) ck_assert_str_eq(line(&arena, (grid), (y)), (text))

/* Three rows of the worked example. */
static struct table *example(struct arena *arena)
{
	struct table *table = table_new(arena, "choices");
	int row = table_add_column(table, "row", TABLE_TEXT);
	int token = table_add_column(table, "token", TABLE_TEXT);
	int id = table_add_column(table, "id", TABLE_INT);
	int p = table_add_column(table, "probability", TABLE_FLOAT);
	table_label(table, p, "p", 3);
	static const char *const rows[] = {"A", "B", "C"};
	static const char *const tokens[] = {"开心", "不错", "a\n"};
	static const int ids[] = {520, 89, 12};
	for (int i = 0; i < 3; i++) {
		size_t r = table_add_row(table, i);
		table_set_string(table, r, row, rows[i]);
		table_set_string(table, r, token, tokens[i]);
		table_set_int(table, r, id, ids[i]);
		if (i < 2)
			table_set_float(table, r, p, 0.5f / (float)(i + 1));
	}
	return table;
}

START_TEST(lays_out_columns)
{
	struct arena arena = ARENA_INIT;
	struct table *table = example(&arena);
	table_set_title(table, "Choices");
	table_set_caption(table, "greedy");
	table->omitted = 5;
	struct table_layout layout = table_measure(table, 0, &arena);
	struct grid grid = table_grid(table, &layout, 0, table->row_count, &arena);
	ck_assert_int_eq(grid.height, 8);
	const char *lines[] = {"Choices", "row  token   id      p", "───  ─────  ───  ─────", "A    开心   520  0.500",
		"B    不错    89  0.250", "C    a\\n     12", "… 5 more rows", "greedy"};
	for (int y = 0; y < 8; y++)
		ck_assert_int_eq(strncmp(line(&arena, &grid, y), lines[y], strlen(lines[y])), 0);
	ck_assert_int_eq(grid_cell(&grid, 0, 3)->style.role, STYLE_LANE);
	ck_assert_int_eq(grid_cell(&grid, 0, 5)->style.level, 2);
	arena_free(&arena);
}
END_TEST

START_TEST(fits_a_narrow_screen)
{
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "t");
	table_add_column(table, "text", TABLE_TEXT);
	table_add_column(table, "n", TABLE_INT);
	size_t r = table_add_row(table, STYLE_NO_LANE);
	table_set_string(table, r, 0, "abcdefghijklmnop");
	table_set_int(table, r, 1, 1234567);
	struct table_layout layout = table_measure(table, 0, &arena);
	ck_assert_int_eq(layout.width, 16 + TABLE_GAP + 7);
	table_layout_fit(&layout, table, 19);
	ck_assert_int_eq(layout.width, 19);
	struct grid grid = table_grid(table, &layout, 0, 1, &arena);
	ASSERT_LINE(&grid, 2, "abcdefghi…  1234567");
	table_layout_fit(&layout, table, 10);
	ck_assert_int_eq(layout.hidden, 1);
	ck_assert_int_le(layout.width, 10);
	grid = table_grid(table, &layout, 0, 1, &arena);
	ck_assert_ptr_nonnull(strstr(line(&arena, &grid, 3), "… 1 more column "));
	/* a number is never cut, only text */
	layout = table_measure(table, 4, &arena);
	ck_assert_int_eq(layout.widths[0], 4);
	ck_assert_int_eq(layout.widths[1], 7);
	arena_free(&arena);
}
END_TEST

START_TEST(counts_in_words)
{
	struct buf note = BUF_INIT;
	table_show_omitted(1, &note);
	table_show_omitted(1000001, &note);
	ck_assert_str_eq(buf_text(&note), "… 1 more row… 1000001 more rows");
	buf_free(&note);
}
END_TEST

START_TEST(draws_any_run_of_rows)
{
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "t");
	table_add_column(table, "n", TABLE_INT);
	for (int i = 0; i < 1000; i++)
		table_set_int(table, table_add_row(table, STYLE_NO_LANE), 0, i);
	struct table_layout layout = table_measure(table, 0, &arena);
	struct grid grid = grid_new(&arena, 5, 3);
	table_draw_rows(table, &layout, &grid, 1, 998, 10);
	ASSERT_LINE(&grid, 0, "     ");
	ASSERT_LINE(&grid, 1, "998  ");
	ASSERT_LINE(&grid, 2, "999  ");
	struct grid part = table_grid(table, &layout, 990, 5, &arena);
	ck_assert_ptr_nonnull(strstr(line(&arena, &part, part.height - 1), "995 more rows"));
	arena_free(&arena);
}
END_TEST

START_TEST(keeps_values_exact)
{
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "kinds");
	int text = table_add_column(table, "x", TABLE_TEXT);
	int again = table_add_column(table, "x", TABLE_DOUBLE);
	int third = table_add_column(table, "x", TABLE_BOOL);
	int bits = table_add_column(table, "bits", TABLE_BITS);
	ck_assert_str_eq(table->columns[again].key, "x_2");
	ck_assert_str_eq(table->columns[third].key, "x_3");
	for (int i = 0; i < 20; i++)
		table_add_column(table, "more", TABLE_FLOAT);
	ck_assert_str_eq(table->columns[bits + 20].key, "more_20");
	size_t r = table_add_row(table, STYLE_NO_LANE);
	table_set_text(table, r, text, "a\0b\xff", 4);
	table_set_double(table, r, again, 0.1);
	table_set_bool(table, r, third, true);
	table_set_bits(table, r, bits, 0x7fc00000u);
	ck_assert_mem_eq(table_cell(table, r, text)->value.text.bytes, "a\0b\xff", 4);
	ck_assert(!table_cell(table, r, bits + 1)->is_set);
	static const char *const shown[] = {"a\\x00b\\xff", "0.10000000000000001", "yes", "0x7fc00000", ""};
	for (int i = 0; i < 5; i++) {
		struct buf buf = BUF_INIT;
		table_show(table, r, i, &buf);
		ck_assert_str_eq(buf_text(&buf), shown[i]);
		buf_free(&buf);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(styles_go_from_cell_to_row_to_lane)
{
	struct arena arena = ARENA_INIT;
	struct table *table = example(&arena);
	ck_assert_int_eq(table_style(table, 1, 0).role, STYLE_LANE);
	table->rows[1].style = style_of(STYLE_WARN);
	ck_assert_int_eq(table_style(table, 1, 0).role, STYLE_WARN);
	table_set_style(table, 1, 0, style_of(STYLE_BAD));
	ck_assert_int_eq(table_style(table, 1, 0).role, STYLE_BAD);
	ck_assert_int_eq(table_style(table, 1, 1).role, STYLE_WARN);
	ck_assert_int_eq(style_lane(11).level, 3);
	ck_assert_int_eq(style_lane(STYLE_NO_LANE).role, STYLE_NORMAL);
	ck_assert_str_ne(style_lane_mark(0), style_lane_mark(1));
	arena_free(&arena);
}
END_TEST

START_TEST(shows_foreign_text_whole)
{
	struct buf buf = BUF_INIT;
	char bytes[10000];
	memset(bytes, 0xff, sizeof bytes);
	show_foreign(&buf, bytes, sizeof bytes);
	ck_assert_uint_eq(buf.length, 4 * sizeof bytes);
	buf_clear(&buf);
	show_text(&buf, "\u202e");
	ck_assert_str_eq(buf_text(&buf), "\\u202e");
	buf_free(&buf);
}
END_TEST

TEST_PROGRAM("table", {
	tcase_add_test(tests, lays_out_columns);
	tcase_add_test(tests, fits_a_narrow_screen);
	tcase_add_test(tests, counts_in_words);
	tcase_add_test(tests, draws_any_run_of_rows);
	tcase_add_test(tests, keeps_values_exact);
	tcase_add_test(tests, styles_go_from_cell_to_row_to_lane);
	tcase_add_test(tests, shows_foreign_text_whole);
})
