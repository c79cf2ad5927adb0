#include <string.h>

#include "base/i18n.h"
#include "view/view.h"

#define LABEL_COLUMNS 12
#define KEY_COLUMNS 2
#define MASKS 5
#define MASKS_OF_ALL 3 /* the others are those of layers with a window */

static const char *const names[MASKS] = {"mask.causal", "mask.padding", "mask", "mask.window", "mask.local"};
static const char *const titles[MASKS] = {N_("causal"), N_("padding"), N_("both: what is used"), N_("window"),
	N_("with a window")};
static const char *const columns[MASKS] = {"causal", "padding", "mask", "window", "local"};

struct masks {
	const struct scene *scene;
	const struct pass *layout;
	int64_t K;
	int count; /* of masks: all, or those that there are without a window */
	const uint8_t *values[MASKS];
	int room;          /* keys of each mask on the screen */
	int64_t first_key; /* the last ones are shown */
};

static bool has_window(const struct scene *scene)
{
	int window = trace_find_value(scene->trace, names[MASKS_OF_ALL]),
	    local = trace_find_value(scene->trace, names[MASKS - 1]);
	return window >= 0 && local >= 0 && trace_value(scene->trace, window)->captured &&
		trace_value(scene->trace, local)->captured;
}

static bool read_masks(const struct scene *scene, struct arena *arena, struct masks *masks, struct err *err)
{
	const struct pass *layout = &scene_pass(scene)->layout;
	*masks = (struct masks){.scene = scene,
		.layout = layout,
		.K = layout->K,
		.count = has_window(scene) ? MASKS : MASKS_OF_ALL};
	for (int i = 0; i < masks->count; i++) {
		struct tensor tensor;
		if (!scene_read(scene, names[i], arena, &tensor, err))
			return false;
		masks->values[i] = tensor.data;
	}
	return true;
}

/* "q 气" before a line of the masks. */
static void draw_query(const struct masks *masks, struct grid *grid, int y, int64_t cell)
{
	const struct scene *scene = masks->scene;
	const struct pass *layout = masks->layout;
	int64_t b = layout->row_of[cell], s = cell - pass_row_begin(layout, b);
	struct style style = scene_lane(scene, scene_request(scene, b));
	int used = grid_printf(grid, grid_at(1, y, LABEL_COLUMNS - 2), style_of(STYLE_LABEL), "s%lld ", (long long)s);
	struct grid_span at = grid_at(1 + used, y, LABEL_COLUMNS - 2 - used);
	if (layout->pad[cell])
		grid_text(grid, at, style_of(STYLE_PAD), _("pad"));
	else
		scene_draw_token(scene, grid, at, style, layout->tokens[cell]);
}

static void draw_line(const struct masks *masks, struct grid *grid, int y, int64_t cell)
{
	int32_t request = scene_request(masks->scene, masks->layout->row_of[cell]);
	struct style yes = style_with(scene_lane(masks->scene, request), STYLE_STRONG);
	draw_query(masks, grid, y, cell);
	for (int i = 0; i < masks->count; i++) {
		int x = LABEL_COLUMNS + i * (masks->room * KEY_COLUMNS + 3);
		for (int64_t k = masks->first_key; k < masks->K; k++) {
			bool may = masks->values[i][cell * masks->K + k] != 0;
			struct grid_span at = grid_at(x + (int)(k - masks->first_key) * KEY_COLUMNS, y, 1);
			if (masks->scene->is_hidden)
				grid_text(grid, at, style_of(STYLE_HIDDEN), "▒");
			else
				grid_text(grid, at, may ? yes : style_of(STYLE_MASKED), may ? "1" : "·");
		}
	}
}

static void draw_titles(const struct masks *masks, struct grid *grid, int y)
{
	for (int i = 0; i < masks->count; i++) {
		int width = masks->room * KEY_COLUMNS + 3;
		grid_text(grid, grid_at(LABEL_COLUMNS + i * width, y, width - 1), style_of(STYLE_LABEL), _(titles[i]));
	}
	if (masks->first_key > 0)
		grid_printf(grid, grid_at(0, y, LABEL_COLUMNS), style_of(STYLE_DIM), "k%lld…",
			(long long)masks->first_key);
}

static void draw_masks(struct masks *masks, struct grid *page)
{
	const struct scene *scene = masks->scene;
	struct grid body = view_draw_heading(page, style_of(STYLE_TITLE),
		_("Who may look at whom: a line per new token, a column per key; 1 = may look"));
	struct grid *grid = &body;
	int each = (grid->width - LABEL_COLUMNS) / masks->count - 3;
	int least = masks->count > MASKS_OF_ALL ? 5 : 9; /* five masks stand side by side in 80 columns */
	int fits = each / KEY_COLUMNS < least ? least : each / KEY_COLUMNS;
	masks->room = masks->K > fits ? fits : masks->K < least ? least : (int)masks->K;
	masks->first_key = masks->K > masks->room ? masks->K - masks->room : 0;
	draw_titles(masks, grid, 0);
	int y = 1;
	int64_t b = view_first(scene);
	for (; b < masks->layout->B && y < grid->height; b++) {
		int32_t request = scene_request(scene, b);
		const char *id = scene_row_id(scene, request);
		struct style style = style_with(scene_lane(scene, request), STYLE_STRONG);
		int used = grid_text(grid, grid_at(0, y, 1), style, style_lane_mark(request));
		grid_foreign(grid, grid_at(used, y++, 20), style, id, strlen(id));
		int64_t begin = pass_row_begin(masks->layout, b), end = begin + pass_row_width(masks->layout, b);
		for (int64_t cell = begin; cell < end && y < grid->height; cell++)
			draw_line(masks, grid, y++, cell);
		y++;
	}
	view_draw_more(grid, masks->layout->B - b);
}

bool view_mask_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct masks masks;
	if (!scene_has_pass(scene)) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing is open, so there is no mask. Type  :open three-requests  for the "
			  "worked example."));
		return true;
	}
	bool ok = read_masks(scene, &arena, &masks, err);
	if (ok)
		draw_masks(&masks, grid);
	arena_free(&arena);
	return ok;
}

bool view_mask_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	struct masks masks;
	struct table *table = *result = table_new(arena, "mask");
	table_add_column(table, "row", TABLE_TEXT);
	table_add_column(table, "s", TABLE_INT);
	table_add_column(table, "k", TABLE_INT);
	for (int i = 0; i < (scene_has_pass(scene) && has_window(scene) ? MASKS : MASKS_OF_ALL); i++)
		table_add_column(table, columns[i], TABLE_BOOL);
	if (!scene_has_pass(scene))
		return true;
	if (!read_masks(scene, arena, &masks, err))
		return false;
	for (int64_t at = 0; at < masks.layout->cells * masks.K; at++) {
		int64_t cell = at / masks.K, b = masks.layout->row_of[cell];
		size_t row = table_add_row(table, scene_request(scene, b));
		table_set_string(table, row, 0, scene_row_id(scene, scene_request(scene, b)));
		table_set_int(table, row, 1, cell - pass_row_begin(masks.layout, b));
		table_set_int(table, row, 2, at % masks.K);
		for (int i = 0; i < masks.count; i++)
			table_set_bool(table, row, 3 + i, masks.values[i][at] != 0);
	}
	return true;
}
