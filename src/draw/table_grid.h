/*
 * table_grid.h: a table laid out in a grid: for the terminal, for plain text and for figures.
 *
 * Widths are settled once for the whole table, then any run of its rows is drawn: a screen draws the rows it
 * shows, a file one slab after the other, and columns stay where they are.
 *
 *     struct table_layout layout;
 *     layout = table_measure(table, 0, &arena);
 *     struct grid grid = table_grid(table, &layout, 0, table->row_count, &arena);
 */
#ifndef DRAW_TABLE_GRID_H
#define DRAW_TABLE_GRID_H

#include "base/arena.h"
#include "base/buf.h"
#include "draw/grid.h"
#include "draw/table.h"

#define TABLE_GAP 2 /* columns between two columns */

struct table_layout {
	int *widths; /* of each column of the table; 0: does not fit and is not drawn */
	int width;   /* of the whole */
	int hidden;  /* how many columns do not fit */
};

/* Widths that show every cell whole, but a text in at most `most` columns (0: GRID_MAX). Lives in the arena. */
struct table_layout table_measure(const struct table *table, int most, struct arena *arena);
/* Makes the layout at most `columns` wide: cuts the widest text columns down to 8, then leaves out the last ones. */
void table_layout_fit(struct table_layout *layout, const struct table *table, int columns);

/* Appends the display string of a cell: numbers with the column's decimals, text made visible; nothing for an
 * empty cell. */
void table_show(const struct table *table, size_t row, int column, struct buf *out);
/* The display string of a column's head: label and unit. */
void table_show_head(const struct table_column *column, struct buf *out);

/* What stands below a table that is shown without some of its rows: "… 3 more rows". */
void table_show_omitted(int64_t count, struct buf *out);

/* The column heads and a line below them: two lines at the top of `grid`. */
void table_draw_head(const struct table *table, const struct table_layout *layout, struct grid *grid);
/* Rows first .. first + count - 1, one per line from line `y` of `grid` on. */
void table_draw_rows(const struct table *table, const struct table_layout *layout, struct grid *grid, int y,
	size_t first, size_t count);

/* The table with title, heads, `count` rows from `first` on, what was left out, and caption, in a grid of its own.
 * At most GRID_MAX lines. */
struct grid table_grid(const struct table *table, const struct table_layout *layout, size_t first, size_t count,
	struct arena *arena);

#endif
