#include "export/writers.h"

#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"

/*
 * { "table": name, "title", "caption", "columns": [ {"name", "label", "kind", "unit", "help"} ],
 *   "rows": [ { column name: value } ], "omitted": rows that were left out,
 *   "special": [ {"index": [row, column], "value": "-inf"} or {"index", "bytes": "61ff"} ] }
 * An empty cell is null. A value that JSON cannot hold (not finite, or text that is no UTF-8) is null or has
 * U+FFFD in it, and stands exactly under "special".
 */
static const char *kind_name(enum table_kind kind)
{
	switch (kind) {
	case TABLE_TEXT: return "text";
	case TABLE_INT: return "integer";
	case TABLE_FLOAT: return "float32";
	case TABLE_DOUBLE: return "float64";
	case TABLE_BOOL: return "bool";
	case TABLE_BITS: return "bits";
	}
	return "";
}

static void add_member(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_add_string(writer, text);
}

static void add_columns(struct json_writer *writer, const struct table *table)
{
	json_key(writer, "columns");
	json_begin_array(writer);
	for (int i = 0; i < table->column_count; i++) {
		const struct table_column *column = &table->columns[i];
		json_begin_object(writer);
		add_member(writer, "name", column->key);
		add_member(writer, "label", column->label);
		add_member(writer, "kind", kind_name(column->kind));
		add_member(writer, "unit", column->unit);
		add_member(writer, "help", column->help);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void add_value(struct json_writer *writer, const struct table_cell *cell, enum table_kind kind)
{
	char text[NUMBER_SIZE];
	if (!cell->is_set) {
		json_add_null(writer);
		return;
	}
	switch (kind) {
	case TABLE_TEXT: json_add_bytes(writer, cell->value.text.bytes, cell->value.text.length); break;
	case TABLE_INT: json_add_int(writer, cell->value.integer); break;
	case TABLE_FLOAT: json_add_float(writer, cell->value.number); break;
	case TABLE_DOUBLE: json_add_double(writer, cell->value.real); break;
	case TABLE_BOOL: json_add_bool(writer, cell->value.truth); break;
	case TABLE_BITS:
		number_bits(text, cell->value.bits);
		json_add_string(writer, text);
		break;
	}
}

static void add_rows(struct json_writer *writer, const struct table *table)
{
	json_key(writer, "rows");
	json_begin_array(writer);
	for (size_t row = 0; row < table->row_count; row++) {
		json_begin_object(writer);
		for (int i = 0; i < table->column_count; i++) {
			json_key(writer, table->columns[i].key);
			add_value(writer, table_cell(table, row, i), table->columns[i].kind);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static const char *special_number(const struct table_cell *cell, enum table_kind kind)
{
	if (kind == TABLE_FLOAT)
		return number_special((double)cell->value.number);
	return kind == TABLE_DOUBLE ? number_special(cell->value.real) : NULL;
}

static void add_special(struct json_writer *writer, size_t row, int column, const struct table_cell *cell,
	const char *number)
{
	json_begin_object(writer);
	json_key(writer, "index");
	json_begin_array(writer);
	json_add_int(writer, (int64_t)row);
	json_add_int(writer, column);
	json_end_array(writer);
	if (number != NULL) {
		add_member(writer, "value", number);
	} else {
		struct buf hex = BUF_INIT;
		for (size_t i = 0; i < cell->value.text.length; i++)
			buf_printf(&hex, "%02x", (unsigned)(unsigned char)cell->value.text.bytes[i]);
		add_member(writer, "bytes", buf_text(&hex));
		buf_free(&hex);
	}
	json_end_object(writer);
}

static void add_specials(struct json_writer *writer, const struct table *table)
{
	json_key(writer, "special");
	json_begin_array(writer);
	for (size_t row = 0; row < table->row_count; row++) {
		for (int i = 0; i < table->column_count; i++) {
			const struct table_cell *cell = table_cell(table, row, i);
			enum table_kind kind = table->columns[i].kind;
			if (!cell->is_set)
				continue;
			const char *number = special_number(cell, kind);
			bool is_broken =
				kind == TABLE_TEXT && !utf8_is_valid(cell->value.text.bytes, cell->value.text.length);
			if (number != NULL || is_broken)
				add_special(writer, row, i, cell, number);
		}
	}
	json_end_array(writer);
}

bool export_json_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err)
{
	(void)options;
	(void)err;
	struct json_writer writer;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	add_member(&writer, "table", table->name);
	add_member(&writer, "title", table->title);
	add_member(&writer, "caption", table->caption);
	add_columns(&writer, table);
	add_rows(&writer, table);
	json_key(&writer, "omitted");
	json_add_int(&writer, table->omitted);
	add_specials(&writer, table);
	json_end_object(&writer);
	buf_add_char(out, '\n');
	return true;
}
