/*
 * export.h: what is on the screen, written to a file for somebody else's program.
 *
 * One list of formats; each takes a table, a grid, or both. A table that goes to a format of grids is laid out
 * first (table_grid.h), so `export table -o figure.svg` works. Every writer escapes for its own format: nothing
 * foreign can become markup, a formula, a script or a terminal sequence. Output is built in memory and saved
 * whole or not at all.
 *
 *     const struct export_format *format;
 *     struct buf out = BUF_INIT;
 *     bool ok = export_choose(&format, NULL, "probs.csv", err) &&
 *               export_table(format, table, NULL, &out, err) &&
 *               export_save("probs.csv", &out, false, err);
 *     buf_free(&out);
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "draw/grid.h"
#include "draw/table.h"
#include "draw/theme.h"

struct export_options {
	const struct theme *theme; /* NULL: "light" */
	enum theme_depth depth;    /* colours of text: THEME_MONO (the default) gives plain text without escapes */
	double scale;              /* size of figures: pixels per column of text; 0: 10 */
	const char *title; /* of a figure, for those who cannot see it; NULL: none. Foreign bytes are made visible */
};

struct export_format {
	const char *name;    /* for --format: "csv" */
	const char *endings; /* of file names, separated by spaces: "md markdown" */
	const char *about;   /* one line for the list of formats, translatable */
	/* Append to `out`; NULL when the format does not take that form. Options are never NULL here. */
	bool (*table)(const struct table *table, const struct export_options *options, struct buf *out,
		struct err *err);
	bool (*grid)(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err);
};

/* All formats in order, NULL after the last. */
const struct export_format *export_at(size_t index);
/* By name, or by the ending of a file name (case does not matter); NULL when there is none. */
const struct export_format *export_find(const char *name);
const struct export_format *export_find_for(const char *path);
/* The format `name`, or when that is NULL the one of `path`'s ending. Usage error that lists the formats. */
bool export_choose(const struct export_format **format, const char *name, const char *path, struct err *err);

/* Appends the table or grid to `out` in that format. `options` may be NULL. Usage error when the format does not
 * take it; system error when a library refuses. On failure `out` is as before. */
bool export_table(const struct export_format *format, const struct table *table, const struct export_options *options,
	struct buf *out, struct err *err);
bool export_grid(const struct export_format *format, const struct grid *grid, const struct export_options *options,
	struct buf *out, struct err *err);

/* Writes the file whole or not at all; replaces an existing one only when `replace` (usage error else). */
bool export_save(const char *path, const struct buf *out, bool replace, struct err *err);

#endif
