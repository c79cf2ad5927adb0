#include "view/sampled.h"

#include "base/i18n.h"

/* Columns, the first of each. */
enum { AT_SCALED = 38, AT_FILTERS = 50, AT_PROB = 56, AT_SUM = 66 };

/* What a value of the pass holds, or NULL when it was not recorded. */
static bool read_value(const struct scene *scene, const char *name, struct arena *arena, const void **data,
	struct err *err)
{
	struct trace_tensor source;
	struct tensor tensor;
	struct err missing = ERR_INIT;
	*data = NULL;
	if (trace_find_value(scene->trace, name) < 0 || !trace_find(scene->trace, scene->pass, name, &source, &missing))
		return true;
	if (!scene_read(scene, name, arena, &tensor, err))
		return false;
	*data = tensor.data;
	return true;
}

bool sampled_read(struct sampled *sampled, const struct scene *scene, struct arena *arena, struct err *err)
{
	static const char *const names[] = {"sample.scaled", "probs", "sample.top_k", "sample.top_p", "sample.kept",
		"sample.counter", "sample.random", "sample.draw"};
	const void *data[sizeof names / sizeof *names];
	*sampled = (struct sampled){.V = scene_axis_size(scene, scene->pass, 'V')};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!read_value(scene, names[i], arena, &data[i], err))
			return false;
		if (data[i] == NULL)
			return true;
	}
	*sampled = (struct sampled){.is_there = true,
		.V = sampled->V,
		.scaled = data[0],
		.probs = data[1],
		.top_k = data[2],
		.top_p = data[3],
		.kept = data[4],
		.counter = data[5],
		.random = data[6],
		.draw = data[7]};
	return true;
}

float sampled_sum(const struct sampled *sampled, int64_t b, int32_t token)
{
	float sum = 0;
	for (int64_t i = b * sampled->V; i <= b * sampled->V + token; i++)
		sum += sampled->kept[i] != 0 ? sampled->probs[i] : 0;
	return sum;
}

void sampled_draw_heads(struct grid *grid, int y)
{
	static const struct {
		int x, columns;
		const char *text;
	} heads[] = {{AT_SCALED, 10, N_("scaled")}, {AT_PROB, 8, N_("prob")}, {AT_SUM, 8, N_("sum")}};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_text_right(grid, grid_at(heads[i].x, y, heads[i].columns), style_of(STYLE_LABEL),
			_(heads[i].text));
	grid_text(grid, grid_at(AT_FILTERS, y, 5), style_of(STYLE_LABEL), "k p m");
}

static const struct sampling *row_sampling(const struct scene *scene, int64_t b)
{
	const struct pass *pass = &scene_pass(scene)->layout;
	return request_sampling(&trace_batch(scene->trace)->requests[pass->rows[b]], pass->past[b] + pass->fresh[b]);
}

/* Appends a setting that is in use. */
static void add_setting(struct buf *text, const char *name, double value, bool is_used)
{
	if (is_used)
		buf_printf(text, "%s%s %.7g", text->length > 0 ? "  " : "", name, value);
}

static void add_settings(struct buf *text, const struct sampling *s)
{
	add_setting(text, _("repetition"), (double)s->repetition_penalty, s->repetition_penalty != 0);
	add_setting(text, _("presence"), (double)s->presence_penalty, s->presence_penalty != 0);
	add_setting(text, _("frequency"), (double)s->frequency_penalty, s->frequency_penalty != 0);
	add_setting(text, _("temperature"), (double)s->temperature, s->temperature > 0);
	add_setting(text, "top-k", (double)s->top_k, s->top_k > 0);
	add_setting(text, "top-p", (double)s->top_p, s->top_p > 0);
	add_setting(text, "min-p", (double)s->min_p, s->min_p > 0);
}

void sampled_draw_row(const struct sampled *sampled, const struct scene *scene, struct grid *grid, struct grid_span at,
	int64_t b)
{
	const struct sampling *s = row_sampling(scene, b);
	struct grid_span below = grid_at(4, at.y + 1, GRID_REST);
	struct buf text = BUF_INIT;
	add_settings(&text, s);
	grid_text(grid, at, style_of(STYLE_NORMAL), buf_text(&text));
	buf_free(&text);
	if (s->temperature <= 0)
		grid_text(grid, below, style_of(STYLE_DIM), _("greedy: the largest is taken, nothing is drawn"));
	else if (!scene->is_hidden)
		grid_printf(grid, below, style_of(STYLE_NORMAL),
			_("draws %.9g: random 0x%08x, of seed %llu and counter %u"), (double)sampled->draw[b],
			(unsigned)sampled->random[b], (unsigned long long)s->seed, (unsigned)sampled->counter[b]);
}

/* Kept by this filter, left out by it, or left out before. */
static void draw_filter(struct grid *grid, int x, int y, bool before, bool kept)
{
	struct style style = style_of(kept ? STYLE_NORMAL : STYLE_DIM);
	grid_text(grid, grid_at(x, y, 1), style, kept ? "+" : before ? "-" : ".");
}

void sampled_draw_token(const struct sampled *sampled, const struct scene *scene, struct grid *grid, int y,
	int64_t offset)
{
	int64_t b = offset / sampled->V;
	bool kept = sampled->kept[offset] != 0;
	struct style style = style_of(kept ? STYLE_NORMAL : STYLE_DIM);
	grid_number(grid, grid_at(AT_SCALED, y, 10), style_of(STYLE_NORMAL), (double)sampled->scaled[offset],
		scene->decimals);
	draw_filter(grid, AT_FILTERS, y, true, sampled->top_k[offset] != 0);
	draw_filter(grid, AT_FILTERS + 2, y, sampled->top_k[offset] != 0, sampled->top_p[offset] != 0);
	draw_filter(grid, AT_FILTERS + 4, y, sampled->top_p[offset] != 0, kept);
	grid_number(grid, grid_at(AT_PROB, y, 8), style, (double)sampled->probs[offset], 4);
	if (kept && row_sampling(scene, b)->temperature > 0)
		grid_number(grid, grid_at(AT_SUM, y, 8), style,
			(double)sampled_sum(sampled, b, (int32_t)(offset % sampled->V)), 6);
}
