#include "view/screen.h"

#include <string.h>

#include "analysis/isolation.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "view/list.h"
#include "view/view.h"

/* Left: what runs. Right: where in it. */
static void draw_bar(const struct scene *scene, struct grid *grid)
{
	struct grid bar = grid_sub(grid, 0, 0, grid->width, 1);
	struct style style = style_of(STYLE_BAR);
	struct buf what = BUF_INIT, where = BUF_INIT;
	grid_fill(&bar, style);
	buf_add_text(&what, " rowscope");
	if (scene->trace != NULL) {
		const struct trace_info *info = trace_info(scene->trace);
		buf_printf(&what, " · %s · %s", info->model, info->layout);
		for (int i = 0; info->faults[i] != NULL; i++)
			buf_printf(&what, _(" · FAULT %s"), info->faults[i]);
	}
	if (scene_has_pass(scene)) {
		int count = 0;
		int number = list_number(scene, scene->value, &count);
		buf_printf(&where, _("pass %lld/%lld%s %s · tensor %d/%d "), (long long)scene->pass,
			(long long)trace_pass_count(scene->trace) - 1, scene->is_live ? "+" : "",
			pass_kind_name(scene_pass(scene)->layout.kind), number, count);
	}
	int right = grid_text_right(&bar, grid_at(0, 0, bar.width), style_with(style, STYLE_STRONG), buf_text(&where));
	grid_foreign(&bar, grid_at(0, 0, bar.width - right - (right > 0)), style, buf_text(&what), what.length);
	buf_free(&what);
	buf_free(&where);
}

#define LANE_TOKENS 40 /* of the past: more never fit */

/* A row's tokens: what it remembers, between bars, then what goes into this pass; the end of them when space is short. */
static void lane_text(const struct scene *scene, int64_t b, struct buf *past, struct buf *now)
{
	const struct pass *layout = &scene_pass(scene)->layout;
	int32_t request = layout->rows[b];
	for (int64_t i = layout->past[b] > LANE_TOKENS ? layout->past[b] - LANE_TOKENS : 0; i < layout->past[b]; i++)
		scene_append_token(scene, scene_token_at(scene, request, i), past);
	for (int64_t cell = layout->first[b]; cell < layout->first[b] + layout->fresh[b]; cell++)
		scene_append_token(scene, layout->tokens[cell], now);
}

static void draw_lane(const struct scene *scene, struct grid *grid, struct grid_span at, int64_t b)
{
	const struct pass *layout = &scene_pass(scene)->layout;
	int32_t request = layout->rows[b];
	struct style style = scene_lane(scene, request);
	const char *id = scene_row_id(scene, request);
	struct buf past = BUF_INIT, now = BUF_INIT;
	lane_text(scene, b, &past, &now);
	int x = at.x, end = at.x + at.columns - 1;
	x += grid_text(grid, grid_at(x, at.y, end - x), style, style_lane_mark(request));
	x += grid_foreign_end(grid, grid_at(x, at.y, (end - x) / 3), style_with(style, STYLE_STRONG), id, strlen(id));
	x += grid_text(grid, grid_at(x, at.y, end - x), style_of(STYLE_DIM), " ");
	int now_width = utf8_width(buf_text(&now));
	int room = end - x - (now_width < (end - x) / 2 ? now_width : (end - x) / 2) - 1;
	if (past.length > 0) {
		x += grid_foreign_end(grid, grid_at(x, at.y, room), style, buf_text(&past), past.length);
		x += grid_text(grid, grid_at(x, at.y, end - x), style_of(STYLE_DIM), "│");
	}
	grid_foreign_end(grid, grid_at(x, at.y, end - x), style_with(style, STYLE_STRONG), buf_text(&now), now.length);
	buf_free(&past);
	buf_free(&now);
}

