#include "analysis/leak.h"

const char *proof_name(enum proof proof)
{
	static const char *const names[] = {"reach", "alone", "scrambled", "replay", "audit"};
	return names[proof];
}

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const struct leak *a, const struct leak *b)
{
	int by = order(a->pass, b->pass);
	by = by != 0 ? by : order(a->op, b->op);
	by = by != 0 ? by : order(a->value, b->value);
	by = by != 0 ? by : order(a->request, b->request);
	by = by != 0 ? by : order(a->position, b->position);
	/* an exact element says more than the structural proof's first element of a cell */
	by = by != 0 ? by : order(a->proof == PROOF_REACH, b->proof == PROOF_REACH);
	for (int i = 0; by == 0 && i < a->rank && i < b->rank; i++)
		by = order(a->index[i], b->index[i]);
	return by != 0 ? by : order(a->proof, b->proof);
}

void leak_note(struct leak *first, const struct leak *other)
{
	if (!other->found || (first->found && compare(first, other) <= 0))
		return;
	int32_t from = other->from == LEAK_FROM_UNKNOWN && first->found && first->pass == other->pass &&
			first->value == other->value && first->request == other->request
		? first->from
		: other->from;
	*first = *other;
	first->from = from;
}
