#include "view/view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/i18n.h"
#include "draw/table_grid.h"

static const struct view views[] = {
#define VIEW(name, scroll, help) {#name, help, scroll, view_##name##_draw, view_##name##_table},
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

static int64_t count_of(const struct scene *scene, enum view_scroll scroll)
{
	bool has_pass = scene_has_pass(scene);
	switch (scroll) {
	case VIEW_LINES: return INT32_MAX;
	case VIEW_ITEMS: return scene->home_count;
	case VIEW_ROWS_OF_PASS: return has_pass ? scene_pass(scene)->layout.B : 0;
	case VIEW_ROWS_OF_BATCH: return has_pass ? trace_batch(scene->trace)->count : 0;
	}
	return 0;
}

int64_t view_last_scroll(const struct scene *scene)
{
	int64_t count = count_of(scene, scene->view->scroll);
	return count > 0 ? count - 1 : 0;
}

int64_t view_first(const struct scene *scene)
{
	int64_t last = view_last_scroll(scene);
	return scene->scroll < last ? scene->scroll : last;
}

struct grid view_draw_heading(struct grid *grid, struct style style, const char *format, ...)
{
	struct buf text = BUF_INIT;
	va_list args;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	int lines = scene_draw_text(grid, 0, style, buf_text(&text));
	buf_free(&text);
	return grid_sub(grid, 0, lines, grid->width, grid->height - lines);
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
	grid_printf(&last, grid_at(0, 0, GRID_REST), style_of(STYLE_DIM),
		P_("… %lld more row; Down moves on", "… %lld more rows; Down moves on", (unsigned long)rows),
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
		struct buf note = BUF_INIT;
		table_show_omitted(below + 1, &note);
		grid_text(&foot, grid_at(0, 0, GRID_REST), style_of(STYLE_DIM), buf_text(&note));
		buf_free(&note);
	}
}
