#include "engine/op.h"

#include "base/i18n.h"
#include "engine/op_kinds.h"

static const struct op_kind kinds[OP_COUNT] = {
#define OP(kind, formula, summary) \
	{#kind, formula, summary, op_##kind##_shape, op_##kind##_run, op_##kind##_explain, op_##kind##_reach, \
		op_##kind##_cost},
#include "engine/op.def"
#undef OP
};

const struct op_kind *op_kind(enum op_code code)
{
	return &kinds[code];
}

int64_t dims_size(const struct dims *dims, char letter)
{
	switch (letter) {
	case 'B': return dims->B;
	case 'S': return dims->S;
	case 'T': return dims->T;
	case 'K': return dims->K;
	case 'H': return dims->H;
	case 'N': return dims->N;
	case 'G': return dims->G;
	case 'D': return dims->D;
	case 'F': return dims->F;
	case 'V': return dims->V;
	default: return 1;
	}
}

void dims_set_pass(struct dims *dims, const struct pass *pass)
{
	dims->B = pass->B;
	dims->S = pass->S;
	dims->T = pass->cells;
	dims->K = pass->K;
	dims->packed = pass->layout == LAYOUT_PACKED;
}

int64_t dims_count(const struct dims *dims, const char *axes)
{
	int64_t count = 1;
	for (; *axes != '\0'; axes++)
		count *= dims_size(dims, *axes);
	return count;
}
