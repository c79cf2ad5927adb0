#include "harness.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "draw/grid.h"
#include "draw/number.h"

/* One line of a grid as text; "|" stands for the right half of a wide glyph. */
static const char *line(struct arena *arena, const struct grid *grid, int y)
{
	char *text = arena_strdup(arena, "");
	for (int x = 0; x < grid->width; x++) {
		const struct grid_cell *cell = grid_cell(grid, x, y);
		text = arena_printf(arena, "%s%s", text, cell->width == 0 ? "|" : cell->glyph);
	}
	return text;
}

#define ASSERT_LINE(grid, y, text) ck_assert_str_eq(line(&arena, (grid), (y)), (text))

/* Every wide glyph has its right half, every right half its wide glyph, every cell a glyph of its width. */
static void check_whole(const struct grid *whole)
{
	for (int y = 0; y < whole->height; y++) {
		for (int x = 0; x < whole->width; x++) {
			const struct grid_cell *cell = grid_cell(whole, x, y);
			const struct grid_cell *right = grid_cell(whole, x + 1, y);
			const struct grid_cell *left = grid_cell(whole, x - 1, y);
			if (cell->width == 2)
				ck_assert(right != NULL && right->width == 0);
			if (cell->width == 0)
				ck_assert(left != NULL && left->width == 2 && cell->glyph[0] == '\0');
			else
				ck_assert_int_eq(utf8_width(cell->glyph), cell->width);
			ck_assert_uint_lt(strnlen(cell->glyph, GRID_GLYPH_SIZE), GRID_GLYPH_SIZE);
		}
	}
}

START_TEST(clips_at_edges)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 5, 2);
	ck_assert_int_eq(grid_text(&grid, grid_at(3, 0, GRID_REST), style_of(STYLE_NORMAL), "abc"), 2);
	ASSERT_LINE(&grid, 0, "   ab");
	ck_assert_int_eq(grid_text(&grid, grid_at(0, 1, 2), style_of(STYLE_NORMAL), "abc"), 2);
	ASSERT_LINE(&grid, 1, "ab   ");
	grid_text(&grid, grid_at(-2, 1, 5), style_of(STYLE_NORMAL), "12345");
	ASSERT_LINE(&grid, 1, "345  ");
	ck_assert_int_eq(grid_text(&grid, grid_at(0, 2, 5), style_of(STYLE_NORMAL), "x"), 0);
	ck_assert_int_eq(grid_text(&grid, grid_at(0, -1, 5), style_of(STYLE_NORMAL), "x"), 0);
	ck_assert_int_eq(grid_text(&grid, grid_at(9, 0, 5), style_of(STYLE_NORMAL), "x"), 0);
	ck_assert_int_eq(grid_text(&grid, grid_at(0, 0, -3), style_of(STYLE_NORMAL), "x"), 0);
	arena_free(&arena);
}
END_TEST

START_TEST(keeps_wide_glyphs_whole)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 5, 1);
	struct style style = style_of(STYLE_NORMAL);
	ck_assert_int_eq(grid_text(&grid, grid_at(0, 0, GRID_REST), style, "今天气"), 4);
	ASSERT_LINE(&grid, 0, "今|天| ");
	grid_text(&grid, grid_at(1, 0, 1), style, "x"); /* over a right half */
	ASSERT_LINE(&grid, 0, " x天| ");
	grid_text(&grid, grid_at(2, 0, 1), style, "y"); /* over a left half */
	ASSERT_LINE(&grid, 0, " xy  ");
	grid_text(&grid, grid_at(0, 0, 5), style, "今天");
	grid_text(&grid, grid_at(1, 0, 2), style, "气"); /* over two halves */
	ASSERT_LINE(&grid, 0, " 气|  ");
	grid_text(&grid, grid_at(-1, 0, 5), style, "今a"); /* its left half would lie outside */
	ASSERT_LINE(&grid, 0, " a   ");
	check_whole(&grid);
	arena_free(&arena);
}
END_TEST

START_TEST(views_share_cells_and_repair_across_their_edge)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 6, 3);
	struct style style = style_of(STYLE_NORMAL);
	grid_text(&grid, grid_at(0, 1, 6), style, "今天气");
	struct grid view = grid_sub(&grid, 1, 1, 2, 9);
	ck_assert_int_eq(view.width, 2);
	ck_assert_int_eq(view.height, 2);
	grid_text(&view, grid_at(0, 0, 2), style, "ab");
	ASSERT_LINE(&grid, 1, " ab 气|");
	check_whole(&grid);
	struct grid inner = grid_sub(&view, 1, 0, 5, 1);
	grid_fill(&inner, style_of(STYLE_BAD));
	ck_assert_int_eq(grid_cell(&grid, 2, 1)->style.role, STYLE_BAD);
	ck_assert_int_eq(grid_cell(&grid, 3, 1)->style.role, STYLE_NORMAL);
	struct grid none = grid_sub(&grid, 6, 0, 3, 3);
	ck_assert_int_eq(none.width * none.height, 0);
	ck_assert_ptr_null(grid_cell(&none, 0, 0));
	none = grid_sub(&grid, -5, -5, 5, 5);
	ck_assert_int_eq(none.width * none.height, 0);
	arena_free(&arena);
}
END_TEST

