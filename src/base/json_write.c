/* Writing JSON as a stream: the writer keeps commas, nesting and escapes right. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <utf8proc.h>

#include "base/json.h"
#include "base/utf8.h"

void json_writer_init(struct json_writer *writer, struct buf *out, bool pretty)
{
	*writer = (struct json_writer){.out = out, .pretty = pretty};
}

static void new_line(struct json_writer *writer)
{
	buf_add_char(writer->out, '\n');
	for (int i = 0; i < writer->depth; i++)
		buf_add_text(writer->out, "  ");
}

/* What must stand before the next key or array item: a comma, a line. */
static void before_item(struct json_writer *writer)
{
	if (writer->depth == 0)
		return;
	bool is_object = writer->is_object[writer->depth - 1];
	bool *has_item = &writer->has_item[writer->depth - 1];
	if (*has_item)
		buf_add_text(writer->out, writer->pretty && !is_object ? ", " : ",");
	if (writer->pretty && is_object)
		new_line(writer);
	*has_item = true;
}

static void before_value(struct json_writer *writer)
{
	if (writer->after_key)
		writer->after_key = false;
	else
		before_item(writer);
}

static void begin(struct json_writer *writer, char bracket)
{
	before_value(writer);
	assert(writer->depth < JSON_MAX_DEPTH);
	writer->has_item[writer->depth] = false;
	writer->is_object[writer->depth] = bracket == '{';
	writer->depth++;
	buf_add_char(writer->out, bracket);
}

static void end(struct json_writer *writer, char bracket)
{
	assert(writer->depth > 0 && !writer->after_key);
	writer->depth--;
	assert(writer->is_object[writer->depth] == (bracket == '}'));
	if (writer->pretty && writer->is_object[writer->depth] && writer->has_item[writer->depth])
		new_line(writer);
	buf_add_char(writer->out, bracket);
}

void json_begin_object(struct json_writer *writer)
{
	begin(writer, '{');
}

void json_end_object(struct json_writer *writer)
{
	end(writer, '}');
}

void json_begin_array(struct json_writer *writer)
{
	begin(writer, '[');
}

void json_end_array(struct json_writer *writer)
{
	end(writer, ']');
}

static void add_unit(struct buf *out, uint32_t unit)
{
	buf_printf(out, "\\u%04x", (unsigned)unit);
}

static void add_escape(struct buf *out, uint32_t code_point)
{
	if (code_point < 0x10000) {
		add_unit(out, code_point);
		return;
	}
	add_unit(out, 0xd800 + ((code_point - 0x10000) >> 10));
	add_unit(out, 0xdc00 + ((code_point - 0x10000) & 0x3ff));
}

/* Characters that would steer a terminal the document is printed on, or hide in it, are escaped too. */
static bool is_invisible(uint32_t code_point)
{
	if (code_point < 0x7f)
		return false;
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
	return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
		category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

/* Adds the character at `bytes` and returns the bytes taken. */
static size_t add_character(struct buf *out, const char *bytes, size_t length)
{
	static const char specials[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	uint32_t code_point;
	size_t size = utf8_decode(bytes, length, &code_point);
	if (size == 0) {
		buf_add_text(out, "\xef\xbf\xbd");
		return 1;
	}
	const char *special = code_point == 0 || size > 1 ? NULL : strchr(specials, (int)code_point);
	if (special != NULL) {
		buf_add_char(out, '\\');
		buf_add_char(out, letters[special - specials]);
	} else if (code_point < 0x20 || is_invisible(code_point)) {
		add_escape(out, code_point);
	} else {
		buf_add(out, bytes, size);
	}
	return size;
}

static void add_quoted(struct buf *out, const char *text, size_t length)
{
	buf_add_char(out, '"');
	for (size_t at = 0; at < length;)
		at += add_character(out, text + at, length - at);
	buf_add_char(out, '"');
}

void json_key(struct json_writer *writer, const char *key)
{
	assert(writer->depth > 0 && writer->is_object[writer->depth - 1] && !writer->after_key);
	before_item(writer);
	add_quoted(writer->out, key, strlen(key));
	buf_add_text(writer->out, writer->pretty ? ": " : ":");
	writer->after_key = true;
}

void json_add_bytes(struct json_writer *writer, const char *text, size_t length)
{
	before_value(writer);
	add_quoted(writer->out, text, length);
}

void json_add_string(struct json_writer *writer, const char *text)
{
	json_add_bytes(writer, text, strlen(text));
}

void json_add_int(struct json_writer *writer, int64_t value)
{
	before_value(writer);
	buf_printf(writer->out, "%" PRId64, value);
}

void json_add_bool(struct json_writer *writer, bool value)
{
	before_value(writer);
	buf_add_text(writer->out, value ? "true" : "false");
}

void json_add_null(struct json_writer *writer)
{
	before_value(writer);
	buf_add_text(writer->out, "null");
}

void json_add_raw(struct json_writer *writer, const char *json)
{
	before_value(writer);
	buf_add_text(writer->out, json);
}

static void add_real(struct json_writer *writer, int digits, double value)
{
	if (!isfinite(value)) {
		json_add_null(writer);
		return;
	}
	before_value(writer);
	buf_printf(writer->out, "%.*g", digits, value);
}

void json_add_float(struct json_writer *writer, float value)
{
	add_real(writer, 9, (double)value);
}

void json_add_double(struct json_writer *writer, double value)
{
	add_real(writer, 17, value);
}

void json_put_string(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	if (text != NULL)
		json_add_string(writer, text);
	else
		json_add_null(writer);
}

void json_put_int(struct json_writer *writer, const char *key, int64_t value)
{
	json_key(writer, key);
	json_add_int(writer, value);
}

void json_put_bool(struct json_writer *writer, const char *key, bool value)
{
	json_key(writer, key);
	json_add_bool(writer, value);
}

void json_put_double(struct json_writer *writer, const char *key, double value)
{
	json_key(writer, key);
	json_add_double(writer, value);
}

void json_put_ints(struct json_writer *writer, const char *key, const int64_t *values, int64_t count)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (int64_t i = 0; i < count; i++)
		json_add_int(writer, values[i]);
	json_end_array(writer);
}

void json_put_int32s(struct json_writer *writer, const char *key, const int32_t *values, int64_t count)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (int64_t i = 0; i < count; i++)
		json_add_int(writer, values[i]);
	json_end_array(writer);
}
