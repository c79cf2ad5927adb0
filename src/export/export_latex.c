#include "export/writers.h"

#include <string.h>

#include "draw/show.h"
#include "draw/table_grid.h"

/*
 * A `tabular` of LaTeX, to be \input anywhere; needs no package. Every character that TeX gives a meaning is
 * written as the command that prints it (Lamport, LaTeX, 2nd ed., section 3.2). Chinese needs a document that has a font for
 * it, as with ctex or xeCJK.
 */
static const char *command_for(char c)
{
	switch (c) {
	case '\\': return "\\textbackslash{}";
	case '~': return "\\textasciitilde{}";
	case '^': return "\\textasciicircum{}";
	case '<': return "\\textless{}";
	case '>': return "\\textgreater{}";
	case '|': return "\\textbar{}";
	case '"': return "{\\char34}"; /* \textquotedbl is not in every encoding */
	case '{': return "\\{";
	case '}': return "\\}";
	case '#': return "\\#";
	case '$': return "\\$";
	case '%': return "\\%";
	case '&': return "\\&";
	case '_': return "\\_";
	default: return NULL;
	}
}

/* Characters that fonts join into another one: two hyphens into a dash, ?` into an inverted question mark. */
static bool joins(char c, char next)
{
	return (c == '-' && next == '-') || (c == '\'' && next == '\'') || (c == '`' && next == '`') ||
		(c == ',' && next == ',') || ((c == '?' || c == '!') && next == '`');
}

static void escape(const char *shown, struct buf *out)
{
	size_t length = strlen(shown);
	for (size_t i = 0; i < length; i++) {
		const char *command = command_for(shown[i]);
		bool is_edge = i == 0 || i + 1 == length || shown[i + 1] == ' ';
		if (command != NULL)
			buf_add_text(out, command);
		else if (shown[i] == ' ' && is_edge)
			buf_add_text(out, "\\ "); /* TeX drops spaces at the edges of a cell, and repeated ones */
		else if ((shown[i] == '[' || shown[i] == '*') && i == 0)
			buf_printf(out, "{%c}", shown[i]); /* after the \\ of the line before: not its argument */
		else
			buf_add_char(out, shown[i]);
		if (joins(shown[i], shown[i + 1]))
			buf_add_text(out, "{}");
	}
}

static void add_note(const char *text, struct buf *out)
{
	struct buf shown = BUF_INIT;
	if (text[0] != '\0') {
		show_text(&shown, text);
		buf_add_text(out, "% ");
		buf_add_text(out, buf_text(&shown)); /* one line without newlines: all of it a comment */
		buf_add_char(out, '\n');
	}
	buf_free(&shown);
}

static void add_line(const struct table *table, size_t row, bool is_head, struct buf *out)
{
	struct buf shown = BUF_INIT;
	for (int i = 0; i < table->column_count; i++) {
		buf_clear(&shown);
		if (is_head)
			table_show_head(&table->columns[i], &shown);
		else
			table_show(table, row, i, &shown);
		const char *text = buf_text(&shown);
		bool is_negative = !is_head && table->columns[i].kind != TABLE_TEXT && text[0] == '-';
		buf_add_text(out, i > 0 ? " & " : "  ");
		if (is_negative)
			buf_add_text(out, "$-$"); /* a minus, not a hyphen */
		escape(text + is_negative, out);
	}
	buf_add_text(out, " \\\\\n");
	buf_free(&shown);
}

bool export_latex_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err)
{
	(void)options;
	(void)err;
	add_note(table->title, out);
	add_note(table->caption, out);
	buf_add_text(out, "\\begin{tabular}{");
	for (int i = 0; i < table->column_count; i++)
		buf_add_char(out, table_is_right(&table->columns[i]) ? 'r' : 'l');
	buf_add_text(out, table->column_count == 0 ? "l}\n" : "}\n");
	if (table->column_count > 0) {
		add_line(table, 0, true, out);
		buf_add_text(out, "  \\hline\n");
	}
	for (size_t row = 0; row < table->row_count && table->column_count > 0; row++)
		add_line(table, row, false, out);
	if (table->omitted > 0) {
		buf_printf(out, "  \\multicolumn{%d}{l}{", table->column_count > 0 ? table->column_count : 1);
		table_show_omitted(table->omitted, out);
		buf_add_text(out, "} \\\\\n");
	}
	buf_add_text(out, "\\end{tabular}\n");
	return true;
}
