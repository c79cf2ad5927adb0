/*
 * writers.h: the writers behind the list of formats in export.c, one file each. All append to `out`, get options
 * that are never NULL, and own nothing afterwards; see export.h for what they promise. Only export.c and the
 * writers themselves include this.
 */
#ifndef EXPORT_WRITERS_H
#define EXPORT_WRITERS_H

#include "export/export.h"

bool export_csv_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err);
bool export_json_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err);
bool export_markdown_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err);
bool export_markdown_grid(const struct grid *grid, const struct export_options *options, struct buf *out,
	struct err *err);
bool export_latex_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err);
bool export_text_table(const struct table *table, const struct export_options *options, struct buf *out,
	struct err *err);
bool export_text_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err);
bool export_svg_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err);
bool export_pdf_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err);
bool export_png_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err);

#endif
