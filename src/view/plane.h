/*
 * plane.h: a tensor of any rank as lines and columns.
 *
 * The last axis runs along the columns, all axes before it along the lines, row-major; an axis that is sliced (scene->slice)
 * shows its one index only. So the whole of a (B,N,S,K) tensor can be walked through without choosing a slice first,
 * and every line says what it belongs to. A tensor of one axis is one column.
 *
 *     struct plane map = plane_of(scene);
 *     int64_t index[TENSOR_MAX_RANK];
 *     plane_index(&map, 3, 0, index);
 */
#ifndef VIEW_PLANE_H
#define VIEW_PLANE_H

#include "view/scene.h"

struct plane {
	int rank;
	char axes[TENSOR_MAX_RANK + 1];
	int64_t shape[TENSOR_MAX_RANK];
	int64_t only[TENSOR_MAX_RANK]; /* the one index shown, or SCENE_ALL */
	int column_axis;               /* -1: one column */
	int64_t lines, columns;
};

/* The map of the value at the place. Only when there is a pass. */
struct plane plane_of(const struct scene *scene);
/* The index that a line and column stand for, and back. */
void plane_index(const struct plane *map, int64_t line, int64_t column, int64_t index[TENSOR_MAX_RANK]);
int64_t plane_line(const struct plane *map, const int64_t *index);
int64_t plane_column(const struct plane *map, const int64_t *index);

/* Moves the cursor by lines and columns, stopping at the edges. */
void plane_move(struct scene *scene, int64_t lines, int64_t columns);
/* Puts the cursor into the slices that are set. */
void plane_keep_slice(struct scene *scene);

/* Appends "[row=A,pos=0,unit=5]": an index into a value with those axes, of a pass, as selectors write it. */
void plane_index_text(const struct scene *scene, int64_t pass, const char *axes, int rank, const int64_t *index,
	struct buf *out);

#endif
