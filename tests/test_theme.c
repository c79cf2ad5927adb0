#include "harness.h"

#include <string.h>

#include "draw/colour.h"
#include "draw/theme.h"

/* Lightness L* of CIE 1976 from the contrast to black, which holds the relative luminance. */
static double luminance(uint32_t rgb)
{
	return colour_contrast(rgb, 0) * 0.05 - 0.05;
}

static double least_contrast(const struct theme *theme, struct style style)
{
	if (style.flags & STYLE_FAINT || style.role == STYLE_BORDER)
		return 3;
	return strcmp(theme_name(theme), "projector") == 0 ? 7 : 4.5;
}

static void check_style(const struct theme *theme, struct style style)
{
	struct theme_paint ink = theme_ink(theme, style);
	double contrast = colour_contrast((uint32_t)ink.fg, (uint32_t)ink.bg);
	/* a mark of the mono theme that stands back, and text on any colour of a map, keep what text needs */
	double least = theme_is_mono(theme) || style.role == STYLE_HEAT || style.role == STYLE_SIGNED
		? 4.5
		: least_contrast(theme, style);
	ck_assert_msg(contrast >= least, "%s: role %d level %d flags %d: contrast %.2f", theme_name(theme), style.role,
		style.level, style.flags, contrast);
	ck_assert_uint_eq(ink.attributes & (THEME_REVERSE | THEME_DIM), 0);
}

START_TEST(text_can_be_read_in_every_theme)
{
	static const unsigned states[] = {0, STYLE_CURSOR, STYLE_SELECTED, STYLE_FAINT, STYLE_STRONG, STYLE_MATCH,
		STYLE_CHANGED, STYLE_CURSOR | STYLE_SELECTED | STYLE_MATCH};
	const struct theme *theme;
	for (size_t t = 0; (theme = theme_at(t)) != NULL; t++)
		for (int role = 0; role < STYLE_ROLES; role++)
			for (int level = 0; level < STYLE_HEAT_LEVELS; level++)
				for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
					struct style style = {.role = (uint8_t)role, .level = (uint8_t)level};
					check_style(theme, style_with(style, states[i]));
				}
}
END_TEST

START_TEST(lanes_differ_in_every_theme)
{
	const struct theme *theme;
	for (size_t t = 0; (theme = theme_at(t)) != NULL; t++)
		for (int a = 0; a < STYLE_LANES; a++)
			for (int b = 0; b < a; b++) {
				ck_assert_str_ne(style_lane_mark(a), style_lane_mark(b));
				if (theme_is_mono(theme))
					continue;
				int32_t index = theme_paint(theme, style_lane(a), THEME_256).fg;
				ck_assert(colour_contrast(colour_of_256(index), theme_background(theme)) >= 4.5);
				ck_assert_int_ne(theme_ink(theme, style_lane(a)).fg,
					theme_ink(theme, style_lane(b)).fg);
				ck_assert_int_ne(theme_paint(theme, style_lane(a), THEME_256).fg,
					theme_paint(theme, style_lane(b), THEME_256).fg);
			}
}
END_TEST

/* Magnitude rises in lightness, a signed map falls on both sides of zero: printed in grey they still read. */
START_TEST(ramps_are_monotone)
{
	for (int ramp = COLOUR_VIRIDIS; ramp <= COLOUR_CIVIDIS; ramp++) {
		for (int level = 1; level < STYLE_HEAT_LEVELS; level++) {
			enum colour_ramp which = (enum colour_ramp)ramp;
			ck_assert(luminance(colour_ramp_rgb(which, level)) >
				luminance(colour_ramp_rgb(which, level - 1)));
			double step = luminance(colour_of_256(colour_ramp_256(which, level))) -
				luminance(colour_of_256(colour_ramp_256(which, level - 1)));
			ck_assert(level % 2 == 0 ? step > 0 : step == 0);
		}
	}
	const int zero = STYLE_SIGNED_LEVELS / 2;
	for (int level = 1; level <= zero; level++) {
		ck_assert(luminance(colour_ramp_rgb(COLOUR_PUOR, zero - level)) <
			luminance(colour_ramp_rgb(COLOUR_PUOR, zero - level + 1)));
		ck_assert(luminance(colour_ramp_rgb(COLOUR_PUOR, zero + level)) <
			luminance(colour_ramp_rgb(COLOUR_PUOR, zero + level - 1)));
		ck_assert(luminance(colour_of_256(colour_ramp_256(COLOUR_PUOR, zero - level))) <=
			luminance(colour_of_256(colour_ramp_256(COLOUR_PUOR, zero - level + 1))));
		ck_assert(luminance(colour_of_256(colour_ramp_256(COLOUR_PUOR, zero + level))) <=
			luminance(colour_of_256(colour_ramp_256(COLOUR_PUOR, zero + level - 1))));
	}
}
END_TEST

