#include "view/list.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "engine/op.h"

const char *list_short_name(const char *name)
{
	if (strncmp(name, "layers.", 7) != 0)
		return name;
	const char *at = name + 7;
	while (isdigit((unsigned char)*at))
		at++;
	return *at == '.' ? at + 1 : name;
}

static const struct op_kind *find_kind(const char *kind)
{
	for (int code = 0; code < OP_COUNT; code++)
		if (strcmp(op_kind((enum op_code)code)->name, kind) == 0)
			return op_kind((enum op_code)code);
	return NULL;
}

const char *list_formula(const char *kind)
{
	const struct op_kind *found = find_kind(kind);
	return found != NULL ? found->formula : "";
}

const char *list_summary(const char *kind)
{
	const struct op_kind *found = find_kind(kind);
	return found != NULL ? _(found->summary) : "";
}

int list_number(const struct scene *scene, int value, int *count)
{
	int number = 0;
	*count = 0;
	for (int i = 0; i < trace_value_count(scene->trace); i++) {
		const struct trace_value *it = trace_value(scene->trace, i);
		*count += it->captured && !it->is_state;
		if (i <= value)
			number = *count;
	}
	return number;
}

static int layer_of(const struct scene *scene, int value)
{
	return trace_op(scene->trace, trace_value(scene->trace, value)->op)->layer;
}

/* A line of the list: a value, or the head of a layer. */
struct entry {
	int value; /* -1: the head of `layer` */
	int layer;
};

/* The entries in order; returns their number and the line of the cursor. */
static int make_entries(const struct scene *scene, struct entry *entries, int *cursor)
{
	int count = 0, layer = -1;
	int open = layer_of(scene, scene->value);
	*cursor = 0;
	for (int i = 0; i < trace_value_count(scene->trace); i++) {
		if (trace_value(scene->trace, i)->is_state)
			continue;
		int at = layer_of(scene, i);
		if (at >= 0 && at != layer)
			entries[count++] = (struct entry){.value = -1, .layer = at};
		layer = at;
		if (at >= 0 && at != open)
			continue;
		if (i == scene->value)
			*cursor = count;
		entries[count++] = (struct entry){.value = i, .layer = at};
	}
	return count;
}

/* "3,1,H": axes of the batch as numbers, those of the model as letters. */
static void shape_text(const struct scene *scene, const char *axes, char text[64])
{
	size_t used = 0;
	text[0] = '\0';
	for (int i = 0; axes[i] != '\0' && used < 40; i++) {
		bool is_batch = strchr("BSTK", axes[i]) != NULL;
		const char *comma = i > 0 ? "," : "";
		int length = is_batch ? snprintf(text + used, 64 - used, "%s%lld", comma,
						(long long)scene_axis_size(scene, scene->pass, axes[i]))
				      : snprintf(text + used, 64 - used, "%s%c", comma, axes[i]);
		used += (size_t)length;
	}
}

static void draw_entry(const struct scene *scene, struct grid *grid, int y, const struct entry *entry)
{
	if (entry->value < 0) {
		bool is_open = entry->layer == layer_of(scene, scene->value);
		grid_printf(grid, grid_at(0, y, GRID_REST), style_of(STYLE_LABEL), _("%s layer %d"),
			is_open ? "v" : ">", entry->layer);
		return;
	}
	const struct trace_value *value = trace_value(scene->trace, entry->value);
	char shape[64];
	bool is_hidden = scene->is_hidden && entry->value == scene->value;
	shape_text(scene, value->axes, shape);
	int shape_width = (int)strlen(shape);
	int indent = entry->layer >= 0 ? 2 : 0;
	struct style style = style_of(value->captured ? STYLE_NORMAL : STYLE_DIM);
	const char *name = list_short_name(value->name);
	int room = grid->width - indent - shape_width - 1;
	grid_foreign(grid, grid_at(indent, y, room), style, name, strlen(name));
	grid_text_right(grid, grid_at(0, y, grid->width), style_of(STYLE_DIM),
		is_hidden                 ? "▒▒"
			: value->captured ? shape
					  : "-");
	if (entry->value == scene->value)
		grid_flag(grid, grid_at(0, y, GRID_REST), scene->focus == SCENE_OPS ? STYLE_CURSOR : STYLE_SELECTED);
}

void list_draw(const struct scene *scene, struct grid *grid)
{
	if (!scene_has_pass(scene) || grid->height < 1)
		return;
	struct arena arena = ARENA_INIT;
	int room = trace_value_count(scene->trace) * 2 + 1;
	struct entry *entries = ARENA_ARRAY(&arena, struct entry, room);
	int cursor = 0;
	int count = make_entries(scene, entries, &cursor);
	int first = count <= grid->height ? 0 : cursor / grid->height * grid->height;
	/* a page that begins with the cursor would hide what came before it */
	if (first > 0 && cursor == first)
		first--;
	for (int i = 0; i < grid->height && first + i < count; i++)
		draw_entry(scene, grid, i, &entries[first + i]);
	arena_free(&arena);
}
