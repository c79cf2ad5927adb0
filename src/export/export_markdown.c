#include "export/writers.h"

#include <string.h>

#include "draw/show.h"
#include "draw/table_grid.h"

/*
 * GitHub's tables. A text is made visible first (no newlines are left), then every character that Markdown, HTML
 * or GitHub could read as markup is escaped: no emphasis, code, link, mention, mathematics or tag comes out.
 */
static bool is_markup(const char *shown, size_t at)
{
	char c = shown[at];
	char next = shown[at + 1];
	bool is_joined = (next >= '0' && next <= '9') || (next >= 'A' && next <= 'z') || next == '/';
	if (strchr("\\`*_[]{}|~$", c) != NULL)
		return true;
	if (c == '#') /* a heading, or the number of an issue */
		return at == 0 || is_joined;
	if (c == '.' || c == ')') /* www.example.org, or 1. of a list */
		return is_joined || (at > 0 && shown[at - 1] >= '0' && shown[at - 1] <= '9');
	return at == 0 && strchr("+-=", c) != NULL; /* lists, lines below headings */
}

static void escape(const char *shown, struct buf *out)
{
	size_t length = strlen(shown);
	for (size_t i = 0; i < length; i++) {
		char c = shown[i];
		if (c == '<')
			buf_add_text(out, "&lt;");
		else if (c == '>')
			buf_add_text(out, "&gt;");
		else if (c == '&')
			buf_add_text(out, "&amp;");
		else if (c == ' ' && (i == 0 || i + 1 == length))
			buf_add_text(out, "&nbsp;"); /* " the" and "the" are different tokens */
		else if (c == '@' || (c == ':' && shown[i + 1] != ' ' && shown[i + 1] != '\0'))
			buf_printf(out, "&#%d;", c); /* mentions, links, :emoji: */
		else if (is_markup(shown, i))
			buf_printf(out, "\\%c", c);
		else
			buf_add_char(out, c);
	}
}

static void add_foreign(const char *text, struct buf *out)
{
	struct buf shown = BUF_INIT;
	show_text(&shown, text);
	escape(buf_text(&shown), out);
	buf_free(&shown);
}

static void add_head(const struct table *table, struct buf *out)
{
	struct buf shown = BUF_INIT;
	for (int i = 0; i < table->column_count; i++) {
		buf_clear(&shown);
		table_show_head(&table->columns[i], &shown);
		buf_add_text(out, "| ");
		escape(buf_text(&shown), out);
		buf_add_char(out, ' ');
	}
	buf_add_text(out, "|\n");
	for (int i = 0; i < table->column_count; i++)
		buf_add_text(out, table_is_right(&table->columns[i]) ? "| ---: " : "| :--- ");
	buf_add_text(out, "|\n");
	buf_free(&shown);
}

/* Numbers hold no markup, and read better without escapes. */
static void add_cell(const struct table *table, size_t row, int column, struct buf *out)
{
	struct buf shown = BUF_INIT;
	table_show(table, row, column, &shown);
	if (table->columns[column].kind == TABLE_TEXT)
		escape(buf_text(&shown), out);
	else
		buf_add_text(out, buf_text(&shown));
	buf_free(&shown);
}

bool export_markdown_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err)
{
	(void)options;
	(void)err;
	if (table->title[0] != '\0') {
		buf_add_text(out, "**");
		add_foreign(table->title, out);
		buf_add_text(out, "**\n\n");
	}
	if (table->column_count > 0)
		add_head(table, out);
	for (size_t row = 0; row < table->row_count; row++) {
		for (int i = 0; i < table->column_count; i++) {
			buf_add_text(out, "| ");
			add_cell(table, row, i, out);
			buf_add_char(out, ' ');
		}
		buf_add_text(out, "|\n");
	}
	if (table->omitted > 0) {
		buf_add_char(out, '\n');
		table_show_omitted(table->omitted, out);
		buf_add_char(out, '\n');
	}
	if (table->caption[0] != '\0') {
		buf_add_char(out, '\n');
		add_foreign(table->caption, out);
		buf_add_char(out, '\n');
	}
	return true;
}

/* A fence longer than any run of backticks inside. */
static size_t fence_length(const char *text)
{
	size_t longest = 2;
	for (size_t run = 0; *text != '\0'; text++) {
		run = *text == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest + 1;
}

bool export_markdown_grid(const struct grid *grid, const struct export_options *options, struct buf *out,
	struct err *err)
{
	struct export_options plain = *options;
	plain.depth = THEME_MONO;
	struct buf text = BUF_INIT;
	bool ok = export_text_grid(grid, &plain, &text, err);
	size_t fence = fence_length(buf_text(&text));
	for (size_t i = 0; i < fence; i++)
		buf_add_char(out, '`');
	buf_add_text(out, "text\n");
	buf_add_text(out, buf_text(&text));
	for (size_t i = 0; i < fence; i++)
		buf_add_char(out, '`');
	buf_add_char(out, '\n');
	buf_free(&text);
	return ok;
}
