#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "view/sampled.h"
#include "view/view.h"

#define BEST 8 /* tokens of each row in the table, and at most on the screen */
#define BAR_COLUMNS 20

struct logits {
	const struct scene *scene;
	int64_t B, V;
	const float *logits, *probs;
	const int32_t *next;
	struct sampled sampled;
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
	return sampled_read(&logits->sampled, scene, arena, err);
}

/* The choice of row b takes the last line when it is none of the likeliest: a draw may fall on any token. */
static void show_choice(const struct logits *logits, int64_t b, int found, int32_t *best)
{
	for (int i = 0; i < found; i++) {
		if (best[i] == logits->next[b])
			return;
	}
	if (found > 0 && logits->next[b] >= 0 && logits->next[b] < logits->V)
		best[found - 1] = logits->next[b];
}

/* The `count` likeliest tokens of row b, likeliest first, the lowest ID first among equals, and its choice. */
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
	show_choice(logits, b, found, best);
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
	if (logits->sampled.is_there) {
		sampled_draw_token(&logits->sampled, scene, grid, y, b * logits->V + token);
		return;
	}
	grid_number(grid, grid_at(38, y, 8), style_of(STYLE_NORMAL), (double)prob, 4);
	draw_bar(grid, 48, y, style, prob);
}

static bool is_finished(const struct scene *scene, int64_t b)
{
	return scene_pass(scene)->layout.fresh[b] == 0;
}

/* Who it is, and how it chooses. Gives the lines used. */
static int draw_row_head(const struct logits *logits, struct grid *grid, int y, int64_t b)
{
	const struct scene *scene = logits->scene;
	int32_t request = scene_request(scene, b);
	const char *id = scene_row_id(scene, request);
	struct style style = style_with(scene_lane(scene, request), STYLE_STRONG);
	int used = grid_text(grid, grid_at(0, y, 1), style, style_lane_mark(request));
	used += grid_foreign(grid, grid_at(used, y, 20), style, id, strlen(id));
	struct grid_span beside = grid_at(used + 2, y, GRID_REST);
	if (is_finished(scene, b))
		grid_text(grid, beside, style_of(STYLE_DIM), _("FINISHED: it stays as padding, and nothing is drawn"));
	else if (logits->next[b] < 0)
		grid_text(grid, beside, style_of(STYLE_DIM),
			_("is in the middle of its prompt: computed, but nothing is chosen"));
	else if (logits->sampled.is_there)
		sampled_draw_row(&logits->sampled, scene, grid, beside, b);
	return logits->sampled.is_there ? SAMPLED_LINES : 1;
}

static int draw_row(const struct logits *logits, struct grid *grid, int y, int64_t b, int count)
{
	int32_t best[BEST];
	y += draw_row_head(logits, grid, y, b);
	int found = is_finished(logits->scene, b) ? 0 : find_best(logits, b, count, best);
	for (int i = 0; i < found; i++, y++) {
		if (logits->scene->is_hidden)
			grid_text(grid, grid_at(4, y, 40), style_of(STYLE_HIDDEN), "▒▒▒▒▒▒  ▒▒▒▒▒▒▒▒▒▒");
		else
			draw_token(logits, grid, y, b, best[i]);
	}
	return y;
}

/* The heading, and the heads of the columns below it. Gives the rest of the page, those heads in its first line. */
static struct grid draw_heads(const struct logits *logits, struct grid *page)
{
	static const struct {
		int x;
		const char *text;
	} heads[] = {{12, N_("token")}, {32, N_("logit")}, {42, N_("prob")}};
	bool steps = logits->sampled.is_there;
	struct grid body = view_draw_heading(page, style_of(STYLE_TITLE),
		steps ? _("From (B=%lld, V=%lld) logits to a draw for each row: + kept, - left out, > drawn")
		      : _("The likeliest next tokens of (B=%lld, V=%lld) logits; > is each row's choice"),
		(long long)logits->B, (long long)logits->V);
	grid_text_right(&body, grid_at(4, 0, 6), style_of(STYLE_LABEL), _("ID"));
	for (size_t i = 0; i < sizeof heads / sizeof heads[0] - (steps ? 1 : 0); i++)
		grid_text(&body, grid_at(heads[i].x, 0, GRID_REST), style_of(STYLE_LABEL), _(heads[i].text));
	if (steps)
		sampled_draw_heads(&body, 0);
	return body;
}

static void draw_logits(const struct logits *logits, struct grid *page)
{
	const struct scene *scene = logits->scene;
	int head = logits->sampled.is_there ? SAMPLED_LINES : 1;
	struct grid body = draw_heads(logits, page), *grid = &body;
	/* as many tokens as let every row be seen; where not even one does, three */
	int64_t each = logits->B > 0 ? (grid->height - 1) / logits->B - head : BEST;
	int count = each < 1 ? 3 : each > BEST ? BEST : (int)each;
	int64_t fits = (grid->height - 1) / (count + head), b = view_first(scene);
	int64_t chosen = scene->row != SCENE_ALL ? pass_row(&scene_pass(scene)->layout, scene->row) : -1;
	if (chosen >= b + fits)
		b = chosen - fits + 1;
	int y = 1;
	for (; b < logits->B && y + count + head - 1 < grid->height; b++)
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

static void add_step_columns(struct table *table)
{
	table_add_column(table, "scaled", TABLE_FLOAT);
	table_add_column(table, "top_k", TABLE_BOOL);
	table_add_column(table, "top_p", TABLE_BOOL);
	table_add_column(table, "kept", TABLE_BOOL);
	table_add_column(table, "sum", TABLE_FLOAT);
	table_add_column(table, "draw", TABLE_FLOAT);
}

static void set_steps(const struct sampled *sampled, struct table *table, size_t row, int64_t b, int32_t token)
{
	int64_t at = b * sampled->V + token;
	table_set_float(table, row, 7, sampled->scaled[at]);
	table_set_bool(table, row, 8, sampled->top_k[at] != 0);
	table_set_bool(table, row, 9, sampled->top_p[at] != 0);
	table_set_bool(table, row, 10, sampled->kept[at] != 0);
	table_set_float(table, row, 11, sampled_sum(sampled, b, token));
	table_set_float(table, row, 12, sampled->draw[b]);
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
	if (logits.sampled.is_there)
		add_step_columns(table);
	table_set_title(table,
		arena_printf(arena, _("the %d likeliest of %lld tokens in each row"), BEST, (long long)logits.V));
	for (int64_t b = 0; b < logits.B; b++) {
		int32_t best[BEST];
		int found = is_finished(scene, b) ? 0 : find_best(&logits, b, BEST, best);
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
			if (logits.sampled.is_there)
				set_steps(&logits.sampled, table, row, b, best[i]);
		}
	}
	buf_free(&text);
	return true;
}
