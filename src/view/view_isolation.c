#include <inttypes.h>
#include <string.h>

#include "analysis/isolation.h"
#include "base/i18n.h"
#include "draw/table_grid.h"
#include "view/plane.h"
#include "view/view.h"

static const char *proof_says(enum proof proof)
{
	static const char *const says[PROOF_COUNT] = {
		N_("no operation's inputs lead from one row to another"),
		N_("every row run by itself gives the same bits"),
		N_("with its neighbours scrambled, every row gives the same bits"),
		N_("the batch run again gives the same bits"),
	};
	return _(says[proof]);
}

static int draw_proof(const struct isolation *result, struct grid *grid, int y, enum proof proof)
{
	const struct isolation_proof *it = &result->proofs[proof];
	grid_text(grid, grid_at(0, y, 10), style_of(STYLE_LABEL), proof_name(proof));
	grid_text(grid, grid_at(11, y, 5), style_of(it->ok ? STYLE_GOOD : STYLE_BAD), it->ok ? _("ok") : _("LEAK"));
	grid_text(grid, grid_at(17, y, GRID_REST), style_of(STYLE_NORMAL), proof_says(proof));
	grid_printf(grid, grid_at(17, y + 1, GRID_REST), style_of(STYLE_DIM),
		_("%" PRId64 " runs, %" PRId64 " tensors, %" PRId64 " numbers, %" PRId64 " differ"), it->runs,
		it->tensors, it->values, it->bad);
	return y + 2;
}

static int draw_audit(const struct isolation *result, struct grid *grid, int y)
{
	const struct isolation_audit *audit = &result->audit;
	grid_text(grid, grid_at(0, y, 10), style_of(STYLE_LABEL), "audit");
	grid_text(
		grid, grid_at(11, y, 5), style_of(audit->ok ? STYLE_GOOD : STYLE_BAD), audit->ok ? _("ok") : _("BAD"));
	grid_printf(grid, grid_at(17, y, GRID_REST), style_of(STYLE_NORMAL),
		_("%" PRId64 " cells explained and recomputed, %" PRId64 " differ"), audit->cells, audit->bad);
	return y + 1;
}

static const char *from_text(const struct scene *scene, const struct leak *leak)
{
	if (leak->from >= 0)
		return scene_row_id(scene, leak->from);
	return leak->from == LEAK_FROM_PADDING ? _("padding") : _("unknown");
}

static int draw_leak(const struct scene *scene, struct grid *grid, int y, const struct leak *leak)
{
	struct buf text = BUF_INIT;
	buf_printf(&text, _("First leak: pass %" PRId64 ", %s, row %s, position %" PRId64 ", element ["), leak->pass,
		trace_value(scene->trace, leak->value)->name, scene_row_id(scene, leak->request), leak->position);
	for (int i = 0; i < leak->rank; i++)
		buf_printf(&text, "%s%" PRId64, i > 0 ? "," : "", leak->index[i]);
	buf_printf(&text, _("], from %s (%s)."), from_text(scene, leak), proof_name(leak->proof));
	struct grid box = grid_sub(grid, 0, y, grid->width, grid->height);
	y += scene_draw_text(&box, 0, style_of(STYLE_BAD), buf_text(&text));
	buf_free(&text);
	return y;
}

#define MATRIX_COLUMNS 4

/* Rows × rows: 1 where the numbers of the row on the left can reach the row above. */
static void draw_matrix(const struct scene *scene, const struct isolation *result, struct grid *grid, int y)
{
	grid_text(grid, grid_at(0, y, GRID_REST), style_of(STYLE_LABEL),
		_("who can reach whom (down: from, across: to), by every operation of every pass:"));
	int room = (grid->width - 6) / MATRIX_COLUMNS;
	for (int32_t from = 0; from < result->requests && y + 2 + from < grid->height; from++) {
		const char *id = scene_row_id(scene, from);
		int used = grid_text(grid, grid_at(0, y + 2 + from, 1), scene_lane(scene, from), style_lane_mark(from));
		grid_foreign(grid, grid_at(used, y + 2 + from, 4), scene_lane(scene, from), id, strlen(id));
		for (int32_t to = 0; to < result->requests && to < room; to++) {
			struct grid_span at = grid_at(6 + to * MATRIX_COLUMNS, y + 1, MATRIX_COLUMNS - 1);
			if (from == 0)
				grid_foreign(grid, at, scene_lane(scene, to), scene_row_id(scene, to),
					strlen(scene_row_id(scene, to)));
			bool reaches = result->between[from * result->requests + to] != 0;
			at.y = y + 2 + from;
			struct style style =
				from == to ? scene_lane(scene, from) : style_of(reaches ? STYLE_BAD : STYLE_DIM);
			grid_text(grid, at, style, reaches ? "1" : "·");
		}
	}
}

bool view_isolation_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	const struct isolation *result = scene->isolation;
	(void)err;
	if (result == NULL) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Not checked yet. Press i (or type  :verify  ) to run the three proofs: structure, every row "
			  "alone, "
			  "neighbours scrambled."));
		return true;
	}
	grid_text(grid, grid_at(0, 0, GRID_REST),
		style_with(style_of(result->ok ? STYLE_GOOD : STYLE_BAD), STYLE_STRONG),
		result->ok ? _("Isolated: every row is the same, bit for bit, with and without its neighbours.")
			   : _("NOT isolated."));
	int y = 2;
	for (int i = 0; i < PROOF_COUNT; i++)
		y = draw_proof(result, grid, y, (enum proof)i);
	y = draw_audit(result, grid, y) + 1;
	if (result->first.found)
		y = draw_leak(scene, grid, y, &result->first) + 1;
	draw_matrix(scene, result, grid, y);
	return true;
}

bool view_isolation_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	const struct isolation *it = scene->isolation;
	struct table *table = *result = table_new(arena, "isolation");
	(void)err;
	table_add_column(table, "tensor", TABLE_TEXT);
	for (int i = 0; i < PROOF_COUNT; i++)
		table_add_column(table, proof_name((enum proof)i), TABLE_INT);
	int differing = table_add_column(table, "differing", TABLE_INT);
	table_set_caption(table, _("numbers compared, over all passes; differing: over all proofs"));
	for (int v = 0; it != NULL && v < it->value_count; v++) {
		int64_t values = 0, bad = 0;
		for (int i = 0; i < PROOF_COUNT; i++) {
			values += it->proofs[i].counts[v].values;
			bad += it->proofs[i].counts[v].bad;
		}
		if (values == 0)
			continue;
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, 0, trace_value(scene->trace, v)->name);
		for (int i = 0; i < PROOF_COUNT; i++)
			table_set_int(table, row, 1 + i, it->proofs[i].counts[v].values);
		table_set_int(table, row, differing, bad);
		table_set_style(table, row, differing, style_of(bad == 0 ? STYLE_GOOD : STYLE_BAD));
	}
	return true;
}
