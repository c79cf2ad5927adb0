/*
 * numbers.h: any tensor, or part of one, as a table or as a heat map.
 *
 * The last axis runs along the columns, the others down the rows, each named by its axis word and index; the rows of a batch
 * carry their lane. What is too wide is cut, and the table says how much was left out.
 */
#ifndef VIEW_NUMBERS_H
#define VIEW_NUMBERS_H

#include "draw/grid.h"
#include "draw/heat.h"
#include "draw/table.h"
#include "trace/slice.h"

/* A tensor to be shown: the part, and where it was cut from. */
struct numbers {
	const char *title;
	const struct tensor *part;  /* with data; axes of the part */
	const struct slice *slice;  /* indices are told as in the whole tensor; NULL: the part is the whole */
	const char *const *row_ids; /* along the axis B of the whole tensor; NULL: by index */
	const int32_t *lanes;       /* the same: lane of each row; NULL: none */
	int64_t most_columns, most_rows; /* 0: no limit */
};

/* One column per index of the last axis (a single one for rank 0). In the arena. */
struct table *numbers_table(const struct numbers *numbers, struct arena *arena);
/* One cell per number, coloured on the scale of `heat`. In the arena. */
struct grid numbers_heat(const struct numbers *numbers, const struct heat *heat, struct arena *arena);

#endif
