#include <inttypes.h>
#include <string.h>

#include "analysis/explainer.h"
#include "base/i18n.h"
#include "view/list.h"
#include "view/plane.h"
#include "view/view.h"

#define FORMULA_LINES 4
#define BAR_COLUMNS 10

/* Within a layer its number need not be said again. */
static const char *short_name(const char *cell, const char *name)
{
	size_t prefix = (size_t)(list_short_name(cell) - cell);
	return prefix > 0 && strncmp(cell, name, prefix) == 0 ? name + prefix : name;
}

/* The place of an input as selectors write it; of another pass, with the pass. */
static void add_place(const struct scene *scene, const struct explained *cell, const struct explain_term *term,
	struct buf *out)
{
	if (term->pass >= 0 && term->pass != cell->pass)
		buf_printf(out, "pass=%" PRId64 " ", term->pass);
	buf_add_text(out, short_name(cell->name, term->name));
	int value = term->pass >= 0 ? trace_find_value(scene->trace, term->name) : -1;
	if (value >= 0 && term->pass < trace_pass_count(scene->trace)) {
		plane_index_text(scene, term->pass, trace_value(scene->trace, value)->axes, term->rank, term->index,
			out);
		return;
	}
	for (int i = 0; i < term->rank; i++)
		buf_printf(out, "%s%" PRId64, i > 0 ? "," : "[", term->index[i]);
	buf_add_text(out, term->rank > 0 ? "]" : "");
}

static bool explain_here(const struct scene *scene, struct explained *cell, struct arena *arena, struct err *err)
{
	*cell = (struct explained){.pass = scene->pass, .name = scene_value(scene)->name};
	memcpy(cell->index, scene->index, sizeof cell->index);
	return explainer_cell(scene->explainer, cell, arena, err);
}

/* What belongs to no row looks different from what does. */
static struct style term_style(const struct scene *scene, const struct explain_term *term)
{
	int value = term->pass >= 0 ? trace_find_value(scene->trace, term->name) : -1;
	if (value < 0)
		return style_of(STYLE_WEIGHT);
	int64_t line = scene_line(scene, term->pass, trace_value(scene->trace, value)->axes, term->index);
	if (line < 0)
		return style_of(STYLE_NORMAL);
	return scene_lane(scene, trace_pass(scene->trace, term->pass)->layout.rows[line]);
}

static void draw_share(struct grid *grid, int x, int y, struct style style, double share)
{
	int length = (int)(share * BAR_COLUMNS + 0.5);
	grid_printf(grid, grid_at(x, y, 6), style_of(STYLE_NORMAL), "%5.1f%%", 100 * share);
	for (int i = 0; i < length; i++)
		grid_text(grid, grid_at(x + 7 + i, y, 1), style, "█");
}

static void draw_term(const struct scene *scene, const struct explained *cell, struct grid *grid, int y, int64_t i)
{
	const struct explained_term *term = &cell->terms[i];
	struct style style = term_style(scene, &term->term);
	struct buf place = BUF_INIT;
	bool is_wide = grid->width >= 70, has_bar = grid->width >= 60;
	int numbers = is_wide ? 31 : 11, share = has_bar ? 18 : 7;
	int room = grid->width - 2 - numbers - share;
	int x = 2 + room;
	add_place(scene, cell, &term->term, &place);
	if (i == scene->scroll)
		grid_text(grid, grid_at(0, y, 1), style_of(STYLE_KEY), ">");
	grid_foreign(grid, grid_at(2, y, room - 1), style, place.data, place.length);
	if (is_wide) {
		grid_number(grid, grid_at(x, y, 9), style_of(STYLE_NORMAL), term->term.value, scene->decimals);
		grid_number(grid, grid_at(x + 10, y, 9), style_of(STYLE_WEIGHT), term->term.weight, scene->decimals);
		x += 20;
	}
	grid_number(grid, grid_at(x, y, 10), style_of(STYLE_NORMAL), term->term.term, scene->decimals);
	x += 11;
	if (has_bar)
		draw_share(grid, x, y, style, term->share);
	else
		grid_printf(grid, grid_at(x, y, 7), style_of(STYLE_NORMAL), "%5.1f%%", 100 * term->share);
	if (i == scene->scroll && scene->focus == SCENE_MAIN)
		grid_flag(grid, grid_at(0, y, GRID_REST), STYLE_SELECTED);
	buf_free(&place);
}

static void draw_term_heads(struct grid *grid, int y)
{
	struct style label = style_of(STYLE_LABEL);
	bool is_wide = grid->width >= 70, has_bar = grid->width >= 60;
	int x = grid->width - (is_wide ? 31 : 11) - (has_bar ? 18 : 7);
	grid_text(grid, grid_at(2, y, x - 3), label, _("input"));
	if (is_wide) {
		grid_text_right(grid, grid_at(x, y, 9), label, _("value"));
		grid_text_right(grid, grid_at(x + 10, y, 9), label, _("times"));
		x += 20;
	}
	grid_text_right(grid, grid_at(x, y, 10), label, _("term"));
	grid_text_right(grid, grid_at(x + 11, y, 6), label, _("share"));
}

