#include "harness.h"

#include <cairo.h>
#include <string.h>

#include "draw/colour.h"
#include "export/export.h"

/* Figures are looked at pixel by pixel, by the picture that cairo reads back. */
#define CELL_WIDTH 10
#define CELL_HEIGHT 24
#define MARGIN 10
#define PAPER 0xffffffu

struct reader {
	const char *bytes;
	size_t left;
};

static cairo_status_t read_bytes(void *closure, unsigned char *to, unsigned length)
{
	struct reader *reader = closure;
	if (length > reader->left)
		return CAIRO_STATUS_READ_ERROR;
	memcpy(to, reader->bytes, length);
	reader->bytes += length;
	reader->left -= length;
	return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *picture_of(const struct grid *grid, const char *theme)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	struct export_options options = {.theme = theme_find(theme), .scale = CELL_WIDTH};
	ck_assert_msg(export_grid(export_find("png"), grid, &options, &out, &err), "%s", err.message);
	struct reader reader = {out.data, out.length};
	cairo_surface_t *picture = cairo_image_surface_create_from_png_stream(read_bytes, &reader);
	ck_assert_int_eq(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
	ck_assert_int_eq(cairo_image_surface_get_width(picture), grid->width * CELL_WIDTH + 2 * MARGIN);
	ck_assert_int_eq(cairo_image_surface_get_height(picture), grid->height * CELL_HEIGHT + 2 * MARGIN);
	buf_free(&out);
	return picture;
}

static uint32_t pixel(cairo_surface_t *picture, int x, int y)
{
	const unsigned char *row = cairo_image_surface_get_data(picture) + y * cairo_image_surface_get_stride(picture);
	uint32_t value;
	memcpy(&value, row + 4 * x, sizeof value);
	return value & 0xffffff;
}

/* A rectangle in pixels of the grid, margins not counted. */
struct part {
	int x, y, width, height;
};

/* How many of its pixels have that colour. */
static int count(cairo_surface_t *picture, struct part part, uint32_t rgb)
{
	int found = 0;
	for (int y = 0; y < part.height; y++)
		for (int x = 0; x < part.width; x++)
			found += pixel(picture, MARGIN + part.x + x, MARGIN + part.y + y) == rgb;
	return found;
}

static struct part cell_part(int x, int y, int columns)
{
	return (struct part){x * CELL_WIDTH, y * CELL_HEIGHT, columns * CELL_WIDTH, CELL_HEIGHT};
}

static const int cell_area = CELL_WIDTH * CELL_HEIGHT;

START_TEST(colours_fill_whole_cells)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 34, 1);
	struct heat heat;
	heat_init(&heat);
	heat_add(&heat, 0);
	heat_add(&heat, 1);
	heat_settle(&heat);
	for (int i = 0; i < STYLE_HEAT_LEVELS; i++)
		grid_heat(&grid, 2 * i, 0, &heat, (i + 0.5) / STYLE_HEAT_LEVELS);
	cairo_surface_t *picture = picture_of(&grid, "light");
	/* the ramp's characters are not drawn over the colours */
	for (int i = 0; i < STYLE_HEAT_LEVELS; i++)
		ck_assert_int_eq(count(picture, cell_part(2 * i, 0, 2), colour_ramp_rgb(COLOUR_VIRIDIS, i)),
			2 * cell_area);
	ck_assert_int_eq(count(picture, cell_part(32, 0, 2), PAPER), 2 * cell_area);
	cairo_surface_destroy(picture);
	picture = picture_of(&grid, "mono");
	ck_assert_int_lt(count(picture, cell_part(30, 0, 2), PAPER), 2 * cell_area - 50);
	cairo_surface_destroy(picture);
	arena_free(&arena);
}
END_TEST