START_TEST(finds_nearest_colours)
{
	for (int i = 16; i < 256; i++)
		ck_assert_uint_eq(colour_of_256(colour_256(colour_of_256(i))), colour_of_256(i));
	ck_assert_int_eq(colour_256(0xff0000), 196);
	ck_assert_int_eq(colour_8(0xcc2020), 1);
	ck_assert_int_eq(colour_8(0x20cc20), 2);
	ck_assert_int_eq(colour_8(0xd0d010), 3);
	ck_assert_int_eq(colour_8(0x2020ff), 6); /* never plain blue */
	ck_assert_int_eq(colour_8(0xd010d0), 5);
	ck_assert_int_eq(colour_8(0x808080), -1);
	ck_assert_int_eq(colour_8(0), -1);
	ck_assert_uint_eq(colour_mix(0x000000, 0xffffff, 0.5), 0x808080);
	ck_assert(colour_contrast(0, 0xffffff) > 20.99 && colour_contrast(0, 0xffffff) < 21.01);
}
END_TEST

START_TEST(ramp_glyphs_vanish_only_where_colour_tells)
{
	struct style heat = {.role = STYLE_HEAT, .level = 9, .flags = STYLE_RAMP};
	const struct theme *dark = theme_find("dark");
	struct theme_paint paint = theme_paint(dark, heat, THEME_RGB);
	ck_assert_int_eq(paint.fg, paint.bg);
	paint = theme_paint(dark, heat, THEME_256);
	ck_assert_int_eq(paint.fg, paint.bg);
	for (int depth = THEME_MONO; depth <= THEME_8; depth++) {
		paint = theme_paint(dark, heat, (enum theme_depth)depth);
		ck_assert_int_eq(paint.bg, THEME_DEFAULT);
		ck_assert_int_eq(paint.fg, THEME_DEFAULT);
	}
	paint = theme_ink(theme_find("mono"), heat);
	ck_assert_int_ne(paint.fg, paint.bg);
	/* under the cursor the glyph is shown: colour tells the cursor there */
	paint = theme_paint(dark, style_with(heat, STYLE_CURSOR), THEME_256);
	ck_assert_int_ne(paint.fg, paint.bg);
}
END_TEST

/* What differs in meaning differs without any colour: by attribute here, or by words and marks in the views. */
START_TEST(states_show_without_colour)
{
	const struct theme *mono = theme_find("mono");
	static const unsigned flags[] = {0, STYLE_CURSOR, STYLE_SELECTED, STYLE_FAINT, STYLE_STRONG, STYLE_MATCH};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		for (size_t k = 0; k < i; k++)
			ck_assert_uint_ne(theme_paint(mono, style_with(style_of(STYLE_NORMAL), flags[i]), THEME_MONO)
						  .attributes,
				theme_paint(mono, style_with(style_of(STYLE_NORMAL), flags[k]), THEME_MONO).attributes);
	ck_assert(theme_paint(mono, style_with(style_of(STYLE_BAD), STYLE_CURSOR), THEME_MONO).attributes !=
		theme_paint(mono, style_of(STYLE_BAD), THEME_MONO).attributes);
}
END_TEST

/* A hall's screen may stand on any terminal: each cell says its ink and its paper. */
START_TEST(the_projector_leaves_nothing_to_the_terminal)
{
	const struct theme *theme = theme_find("projector");
	for (int depth = THEME_8; depth <= THEME_RGB; depth++) {
		for (int role = 0; role < STYLE_ROLES; role++) {
			for (unsigned flags = 0; flags <= STYLE_FAINT; flags += STYLE_FAINT) {
				struct style style = style_with(style_of((enum style_role)role), flags);
				struct theme_paint paint = theme_paint(theme, style, (enum theme_depth)depth);
				ck_assert_int_ne(paint.fg, THEME_DEFAULT);
				ck_assert_int_ne(paint.bg, THEME_DEFAULT);
				ck_assert_int_ne(paint.fg, paint.bg);
			}
		}
	}
	ck_assert_int_eq(theme_paint(theme_find("light"), style_of(STYLE_NORMAL), THEME_RGB).bg, THEME_DEFAULT);
}
END_TEST

START_TEST(finds_themes)
{
	ck_assert_str_eq(theme_name(theme_find("projector")), "projector");
	ck_assert_ptr_null(theme_find("Dark"));
	ck_assert_ptr_null(theme_find(""));
	ck_assert_ptr_null(theme_at(4));
	/* a style that no role of this version has, from memory that went wrong, must not index out of the theme */
	struct style strange = {.role = 250, .level = 250, .flags = 255};
	for (int depth = THEME_MONO; depth <= THEME_RGB; depth++)
		theme_paint(theme_find("dark"), strange, (enum theme_depth)depth);
}
END_TEST

TEST_PROGRAM("theme", {
	tcase_add_test(tests, text_can_be_read_in_every_theme);
	tcase_add_test(tests, lanes_differ_in_every_theme);
	tcase_add_test(tests, ramps_are_monotone);
	tcase_add_test(tests, finds_nearest_colours);
	tcase_add_test(tests, ramp_glyphs_vanish_only_where_colour_tells);
	tcase_add_test(tests, states_show_without_colour);
	tcase_add_test(tests, the_projector_leaves_nothing_to_the_terminal);
	tcase_add_test(tests, finds_themes);
})
