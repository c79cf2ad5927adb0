/*
 * The filters of the sampler: top-k, top-p, min-p. Each keeps some of the tokens that the one before has kept.
 *
 * The likeliest tokens are taken one after the other from a heap: a filter that keeps k of V costs V + k log V, with no worst case.
 */
#include <string.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

/* One row of a filter: the scaled logits, what earlier filters kept (NULL: all), what is kept now. */
struct filter {
	const float *x;
	const uint8_t *before;
	uint8_t *kept;
	int64_t V;
	int32_t *heap; /* [V]: memory */
};

typedef void filter_fn(const struct filter *filter, const struct sampling *sampling);
/* Says why a token that is in is kept or not. */
typedef void filter_why_fn(const struct filter *filter, const struct sampling *sampling, int32_t v, struct buf *out);

struct filter_kind {
	filter_fn *keep;
	filter_why_fn *why;
};

static bool is_in(const struct filter *f, int64_t v)
{
	return f->before == NULL || f->before[v] != 0;
}

/* Larger first, the lower ID first on a tie; NaN last. */
static bool comes_before(const float *x, int32_t a, int32_t b)
{
	if (x[a] != x[b] && x[a] == x[a] && x[b] == x[b])
		return x[a] > x[b];
	if ((x[a] == x[a]) != (x[b] == x[b]))
		return x[a] == x[a];
	return a < b;
}

/* The likeliest token stands at 0. */
static void sift(int32_t *heap, int64_t count, int64_t at, const float *x)
{
	for (int64_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && comes_before(x, heap[child + 1], heap[child]))
			child++;
		if (!comes_before(x, heap[child], heap[at]))
			return;
		int32_t other = heap[at];
		heap[at] = heap[child], heap[child] = other;
	}
}

/* Puts the tokens that are still in on the heap. Gives their number. */
static int64_t heap_fill(const struct filter *f)
{
	int64_t count = 0;
	for (int64_t v = 0; v < f->V; v++) {
		if (is_in(f, v))
			f->heap[count++] = (int32_t)v;
	}
	for (int64_t i = count / 2 - 1; i >= 0; i--)
		sift(f->heap, count, i, f->x);
	return count;
}

/* Takes the likeliest from a heap that is not empty. */
static int32_t heap_take(const struct filter *f, int64_t *count)
{
	int32_t likeliest = f->heap[0];
	f->heap[0] = f->heap[--*count];
	sift(f->heap, *count, 0, f->x);
	return likeliest;
}

static void keep_all(const struct filter *f)
{
	for (int64_t v = 0; v < f->V; v++)
		f->kept[v] = is_in(f, v);
}

static void top_k(const struct filter *f, const struct sampling *s)
{
	if (s->top_k <= 0 || s->top_k >= f->V) {
		keep_all(f);
		return;
	}
	int64_t count = heap_fill(f);
	for (int64_t k = 0; count > 0 && k < s->top_k; k++)
		f->kept[heap_take(f, &count)] = 1;
}

static void top_k_why(const struct filter *f, const struct sampling *s, int32_t v, struct buf *out)
{
	int64_t rank = 1, in = 0;
	for (int32_t i = 0; i < f->V; i++) {
		in += is_in(f, i);
		rank += is_in(f, i) && comes_before(f->x, i, v);
	}
	if (s->top_k <= 0)
		buf_add_text(out, "no top_k is set");
	else
		buf_printf(out, "rank %lld of %lld, and top_k is %lld", (long long)rank, (long long)in,
			(long long)s->top_k);
}

/* The largest of what is in, and the sum of exp of the differences to it, ascending by ID. */
static float sum_of_exp(const struct filter *f, float *most)
{
	float sum = 0;
	bool any = false;
	*most = 0;
	for (int64_t v = 0; v < f->V; v++) {
		if (is_in(f, v) && f->x[v] == f->x[v] && (!any || f->x[v] > *most))
			*most = f->x[v], any = true;
	}
	for (int64_t v = 0; v < f->V; v++) {
		if (is_in(f, v))
			sum += real_exp(f->x[v] - *most);
	}
	return sum;
}

/* The smallest set, largest first, whose probabilities reach p. */
static void top_p(const struct filter *f, const struct sampling *s)
{
	if (s->top_p <= 0 || s->top_p >= 1) {
		keep_all(f);
		return;
	}
	float most, sum = sum_of_exp(f, &most), reached = 0;
	int64_t count = heap_fill(f);
	while (count > 0 && !(reached >= s->top_p)) {
		int32_t token = heap_take(f, &count);
		f->kept[token] = 1;
		reached += real_exp(f->x[token] - most) / sum;
	}
}

static void top_p_why(const struct filter *f, const struct sampling *s, int32_t v, struct buf *out)
{
	if (s->top_p <= 0 || s->top_p >= 1) {
		buf_add_text(out, "no top_p is set");
		return;
	}
	float most, sum = sum_of_exp(f, &most), likelier = 0;
	int64_t count = heap_fill(f);
	for (int32_t token; count > 0 && (token = heap_take(f, &count)) != v;)
		likelier += real_exp(f->x[token] - most) / sum;
	buf_printf(out, "the likelier tokens make up %.9g, and top_p is %.9g", (double)likelier, (double)s->top_p);
}

