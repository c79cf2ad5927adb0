#include "view/view.h"

#include <string.h>

#include "base/i18n.h"
#include "draw/table_grid.h"

static const struct view views[] = {
#define VIEW(name, help) {#name, help, view_##name##_draw, view_##name##_table},
#include "view/view.def"
#undef VIEW
};

int view_count(void)
{
	return (int)(sizeof views / sizeof views[0]);
}

const struct view *view_at(int i)
{
	return &views[i];
}

const struct view *view_find(const char *name)
{
	for (int i = 0; i < view_count(); i++)
		if (strcmp(views[i].name, name) == 0)
			return &views[i];
	return NULL;
}

void view_draw(const struct view *view, const struct scene *scene, struct grid *grid)
{
	struct err err = ERR_INIT;
	if (view->draw(scene, grid, &err))
		return;
	char text[2048];
	err_text(&err, text, sizeof text);
	view_draw_notice(grid, style_of(STYLE_WARN), text);
}

void view_draw_notice(struct grid *grid, struct style style, const char *sentence)
{
	int margin = grid->width > 40 ? 4 : 0;
	struct grid inside = grid_sub(grid, margin, grid->height / 4, grid->width - 2 * margin, grid->height);
	scene_draw_text(&inside, 0, style, sentence);
}

void view_draw_more(struct grid *grid, int64_t rows)
{
	struct grid last = grid_sub(grid, 0, grid->height - 1, grid->width, 1);
	if (rows <= 0 || grid->height < 2)
		return;
	grid_fill(&last, style_of(STYLE_NORMAL));
	grid_printf(&last, grid_at(0, 0, GRID_REST), style_of(STYLE_DIM), _("… %lld more rows; Down moves on"),
		(long long)rows);
}

void view_draw_table(const struct scene *scene, const struct table *table, struct grid *grid)
{
	struct table_layout layout = table_measure(table, 0, table->arena);
	table_layout_fit(&layout, table, grid->width);
	table_draw_head(table, &layout, grid);
	int64_t last = (int64_t)table->row_count - 1;
	int64_t first = scene->scroll > last ? last : scene->scroll;
	if (first < 0)
		first = 0;
	table_draw_rows(table, &layout, grid, 2, (size_t)first, table->row_count);
	int64_t below = (int64_t)table->row_count - first - (grid->height - 2);
	if (below > 0 && grid->height > 3) {
		struct grid foot = grid_sub(grid, 0, grid->height - 1, grid->width, 1);
		grid_fill(&foot, style_of(STYLE_NORMAL));
		grid_printf(&foot, grid_at(0, 0, GRID_REST), style_of(STYLE_DIM), _("… %lld more rows"),
			(long long)below + 1);
	}
}
