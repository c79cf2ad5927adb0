#include "export/paint.h"

#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "draw/colour.h"

/* Latin and Chinese from one design first, whose Chinese is exactly two columns wide; then what is common on other
 * systems. fontconfig goes on to whatever font has a character. */
#define PAINT_FAMILIES \
	"Noto Sans Mono CJK SC, Source Han Mono SC, DejaVu Sans Mono, Menlo, Consolas, PingFang SC, " \
	"Microsoft YaHei, monospace"
#define PAINT_ASPECT 2.4   /* height of a cell by its width */
#define PAINT_CAPITAL 0.72 /* height of capital letters by the em, of common fonts */

static double in_units(int pango_units)
{
	return (double)pango_units / PANGO_SCALE;
}

static PangoFontDescription *describe(double size, PangoWeight weight)
{
	PangoFontDescription *font = pango_font_description_from_string(PAINT_FAMILIES);
	pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
	pango_font_description_set_weight(font, weight);
	return font;
}

/* Advance of a digit by the em; 0 when no font is found. */
static double digit_width(const struct paint *paint)
{
	const double size = 100;
	PangoFontDescription *font = describe(size, PANGO_WEIGHT_NORMAL);
	PangoFont *found = pango_font_map_load_font(paint->fonts, paint->context, font);
	double width = 0;
	if (found != NULL) {
		PangoLayout *layout = pango_layout_new(paint->context);
		int columns = 0;
		pango_layout_set_font_description(layout, font);
		pango_layout_set_text(layout, "0", 1);
		pango_layout_get_size(layout, &columns, NULL);
		width = in_units(columns) / size;
		g_object_unref(layout);
		g_object_unref(found);
	}
	pango_font_description_free(font);
	return width;
}

static void open_fonts(struct paint *paint)
{
	cairo_font_options_t *options = cairo_font_options_create();
	/* hinting would move glyphs by fractions that differ between outputs */
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	paint->fonts = pango_cairo_font_map_new();
	paint->context = pango_font_map_create_context(paint->fonts);
	pango_context_set_round_glyph_positions(paint->context, FALSE);
	/* reordering belongs to paragraphs; a cell stays where it is */
	pango_context_set_base_dir(paint->context, PANGO_DIRECTION_LTR);
	pango_cairo_context_set_font_options(paint->context, options);
	cairo_font_options_destroy(options);
}

bool paint_init(struct paint *paint, const struct theme *theme, double scale, struct err *err)
{
	*paint = (struct paint){.theme = theme};
	paint->cell_width = (int)lround(fmin(fmax(scale, 4), 100));
	paint->cell_height = (int)lround(PAINT_ASPECT * paint->cell_width);
	paint->margin = paint->cell_width;
	open_fonts(paint);
	double digit = digit_width(paint);
	if (!(digit > 0)) {
		paint_free(paint);
		return err_system(err, NULL, 0,
			_("no font was found to draw with; install one, such as fonts-dejavu-core "
			  "and, for Chinese, fonts-noto-cjk"));
	}
	paint->size = paint->cell_width / digit;
	paint->baseline = (paint->cell_height + PAINT_CAPITAL * paint->size) / 2;
	paint->regular = describe(paint->size, PANGO_WEIGHT_NORMAL);
	paint->bold = describe(paint->size, PANGO_WEIGHT_BOLD);
	return true;
}

void paint_free(struct paint *paint)
{
	if (paint->regular != NULL)
		pango_font_description_free(paint->regular);
	if (paint->bold != NULL)
		pango_font_description_free(paint->bold);
	if (paint->context != NULL)
		g_object_unref(paint->context);
	if (paint->fonts != NULL)
		g_object_unref(paint->fonts);
	*paint = (struct paint){0};
}

int paint_total_width(const struct paint *paint, const struct grid *grid)
{
	return grid->width * paint->cell_width + 2 * paint->margin;
}

int paint_total_height(const struct paint *paint, const struct grid *grid)
{
	return grid->height * paint->cell_height + 2 * paint->margin;
}

static struct paint_box box_of(const struct paint *paint, int x, int y, int columns)
{
	return (struct paint_box){
		.x = paint->margin + x * paint->cell_width,
		.y = paint->margin + y * paint->cell_height,
		.width = columns * paint->cell_width,
		.height = paint->cell_height,
	};
}

/* One rectangle per run of equal colour: no seams between cells, and a small file. */
static void paint_papers(const struct paint *paint, cairo_t *cairo, const struct grid *grid, int y)
{
	uint32_t paper = theme_background(paint->theme);
	for (int x = 0; x < grid->width;) {
		int32_t bg = theme_ink(paint->theme, grid_cell(grid, x, y)->style).bg;
		int end = x + 1;
		while (end < grid->width && theme_ink(paint->theme, grid_cell(grid, end, y)->style).bg == bg)
			end++;
		struct paint_box box = box_of(paint, x, y, end - x);
		x = end;
		if ((uint32_t)bg == paper)
			continue;
		paint_colour(cairo, (uint32_t)bg);
		cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
		cairo_fill(cairo);
	}
}