START_TEST(joins_combining_marks)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 4, 1);
	ck_assert_int_eq(grid_text(&grid, grid_at(0, 0, 4), style_of(STYLE_NORMAL), "e\u0301\u0302x"), 2);
	ck_assert_str_eq(grid_cell(&grid, 0, 0)->glyph, "e\u0301\u0302");
	ck_assert_str_eq(grid_cell(&grid, 1, 0)->glyph, "x");
	/* more marks than a cell holds must not run over its memory */
	static const char *const bases[] = {"e", "é", "今", "\U00020000"};
	for (int base = 0; base < 4; base++) {
		char tower[4 + 2 * 100 + 1];
		strcpy(tower, bases[base]);
		for (int i = 0; i < 100; i++)
			strcat(tower, "\u0301");
		grid_text(&grid, grid_at(0, 0, 4), style_of(STYLE_NORMAL), tower);
		check_whole(&grid);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(lets_no_control_into_a_cell)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 30, 1);
	static const char hostile[] = "\x1b[2J\n\t\xff\u202e\u0301\xc2\x9b";
	grid_text(&grid, grid_at(0, 0, 30), style_of(STYLE_NORMAL), hostile);
	for (int x = 0; x < grid.width; x++) {
		const char *glyph = grid_cell(&grid, x, 0)->glyph;
		ck_assert(utf8_is_valid(glyph, strlen(glyph)));
		ck_assert((unsigned char)glyph[0] >= 0x20);
	}
	ck_assert_ptr_null(strstr(line(&arena, &grid, 0), "\u202e"));
	grid_fill(&grid, style_of(STYLE_NORMAL));
	ck_assert_int_eq(grid_foreign(&grid, grid_at(0, 0, 30), style_of(STYLE_NORMAL), "a\x1b[31mb\nc", 9), 13);
	ASSERT_LINE(&grid, 0, "a\\x1b[31mb\\nc                 ");
	arena_free(&arena);
}
END_TEST

START_TEST(cuts_foreign_text_visibly)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 6, 1);
	grid_foreign(&grid, grid_at(0, 0, 4), style_of(STYLE_NORMAL), "abcdefgh", 8);
	ASSERT_LINE(&grid, 0, "abc…  ");
	grid_fill(&grid, style_of(STYLE_NORMAL));
	grid_foreign(&grid, grid_at(0, 0, 4), style_of(STYLE_NORMAL), "今天气", 9);
	ASSERT_LINE(&grid, 0, "今|…   ");
	check_whole(&grid);
	arena_free(&arena);
}
END_TEST

