#include <inttypes.h>
#include <string.h>

#include "analysis/isolation.h"
#include "base/i18n.h"
#include "draw/table_grid.h"
#include "view/plane.h"
#include "view/proofs.h"
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
	grid_printf(grid, grid_at(17, y, GRID_REST), style_of(STYLE_NORMAL), "%s", proof_says(proof));
	struct buf counts = BUF_INIT;
	proofs_counts(it, &counts);
	grid_printf(grid, grid_at(17, y + 1, GRID_REST), style_of(STYLE_DIM), "%s", buf_text(&counts));
	buf_free(&counts);
	return y + 2;
}

static int draw_audit(const struct isolation *result, struct grid *grid, int y)
{
	const struct isolation_audit *audit = &result->audit;
	grid_text(grid, grid_at(0, y, 10), style_of(STYLE_LABEL), "audit");
	grid_text(grid, grid_at(11, y, 5), style_of(audit->ok ? STYLE_GOOD : STYLE_BAD),
		audit->ok ? _("ok") : _("BAD"));
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

static void draw_id(const struct scene *scene, struct grid *grid, struct grid_span at, int32_t request)
{
	const char *id = scene_row_id(scene, request);
	grid_foreign_end(grid, at, scene_lane(scene, request), id, strlen(id));
}

/* Rows × rows, both from the scene's first one on: 1 where the numbers of the row on the left can reach the row above. */
static void draw_matrix(const struct scene *scene, const struct isolation *result, struct grid *page)
{
	struct grid body = view_draw_heading(page, style_of(STYLE_LABEL),
		_("who can reach whom (down: from, across: to), over all operations and passes:"));
	struct grid *grid = &body;
	int32_t count = (int32_t)result->requests, first = (int32_t)view_first(scene);
	int room = (grid->width - 6 - 2) / MATRIX_COLUMNS;
	int32_t end = count - first > room ? first + room : count, from = first;
	for (int32_t to = first; to < end; to++)
		draw_id(scene, grid, grid_at(6 + (to - first) * MATRIX_COLUMNS, 0, MATRIX_COLUMNS - 1), to);
	if (end < count)
		grid_text(grid, grid_at(6 + (end - first) * MATRIX_COLUMNS, 0, 1), style_of(STYLE_DIM), "…");
	for (int y = 1; from < count && y < grid->height; from++, y++) {
		int used = grid_text(grid, grid_at(0, y, 1), scene_lane(scene, from), style_lane_mark(from));
		draw_id(scene, grid, grid_at(used, y, 4), from);
		for (int32_t to = first; to < end; to++) {
			bool reaches = result->between[from * count + to] != 0;
			struct style style =
				from == to ? scene_lane(scene, from) : style_of(reaches ? STYLE_BAD : STYLE_DIM);
			grid_text(grid, grid_at(6 + (to - first) * MATRIX_COLUMNS, y, 1), style, reaches ? "1" : "·");
		}
	}
	view_draw_more(grid, count - from);
}

bool view_isolation_draw(const struct scene *scene, struct grid *page, struct err *err)
{
	const struct isolation *result = scene->isolation;
	(void)err;
	if (result == NULL) {
		view_draw_notice(page, style_of(STYLE_NORMAL),
			_("Not checked yet. Press i (or type  :verify  ) to run the three proofs (structure, every row "
			  "alone, neighbours scrambled), the batch again, and the audit."));
		return true;
	}
	struct grid body =
		view_draw_heading(page, style_with(style_of(result->ok ? STYLE_GOOD : STYLE_BAD), STYLE_STRONG), "%s",
			result->ok ? _("Isolated: every row is the same, bit for bit, with and without its neighbours")
				   : _("NOT isolated"));
	struct grid *grid = &body;
	int y = 1;
	for (int i = 0; i < PROOF_COUNT; i++)
		y = draw_proof(result, grid, y, (enum proof)i);
	y = draw_audit(result, grid, y) + 1;
	if (result->first.found)
		y = draw_leak(scene, grid, y, &result->first) + 1;
	struct grid rest = grid_sub(grid, 0, y, grid->width, grid->height - y);
	draw_matrix(scene, result, &rest);
	return true;
}

bool view_isolation_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	(void)err;
	*result = proofs_table(scene->isolation, scene->trace, arena);
	return true;
}
