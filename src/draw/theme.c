#include "draw/theme.h"

#include <string.h>

#include "draw/colour.h"

#define NONE THEME_DEFAULT
#define BLACK_8 0
#define WHITE_8 7

struct look {
	int32_t fg, bg;
	unsigned attributes;
};

struct theme {
	const char *name;
	uint32_t foreground, background;
	uint32_t faint;
	uint32_t lanes[STYLE_LANES];
	uint8_t lanes_256[STYLE_LANES]; /* the nearest ones would fall together */
	struct look cursor, selected, match;
	enum colour_ramp ramp;
	bool is_mono;
	bool owns_paper; /* paints its own background, whatever the terminal has */
	struct look roles[STYLE_ROLES];
};

static const struct theme themes[] =
	{
		{
			.name = "dark",
			.foreground = 0xe6e8ec,
			.background = 0x16181d,
			.faint = 0x666d7a,
			.lanes = {0x56b4e9, 0xe69f00, 0x2fc69a, 0xe49cc8, 0xf0e442, 0xff8a5b, 0x9da9ff, 0xc8c8c8},
			.lanes_256 = {74, 178, 42, 182, 221, 209, 147, 251},
			.cursor = {0x16181d, 0xf5d76e, 0},
			.selected = {NONE, 0x2c3440, THEME_BOLD},
			.match = {0x16181d, 0x7fd1d6, 0},
			.ramp = COLOUR_VIRIDIS,
			.roles =
				{
					[STYLE_NORMAL] = {NONE, NONE, 0},
					[STYLE_TITLE] = {NONE, NONE, THEME_BOLD},
					[STYLE_LABEL] = {0x9ecbff, NONE, 0},
					[STYLE_DIM] = {0x9aa0ab, NONE, 0},
					[STYLE_BORDER] = {0x7d8592, NONE, 0},
					[STYLE_BORDER_FOCUS] = {0xf5d76e, NONE, THEME_BOLD},
					[STYLE_BAR] = {0xe6e8ec, 0x2c3440, 0},
					[STYLE_KEY] = {0xf5d76e, NONE, THEME_BOLD},
					[STYLE_GOOD] = {0x2fc69a, NONE, THEME_BOLD},
					[STYLE_BAD] = {0x16181d, 0xff8a5b, THEME_BOLD},
					[STYLE_WARN] = {0xf0e442, NONE, THEME_BOLD},
					[STYLE_PAD] = {0xa3a9b4, NONE, 0},
					[STYLE_HIDDEN] = {0x9aa0ab, NONE, 0},
					[STYLE_WEIGHT] = {0xd9c7a3, NONE, THEME_UNDERLINE},
					[STYLE_MASKED] = {0x9aa0ab, 0x24272e, 0},
					[STYLE_NONFINITE] = {0xffffff, 0xa8006b, THEME_BOLD},
				},
		},
		{
			.name = "light",
			.foreground = 0x1b1f24,
			.background = 0xffffff,
			.faint = 0x8f959e,
			.lanes = {0x006aa6, 0x965400, 0x00704f, 0xa8447f, 0x7a6a00, 0xae3b00, 0x5646b4, 0x595959},
			.lanes_256 = {25, 130, 23, 126, 58, 124, 55, 240},
			.cursor = {0xffffff, 0x1f4e79, 0},
			.selected = {NONE, 0xe3edf7, THEME_BOLD},
			.match = {0x1b1f24, 0xffe08a, 0},
			.ramp = COLOUR_VIRIDIS,
			.roles =
				{
					[STYLE_NORMAL] = {NONE, NONE, 0},
					[STYLE_TITLE] = {NONE, NONE, THEME_BOLD},
					[STYLE_LABEL] = {0x1f4e79, NONE, 0},
					[STYLE_DIM] = {0x5b616a, NONE, 0},
					[STYLE_BORDER] = {0x6b7078, NONE, 0},
					[STYLE_BORDER_FOCUS] = {0x1f4e79, NONE, THEME_BOLD},
					[STYLE_BAR] = {0x1b1f24, 0xe3edf7, 0},
					[STYLE_KEY] = {0x8a4b00, NONE, THEME_BOLD},
					[STYLE_GOOD] = {0x00704f, NONE, THEME_BOLD},
					[STYLE_BAD] = {0xffffff, 0xb83f00, THEME_BOLD},
					[STYLE_WARN] = {0x8a4b00, NONE, THEME_BOLD},
					[STYLE_PAD] = {0x636870, NONE, 0},
					[STYLE_HIDDEN] = {0x5b616a, NONE, 0},
					[STYLE_WEIGHT] = {0x6a5320, NONE, THEME_UNDERLINE},
					[STYLE_MASKED] = {0x5b616a, 0xeceef1, 0},
					[STYLE_NONFINITE] = {0xffffff, 0xa8006b, THEME_BOLD},
				},
		},
		{
			.name = "projector",
			.foreground = 0x000000,
			.background = 0xffffff,
			.faint = 0x6e6e6e,
			.lanes = {0x004f8a, 0x6e3d00, 0x004f38, 0x80285c, 0x524700, 0x8a2c00, 0x3d2f90, 0x404040},
			.lanes_256 = {24, 94, 22, 89, 58, 88, 55, 238},
			.cursor = {0xffffff, 0x000000, THEME_BOLD},
			.selected = {NONE, 0xfff3c4, THEME_BOLD},
			.match = {0x000000, 0xffd866, THEME_BOLD},
			.ramp = COLOUR_CIVIDIS,
			.owns_paper = true,
			.roles =
				{
					[STYLE_NORMAL] = {NONE, NONE, 0},
					[STYLE_TITLE] = {NONE, NONE, THEME_BOLD},
					[STYLE_LABEL] = {0x00407a, NONE, THEME_BOLD},
					[STYLE_DIM] = {0x454545, NONE, 0},
					[STYLE_BORDER] = {0x454545, NONE, 0},
					[STYLE_BORDER_FOCUS] = {0x000000, NONE, THEME_BOLD},
					[STYLE_BAR] = {0xffffff, 0x222222, 0},
					[STYLE_KEY] = {0x00407a, NONE, THEME_BOLD},
					[STYLE_GOOD] = {0x00573e, NONE, THEME_BOLD},
					[STYLE_BAD] = {0xffffff, 0x9c3300, THEME_BOLD},
					[STYLE_WARN] = {0x6e3d00, NONE, THEME_BOLD},
					[STYLE_PAD] = {0x4a4a4a, NONE, 0},
					[STYLE_HIDDEN] = {0x454545, NONE, 0},
					[STYLE_WEIGHT] = {0x5c4100, NONE, THEME_UNDERLINE},
					[STYLE_MASKED] = {0x454545, 0xe8e8e8, 0},
					[STYLE_NONFINITE] = {0xffffff, 0x8a0058, THEME_BOLD},
				},
		},
		{
			.name = "mono",
			.foreground = 0x000000,
			.background = 0xffffff,
			.faint = 0x6e6e6e,
			.is_mono = true,
		},
};

