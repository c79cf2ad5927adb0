#include "export/writers.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"

/*
 * RFC 4180: CRLF, quotes doubled, UTF-8. Numbers stay numbers with all their digits. A text that a spreadsheet
 * could take for a formula gets an apostrophe before it, the spreadsheets' own mark of text (OWASP, "CSV
 * Injection"); full-width signs too, which East Asian versions accept.
 */
static bool may_be_formula(const char *bytes, size_t length)
{
	static const char *const signs[] = {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		size_t size = strlen(signs[i]);
		if (length >= size && memcmp(bytes, signs[i], size) == 0)
			return true;
	}
	return false;
}

static bool needs_quotes(const char *bytes, size_t length)
{
	if (length == 0 || bytes[0] == ' ' || bytes[length - 1] == ' ')
		return true;
	for (size_t i = 0; i < length; i++)
		if (strchr(",\"\r\n\t", bytes[i]) != NULL)
			return true;
	return false;
}

/* Bytes that a reader of UTF-8 would stumble over, NUL included, become U+FFFD. */
static void add_text(const char *bytes, size_t length, struct buf *out)
{
	bool is_formula = may_be_formula(bytes, length);
	const char *quote = is_formula || needs_quotes(bytes, length) ? "\"" : "";
	buf_add_text(out, quote);
	if (is_formula)
		buf_add_char(out, '\'');
	for (size_t at = 0; at < length;) {
		uint32_t code_point;
		size_t size = utf8_decode(bytes + at, length - at, &code_point);
		if (size == 0 || code_point == 0)
			buf_add_text(out, "\xef\xbf\xbd");
		else if (code_point == '"')
			buf_add_text(out, "\"\"");
		else
			buf_add(out, bytes + at, size);
		at += size > 0 ? size : 1;
	}
	buf_add_text(out, quote);
}

static void add_cell(const struct table_cell *cell, enum table_kind kind, struct buf *out)
{
	char text[NUMBER_SIZE];
	switch (kind) {
	case TABLE_TEXT: add_text(cell->value.text.bytes, cell->value.text.length, out); return;
	case TABLE_INT: buf_printf(out, "%" PRId64, cell->value.integer); return;
	case TABLE_BOOL: buf_add_text(out, cell->value.truth ? "true" : "false"); return;
	case TABLE_FLOAT: number_exact(text, cell->value.number); break;
	case TABLE_DOUBLE: number_exact_double(text, cell->value.real); break;
	case TABLE_BITS: number_bits(text, cell->value.bits); break;
	}
	buf_add_text(out, text);
}

bool export_csv_table(const struct table *table, const struct export_options *options, struct buf *out, struct err *err)
{
	(void)options;
	if (table->omitted > 0)
		return err_usage(err, NULL,
			_("this table leaves out %lld rows, which CSV cannot say; export all of it"),
			(long long)table->omitted);
	for (int i = 0; i < table->column_count; i++) {
		const char *key = table->columns[i].key;
		buf_add_text(out, i > 0 ? "," : "");
		add_text(key, strlen(key), out);
	}
	buf_add_text(out, "\r\n");
	for (size_t row = 0; row < table->row_count; row++) {
		for (int i = 0; i < table->column_count; i++) {
			const struct table_cell *cell = table_cell(table, row, i);
			buf_add_text(out, i > 0 ? "," : "");
			if (cell->is_set)
				add_cell(cell, table->columns[i].kind, out);
		}
		buf_add_text(out, "\r\n");
	}
	return true;
}
