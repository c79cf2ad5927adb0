#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "view/view.h"

#define BEST 8 /* tokens of each row in the table, and at most on the screen */
#define BAR_COLUMNS 20

struct logits {
	const struct scene *scene;
	int64_t B, V;
	const float *logits, *probs;
	const int32_t *next;
};

static bool read_logits(const struct scene *scene, struct arena *arena, struct logits *logits, struct err *err)
{
	struct tensor values, probs, next;
	if (!scene_read(scene, "logits", arena, &values, err) || !scene_read(scene, "probs", arena, &probs, err) ||
		!scene_read(scene, "next_tokens", arena, &next, err))
		return false;
	*logits = (struct logits){.scene = scene,
		.B = values.shape[0],
		.V = values.shape[1],
		.logits = values.data,
		.probs = probs.data,
		.next = next.data};
	return true;
}

/* The `count` likeliest tokens of row b, likeliest first, the lowest ID first among equals. */
static int find_best(const struct logits *logits, int64_t b, int count, int32_t *best)
{
	const float *row = logits->logits + b * logits->V;
	int found = 0;
	for (int64_t v = 0; v < logits->V; v++) {
		int at = found;
		while (at > 0 && row[v] > row[best[at - 1]])
			at--;
		if (at >= count)
			continue;
		int last = found < count ? found++ : count - 1;
		memmove(best + at + 1, best + at, (size_t)(last - at) * sizeof *best);
		best[at] = (int32_t)v;
	}
	return found;
}

/* A bar of eighths would need glyphs that some fonts lack: whole blocks, and the number beside them. */
static void draw_bar(struct grid *grid, int x, int y, struct style style, float prob)
{
	int length = (int)lroundf(prob * BAR_COLUMNS);
	for (int i = 0; i < length && i < BAR_COLUMNS; i++)
		grid_text(grid, grid_at(x + i, y, 1), style, "█");
}

static void draw_token(const struct logits *logits, struct grid *grid, int y, int64_t b, int32_t token)
{
	const struct scene *scene = logits->scene;
	struct style style = scene_lane(scene, scene_request(scene, b));
	bool is_chosen = logits->next[b] == token;
	float prob = logits->probs[b * logits->V + token];
	if (is_chosen)
		style = style_with(style, STYLE_STRONG);
	grid_text(grid, grid_at(2, y, 1), style, is_chosen ? ">" : " ");
	grid_printf(grid, grid_at(4, y, 6), style_of(STYLE_DIM), "%6d", (int)token);
	scene_draw_token(scene, grid, grid_at(12, y, 14), style, token);
	grid_number(grid, grid_at(27, y, 10), style_of(STYLE_NORMAL), (double)logits->logits[b * logits->V + token],
		scene->decimals);
	grid_number(grid, grid_at(38, y, 8), style_of(STYLE_NORMAL), (double)prob, 4);
	draw_bar(grid, 48, y, style, prob);
}

static int draw_row(const struct logits *logits, struct grid *grid, int y, int64_t b, int count)
{
	const struct scene *scene = logits->scene;
	int32_t best[BEST];
	int32_t request = scene_request(scene, b);
	const char *id = scene_row_id(scene, request);
	struct style style = style_with(scene_lane(scene, request), STYLE_STRONG);
	int used = grid_text(grid, grid_at(0, y, 1), style, style_lane_mark(request));
	used += grid_foreign(grid, grid_at(used, y, 20), style, id, strlen(id));
	if (logits->next[b] < 0)
		grid_text(grid, grid_at(used + 2, y, GRID_REST), style_of(STYLE_DIM),
			_("is in the middle of its prompt: computed, but nothing is chosen"));
	y++;
	int found = find_best(logits, b, count, best);
	for (int i = 0; i < found; i++, y++) {
		if (scene->is_hidden)
			grid_text(grid, grid_at(4, y, 40), style_of(STYLE_HIDDEN), "▒▒▒▒▒▒  ▒▒▒▒▒▒▒▒▒▒");
		else
			draw_token(logits, grid, y, b, best[i]);
	}
	return y;
}

static void draw_logits(const struct logits *logits, struct grid *page)
{
	const struct scene *scene = logits->scene;
	struct grid body = view_draw_heading(page, style_of(STYLE_TITLE),
		_("The likeliest next tokens of (B=%lld, V=%lld) logits; > is each row's choice"), (long long)logits->B,
		(long long)logits->V);
	struct grid *grid = &body;
	static const struct {
		int x;
		const char *text;
	} heads[] = {{8, "ID"}, {12, N_("token")}, {32, N_("logit")}, {42, N_("prob")}};
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		grid_text(grid, grid_at(heads[i].x, 0, GRID_REST), style_of(STYLE_LABEL), _(heads[i].text));
	/* as many tokens as let every row be seen; where not even one does, three */
	int64_t each = logits->B > 0 ? (grid->height - 1) / logits->B - 1 : BEST;
	int count = each < 1 ? 3 : each > BEST ? BEST : (int)each;
	int64_t fits = (grid->height - 1) / (count + 1), b = view_first(scene);
	int64_t chosen = scene->row != SCENE_ALL ? pass_row(&scene_pass(scene)->layout, scene->row) : -1;
	if (chosen >= b + fits)
		b = chosen - fits + 1;
	int y = 1;
	for (; b < logits->B && y + count < grid->height; b++)
		y = draw_row(logits, grid, y, b, count);
	view_draw_more(grid, logits->B - b);
}

bool view_logits_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct logits logits;
	if (!scene_has_pass(scene)) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing is open, so nothing was computed. Type  :open three-requests  for the "
			  "worked example."));
		return true;
	}
	bool ok = read_logits(scene, &arena, &logits, err);
	if (ok)
		draw_logits(&logits, grid);
	arena_free(&arena);
	return ok;
}

bool view_logits_table(const struct scene *scene, struct arena *arena, struct table **result, struct err *err)
{
	struct logits logits;
	struct buf text = BUF_INIT;
	struct table *table = *result = table_new(arena, "logits");
	table_add_column(table, "row", TABLE_TEXT);
	table_add_column(table, "rank", TABLE_INT);
	table_add_column(table, "token", TABLE_INT);
	table_add_column(table, "text", TABLE_TEXT);
	table_add_column(table, "logit", TABLE_FLOAT);
	table_add_column(table, "prob", TABLE_FLOAT);
	table_add_column(table, "chosen", TABLE_BOOL);
	if (!scene_has_pass(scene))
		return true;
	if (!read_logits(scene, arena, &logits, err))
		return false;
	table_set_title(table,
		arena_printf(arena, _("the %d likeliest of %lld tokens in each row"), BEST, (long long)logits.V));
	for (int64_t b = 0; b < logits.B; b++) {
		int32_t best[BEST];
		int found = find_best(&logits, b, BEST, best);
		for (int i = 0; i < found; i++) {
			size_t row = table_add_row(table, scene_request(scene, b));
			int64_t at = b * logits.V + best[i];
			buf_clear(&text);
			scene_token(scene, best[i], &text);
			table_set_string(table, row, 0, scene_row_id(scene, scene_request(scene, b)));
			table_set_int(table, row, 1, i + 1);
			table_set_int(table, row, 2, best[i]);
			table_set_text(table, row, 3, buf_text(&text), text.length);
			table_set_float(table, row, 4, logits.logits[at]);
			table_set_float(table, row, 5, logits.probs[at]);
			table_set_bool(table, row, 6, logits.next[b] == best[i]);
		}
	}
	buf_free(&text);
	return true;
}