static const unsigned mono_roles[STYLE_ROLES] = {
	[STYLE_TITLE] = THEME_BOLD,
	[STYLE_DIM] = THEME_DIM,
	[STYLE_BORDER_FOCUS] = THEME_BOLD,
	[STYLE_BAR] = THEME_REVERSE,
	[STYLE_KEY] = THEME_BOLD,
	[STYLE_BAD] = THEME_BOLD | THEME_REVERSE,
	[STYLE_WARN] = THEME_BOLD,
	[STYLE_PAD] = THEME_DIM,
	[STYLE_HIDDEN] = THEME_DIM,
	[STYLE_WEIGHT] = THEME_UNDERLINE,
	[STYLE_MASKED] = THEME_DIM,
	[STYLE_NONFINITE] = THEME_BOLD | THEME_REVERSE,
};

const struct theme *theme_at(size_t index)
{
	return index < sizeof themes / sizeof *themes ? &themes[index] : NULL;
}

const struct theme *theme_find(const char *name)
{
	const struct theme *theme;
	for (size_t i = 0; (theme = theme_at(i)) != NULL; i++)
		if (strcmp(theme->name, name) == 0)
			return theme;
	return NULL;
}

const char *theme_name(const struct theme *theme)
{
	return theme->name;
}

bool theme_is_mono(const struct theme *theme)
{
	return theme->is_mono;
}

uint32_t theme_foreground(const struct theme *theme)
{
	return theme->foreground;
}

uint32_t theme_background(const struct theme *theme)
{
	return theme->background;
}

/* Attributes alone. The cursor turns ink and paper round, so that it shows on what is reversed already. */
static struct theme_paint without_colour(struct style style)
{
	unsigned attributes = style.role < STYLE_ROLES ? mono_roles[style.role] : 0;
	if (style.flags & STYLE_FAINT)
		attributes |= THEME_DIM;
	if (style.flags & STYLE_STRONG)
		attributes |= THEME_BOLD;
	if (style.flags & (STYLE_MATCH | STYLE_CHANGED))
		attributes |= THEME_UNDERLINE;
	if (style.flags & STYLE_SELECTED)
		attributes |= THEME_BOLD | THEME_UNDERLINE;
	if (style.flags & STYLE_CURSOR)
		attributes ^= THEME_REVERSE;
	return (struct theme_paint){NONE, NONE, attributes};
}

static bool is_heat(struct style style)
{
	return style.role == STYLE_HEAT || style.role == STYLE_SIGNED;
}

static struct look heat_look(const struct theme *theme, struct style style)
{
	enum colour_ramp ramp = style.role == STYLE_SIGNED ? COLOUR_PUOR : theme->ramp;
	uint32_t bg = colour_ramp_rgb(ramp, style.level);
	if (style.flags & STYLE_FAINT)
		bg = colour_mix(bg, theme->background, 0.65);
	return (struct look){(int32_t)colour_on(bg), (int32_t)bg, 0};
}

