#include "analysis/diff_choice.h"

#include <math.h>

/* The logits [V] of one row; NULL with *ok true when they are not recorded. */
static const float *read_logits(const struct diff_choice_place *place, int64_t *count, struct arena *arena, bool *ok,
	struct err *err)
{
	struct trace_tensor found;
	int value = trace_find_value(place->trace, "logits");
	*ok = true;
	if (value < 0 || !trace_value(place->trace, value)->captured)
		return NULL;
	*ok = trace_find(place->trace, place->pass, "logits", &found, err);
	if (!*ok || found.tensor.rank != 2 || found.tensor.dtype != DTYPE_F32 || place->row >= found.tensor.shape[0])
		return NULL;
	*count = found.tensor.shape[1];
	float *logits = ARENA_ARRAY(arena, float, *count);
	*ok = trace_read(place->trace, &found, place->row * *count, *count, logits, err);
	return *ok ? logits : NULL;
}

bool diff_choice_read(struct diff_choice *choice, const struct diff_choice_place *a, const struct diff_choice_place *b,
	struct err *err)
{
	struct arena arena = ARENA_INIT;
	int64_t count_a = 0, count_b = 0;
	bool ok;
	*choice = (struct diff_choice){.token_a = a->token, .token_b = b->token};
	const float *x = read_logits(a, &count_a, &arena, &ok, err);
	const float *y = ok ? read_logits(b, &count_b, &arena, &ok, err) : NULL;
	choice->known = x != NULL && y != NULL && count_a == count_b && a->token >= 0 && a->token < count_a &&
		b->token >= 0 && b->token < count_a;
	for (int64_t v = 0; choice->known && v < count_a; v++)
		choice->distance = fmax(choice->distance, fabs((double)x[v] - (double)y[v]));
	if (choice->known) {
		choice->margin = (double)x[a->token] - (double)x[b->token];
		choice->turns = choice->margin <= 2 * choice->distance;
	}
	arena_free(&arena);
	return ok;
}