/* What the proofs said, where they were run: at the end of the lanes. Returns its columns. */
static int draw_verdict(const struct scene *scene, struct grid *grid, int y)
{
	const struct isolation *result = scene->isolation;
	if (result == NULL)
		return 0;
	int held = 0; /* of the three proofs; replay and audit are in result->ok */
	for (int i = 0; i < PROOF_REPLAY; i++)
		held += result->proofs[i].ok;
	struct buf text = BUF_INIT;
	buf_printf(&text, result->ok ? _("isolation ok %d/%d ") : _("NOT isolated: %d/%d "), held, PROOF_REPLAY);
	int used = grid_text_right(grid, grid_at(0, y, grid->width), style_of(result->ok ? STYLE_GOOD : STYLE_BAD),
		buf_text(&text));
	buf_free(&text);
	return used;
}

static void draw_lanes(const struct scene *scene, struct grid *grid, int y)
{
	if (!scene_has_pass(scene))
		return;
	int64_t B = scene_pass(scene)->layout.B;
	int columns = grid->width - 1 - draw_verdict(scene, grid, y);
	int fits = columns / 10 > 0 ? columns / 10 : 1;
	int shown = B < fits ? (int)B : fits;
	/* when not all fit, the chosen row is among them */
	int64_t chosen = scene->row != SCENE_ALL ? pass_row(&scene_pass(scene)->layout, scene->row) : 0;
	int64_t first = chosen >= shown ? chosen - shown + 1 : 0;
	int width = shown > 0 ? columns / shown : 0;
	width = width > 30 ? 30 : width;
	for (int i = 0; i < shown; i++)
		draw_lane(scene, grid, grid_at(1 + i * width, y, width), first + i);
	if (B > shown)
		grid_text_right(grid, grid_at(0, y, columns), style_of(STYLE_DIM), "…");
}

/* One key and its word; returns the columns used, or needed when `grid` is NULL. */
static int draw_key(struct grid *grid, int x, int y, const struct scene_help *help)
{
	int key = (int)strcspn(help->keys, " ");
	int width = key + 1 + utf8_width(help->label);
	if (grid == NULL)
		return width;
	grid_printf(grid, grid_at(x, y, key), style_of(STYLE_KEY), "%.*s", key, help->keys);
	grid_text(grid, grid_at(x + key + 1, y, GRID_REST), style_of(STYLE_DIM), help->label);
	return width;
}

/* A view that lies over another one, to which `close view` leads back. */
static bool can_go_back(const struct scene *scene)
{
	return strcmp(scene->view->name, "tensor") != 0 && strcmp(scene->view->name, "home") != 0;
}

static bool has_key(const struct scene *scene, const struct scene_help *help)
{
	if (strcmp(help->line, "close view") == 0 && !can_go_back(scene))
		return false;
	return help->label[0] != '\0' && (help->panes == 0 || help->panes & 1U << scene->focus);
}

/* The last keys, the ones to help, back and out, always have their place at the right. */
static void draw_footer(const struct scene *scene, struct grid *grid, int y)
{
	int end = grid->width - 1, kept = 0, x = 1, most = can_go_back(scene) ? 3 : 2;
	int last = scene->help_count;
	while (last > 0 && kept < most) {
		const struct scene_help *help = &scene->help[--last];
		if (!has_key(scene, help))
			continue;
		end -= draw_key(NULL, 0, y, help);
		draw_key(grid, end, y, help);
		end -= 2;
		kept++;
	}
	for (int i = 0; i < last; i++) {
		const struct scene_help *help = &scene->help[i];
		if (has_key(scene, help) && x + draw_key(NULL, 0, y, help) <= end)
			x += draw_key(grid, x, y, help) + 2;
	}
}

/* The message line; a longer message takes as many lines above it as it needs, so that an error can be read whole. */
static void draw_message(const struct scene *scene, struct grid *grid, int y)
{
	struct style style = style_of(scene->is_error ? STYLE_BAD : STYLE_NORMAL);
	struct arena arena = ARENA_INIT;
	struct grid page = grid_new(&arena, grid->width - 2, grid->height / 2);
	int lines = scene_draw_text(&page, 0, style, scene->message);
	if (lines > 0) {
		struct grid box = grid_sub(grid, 0, y - lines + 1, grid->width, lines);
		struct grid used = grid_sub(&page, 0, 0, page.width, lines);
		grid_fill(&box, style);
		grid_blit(&box, 1, 0, &used);
	}
	arena_free(&arena);
}

