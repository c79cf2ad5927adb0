#include "draw/table.h"

#include <assert.h>
#include <string.h>

#define TABLE_FIRST_ROOM 8

struct table *table_new(struct arena *arena, const char *name)
{
	struct table *table = ARENA_NEW(arena, struct table);
	table->arena = arena;
	table->name = arena_strdup(arena, name);
	table->title = "";
	table->caption = "";
	return table;
}

void table_set_title(struct table *table, const char *title)
{
	table->title = arena_strdup(table->arena, title);
}

void table_set_caption(struct table *table, const char *caption)
{
	table->caption = arena_strdup(table->arena, caption);
}

/* An arena cannot resize, so the old array stays behind: at most as much again as is in use. */
static void *grown(struct arena *arena, const void *old, size_t count, size_t room, size_t size)
{
	void *array = arena_raw(arena, room, size);
	if (count > 0)
		memcpy(array, old, count * size);
	return array;
}

static bool has_key(const struct table *table, const char *key)
{
	for (int i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i].key, key) == 0)
			return true;
	return false;
}

static const char *unique_key(struct table *table, const char *key)
{
	if (!has_key(table, key))
		return arena_strdup(table->arena, key);
	for (int number = 2;; number++) {
		const char *other = arena_printf(table->arena, "%s_%d", key, number);
		if (!has_key(table, other))
			return other;
	}
}

int table_add_column(struct table *table, const char *key, enum table_kind kind)
{
	assert(table->row_count == 0);
	if (table->column_count == table->column_room) {
		table->column_room = table->column_room == 0 ? TABLE_FIRST_ROOM : 2 * table->column_room;
		table->columns = grown(table->arena, table->columns, (size_t)table->column_count,
			(size_t)table->column_room, sizeof *table->columns);
	}
	const char *unique = unique_key(table, key);
	table->columns[table->column_count] = (struct table_column){
		.key = unique,
		.label = unique,
		.unit = "",
		.help = "",
		.kind = kind,
		.decimals = NUMBER_EXACT,
	};
	return table->column_count++;
}

struct table_column *table_label(struct table *table, int column, const char *label, int decimals)
{
	assert(column >= 0 && column < table->column_count);
	struct table_column *found = &table->columns[column];
	found->label = arena_strdup(table->arena, label);
	found->decimals = decimals;
	return found;
}

size_t table_add_row(struct table *table, int lane)
{
	if (table->row_count == table->row_room) {
		table->row_room = table->row_room == 0 ? TABLE_FIRST_ROOM : 2 * table->row_room;
		table->rows = grown(table->arena, table->rows, table->row_count, table->row_room, sizeof *table->rows);
	}
	table->rows[table->row_count] = (struct table_row){
		.lane = lane,
		.cells = ARENA_ARRAY(table->arena, struct table_cell, table->column_count),
	};
	return table->row_count++;
}

static struct table_cell *writable(struct table *table, size_t row, int column, enum table_kind kind)
{
	assert(row < table->row_count && column >= 0 && column < table->column_count);
	assert(table->columns[column].kind == kind);
	struct table_cell *cell = &table->rows[row].cells[column];
	cell->is_set = true;
	return cell;
}

void table_set_text(struct table *table, size_t row, int column, const char *bytes, size_t length)
{
	struct table_cell *cell = writable(table, row, column, TABLE_TEXT);
	cell->value.text.bytes = arena_strndup(table->arena, bytes, length);
	cell->value.text.length = length;
}

void table_set_string(struct table *table, size_t row, int column, const char *text)
{
	table_set_text(table, row, column, text, strlen(text));
}

void table_set_int(struct table *table, size_t row, int column, int64_t value)
{
	writable(table, row, column, TABLE_INT)->value.integer = value;
}

void table_set_float(struct table *table, size_t row, int column, float value)
{
	writable(table, row, column, TABLE_FLOAT)->value.number = value;
}

void table_set_double(struct table *table, size_t row, int column, double value)
{
	writable(table, row, column, TABLE_DOUBLE)->value.real = value;
}

void table_set_bool(struct table *table, size_t row, int column, bool value)
{
	writable(table, row, column, TABLE_BOOL)->value.truth = value;
}

void table_set_bits(struct table *table, size_t row, int column, uint32_t bits)
{
	writable(table, row, column, TABLE_BITS)->value.bits = bits;
}

void table_set_style(struct table *table, size_t row, int column, struct style style)
{
	assert(row < table->row_count && column >= 0 && column < table->column_count);
	table->rows[row].cells[column].style = style;
}

const struct table_cell *table_cell(const struct table *table, size_t row, int column)
{
	assert(row < table->row_count && column >= 0 && column < table->column_count);
	return &table->rows[row].cells[column];
}

static bool is_plain(struct style style)
{
	return style.role == STYLE_NORMAL && style.flags == 0;
}

struct style table_style(const struct table *table, size_t row, int column)
{
	const struct table_cell *cell = table_cell(table, row, column);
	if (!is_plain(cell->style))
		return cell->style;
	const struct table_row *whole = &table->rows[row];
	return is_plain(whole->style) ? style_lane(whole->lane) : whole->style;
}

bool table_is_right(const struct table_column *column)
{
	if (column->align != TABLE_ALIGN_KIND)
		return column->align == TABLE_ALIGN_RIGHT;
	return column->kind != TABLE_TEXT && column->kind != TABLE_BOOL;
}