START_TEST(blocks_have_their_size)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 12, 1);
	for (int i = 0; i < 8; i++)
		grid_text(&grid, grid_at(i, 0, 1), style_of(STYLE_NORMAL), blocks[i]);
	grid_text(&grid, grid_at(8, 0, 4), style_of(STYLE_NORMAL), "▌▀▒▕");
	cairo_surface_t *picture = picture_of(&grid, "projector");
	for (int i = 0; i < 8; i++) {
		int height = CELL_HEIGHT * (i + 1) / 8;
		struct part ink = {i * CELL_WIDTH, CELL_HEIGHT - height, CELL_WIDTH, height};
		ck_assert_int_eq(count(picture, ink, 0), CELL_WIDTH * height);
		ck_assert_int_eq(count(picture, cell_part(i, 0, 1), PAPER), CELL_WIDTH * (CELL_HEIGHT - height));
	}
	ck_assert_int_eq(count(picture, (struct part){80, 0, 5, 24}, 0), 120);
	ck_assert_int_eq(count(picture, (struct part){90, 0, 10, 12}, 0), 120);
	ck_assert_int_eq(count(picture, cell_part(10, 0, 1), 0x808080), cell_area);
	ck_assert_int_eq(count(picture, (struct part){110, 0, 8, 24}, PAPER), 192);
	cairo_surface_destroy(picture);
	arena_free(&arena);
}
END_TEST

/* Walks along the lines of a box: no pixel of them is missing, at corners neither. */
START_TEST(lines_join)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 6, 4);
	grid_box(&grid, style_of(STYLE_NORMAL), NULL);
	cairo_surface_t *picture = picture_of(&grid, "projector");
	const int x0 = 4, x1 = 54, y0 = 11, y1 = 83;
	ck_assert_int_eq(count(picture, (struct part){x0, y0, x1 - x0 + 1, 1}, 0), x1 - x0 + 1);
	ck_assert_int_eq(count(picture, (struct part){x0, y1, x1 - x0 + 1, 1}, 0), x1 - x0 + 1);
	ck_assert_int_eq(count(picture, (struct part){x0, y0, 1, y1 - y0 + 1}, 0), y1 - y0 + 1);
	ck_assert_int_eq(count(picture, (struct part){x1, y0, 1, y1 - y0 + 1}, 0), y1 - y0 + 1);
	/* and nothing else is drawn */
	int outline = 2 * (x1 - x0 + 1) + 2 * (y1 - y0 - 1);
	ck_assert_int_eq(count(picture, (struct part){0, 0, 60, 96}, PAPER), 60 * 96 - outline);
	cairo_surface_destroy(picture);
	arena_free(&arena);
}
END_TEST

/* Each character stays in its columns, however wide its font makes it. */
START_TEST(letters_stay_in_their_cells)
{
	static const char *const wide[] = {"开", "很", "—", "…", "W", "@", "ﷺ", "㍿", "½"};
	struct arena arena = ARENA_INIT;
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
		struct grid grid = grid_new(&arena, 6, 1);
		int columns = grid_text(&grid, grid_at(2, 0, 4), style_of(STYLE_NORMAL), wide[i]);
		cairo_surface_t *picture = picture_of(&grid, "projector");
		int ink = columns * cell_area - count(picture, cell_part(2, 0, columns), PAPER);
		ck_assert_msg(ink > 0, "%s leaves no ink", wide[i]);
		/* a serif may touch the next pixel, not more */
		struct part left = {0, 0, 2 * CELL_WIDTH - 1, CELL_HEIGHT};
		struct part right = {(2 + columns) * CELL_WIDTH + 1, 0, (4 - columns) * CELL_WIDTH - 1, CELL_HEIGHT};
		ck_assert_msg(count(picture, left, PAPER) == left.width * left.height, "%s runs out to the left",
			wide[i]);
		ck_assert_msg(count(picture, right, PAPER) == right.width * right.height, "%s runs out to the right",
			wide[i]);
		cairo_surface_destroy(picture);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(the_cursor_and_underlines_show)
{
	struct arena arena = ARENA_INIT;
	struct grid grid = grid_new(&arena, 2, 1);
	grid_flag(&grid, grid_at(0, 0, 1), STYLE_CURSOR);
	grid_restyle(&grid, grid_at(1, 0, 1), style_of(STYLE_WEIGHT));
	cairo_surface_t *picture = picture_of(&grid, "mono");
	ck_assert_int_eq(count(picture, cell_part(0, 0, 1), 0), cell_area);
	ck_assert_int_eq(count(picture, cell_part(1, 0, 1), 0), CELL_WIDTH);
	cairo_surface_destroy(picture);
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("figure", {
	tcase_add_test(tests, colours_fill_whole_cells);
	tcase_add_test(tests, blocks_have_their_size);
	tcase_add_test(tests, lines_join);
	tcase_add_test(tests, letters_stay_in_their_cells);
	tcase_add_test(tests, the_cursor_and_underlines_show);
})