/* A pane: a box whose border tells where the keys go. */
static struct grid pane(const struct scene *scene, struct grid *grid, enum scene_pane which, const char *title)
{
	bool has_focus = scene->focus == which;
	return grid_box(grid, style_of(has_focus ? STYLE_BORDER_FOCUS : STYLE_BORDER), title);
}

/* A box with the view's name or title, and the view in it. */
static void draw_boxed(const struct scene *scene, struct grid *box, enum scene_pane which, const struct view *view,
	const char *title)
{
	struct grid inside = pane(scene, box, which, title);
	struct grid page = grid_sub(&inside, 1, 0, inside.width - 1, inside.height);
	view_draw(view, scene, &page);
}

/* The operations, the numbers, and from SCREEN_WIDE on the cell under the cursor explained. */
static void draw_tensor_panes(const struct scene *scene, struct grid *body)
{
	int left = body->width >= SCREEN_LIST ? LIST_COLUMNS : 0;
	int right = body->width >= SCREEN_WIDE && scene->explainer != NULL ? body->width / 3 + 2 : 0;
	struct grid ops = grid_sub(body, 0, 0, left, body->height);
	struct grid main = grid_sub(body, left, 0, body->width - left - right, body->height);
	if (left > 0) {
		struct grid inside = pane(scene, &ops, SCENE_OPS, _("operations"));
		list_draw(scene, &inside);
	}
	draw_boxed(scene, &main, left > 0 ? SCENE_MAIN : scene->focus, scene->view, scene_value(scene)->name);
	if (right > 0) {
		struct grid box = grid_sub(body, body->width - right, 0, right, body->height);
		struct scene side = *scene;
		side.scroll = -1; /* no input is chosen here */
		draw_boxed(&side, &box, SCENE_SIDE, view_find("explain"), _("the cell, explained"));
	}
}

static void draw_panes(const struct scene *scene, struct grid *body)
{
	if (strcmp(scene->view->name, "tensor") == 0 && scene_has_pass(scene))
		draw_tensor_panes(scene, body);
	else
		draw_boxed(scene, body, scene->focus, scene->view, scene->view->name);
}

/* A lesson stands below what it speaks of, or beside it where the screen is wide; returns what is left. */
static struct grid draw_lesson(const struct scene *scene, struct grid body)
{
	const struct view *view = view_find("lesson");
	if (scene->lesson == NULL || scene->view == view || body.height < 12)
		return body;
	bool is_wide = body.width >= SCREEN_WIDE;
	int columns = is_wide ? body.width * 2 / 5 : body.width, lines = is_wide ? body.height : body.height / 2;
	struct grid box = grid_sub(&body, body.width - columns, body.height - lines, columns, lines);
	draw_boxed(scene, &box, SCENE_PANES, view, scene->lesson->title);
	return grid_sub(&body, 0, 0, is_wide ? body.width - columns : body.width,
		is_wide ? body.height : body.height - lines);
}

void screen_draw(const struct scene *scene, struct grid *grid)
{
	if (grid->width < SCREEN_MIN_COLUMNS || grid->height < SCREEN_MIN_LINES) {
		view_draw_heading(grid, style_of(STYLE_WARN), _("too small: %dx%d, needs %dx%d"), grid->width,
			grid->height, SCREEN_MIN_COLUMNS, SCREEN_MIN_LINES);
		return;
	}
	draw_bar(scene, grid);
	draw_lanes(scene, grid, 1);
	struct grid body = grid_sub(grid, 0, 2, grid->width, grid->height - 4);
	body = draw_lesson(scene, body);
	draw_panes(scene, &body);
	draw_message(scene, grid, grid->height - 2);
	draw_footer(scene, grid, grid->height - 1);
}
