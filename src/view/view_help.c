#include <string.h>

#include "base/i18n.h"
#include "view/view.h"

/* Where a binding works, when not everywhere. */
static const char *place_of(const struct scene_help *help)
{
	if (help->panes == 0)
		return "";
	return help->panes & 1U << SCENE_OPS ? _("operations: ") : _("numbers: ");
}

/* Has a group come up before line `i`? */
static bool is_known_group(const struct scene *scene, int i)
{
	for (int before = 0; before < i; before++)
		if (strcmp(scene->help[before].group, scene->help[i].group) == 0)
			return true;
	return false;
}

/* Keys, command, and what it does, wrapped beside them; returns the line after it. */
static int draw_line(struct grid *grid, int y, const struct scene_help *help)
{
	int keys_width = grid->width > 70 ? 15 : 11, line_width = grid->width > 70 ? 18 : 17;
	int x = keys_width + line_width + 3;
	struct grid side = grid_sub(grid, x, 0, grid->width - x, grid->height);
	struct buf text = BUF_INIT;
	grid_text(grid, grid_at(1, y, keys_width), style_of(STYLE_KEY), help->keys);
	grid_text(grid, grid_at(keys_width + 2, y, line_width), style_of(STYLE_NORMAL), help->line);
	buf_printf(&text, "%s%s", place_of(help), help->text);
	int after = scene_draw_text(&side, y, style_of(STYLE_DIM), buf_text(&text));
	grid_text(&side, grid_at(0, y, GRID_REST), style_of(STYLE_LABEL), place_of(help));
	buf_free(&text);
	return after > y ? after : y + 1;
}

/* The lines of one group, keys before commands that have none; returns the line after them. */
static int64_t draw_group(const struct scene *scene, struct grid *grid, int64_t line, const char *group)
{
	grid_text(grid, grid_at(0, (int)line++, GRID_REST), style_of(STYLE_TITLE), group);
	for (int with_keys = 1; with_keys >= 0; with_keys--) {
		for (int i = 0; i < scene->help_count; i++) {
			const struct scene_help *help = &scene->help[i];
			if (strcmp(help->group, group) == 0 && (help->keys[0] != '\0') == (with_keys == 1))
				line = draw_line(grid, (int)line, help);
		}
	}
	return line + 1;
}

bool view_help_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	(void)err;
	int64_t line = -scene->scroll;
	for (int i = 0; i < scene->help_count; i++)
		if (!is_known_group(scene, i))
			line = draw_group(scene, grid, line, scene->help[i].group);
	return true;
}

bool view_help_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	(void)err;
	struct table *table = *result = table_new(arena, "help");
	table_add_column(table, "group", TABLE_TEXT);
	table_add_column(table, "keys", TABLE_TEXT);
	table_add_column(table, "command", TABLE_TEXT);
	table_add_column(table, "help", TABLE_TEXT);
	for (int i = 0; i < scene->help_count; i++) {
		const struct scene_help *help = &scene->help[i];
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, 0, help->group);
		table_set_string(table, row, 1, help->keys);
		table_set_string(table, row, 2, help->line);
		table_set_string(table, row, 3, help->text);
	}
	return true;
}