/* The verdict in words and in bits. */
static void draw_verdict(const struct explained *cell, struct grid *grid, int y)
{
	if (cell->same)
		grid_printf(grid, grid_at(0, y, GRID_REST), style_of(STYLE_GOOD),
			_("recomputed 0x%08" PRIx32 ": the same bits"), cell->recomputed_bits);
	else
		grid_printf(grid, grid_at(0, y, GRID_REST), style_of(STYLE_BAD),
			_("recomputed 0x%08" PRIx32 ", recorded 0x%08" PRIx32 ": DIFFERENT"), cell->recomputed_bits,
			cell->bits);
}

static int draw_formula(const struct explained *cell, struct grid *grid, int y)
{
	struct grid box = grid_sub(grid, 0, y, grid->width, FORMULA_LINES);
	grid_printf(grid, grid_at(0, y - 1, GRID_REST), style_of(STYLE_DIM), "%s", cell->formula_text);
	return y + scene_draw_text(&box, 0, style_with(style_of(STYLE_NORMAL), STYLE_STRONG), cell->formula);
}

static void draw_explained(const struct scene *scene, const struct explained *cell, struct grid *grid)
{
	struct buf place = BUF_INIT;
	plane_index_text(scene, scene->pass, scene_value(scene)->axes, cell->rank, scene->index, &place);
	grid_foreign(grid, grid_at(0, 0, GRID_REST), style_of(STYLE_TITLE), cell->name, strlen(cell->name));
	grid_foreign(grid, grid_at(0, 1, GRID_REST), style_of(STYLE_LABEL), place.data, place.length);
	buf_free(&place);
	int y = draw_formula(cell, grid, 3);
	draw_verdict(cell, grid, y++);
	if (cell->term_count == 0)
		return;
	draw_term_heads(grid, ++y);
	int room = grid->height - ++y;
	int64_t at = scene->scroll < cell->term_count ? scene->scroll : cell->term_count - 1;
	int64_t first = room > 1 && at >= room - 1 ? at - room + 2 : 0;
	for (int64_t i = first; i < cell->term_count && y < grid->height; i++)
		draw_term(scene, cell, grid, y++, i);
	if (first + room < cell->term_count && room > 1) {
		struct grid last = grid_sub(grid, 0, grid->height - 1, grid->width, 1);
		grid_fill(&last, style_of(STYLE_NORMAL));
		grid_printf(&last, grid_at(2, 0, GRID_REST), style_of(STYLE_DIM), _("… %" PRId64 " more inputs"),
			cell->term_count - first - room + 1);
	}
}

bool view_explain_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	if (!scene_has_pass(scene) || scene->explainer == NULL) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			!scene_has_pass(scene)
				? _("Nothing is open, so there is no cell to explain. Type  :open three-requests  .")
				: _("Explaining needs the model's weights, which a trace does not hold: open it with "
				    "rowscope view TRACE --model FOLDER, or type  :explain  to try."));
		return true;
	}
	if (scene->is_hidden) {
		view_draw_notice(grid, style_of(STYLE_HIDDEN), _("Hidden: predict first. g shows it."));
		return true;
	}
	struct arena arena = ARENA_INIT;
	struct explained cell;
	bool ok = explain_here(scene, &cell, &arena, err);
	if (ok)
		draw_explained(scene, &cell, grid);
	arena_free(&arena);
	return ok;
}

bool view_explain_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	struct explained cell;
	struct table *table = *result = table_new(arena, "inputs");
	table_add_column(table, "input", TABLE_TEXT);
	table_add_column(table, "value", TABLE_DOUBLE);
	table_add_column(table, "weight", TABLE_DOUBLE);
	table_add_column(table, "term", TABLE_DOUBLE);
	table_add_column(table, "share", TABLE_DOUBLE);
	if (!scene_has_pass(scene) || scene->explainer == NULL)
		return true;
	if (!explain_here(scene, &cell, arena, err))
		return false;
	table_set_title(table, cell.formula);
	struct buf place = BUF_INIT;
	for (int64_t i = 0; i < cell.term_count; i++) {
		size_t row = table_add_row(table, STYLE_NO_LANE);
		buf_clear(&place);
		add_place(scene, &cell, &cell.terms[i].term, &place);
		table_set_string(table, row, 0, buf_text(&place));
		table_set_double(table, row, 1, cell.terms[i].term.value);
		table_set_double(table, row, 2, cell.terms[i].term.weight);
		table_set_double(table, row, 3, cell.terms[i].term.term);
		table_set_double(table, row, 4, cell.terms[i].share);
	}
	buf_free(&place);
	return true;
}
