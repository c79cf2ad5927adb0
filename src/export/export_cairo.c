#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "draw/show.h"
#include "export/paint.h"
#include "export/writers.h"

/* Google Slides refuses more than 25 megapixels. */
#define PNG_MOST_PIXELS 25000000.0

static cairo_status_t add_bytes(void *closure, const unsigned char *bytes, unsigned length)
{
	buf_add(closure, bytes, length);
	return CAIRO_STATUS_SUCCESS;
}

static bool check(cairo_status_t status, struct err *err)
{
	if (status == CAIRO_STATUS_SUCCESS)
		return true;
	return err_system(err, NULL, 0, _("the figure could not be drawn: %s"), cairo_status_to_string(status));
}

/* Draws on a new surface, which it finishes and destroys. */
static bool draw(const struct paint *paint, cairo_surface_t *surface, const struct grid *grid, struct err *err)
{
	cairo_t *cairo = cairo_create(surface);
	paint_grid(paint, cairo, grid);
	cairo_show_page(cairo);
	cairo_status_t status = cairo_status(cairo);
	cairo_destroy(cairo);
	cairo_surface_finish(surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return check(status, err);
}

static void add_xml(const char *shown, struct buf *out)
{
	for (; *shown != '\0'; shown++) {
		switch (*shown) {
		case '<': buf_add_text(out, "&lt;"); break;
		case '>': buf_add_text(out, "&gt;"); break;
		case '&': buf_add_text(out, "&amp;"); break;
		case '"': buf_add_text(out, "&quot;"); break;
		default: buf_add_char(out, *shown);
		}
	}
}

/* cairo numbers its surfaces over the life of the process; counted from 0 again, the same figure gives the same file. */
static void add_renumbered(const char *svg, size_t length, struct buf *out)
{
	static const char mark[] = "surface";
	const char *end = svg + length;
	long first = -1;
	for (const char *found; (found = strstr(svg, mark)) != NULL;) {
		char *rest;
		found += sizeof mark - 1;
		long number = strtol(found, &rest, 10);
		buf_add(out, svg, (size_t)(found - svg));
		if (rest != found) {
			first = first < 0 ? number : first;
			buf_printf(out, "%ld", number - first);
		}
		svg = rest;
	}
	buf_add(out, svg, (size_t)(end - svg));
}

/* Copies cairo's document with a title as the first element, which screen readers speak. */
static void add_titled(const struct buf *svg, const char *title, struct buf *out)
{
	const char *root = strstr(buf_text(svg), "<svg");
	const char *end = root != NULL ? strchr(root, '>') : NULL;
	if (end == NULL || title == NULL || title[0] == '\0') {
		add_renumbered(buf_text(svg), svg->length, out);
		return;
	}
	size_t head = (size_t)(end + 1 - svg->data);
	struct buf shown = BUF_INIT;
	show_text(&shown, title);
	buf_add(out, svg->data, head);
	buf_add_text(out, "\n<title>");
	add_xml(buf_text(&shown), out);
	buf_add_text(out, "</title>");
	add_renumbered(svg->data + head, svg->length - head, out);
	buf_free(&shown);
}

bool export_svg_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err)
{
	struct paint paint;
	struct buf svg = BUF_INIT;
	if (!paint_init(&paint, options->theme, options->scale, err))
		return false;
	cairo_surface_t *surface = cairo_svg_surface_create_for_stream(add_bytes, &svg, paint_total_width(&paint, grid),
		paint_total_height(&paint, grid));
	cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
	bool ok = draw(&paint, surface, grid, err);
	if (ok)
		add_titled(&svg, options->title, out);
	paint_free(&paint);
	buf_free(&svg);
	return ok;
}

bool export_pdf_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err)
{
	struct paint paint;
	if (!paint_init(&paint, options->theme, options->scale, err))
		return false;
	cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(add_bytes, out, paint_total_width(&paint, grid),
		paint_total_height(&paint, grid));
	/* the same figure gives the same file */
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
	if (options->title != NULL) {
		struct buf shown = BUF_INIT;
		show_text(&shown, options->title);
		cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, buf_text(&shown));
		buf_free(&shown);
	}
	bool ok = draw(&paint, surface, grid, err);
	paint_free(&paint);
	return ok;
}

bool export_png_grid(const struct grid *grid, const struct export_options *options, struct buf *out, struct err *err)
{
	struct paint paint;
	if (!paint_init(&paint, options->theme, options->scale, err))
		return false;
	int width = paint_total_width(&paint, grid);
	int height = paint_total_height(&paint, grid);
	if ((double)width * height > PNG_MOST_PIXELS || width > 32767 || height > 32767) {
		paint_free(&paint);
		return err_usage(err, NULL,
			_("this picture would have %d × %d pixels, more than slides take; export a smaller part, or "
			  "SVG"),
			width, height);
	}
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
	cairo_t *cairo = cairo_create(surface);
	paint_grid(&paint, cairo, grid);
	cairo_status_t status = cairo_status(cairo);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png_stream(surface, add_bytes, out);
	cairo_destroy(cairo);
	cairo_surface_destroy(surface);
	paint_free(&paint);
	return check(status, err);
}
