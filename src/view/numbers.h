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
#include "trace/trace.h"

/* A tensor to be shown: the part, and where it was cut from. */
struct numbers {
	const char *title;               /* may hold an ID, so foreign bytes */
	const struct tensor *part;       /* with data; axes of the part */
	const struct slice *slice;       /* indices are told as in the whole tensor; NULL: the part is the whole */
	const char *const *row_ids;      /* along the axis B or T of the whole tensor; NULL: by index */
	const int32_t *lanes;            /* the same: lane of each; NULL: none */
	int64_t most_columns, most_rows; /* 0: no limit */
};

/* Fills in row_ids and lanes for a tensor with those axes of a recorded pass: rows by their IDs, the cells of a packed pass as
 * "A:3", the row and its logical position. In the arena. */
void numbers_name_rows(struct numbers *numbers, const struct trace *trace, int64_t pass, const char *axes,
	struct arena *arena);

/* Whether the limits leave something out. */
bool numbers_are_cut(const struct numbers *numbers);

/* One column per index of the last axis (a single one for rank 0). In the arena. */
struct table *numbers_table(const struct numbers *numbers, struct arena *arena);
/* One cell per number, coloured on the scale of `heat`, with the axes above and the scale below. In the arena. */
struct grid numbers_heat(const struct numbers *numbers, const struct heat *heat, struct arena *arena);

#endif