START_TEST(keeps_the_end_of_foreign_text)
{
	static const struct {
		const char *text, *shown;
		int columns;
	} cases[] = {{"row12", "row12", 5}, {"row12", "…w12", 4}, {"row12", "…", 1}, {"今天气", "…天气", 5},
		{"今天气", "…气", 4},
		{"a\x1b"
		 "1",
			"…1", 2},
		{"e\xCC\x81xy", "…y", 2}};
	struct arena arena = ARENA_INIT;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct grid grid = grid_new(&arena, 20, 1);
		struct buf text = BUF_INIT;
		int used = grid_foreign_end(&grid, grid_at(0, 0, cases[i].columns), style_of(STYLE_NORMAL),
			cases[i].text, strlen(cases[i].text));
		ck_assert_int_eq(used, utf8_width(cases[i].shown));
		for (int x = 0; x < used; x++)
			buf_add_text(&text, grid_cell(&grid, x, 0)->glyph);
		ck_assert_str_eq(buf_text(&text), cases[i].shown);
		buf_free(&text);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(draws_boxes)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 9, 3);
	struct grid inside = grid_box(&grid, style_of(STYLE_BORDER), "ops");
	ASSERT_LINE(&grid, 0, "┌ ops ──┐");
	ASSERT_LINE(&grid, 1, "│       │");
	ASSERT_LINE(&grid, 2, "└───────┘");
	ck_assert_int_eq(inside.width, 7);
	ck_assert_int_eq(inside.height, 1);
	grid_box(&grid, style_of(STYLE_BORDER), "long title");
	ASSERT_LINE(&grid, 0, "┌ long… ┐");
	for (int w = 0; w < 8; w++) {
		struct grid small = grid_new(&arena, w, 2);
		grid_box(&small, style_of(STYLE_BORDER), "标题标题");
		check_whole(&small);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(blits_with_clipping)
{
	struct arena arena = ARENA_INIT;
	struct grid from = grid_new(&arena, 4, 1);
	grid_text(&from, grid_at(0, 0, 4), style_of(STYLE_GOOD), "今天");
	struct grid grid = grid_new(&arena, 6, 1);
	struct style style = style_of(STYLE_NORMAL);
	grid_text(&grid, grid_at(0, 0, 6), style, "abcdef");
	grid_blit(&grid, 1, 0, &from);
	ASSERT_LINE(&grid, 0, "a今|天|f");
	grid_text(&grid, grid_at(0, 0, 6), style, "abcdef");
	grid_blit(&grid, -1, 0, &from);
	ASSERT_LINE(&grid, 0, " 天|def");
	grid_text(&grid, grid_at(0, 0, 6), style, "abcdef");
	grid_blit(&grid, 3, 0, &from);
	ASSERT_LINE(&grid, 0, "abc今| ");
	struct grid half = grid_sub(&from, 1, 0, 2, 1);
	grid_blit(&grid, 0, 0, &half);
	ASSERT_LINE(&grid, 0, "  c今| ");
	check_whole(&grid);
	arena_free(&arena);
}
END_TEST

START_TEST(survives_random_drawing)
{
	static const char *const texts[] = {"今天天气", "a", "e\u0301今", "───", "", "x今y天z", "\u200b!", "한글"};
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 13, 5);
	struct grid other = grid_new(&arena, 7, 3);
	uint32_t seed = 1;
	for (int i = 0; i < 20000; i++) {
		int part[4];
		for (int k = 0; k < 4; k++) {
			seed = seed * 1664525u + 1013904223u;
			part[k] = (int)(seed >> 16) % 19 - 3;
		}
		struct grid view = grid_sub(&grid, part[0], part[1] / 3, part[2], 4);
		grid_text(&view, grid_at(part[3], part[1] / 4, part[0]), style_of(STYLE_NORMAL),
			texts[(part[2] + 3) % 8]);
		if (i % 7 == 0)
			grid_text(&other, grid_at(part[2], part[1] % 3, 9), style_of(STYLE_NORMAL), texts[i / 7 % 8]);
		if (i % 11 == 0)
			grid_blit(&view, part[1], part[3] / 4, &other);
		if (i % 13 == 0)
			grid_box(&view, style_of(STYLE_BORDER), texts[i % 8]);
	}
	check_whole(&grid);
	check_whole(&other);
	arena_free(&arena);
}
END_TEST

START_TEST(numbers_are_never_wrong)
{
	static const struct {
		double value;
		int decimals, columns;
		const char *text;
	} cases[] = {
		{0.8125, 4, 9, "0.8125"},
		{-0.0, 2, 9, "-0.00"},
		{0.3021, 4, 0, "0.3021"},
		{1234567.25, 4, 9, "1234567.2"},
		{1234567.25, 4, 7, "1234567"},
		{1234567.25, 4, 6, "1.23e6"},
		{1234567.25, 4, 3, "1e6"},
		{1234567.25, 4, 2, "##"},
		{1e-20, 4, 9, "1.000e-20"},
		{1e-20, 4, 5, "1e-20"},
		{1e-20, 4, 4, "####"},
		{0.00004, 4, 9, "4.0000e-5"},
		{-0.00004, 4, 9, "-4.000e-5"},
		{0, 3, 9, "0.000"},
		{INFINITY, 4, 9, "inf"},
		{-INFINITY, 4, 9, "-inf"},
		{-INFINITY, 4, 3, "###"},
		{(double)NAN, 4, 9, "nan"},
		{1.401298464324817e-45, 4, 11, "1.4013e-45"},
		{3.4028234663852886e38, 2, 9, "3.40e38"},
		{9.99996, 4, 6, "10.000"},
		{0, 4, 1, "0"},
		{-1, -5, 9, "-1"},
	};
	char text[NUMBER_SIZE];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		number_fixed(text, cases[i].value, cases[i].decimals, cases[i].columns);
		ck_assert_str_eq(text, cases[i].text);
	}
	number_fixed(text, -1.7976931348623157e308, 999, 0);
	ck_assert_uint_lt(strlen(text), NUMBER_SIZE);
}
END_TEST

START_TEST(numbers_read_back_exactly)
{
	char text[NUMBER_SIZE];
	uint32_t seed = 7;
	for (int i = 0; i < 100000; i++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t bits = seed ^ seed >> 15;
		float value;
		memcpy(&value, &bits, sizeof value);
		if (!isfinite(value))
			continue;
		number_exact(text, value);
		float back = strtof(text, NULL);
		ck_assert_mem_eq(&back, &value, sizeof value);
	}
	number_exact(text, 0.1f);
	ck_assert_str_eq(text, "0.100000001");
	number_exact_double(text, 0.1);
	ck_assert_str_eq(text, "0.10000000000000001");
	number_bits(text, 0x3f500000u);
	ck_assert_str_eq(text, "0x3f500000");
}
END_TEST