static void paint_letters(const struct paint *paint, cairo_t *cairo, PangoLayout *layout, const char *glyph,
	struct paint_box box)
{
	int columns = 0;
	pango_layout_set_text(layout, glyph, -1);
	pango_layout_get_size(layout, &columns, NULL);
	double width = in_units(columns);
	double narrowed = width > box.width * 1.001 ? box.width / width : 1;
	cairo_save(cairo);
	cairo_translate(cairo, box.x + (box.width - width * narrowed) / 2,
		box.y + paint->baseline - in_units(pango_layout_get_baseline(layout)));
	cairo_scale(cairo, narrowed, 1);
	pango_cairo_show_layout(cairo, layout);
	cairo_restore(cairo);
}

static void paint_underline(const struct paint *paint, cairo_t *cairo, struct paint_box box)
{
	double thick = fmax(1, round(paint->size / 18));
	double y = fmin(box.y + round(paint->baseline + paint->size / 8), box.y + box.height - thick);
	cairo_rectangle(cairo, box.x, y, box.width, thick);
	cairo_fill(cairo);
}

static uint32_t code_point_of(const struct grid_cell *cell)
{
	uint32_t code_point = 0;
	return utf8_decode(cell->glyph, strlen(cell->glyph), &code_point) > 0 ? code_point : 0;
}

static void paint_cell(const struct paint *paint, cairo_t *cairo, PangoLayout *layout, const struct grid_cell *cell,
	struct paint_box box)
{
	struct theme_paint ink = theme_ink(paint->theme, cell->style);
	uint32_t code_point = code_point_of(cell);
	if (ink.fg == ink.bg)
		return; /* a ramp that the colour tells already */
	paint_colour(cairo, (uint32_t)ink.fg);
	if (ink.attributes & THEME_UNDERLINE)
		paint_underline(paint, cairo, box);
	if (code_point <= ' ' || paint_is_shape(code_point))
		return;
	pango_layout_set_font_description(layout, ink.attributes & THEME_BOLD ? paint->bold : paint->regular);
	paint_letters(paint, cairo, layout, cell->glyph, box);
}

/* The colour of a cell's shape; false when it holds none. */
static bool shape_colour(const struct paint *paint, const struct grid_cell *cell, uint32_t *colour)
{
	uint32_t code_point = code_point_of(cell);
	if (!paint_is_shape(code_point))
		return false;
	struct theme_paint ink = theme_ink(paint->theme, cell->style);
	*colour = colour_mix((uint32_t)ink.bg, (uint32_t)ink.fg, paint_shade(code_point));
	return true;
}

/* Fills all shapes of one colour as one path. Returns whether another colour, greater than this one, is left, which is
 * then in *next: so each colour has its turn in ascending order. */
static bool paint_shapes_of(const struct paint *paint, cairo_t *cairo, const struct grid *grid, uint32_t colour,
	uint32_t *next)
{
	bool is_more = false;
	uint32_t own;
	cairo_new_path(cairo);
	for (int y = 0; y < grid->height; y++) {
		for (int x = 0; x < grid->width; x++) {
			const struct grid_cell *cell = grid_cell(grid, x, y);
			if (!shape_colour(paint, cell, &own) || own < colour)
				continue;
			if (own == colour) {
				paint_shape(cairo, code_point_of(cell), box_of(paint, x, y, cell->width));
			} else if (!is_more || own < *next) {
				*next = own;
				is_more = true;
			}
		}
	}
	paint_colour(cairo, colour);
	cairo_fill(cairo);
	return is_more;
}

static void paint_shapes(const struct paint *paint, cairo_t *cairo, const struct grid *grid)
{
	uint32_t colour = 0;
	while (paint_shapes_of(paint, cairo, grid, colour, &colour))
		continue;
}

void paint_grid(const struct paint *paint, cairo_t *cairo, const struct grid *grid)
{
	PangoLayout *layout = pango_layout_new(paint->context);
	pango_layout_set_single_paragraph_mode(layout, TRUE);
	paint_colour(cairo, theme_background(paint->theme));
	cairo_rectangle(cairo, 0, 0, paint_total_width(paint, grid), paint_total_height(paint, grid));
	cairo_fill(cairo);
	for (int y = 0; y < grid->height; y++)
		paint_papers(paint, cairo, grid, y);
	paint_shapes(paint, cairo, grid);
	for (int y = 0; y < grid->height; y++) {
		for (int x = 0; x < grid->width; x++) {
			const struct grid_cell *cell = grid_cell(grid, x, y);
			if (cell->width > 0)
				paint_cell(paint, cairo, layout, cell, box_of(paint, x, y, cell->width));
		}
	}
	g_object_unref(layout);
}