/* Tokens at least min_p times as likely as the likeliest. */
static void min_p(const struct filter *f, const struct sampling *s)
{
	float most;
	if (s->min_p <= 0) {
		keep_all(f);
		return;
	}
	sum_of_exp(f, &most);
	for (int64_t v = 0; v < f->V; v++)
		f->kept[v] = is_in(f, v) && real_exp(f->x[v] - most) >= s->min_p;
}

static void min_p_why(const struct filter *f, const struct sampling *s, int32_t v, struct buf *out)
{
	float most;
	sum_of_exp(f, &most);
	if (s->min_p <= 0)
		buf_add_text(out, "no min_p is set");
	else
		buf_printf(out, "it is %.9g times as likely as the likeliest, and min_p is %.9g",
			(double)real_exp(f->x[v] - most), (double)s->min_p);
}

static bool filter_shape(const struct op *op, const struct spec *in, struct spec *out, struct err *err)
{
	out[0] = spec_of(DTYPE_BOOL, in[0].axes);
	return spec_want(op, in, 0, DTYPE_F32, err) && (op->input_count < 2 || spec_want(op, in, 1, DTYPE_BOOL, err));
}

/* A row that does not draw keeps everything. */
static void filter_row(const struct filter *f, const struct sampling *s, const struct filter_kind *kind)
{
	memset(f->kept, 0, (size_t)f->V);
	if (s->temperature > 0)
		kind->keep(f, s);
	else
		keep_all(f);
}

static void run_filter(const struct op *op, struct exec *exec, const struct filter_kind *kind)
{
	int64_t V = exec->dims.V;
	const uint8_t *before = op->input_count > 1 ? exec_in(exec, op, 1)->data : NULL;
	int32_t *heap = ARENA_ARRAY(exec->scratch, int32_t, V);
	for (int64_t b = 0; b < exec->pass->B; b++) {
		struct filter f = {.x = (const float *)exec_in(exec, op, 0)->data + b * V,
			.before = before != NULL ? before + b * V : NULL,
			.kept = (uint8_t *)exec_out(exec, op, 0)->data + b * V,
			.V = V,
			.heap = heap};
		filter_row(&f, op_sampling(exec->batch, exec->pass, b), kind);
	}
}

/* Why the filter keeps a token of the row, or does not: with the row's own numbers. */
static void explain_why(const struct filter *f, const struct filter_kind *kind, const struct sampling *s, int32_t v,
	struct buf *out)
{
	buf_add_text(out, f->kept[v] != 0 ? "true: " : "false: ");
	if (!is_in(f, v))
		buf_add_text(out, "a filter before this one has left the token out");
	else if (s->temperature > 0)
		kind->why(f, s, v, out);
	else
		buf_add_text(out, "the row is greedy, nothing is left out");
}

static bool explain_filter(const struct op *op, struct explain *explain, const struct filter_kind *kind,
	struct err *err)
{
	int64_t V = explain->dims.V, b = explain->index[0], v = explain->index[1];
	const struct sampling *sampling = op_sampling(explain->batch, explain->pass, b);
	uint8_t *before = ARENA_ARRAY(explain->arena, uint8_t, V);
	float *x, *flags = NULL;
	if (!explain_read(explain, op->inputs[0], b * V, V, &x, err) ||
		(op->input_count > 1 && !explain_read(explain, op->inputs[1], b * V, V, &flags, err)))
		return false;
	for (int64_t i = 0; i < V; i++)
		before[i] = flags == NULL || flags[i] != 0;
	struct filter f = {.x = x,
		.before = before,
		.kept = ARENA_ARRAY(explain->arena, uint8_t, V),
		.V = V,
		.heap = ARENA_ARRAY(explain->arena, int32_t, V)};
	filter_row(&f, sampling, kind);
	explain_place(explain, explain_add(explain, op->inputs[0], x[v], 1, x[v]), op->inputs[0], b * V + v);
	explain->recomputed = f.kept[v];
	explain_why(&f, kind, sampling, (int32_t)v, &explain->formula);
	return true;
}

static void filter_cost(const struct op *op, const struct dims *dims, double flops, struct cost *cost)
{
	double count = (double)dims_count(dims, "BV"); /* flags are bytes */
	op_elements_cost(op, dims, "BV", flops, cost);
	cost->bytes_read = (op->input_count > 1 ? 5 : 4) * count;
	cost->bytes_written = count;
}

/* A filter is made of two functions: what it keeps, and why. */
#define FILTER(kind, fn, flops) \
	static const struct filter_kind fn##_kind = {fn, fn##_why}; \
	OP_FUNCTIONS(kind, filter_shape(op, in, out, err), run_filter(op, exec, &fn##_kind), \
		explain_filter(op, explain, &fn##_kind, err), filter_cost(op, dims, flops, cost))

FILTER(keep_top_k, top_k, 1)
FILTER(keep_top_p, top_p, 4)
FILTER(keep_min_p, min_p, 3)
