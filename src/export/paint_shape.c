#include <math.h>
#include <stddef.h>

#include "export/paint.h"

/* Lines from the middle of a cell to its sides: 0 none, 1 light, 2 heavy, 3 double; `dashes` per cell, 0 solid.
 * Unicode, block "Box Drawing". */
struct shape {
	uint16_t code_point;
	uint8_t left, right, up, down, dashes;
};

static const struct shape shapes[] = {
	{0x2500, 1, 1, 0, 0, 0},
	{0x2501, 2, 2, 0, 0, 0},
	{0x2502, 0, 0, 1, 1, 0},
	{0x2503, 0, 0, 2, 2, 0},
	{0x2504, 1, 1, 0, 0, 3},
	{0x2505, 2, 2, 0, 0, 3},
	{0x2506, 0, 0, 1, 1, 3},
	{0x2507, 0, 0, 2, 2, 3},
	{0x2508, 1, 1, 0, 0, 4},
	{0x2509, 2, 2, 0, 0, 4},
	{0x250a, 0, 0, 1, 1, 4},
	{0x250b, 0, 0, 2, 2, 4},
	{0x250c, 0, 1, 0, 1, 0},
	{0x2510, 1, 0, 0, 1, 0},
	{0x2514, 0, 1, 1, 0, 0},
	{0x2518, 1, 0, 1, 0, 0},
	{0x251c, 0, 1, 1, 1, 0},
	{0x2524, 1, 0, 1, 1, 0},
	{0x252c, 1, 1, 0, 1, 0},
	{0x2534, 1, 1, 1, 0, 0},
	{0x253c, 1, 1, 1, 1, 0},
	{0x254c, 1, 1, 0, 0, 2},
	{0x254d, 2, 2, 0, 0, 2},
	{0x254e, 0, 0, 1, 1, 2},
	{0x254f, 0, 0, 2, 2, 2},
	{0x2550, 3, 3, 0, 0, 0},
	{0x2551, 0, 0, 3, 3, 0},
	{0x256d, 0, 1, 0, 1, 0},
	{0x256e, 1, 0, 0, 1, 0},
	{0x256f, 1, 0, 1, 0, 0},
	{0x2570, 0, 1, 1, 0, 0},
	{0x2574, 1, 0, 0, 0, 0},
	{0x2575, 0, 0, 1, 0, 0},
	{0x2576, 0, 1, 0, 0, 0},
	{0x2577, 0, 0, 0, 1, 0},
};

