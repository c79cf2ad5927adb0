#include "export/export.h"

#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/i18n.h"
#include "draw/table_grid.h"
#include "export/writers.h"

static const struct export_format formats[] = {
	{"text", "txt text", N_("aligned columns, or the screen as it is"), export_text_table, export_text_grid},
	{"csv", "csv", N_("comma-separated values, for spreadsheets and pandas"), export_csv_table, NULL},
	{"json", "json", N_("typed columns and exact values"), export_json_table, NULL},
	{"markdown", "md markdown", N_("a Markdown table, or the screen as a code block"), export_markdown_table,
		export_markdown_grid},
	{"latex", "tex", N_("a tabular for LaTeX"), export_latex_table, NULL},
	{"svg", "svg", N_("vector graphics for slides, text as outlines"), NULL, export_svg_grid},
	{"pdf", "pdf", N_("a page of vector graphics, for LaTeX and Keynote"), NULL, export_pdf_grid},
	{"png", "png", N_("a picture, for every slide program"), NULL, export_png_grid},
};

const struct export_format *export_at(size_t index)
{
	return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

const struct export_format *export_find(const char *name)
{
	const struct export_format *format;
	for (size_t i = 0; (format = export_at(i)) != NULL; i++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

/* Whether `ending` is one word of `endings`. */
static bool has_ending(const char *endings, const char *ending)
{
	size_t length = strlen(ending);
	while (*endings != '\0') {
		size_t word = strcspn(endings, " ");
		if (word == length && strncasecmp(endings, ending, length) == 0)
			return true;
		endings += word;
		endings += strspn(endings, " ");
	}
	return false;
}

const struct export_format *export_find_for(const char *path)
{
	const struct export_format *format;
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash != NULL ? slash : path, '.');
	if (dot == NULL)
		return NULL;
	for (size_t i = 0; (format = export_at(i)) != NULL; i++)
		if (has_ending(format->endings, dot + 1))
			return format;
	return NULL;
}

static void list_names(struct buf *names)
{
	const struct export_format *format;
	for (size_t i = 0; (format = export_at(i)) != NULL; i++)
		buf_printf(names, "%s%s", i > 0 ? ", " : "", format->name);
}

bool export_choose(const struct export_format **format, const char *name, const char *path, struct err *err)
{
	*format = name != NULL ? export_find(name) : export_find_for(path);
	if (*format != NULL)
		return true;
	struct buf names = BUF_INIT;
	list_names(&names);
	if (name != NULL)
		err_usage(err, "--format", _("there is no export format \"%s\"; choose one of %s"), name,
			buf_text(&names));
	else
		err_usage(err, path, _("the ending of this file name is no export format; name one with --format: %s"),
			buf_text(&names));
	buf_free(&names);
	return false;
}

static struct export_options filled(const struct export_options *options)
{
	struct export_options full = options != NULL ? *options : (struct export_options){0};
	if (full.theme == NULL)
		full.theme = theme_find("light");
	if (!(full.scale > 0))
		full.scale = 10;
	return full;
}

/* Takes back what a writer has added before it failed. */
static bool settle(bool ok, struct buf *out, size_t before)
{
	if (!ok && out->length > before) {
		out->length = before;
		out->data[before] = '\0';
	}
	return ok;
}

bool export_grid(const struct export_format *format, const struct grid *grid, const struct export_options *options,
	struct buf *out, struct err *err)
{
	struct export_options full = filled(options);
	size_t before = out->length;
	if (format->grid == NULL)
		return err_usage(err, "--format",
			_("%s holds tables, not pictures of a screen; choose text, markdown or svg"), format->name);
	return settle(format->grid(grid, &full, out, err), out, before);
}

bool export_table(const struct export_format *format, const struct table *table, const struct export_options *options,
	struct buf *out, struct err *err)
{
	struct export_options full = filled(options);
	size_t before = out->length;
	if (format->table != NULL)
		return settle(format->table(table, &full, out, err), out, before);
	struct arena arena = ARENA_INIT;
	struct table_layout layout = table_measure(table, 0, &arena);
	struct grid grid = table_grid(table, &layout, 0, table->row_count, &arena);
	if (full.title == NULL)
		full.title = table->title;
	bool ok = format->grid(&grid, &full, out, err);
	arena_free(&arena);
	return settle(ok, out, before);
}

bool export_save(const char *path, const struct buf *out, bool replace, struct err *err)
{
	return file_save(path, buf_text(out), out->length, replace, err);
}
