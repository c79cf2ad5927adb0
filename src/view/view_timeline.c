#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "view/view.h"

#define LABEL_COLUMNS 8
#define PASS_COLUMNS 12

/* Lines of the heads and of one row: closer where that shows more rows. */
struct spacing {
	int head, row;
};

static struct spacing spacing_of(const struct scene *scene, const struct grid *grid)
{
	bool fits = 3 + trace_batch(scene->trace)->count * 3 - 1 <= grid->height;
	return fits ? (struct spacing){3, 3} : (struct spacing){2, 2};
}

enum state { STATE_WAITS, STATE_READS, STATE_DECODES, STATE_IDLE, STATE_FINISHED };

/* What a request does in a pass. */
static enum state state_of(const struct scene *scene, int32_t request, int64_t pass)
{
	const struct pass *layout = &trace_pass(scene->trace, pass)->layout;
	int64_t b = pass_row(layout, request);
	if (b >= 0 && layout->fresh[b] == 0)
		return STATE_FINISHED; /* it stays until the batch ends */
	if (b >= 0)
		return layout->past[b] + layout->fresh[b] > trace_batch(scene->trace)->requests[request].prompt_length
			? STATE_DECODES
			: STATE_READS;
	for (int64_t i = pass - 1; i >= 0; i--) {
		const struct trace_pass *before = trace_pass(scene->trace, i);
		int64_t at = pass_row(&before->layout, request);
		if (at >= 0)
			return before->finished[at] ? STATE_FINISHED : STATE_IDLE;
	}
	return STATE_WAITS;
}

static const char *state_name(enum state state)
{
	static const char *const names[] = {N_("waits"), N_("reads its prompt"), N_("decodes"), N_("idle"),
		N_("finished")};
	return _(names[state]);
}

/* The tokens that go in, and what comes out. */
static void draw_taking_part(const struct scene *scene, struct grid *cell, int32_t request, int64_t pass)
{
	const struct trace_pass *it = trace_pass(scene->trace, pass);
	int64_t b = pass_row(&it->layout, request);
	struct style style = scene_lane(scene, request);
	struct buf text = BUF_INIT;
	for (int64_t i = 0; i < it->layout.fresh[b]; i++)
		scene_append_token(scene, it->layout.tokens[it->layout.first[b] + i], &text);
	grid_foreign(cell, grid_at(0, 0, cell->width - 1), style, buf_text(&text), text.length);
	buf_free(&text);
	if (it->next[b] < 0) {
		grid_text(cell, grid_at(0, 1, cell->width - 1), style_of(STYLE_DIM), _("(more)"));
		return;
	}
	grid_text(cell, grid_at(0, 1, 2), style_of(STYLE_DIM), "->");
	struct style out = style_with(style, STYLE_STRONG);
	if (scene->is_hidden && pass == scene->pass)
		grid_text(cell, grid_at(3, 1, cell->width - 4), style_of(STYLE_HIDDEN), "▒▒▒▒");
	else
		scene_draw_token(scene, cell, grid_at(3, 1, cell->width - 4), out, it->next[b]);
}

/* How many places there are, all taken, when the request has arrived and found none; 0 otherwise. */
static int64_t waits_for(const struct scene *scene, int32_t request, int64_t pass)
{
	const struct trace_pass *it = trace_pass(scene->trace, pass);
	for (int i = 0; i < it->event_count; i++) {
		if (it->events[i].kind == TRACE_WAITS && it->events[i].request == request)
			return it->events[i].lanes;
	}
	return 0;
}

static void draw_cell(const struct scene *scene, struct grid *cell, int32_t request, int64_t pass)
{
	enum state state = state_of(scene, request, pass);
	if (state == STATE_READS || state == STATE_DECODES)
		draw_taking_part(scene, cell, request, pass);
	else if (state == STATE_WAITS && waits_for(scene, request, pass) > 0)
		grid_printf(cell, grid_at(0, 0, cell->width - 1), style_of(STYLE_DIM), _("waits %lld/%lld"),
			(long long)waits_for(scene, request, pass), (long long)waits_for(scene, request, pass));
	else if (state == STATE_FINISHED)
		grid_text(cell, grid_at(0, 0, cell->width - 1), style_of(STYLE_DIM), _("FINISHED"));
	else
		grid_text(cell, grid_at(0, 0, cell->width - 1), style_of(STYLE_DIM), state_name(state));
}

static void draw_head(const struct scene *scene, struct grid *grid, int x, int64_t pass)
{
	const struct pass *layout = &trace_pass(scene->trace, pass)->layout;
	bool is_here = pass == scene->pass;
	grid_printf(grid, grid_at(x, 0, PASS_COLUMNS - 1), style_of(is_here ? STYLE_TITLE : STYLE_LABEL),
		_("pass %lld"), (long long)pass);
	grid_text(grid, grid_at(x, 1, PASS_COLUMNS - 1), style_of(STYLE_LABEL), pass_kind_name(layout->kind));
	if (is_here)
		grid_flag(grid, grid_at(x, 0, PASS_COLUMNS - 1), STYLE_CURSOR);
	struct grid_span size = grid_at(x + 8, 1, PASS_COLUMNS - 9);
	if (layout->layout == LAYOUT_PACKED)
		grid_printf(grid, size, style_of(STYLE_DIM), "%lld", (long long)layout->cells);
	else
		grid_printf(grid, size, style_of(STYLE_DIM), "%lldx%lld", (long long)layout->B, (long long)layout->S);
}