void paint_colour(cairo_t *cairo, uint32_t rgb)
{
	cairo_set_source_rgb(cairo, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
}

/* One cell's lattice of whole units: where its lines run. */
struct lattice {
	struct paint_box box;
	double light; /* thickness of a light line */
};

/* The near edge of a line `thick` wide in the middle of a cell, on a whole unit so that it is sharp. */
static double edge(double start, double length, double thick)
{
	return start + floor((length - thick) / 2);
}

static void add_bar(cairo_t *cairo, bool is_vertical, double from, double to, double across, double thick)
{
	if (is_vertical)
		cairo_rectangle(cairo, across, from, thick, to - from);
	else
		cairo_rectangle(cairo, from, across, to - from, thick);
}

static void add_arm(cairo_t *cairo, const struct lattice *lattice, bool is_vertical, double from, double to, int weight)
{
	const struct paint_box *box = &lattice->box;
	double start = is_vertical ? box->x : box->y;
	double length = is_vertical ? box->width : box->height;
	double thick = weight == 2 ? lattice->light * 3 : lattice->light;
	double across = edge(start, length, thick);
	if (weight == 3) {
		add_bar(cairo, is_vertical, from, to, across - 2 * thick, thick);
		across += thick;
	}
	add_bar(cairo, is_vertical, from, to, across, thick);
}

static void add_dashes(cairo_t *cairo, const struct shape *shape, const struct lattice *lattice)
{
	bool is_vertical = shape->up != 0;
	double start = is_vertical ? lattice->box.y : lattice->box.x;
	double length = is_vertical ? lattice->box.height : lattice->box.width;
	double step = length / shape->dashes;
	for (int i = 0; i < shape->dashes; i++)
		add_arm(cairo, lattice, is_vertical, start + (i + 0.2) * step, start + (i + 0.8) * step,
			is_vertical ? shape->up : shape->left);
}

/* Horizontal arms reach over the crossing; vertical ones stop at its edges where a horizontal one is, so that
 * nothing is drawn twice. */
static void add_lines(cairo_t *cairo, const struct shape *shape, const struct lattice *lattice)
{
	const struct paint_box *box = &lattice->box;
	double x = edge(box->x, box->width, lattice->light);
	double y = edge(box->y, box->height, lattice->light);
	bool is_crossed = shape->left != 0 || shape->right != 0;
	double from = shape->left != 0 ? box->x : x;
	double to = shape->right != 0 ? box->x + box->width : x + lattice->light;
	if (is_crossed)
		add_arm(cairo, lattice, false, from, to, shape->left != 0 ? shape->left : shape->right);
	if (shape->up != 0 && shape->down != 0 && !is_crossed) {
		add_arm(cairo, lattice, true, box->y, box->y + box->height, shape->up);
		return;
	}
	if (shape->up != 0)
		add_arm(cairo, lattice, true, box->y, is_crossed ? y : y + lattice->light, shape->up);
	if (shape->down != 0)
		add_arm(cairo, lattice, true, is_crossed ? y + lattice->light : y, box->y + box->height, shape->down);
}

/* Unicode, block "Block Elements": eighths from below and from the left, halves, shades. */
static bool add_block(cairo_t *cairo, uint32_t code_point, struct paint_box box)
{
	double eighth_x = box.width / 8;
	double eighth_y = box.height / 8;
	if (code_point == 0x2580) {
		cairo_rectangle(cairo, box.x, box.y, box.width, 4 * eighth_y);
	} else if (code_point >= 0x2581 && code_point <= 0x2588) {
		double height = (code_point - 0x2580) * eighth_y;
		cairo_rectangle(cairo, box.x, box.y + box.height - height, box.width, height);
	} else if (code_point >= 0x2589 && code_point <= 0x258f) {
		cairo_rectangle(cairo, box.x, box.y, (0x2590 - code_point) * eighth_x, box.height);
	} else if (code_point == 0x2590) {
		cairo_rectangle(cairo, box.x + 4 * eighth_x, box.y, 4 * eighth_x, box.height);
	} else if (code_point >= 0x2591 && code_point <= 0x2593) {
		cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
	} else if (code_point == 0x2594) {
		cairo_rectangle(cairo, box.x, box.y, box.width, eighth_y);
	} else {
		cairo_rectangle(cairo, box.x + 7 * eighth_x, box.y, eighth_x, box.height);
	}
	return true;
}

static bool is_block(uint32_t code_point)
{
	return code_point >= 0x2580 && code_point <= 0x2595;
}

static const struct shape *find_shape(uint32_t code_point)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (shapes[i].code_point == code_point)
			return &shapes[i];
	return NULL;
}

bool paint_is_shape(uint32_t code_point)
{
	return is_block(code_point) || (code_point >= 0x2500 && code_point <= 0x257f && find_shape(code_point) != NULL);
}

double paint_shade(uint32_t code_point)
{
	return code_point >= 0x2591 && code_point <= 0x2593 ? (code_point - 0x2590) / 4.0 : 1;
}

bool paint_shape(cairo_t *cairo, uint32_t code_point, struct paint_box box)
{
	if (is_block(code_point))
		return add_block(cairo, code_point, box);
	const struct shape *shape = find_shape(code_point);
	if (shape == NULL)
		return false;
	struct lattice lattice = {box, fmax(1, floor(box.width / 10))};
	if (shape->dashes > 0)
		add_dashes(cairo, shape, &lattice);
	else
		add_lines(cairo, shape, &lattice);
	return true;
}
