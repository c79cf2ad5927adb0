/*
 * table.h: an analysis as rows and columns of typed values, before anyone decides how it looks.
 *
 * A column has a key (its name in CSV and JSON, the same in every language) and a label (shown to people); a cell
 * holds a value of the column's kind or is empty. Values stay exact: text is kept as raw bytes, which consumers
 * make displayable or escape for their format; floats keep all bits and are rounded only where they are shown.
 * A row of the table may belong to a lane (a row of the batch), so that colours follow it. Everything lives in
 * the arena. Columns are added before the first row.
 *
 *     struct table *table = table_new(&arena, "tokens");
 *     int row_id = table_add_column(table, "row", TABLE_TEXT);
 *     int id = table_add_column(table, "id", TABLE_INT);
 *     size_t r = table_add_row(table, 0);
 *     table_set_string(table, r, row_id, "A");
 *     table_set_int(table, r, id, 100);
 */
#ifndef DRAW_TABLE_H
#define DRAW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "draw/number.h"
#include "draw/style.h"

enum table_kind {
	TABLE_TEXT,   /* bytes of anyone */
	TABLE_INT,    /* int64 */
	TABLE_FLOAT,  /* float32 */
	TABLE_DOUBLE, /* float64 */
	TABLE_BOOL,
	TABLE_BITS, /* the bits of a float32: "0x3f500000" */
};

enum table_align { TABLE_ALIGN_KIND, TABLE_ALIGN_LEFT, TABLE_ALIGN_RIGHT }; /* KIND: numbers right, the rest left */

struct table_column {
	const char *key;   /* unique in the table */
	const char *label; /* for people; the key unless set */
	const char *unit;  /* "bytes", "FLOP", "" */
	const char *help;  /* one sentence about the column, "" */
	enum table_kind kind;
	enum table_align align;
	int decimals; /* shown of a float; NUMBER_EXACT (the default) for all */
};

struct table_text {
	const char *bytes;
	size_t length;
};

struct table_cell {
	bool is_set;
	struct style style; /* STYLE_NORMAL: as its row */
	union {
		struct table_text text;
		int64_t integer;
		float number;
		double real;
		bool truth;
		uint32_t bits;
	} value;
};

struct table_row {
	int lane;           /* the row of the batch it belongs to, or STYLE_NO_LANE */
	struct style style; /* STYLE_NORMAL: as its lane */
	struct table_cell *cells;
};

struct table {
	struct arena *arena;
	const char *name;    /* of the kind of table, for machines: "tokens" */
	const char *title;   /* for people; "" */
	const char *caption; /* for people, below the table: what it shows; "" */
	int64_t omitted;     /* rows that were left out, which every consumer says; 0 */
	struct table_column *columns;
	struct table_row *rows;
	int column_count, column_room;
	size_t row_count, row_room;
};

/* An empty table. `name` and all texts given later are copied. It lies in the arena. */
struct table *table_new(struct arena *arena, const char *name);

void table_set_title(struct table *table, const char *title);
void table_set_caption(struct table *table, const char *caption);

/* Adds a column and returns its index. A key that is there already gets "_2", "_3", … appended. Label, unit, help,
 * align and decimals are set in table->columns[index], or by table_label(). */
int table_add_column(struct table *table, const char *key, enum table_kind kind);
/* Sets a column's label and the decimals shown. Returns the column for further settings. */
struct table_column *table_label(struct table *table, int column, const char *label, int decimals);

/* Adds a row of empty cells and returns its index. `lane` is the index of the batch row it belongs to, or
 * STYLE_NO_LANE. */
size_t table_add_row(struct table *table, int lane);

/* Set one cell; the function must be the one of the column's kind. */
void table_set_text(struct table *table, size_t row, int column, const char *bytes, size_t length);
void table_set_string(struct table *table, size_t row, int column, const char *text);
void table_set_int(struct table *table, size_t row, int column, int64_t value);
void table_set_float(struct table *table, size_t row, int column, float value);
void table_set_double(struct table *table, size_t row, int column, double value);
void table_set_bool(struct table *table, size_t row, int column, bool value);
void table_set_bits(struct table *table, size_t row, int column, uint32_t bits);
/* Sets what a cell means (a verdict, a pad), beyond its row's lane. */
void table_set_style(struct table *table, size_t row, int column, struct style style);

const struct table_cell *table_cell(const struct table *table, size_t row, int column);
/* The cell's own style, else its row's, else its lane's. */
struct style table_style(const struct table *table, size_t row, int column);
bool table_is_right(const struct table_column *column);

#endif