static void overlay(struct look *look, const struct look *over)
{
	if (over->fg != NONE)
		look->fg = over->fg;
	if (over->bg != NONE)
		look->bg = over->bg;
	look->attributes |= over->attributes;
}

/* Role first, then what its flags add; the cursor last, so that nothing hides it. */
static struct look look_of(const struct theme *theme, struct style style)
{
	struct look look = theme->roles[style.role < STYLE_ROLES ? style.role : STYLE_NORMAL];
	if (style.role == STYLE_LANE)
		look = (struct look){(int32_t)theme->lanes[style.level % STYLE_LANES], NONE, 0};
	if (is_heat(style))
		look = heat_look(theme, style);
	else if (style.flags & STYLE_FAINT)
		look = (struct look){(int32_t)theme->faint, NONE, look.attributes & ~(unsigned)THEME_BOLD};
	if (style.flags & STYLE_STRONG)
		look.attributes |= THEME_BOLD;
	if (style.flags & STYLE_CHANGED)
		look.attributes |= THEME_UNDERLINE;
	if ((style.flags & STYLE_SELECTED) && look.bg == NONE)
		overlay(&look, &theme->selected);
	else if (style.flags & STYLE_SELECTED)
		look.attributes |= THEME_BOLD | THEME_UNDERLINE;
	if (style.flags & STYLE_MATCH)
		overlay(&look, &theme->match);
	if (style.flags & STYLE_CURSOR)
		overlay(&look, &theme->cursor);
	else if ((style.flags & STYLE_RAMP) && is_heat(style))
		look.fg = look.bg;
	if (theme->owns_paper) {
		look.fg = look.fg == NONE ? (int32_t)theme->foreground : look.fg;
		look.bg = look.bg == NONE ? (int32_t)theme->background : look.bg;
	}
	return look;
}

static int32_t to_256(int32_t rgb)
{
	return rgb == NONE ? NONE : colour_256((uint32_t)rgb);
}

static struct theme_paint paint_256(const struct theme *theme, struct style style)
{
	struct look look = look_of(theme, style);
	struct theme_paint paint = {to_256(look.fg), to_256(look.bg), look.attributes};
	if (style.role == STYLE_LANE && look.fg == (int32_t)theme->lanes[style.level % STYLE_LANES])
		paint.fg = theme->lanes_256[style.level % STYLE_LANES];
	if (is_heat(style) && !(style.flags & (STYLE_FAINT | STYLE_CURSOR | STYLE_MATCH))) {
		enum colour_ramp ramp = style.role == STYLE_SIGNED ? COLOUR_PUOR : theme->ramp;
		paint.bg = colour_ramp_256(ramp, style.level);
		paint.fg = style.flags & STYLE_RAMP ? paint.bg : to_256((int32_t)colour_on(colour_of_256(paint.bg)));
	}
	return paint;
}

static struct theme_paint paint_8(const struct theme *theme, struct style style)
{
	struct theme_paint paint = without_colour(style);
	struct look look = theme->roles[style.role < STYLE_ROLES ? style.role : STYLE_NORMAL];
	if (is_heat(style))
		look = theme->roles[STYLE_NORMAL]; /* eight colours have no order */
	if (style.role == STYLE_LANE)
		look.fg = (int32_t)theme->lanes[style.level % STYLE_LANES];
	/* reversed, the colour of the paper is the one that tells */
	int32_t telling = look.bg != NONE && (paint.attributes & THEME_REVERSE) ? look.bg : look.fg;
	if (telling != NONE && !(style.flags & STYLE_FAINT))
		paint.fg = colour_8((uint32_t)telling);
	if (theme->owns_paper) {
		paint.fg = paint.fg == NONE ? BLACK_8 : paint.fg;
		paint.bg = WHITE_8;
	}
	return paint;
}

struct theme_paint theme_paint(const struct theme *theme, struct style style, enum theme_depth depth)
{
	if (theme->is_mono || depth == THEME_MONO)
		return without_colour(style);
	if (depth == THEME_8)
		return paint_8(theme, style);
	if (depth == THEME_256)
		return paint_256(theme, style);
	struct look look = look_of(theme, style);
	return (struct theme_paint){look.fg, look.bg, look.attributes};
}

struct theme_paint theme_ink(const struct theme *theme, struct style style)
{
	struct theme_paint paint = theme_paint(theme, style, THEME_RGB);
	if (paint.fg == NONE)
		paint.fg = (int32_t)(paint.attributes & THEME_DIM ? theme->faint : theme->foreground);
	if (paint.bg == NONE)
		paint.bg = (int32_t)theme->background;
	if (paint.attributes & THEME_REVERSE) {
		int32_t fg = paint.fg;
		paint.fg = paint.bg;
		paint.bg = fg;
	}
	paint.attributes &= ~(unsigned)(THEME_REVERSE | THEME_DIM);
	return paint;
}