START_TEST(draws_numbers_right_aligned)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 12, 1);
	grid_number(&grid, grid_at(1, 0, 9), style_of(STYLE_NORMAL), 0.8125, 4);
	ASSERT_LINE(&grid, 0, "    0.8125  ");
	grid_fill(&grid, style_of(STYLE_NORMAL));
	grid_number(&grid, grid_at(0, 0, 12), style_of(STYLE_NORMAL), (double)0.1f, NUMBER_EXACT);
	ASSERT_LINE(&grid, 0, " 0.100000001");
	grid_number(&grid, grid_at(0, 0, 4), style_of(STYLE_NORMAL), -123456, 2);
	ASSERT_LINE(&grid, 0, "-1e500000001");
	arena_free(&arena);
}
END_TEST

START_TEST(heat_levels)
{
	struct heat heat;
	float values[] = {-2, 0, 1, -INFINITY, NAN, INFINITY};
	struct tensor tensor = {.dtype = DTYPE_F32, .rank = 1, .shape = {6}, .data = values};
	heat_scan(&heat, &tensor);
	ck_assert(heat.is_signed);
	ck_assert_int_eq(heat.finite, 3);
	ck_assert_int_eq(heat.minus_inf + 10 * heat.plus_inf + 100 * heat.nan, 111);
	ck_assert_int_eq(heat_level(&heat, -2), 0);
	ck_assert_int_eq(heat_level(&heat, 0), 7);
	ck_assert_int_eq(heat_level(&heat, 2), 14);
	ck_assert_int_eq(heat_level(&heat, 1e30), 14);
	ck_assert_int_eq(heat_cell(&heat, -INFINITY).style.role, STYLE_MASKED);
	ck_assert_int_eq(heat_cell(&heat, (double)NAN).style.role, STYLE_NONFINITE);
	ck_assert_str_eq(heat_cell(&heat, -2).glyph, "-@");
	ck_assert_str_eq(heat_cell(&heat, 2).glyph, "+@");
	ck_assert_str_eq(heat_cell(&heat, 0).glyph, "  ");
	heat_init(&heat);
	heat_add(&heat, 1);
	heat_settle(&heat);
	ck_assert_int_eq(heat_level(&heat, 1), STYLE_HEAT_LEVELS / 2);
	heat_add(&heat, 3);
	int last = 0;
	for (double value = 1; value <= 3; value += 1.0 / 64) {
		int level = heat_level(&heat, value);
		ck_assert_int_ge(level, last);
		last = level;
	}
	ck_assert_int_eq(last, STYLE_HEAT_LEVELS - 1);
	ck_assert_str_eq(heat_cell(&heat, 1).glyph, "  ");
	ck_assert_str_eq(heat_cell(&heat, 3).glyph, "@@");
}
END_TEST

START_TEST(heat_of_extreme_scales)
{
	struct heat heat;
	heat_init(&heat);
	heat_settle(&heat);
	ck_assert_int_eq(heat_level(&heat, 0), STYLE_HEAT_LEVELS / 2);
	heat_add(&heat, -1.7e308);
	heat_add(&heat, 1.7e308);
	ck_assert_int_eq(heat_level(&heat, 1.7e308), STYLE_HEAT_LEVELS - 1);
	heat_settle(&heat);
	ck_assert_int_eq(heat_level(&heat, 1.7e308), STYLE_SIGNED_LEVELS - 1);
	heat_init(&heat);
	heat_add(&heat, -1e-45);
	heat_add(&heat, 1e-45);
	heat_settle(&heat);
	ck_assert_int_eq(heat_level(&heat, -1e-45), 0);
}
END_TEST

TEST_PROGRAM("grid", {
	tcase_add_test(tests, clips_at_edges);
	tcase_add_test(tests, keeps_wide_glyphs_whole);
	tcase_add_test(tests, views_share_cells_and_repair_across_their_edge);
	tcase_add_test(tests, joins_combining_marks);
	tcase_add_test(tests, lets_no_control_into_a_cell);
	tcase_add_test(tests, cuts_foreign_text_visibly);
	tcase_add_test(tests, keeps_the_end_of_foreign_text);
	tcase_add_test(tests, draws_boxes);
	tcase_add_test(tests, blits_with_clipping);
	tcase_add_test(tests, survives_random_drawing);
	tcase_add_test(tests, numbers_are_never_wrong);
	tcase_add_test(tests, numbers_read_back_exactly);
	tcase_add_test(tests, draws_numbers_right_aligned);
	tcase_add_test(tests, heat_levels);
	tcase_add_test(tests, heat_of_extreme_scales);
})