/* The passes of the page on which the current one is, and whether another can be run. */
static void draw_passes(const struct scene *scene, struct grid *grid)
{
	int64_t count = trace_pass_count(scene->trace);
	int room = (grid->width - LABEL_COLUMNS) / PASS_COLUMNS;
	room = room < 1 ? 1 : room;
	int64_t first = scene->pass / room * room;
	struct spacing spacing = spacing_of(scene, grid);
	int64_t rows = trace_batch(scene->trace)->count;
	for (int i = 0; i < room && first + i < count; i++) {
		int x = LABEL_COLUMNS + i * PASS_COLUMNS;
		draw_head(scene, grid, x, first + i);
		for (int64_t r = view_first(scene); r < rows; r++) {
			int y = spacing.head + (int)(r - view_first(scene)) * spacing.row;
			struct grid cell = grid_sub(grid, x, y, PASS_COLUMNS, 2);
			if (cell.height > 0)
				draw_cell(scene, &cell, (int32_t)r, first + i);
		}
	}
	int64_t left = count - first;
	if (scene->is_live && left < room)
		grid_text(grid, grid_at(LABEL_COLUMNS + (int)left * PASS_COLUMNS, 0, PASS_COLUMNS), style_of(STYLE_DIM),
			_("n: next pass"));
}

bool view_timeline_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	(void)err;
	if (!scene_has_pass(scene)) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing is open, so there are no passes. Type  :open three-requests  for the "
			  "worked example."));
		return true;
	}
	const struct batch *batch = trace_batch(scene->trace);
	struct spacing spacing = spacing_of(scene, grid);
	int64_t r = view_first(scene);
	for (; r < batch->count; r++) {
		int y = spacing.head + (int)(r - view_first(scene)) * spacing.row;
		if (y + 1 >= grid->height)
			break;
		struct style style = style_with(scene_lane(scene, (int32_t)r), STYLE_STRONG);
		int used = grid_text(grid, grid_at(0, y, 1), style, style_lane_mark((int)r));
		grid_foreign(grid, grid_at(used, y, LABEL_COLUMNS - 2), style, batch->requests[r].id,
			strlen(batch->requests[r].id));
	}
	draw_passes(scene, grid);
	view_draw_more(grid, batch->count - r);
	return true;
}

static void add_row(const struct scene *scene, struct table *table, int32_t request, int64_t pass)
{
	const struct trace_pass *it = trace_pass(scene->trace, pass);
	int64_t b = pass_row(&it->layout, request);
	struct buf text = BUF_INIT;
	size_t row = table_add_row(table, request);
	table_set_int(table, row, 0, pass);
	table_set_string(table, row, 1, pass_kind_name(it->layout.kind));
	table_set_string(table, row, 2, scene_row_id(scene, request));
	table_set_string(table, row, 3, state_name(state_of(scene, request, pass)));
	if (b < 0) {
		if (waits_for(scene, request, pass) > 0)
			table_set_int(table, row, 10, waits_for(scene, request, pass));
		return;
	}
	table_set_int(table, row, 4, it->layout.past[b]);
	table_set_int(table, row, 5, it->layout.fresh[b]);
	for (int64_t i = 0; i < it->layout.fresh[b]; i++)
		scene_token(scene, it->layout.tokens[it->layout.first[b] + i], &text);
	table_set_text(table, row, 6, buf_text(&text), text.length);
	buf_clear(&text);
	if (it->next[b] >= 0) {
		scene_token(scene, it->next[b], &text);
		table_set_int(table, row, 7, it->next[b]);
		table_set_text(table, row, 8, buf_text(&text), text.length);
	}
	table_set_bool(table, row, 9, it->finished[b] != 0);
	buf_free(&text);
}

bool view_timeline_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	static const struct {
		const char *key;
		enum table_kind kind;
	} columns[] = {{"pass", TABLE_INT}, {"kind", TABLE_TEXT}, {"row", TABLE_TEXT}, {"state", TABLE_TEXT},
		{"past", TABLE_INT}, {"fresh", TABLE_INT}, {"tokens", TABLE_TEXT}, {"next", TABLE_INT},
		{"next_text", TABLE_TEXT}, {"finished", TABLE_BOOL}, {"places_taken", TABLE_INT}};
	(void)err;
	struct table *table = *result = table_new(arena, "timeline");
	table_set_title(table, _("passes and rows"));
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		table_add_column(table, columns[i].key, columns[i].kind);
	if (!scene_has_pass(scene))
		return true;
	for (int64_t pass = 0; pass < trace_pass_count(scene->trace); pass++)
		for (int64_t r = 0; r < trace_batch(scene->trace)->count; r++)
			add_row(scene, table, (int32_t)r, pass);
	return true;
}
