#include <string.h>

#include "base/i18n.h"
#include "view/view.h"

#define NAME_COLUMNS 24

/* The line of item `i` below the title: a group has a blank line and its name before its items. */
static int line_of(const struct scene *scene, int i)
{
	int line = i;
	for (int at = 0; at <= i; at++)
		if (at == 0 || strcmp(scene->home[at].group, scene->home[at - 1].group) != 0)
			line += 2;
	return line;
}

/* How many lines are passed over so that the chosen item is in sight, and the line of the "… more" below it. */
static int lines_above(const struct scene *scene, const struct grid *grid)
{
	int at = (int)view_first(scene);
	if (scene->home_count == 0 || grid->height < 3 || line_of(scene, scene->home_count - 1) < grid->height - 1)
		return 0;
	int above = line_of(scene, at) - grid->height + 2;
	return above > 0 ? above : 0;
}

static void draw_item(const struct scene *scene, struct grid *grid, int y, int i)
{
	const struct scene_home *item = &scene->home[i];
	bool is_here = i == view_first(scene);
	grid_text(grid, grid_at(1, y, 1), style_of(STYLE_KEY), is_here ? ">" : " ");
	grid_foreign(grid, grid_at(3, y, NAME_COLUMNS - 1), style_of(STYLE_NORMAL), item->name, strlen(item->name));
	grid_foreign(grid, grid_at(3 + NAME_COLUMNS, y, GRID_REST), style_of(STYLE_DIM), item->about,
		strlen(item->about));
	if (is_here)
		grid_flag(grid, grid_at(1, y, GRID_REST), STYLE_CURSOR);
}

bool view_home_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	(void)err;
	grid_text(grid, grid_at(0, 0, GRID_REST), style_of(STYLE_TITLE),
		_("A time-travel debugger for one batch of language-model requests"));
	struct grid list = grid_sub(grid, 0, 1, grid->width, grid->height - 1);
	int y = 0, above = lines_above(scene, &list);
	for (int i = 0; i < scene->home_count; i++) {
		y = line_of(scene, i) - above;
		if (i == 0 || strcmp(scene->home[i].group, scene->home[i - 1].group) != 0)
			grid_text(&list, grid_at(0, y - 1, GRID_REST), style_of(STYLE_LABEL), scene->home[i].group);
		draw_item(scene, &list, y, i);
		if (y == list.height - 1)
			view_draw_more(&list, scene->home_count - i);
	}
	struct grid foot = grid_sub(&list, 0, y + 2, grid->width, grid->height);
	scene_draw_text(&foot, 0, style_of(STYLE_DIM),
		_("Up and Down choose, Enter opens. Your own batch:  :open MODEL \"first prompt\" \"second prompt\""));
	return true;
}

bool view_home_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	struct table *table = *result = table_new(arena, "home");
	(void)err;
	table_add_column(table, "group", TABLE_TEXT);
	table_add_column(table, "name", TABLE_TEXT);
	table_add_column(table, "about", TABLE_TEXT);
	table_add_column(table, "command", TABLE_TEXT);
	for (int i = 0; i < scene->home_count; i++) {
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, 0, scene->home[i].group);
		table_set_string(table, row, 1, scene->home[i].name);
		table_set_string(table, row, 2, scene->home[i].about);
		table_set_string(table, row, 3, scene->home[i].line);
	}
	return true;
}
