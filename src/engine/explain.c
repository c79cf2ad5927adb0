#include "engine/explain.h"

#include <string.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

bool explain_cell(const struct op *op, struct explain *explain, struct err *err)
{
	explain->terms = NULL;
	explain->term_count = explain->term_capacity = 0;
	explain->formula = BUF_INIT;
	explain->recomputed = 0;
	return op_kind(op->code)->explain(op, explain, err);
}

bool explain_read(struct explain *explain, int value, int64_t first, int64_t count, float **numbers, struct err *err)
{
	*numbers = ARENA_ARRAY(explain->arena, float, count);
	const struct explain_span span = {explain->pass->index, explain->plan->values[value].name, first, count};
	return explain->reader.read(explain->reader.self, &span, *numbers, err);
}

int64_t explain_offset(const struct explain *explain, int value)
{
	const char *axes = explain->plan->values[value].spec.axes;
	int64_t offset = 0;
	for (int i = 0; axes[i] != '\0'; i++)
		offset = offset * dims_size(&explain->dims, axes[i]) + explain->index[i];
	return offset;
}

int64_t explain_axis(const struct explain *explain, int value, char letter)
{
	const char *axes = explain->plan->values[value].spec.axes, *at = strchr(axes, letter);
	return at == NULL ? 0 : explain->index[at - axes];
}

int64_t explain_cell_index(const struct explain *explain, int value)
{
	return explain->dims.packed
		? explain_axis(explain, value, 'T')
		: explain_axis(explain, value, 'B') * explain->dims.S + explain_axis(explain, value, 'S');
}

static struct explain_term *new_term(struct explain *explain)
{
	if (explain->term_count == explain->term_capacity) {
		int64_t capacity = explain->term_capacity == 0 ? 64 : explain->term_capacity * 2;
		struct explain_term *terms = ARENA_ARRAY(explain->arena, struct explain_term, capacity);
		if (explain->term_count > 0)
			memcpy(terms, explain->terms, (size_t)explain->term_count * sizeof *terms);
		explain->terms = terms;
		explain->term_capacity = capacity;
	}
	return &explain->terms[explain->term_count++];
}

struct explain_term *explain_add(struct explain *explain, int value, double number, double weight, double term)
{
	struct explain_term *added = new_term(explain);
	*added = (struct explain_term){.name = explain->plan->values[value].name,
		.pass = explain->pass->index,
		.value = number,
		.weight = weight,
		.term = term};
	return added;
}

void explain_place(struct explain *explain, struct explain_term *term, int value, int64_t offset)
{
	const char *axes = explain->plan->values[value].spec.axes;
	term->rank = (int)strlen(axes);
	for (int i = term->rank - 1; i >= 0; i--) {
		int64_t size = dims_size(&explain->dims, axes[i]);
		term->index[i] = offset % size;
		offset /= size;
	}
}

void explain_add_weight(struct explain *explain, const struct weight *weight, int64_t i, int64_t j)
{
	struct explain_term *added = new_term(explain);
	double number = weight_cell(weight, i, j);
	*added = (struct explain_term){.name = arena_printf(explain->arena, "weights.%s", weight->name),
		.pass = -1,
		.rank = weight->rank,
		.index = {i, j},
		.value = number,
		.weight = 1,
		.term = number};
}

void explain_softmax(struct explain *explain, const struct explain_range *range, int64_t i)
{
	const float *x = range->x, *allowed = range->allowed;
	int64_t count = range->count;
	float most = 0, sum = 0;
	bool any = false;
	for (int64_t k = 0; k < count; k++) {
		if ((allowed == NULL || allowed[k] != 0) && x[k] == x[k] && (!any || x[k] > most))
			most = x[k], any = true;
	}
	for (int64_t k = 0; k < count; k++) {
		if (allowed == NULL || allowed[k] != 0)
			sum += real_exp(x[k] - most);
	}
	float mine = real_exp(x[i] - most);
	explain->recomputed = mine / sum;
	for (int64_t k = 0; k < count; k++) {
		if (allowed != NULL && allowed[k] == 0)
			continue;
		float e = real_exp(x[k] - most);
		struct explain_term *term = explain_add(explain, range->value, x[k], e, (double)e / sum);
		explain_place(explain, term, range->value, range->first + k);
	}
	buf_printf(&explain->formula, "%.9g = exp(%.9g - largest %.9g) = %.9g, divided by the sum %.9g",
		(double)explain->recomputed, (double)x[i], (double)most, (double)mine, (double)sum);
}
