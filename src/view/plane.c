#include <string.h>

#include "view/plane.h"

struct plane plane_of(const struct scene *scene)
{
	struct plane map = {.lines = 1, .columns = 1};
	map.rank = scene_shape(scene, scene->pass, scene->value, map.shape);
	memcpy(map.axes, scene_value(scene)->axes, sizeof map.axes);
	map.column_axis = map.rank > 1 ? map.rank - 1 : -1;
	for (int i = 0; i < map.rank; i++) {
		char letter = map.axes[i];
		int64_t only = letter >= 'A' && letter <= 'Z' ? scene->slice[letter - 'A'] : SCENE_ALL;
		map.only[i] = only < map.shape[i] ? only : SCENE_ALL;
		int64_t size = map.only[i] == SCENE_ALL ? map.shape[i] : 1;
		*(i == map.column_axis ? &map.columns : &map.lines) *= size;
	}
	return map;
}

void plane_index(const struct plane *map, int64_t line, int64_t column, int64_t index[TENSOR_MAX_RANK])
{
	for (int i = map->rank - 1; i >= 0; i--) {
		if (map->only[i] != SCENE_ALL) {
			index[i] = map->only[i];
		} else if (i == map->column_axis) {
			index[i] = column;
		} else {
			index[i] = line % map->shape[i];
			line /= map->shape[i];
		}
	}
}

int64_t plane_line(const struct plane *map, const int64_t *index)
{
	int64_t line = 0;
	for (int i = 0; i < map->rank; i++)
		if (i != map->column_axis && map->only[i] == SCENE_ALL)
			line = line * map->shape[i] + index[i];
	return line;
}

int64_t plane_column(const struct plane *map, const int64_t *index)
{
	int at = map->column_axis;
	return at >= 0 && map->only[at] == SCENE_ALL ? index[at] : 0;
}

static int64_t clamp(int64_t value, int64_t count)
{
	return value < 0 || count <= 0 ? 0 : value >= count ? count - 1 : value;
}

void plane_move(struct scene *scene, int64_t lines, int64_t columns)
{
	struct plane map = plane_of(scene);
	int64_t line = clamp(plane_line(&map, scene->index) + lines, map.lines);
	int64_t column = clamp(plane_column(&map, scene->index) + columns, map.columns);
	plane_index(&map, line, column, scene->index);
}

void plane_keep_slice(struct scene *scene)
{
	plane_move(scene, 0, 0);
}

/* An ID that a selector would read as something else stands in double quotes. */
static void add_id(const char *id, struct buf *out)
{
	bool is_plain = id[0] != '\0' && strpbrk(id, " ,:[]\"=\t") == NULL && strspn(id, "-0123456789") < strlen(id);
	buf_printf(out, is_plain ? "%s" : "\"%s\"", id);
}

void plane_index_text(const struct scene *scene, int64_t pass, const char *axes, int rank, const int64_t *index,
	struct buf *out)
{
	buf_add_char(out, '[');
	for (int i = 0; i < rank; i++) {
		buf_printf(out, "%s%s=", i > 0 ? "," : "", scene_axis_name(axes[i]));
		if (axes[i] == 'B')
			add_id(scene_row_id(scene, trace_pass(scene->trace, pass)->layout.rows[index[i]]), out);
		else
			buf_printf(out, "%lld", (long long)index[i]);
	}
	buf_add_char(out, ']');
}
