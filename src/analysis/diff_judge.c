#include "analysis/diff_judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/comparison.h"

#define UNIT 0x1p-24
#define OWN_ROOM 4.0
#define READ_ROOM 64.0
#define LEAST_NUMBERS 16.0
#define UNSEEN_SCALE 64.0 /* of a softmax's input that is not recorded */

/* --- distances --- */

static uint32_t bits_of(const void *data, int64_t i, enum dtype dtype)
{
	uint32_t bits = 0;
	size_t size = dtype_size(dtype);
	memcpy(&bits, (const char *)data + (size_t)i * size, size);
	return bits;
}

double diff_number(enum dtype dtype, uint32_t bits)
{
	float number;
	if (dtype == DTYPE_I32)
		return (int32_t)bits;
	if (dtype != DTYPE_F32)
		return bits;
	memcpy(&number, &bits, sizeof number);
	return (double)number;
}

/* Floats as whole numbers in their order, -0 just below +0. */
static int64_t ordered(uint32_t bits)
{
	int64_t size = (int64_t)(bits & 0x7fffffffu);
	return bits >> 31 != 0 ? -size - 1 : size;
}

uint64_t diff_ulps(enum dtype dtype, uint32_t a, uint32_t b)
{
	int64_t distance;
	if (dtype == DTYPE_F32)
		distance = ordered(a) - ordered(b);
	else if (dtype == DTYPE_I32)
		distance = (int64_t)(int32_t)a - (int64_t)(int32_t)b;
	else
		distance = (int64_t)a - (int64_t)b;
	return (uint64_t)(distance < 0 ? -distance : distance);
}

/* One is a number and the other is none: as far as can be. Equal infinities and NaN are no distance. */
static double distance(double a, double b, bool same)
{
	if (same)
		return 0;
	return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

void diff_judge_scale(struct diff_value *value, const struct tensor *tensor)
{
	const float *numbers = tensor->data;
	int64_t count = tensor->dtype == DTYPE_F32 ? tensor_count(tensor) : 0;
	float largest = 0;
	for (int64_t i = 0; i < count; i++) {
		float size = fabsf(numbers[i]);
		largest = size > largest && size <= FLT_MAX ? size : largest;
	}
	value->scale = fmax(value->scale, (double)largest);
}

void diff_judge_group(struct diff_value *value, const struct comparison_group *group)
{
	for (int64_t i = 0; i < group->count; i++) {
		uint32_t a =
			bits_of(group->expected, group->expected_at == NULL ? i : group->expected_at[i], group->dtype);
		uint32_t b = bits_of(group->got, group->got_at == NULL ? i : group->got_at[i], group->dtype);
		uint64_t ulps = diff_ulps(group->dtype, a, b);
		value->max_ulps = ulps > value->max_ulps ? ulps : value->max_ulps;
		value->max_abs = fmax(value->max_abs,
			distance(diff_number(group->dtype, a), diff_number(group->dtype, b), a == b));
	}
}

/* --- the rule --- */

/* Scores and log-probabilities count in nats: a difference of 1 is a factor of e, however small they are themselves. */
static double relative(const struct diff_value *value, const char *kind)
{
	bool nats = strcmp(kind, "attn_scores") == 0 || strcmp(kind, "logprob") == 0;
	double scale = nats ? fmax(value->scale, 1) : value->scale;
	return value->max_abs == 0 ? 0 : scale == 0 ? INFINITY : value->max_abs / scale;
}

/* What is known of a value for those that read it. */
struct known {
	double relative; /* largest relative difference of it, or of what it is made from where it is not recorded */
	double unseen;   /* numbers that operations in between have read, where it is not recorded */
	double scale;
	bool chosen;  /* a whole number differs in it, or in what it is made from */
	bool follows; /* it, or what it is made from, is unexplained or took another way */
};

struct judge {
	struct diff *diff;
	struct trace *trace;
	struct known *known;          /* [values of the trace] */
	struct diff_value **compared; /* [values of the trace]; NULL: not compared */
	int64_t most_keys;
};

/* Operations that move numbers and compute none. */
static bool is_exact(const char *kind)
{
	static const char *const kinds[] = {"input", "cache_table", "mask_causal", "mask_padding", "mask_window",
		"mask_and", "copy", "lookup", "inject", "cache_write", "last", "draw"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strcmp(kinds[i], kind) == 0)
			return true;
	}
	return false;
}

static double axis_size(const struct judge *judge, char letter)
{
	const struct trace_info *info = trace_info(judge->trace);
	switch (letter) {
	case 'H': return (double)info->H;
	case 'N': return (double)info->N;
	case 'G': return (double)info->G;
	case 'D': return (double)info->D;
	case 'F': return (double)info->F;
	case 'V': return (double)info->V;
	case 'K': return (double)judge->most_keys;
	default: return 1; /* B, S, T: one position */
	}
}

static double width(const struct judge *judge, int value)
{
	double numbers = 1;
	for (const char *letter = trace_value(judge->trace, value)->axes; *letter != '\0'; letter++)
		numbers *= axis_size(judge, *letter);
	return numbers;
}

static bool is_softmax(const char *kind)
{
	return strstr(kind, "softmax") != NULL || strcmp(kind, "logprob") == 0;
}

/* What an operation reads: the worst of its inputs. */
static struct known read_inputs(const struct judge *judge, const struct trace_op *op, double *numbers)
{
	struct known read = {0};
	*numbers = LEAST_NUMBERS;
	for (size_t i = 0; op->inputs[i] != NULL; i++) {
		int input = trace_find_value(judge->trace, op->inputs[i]);
		const struct known *known = &judge->known[input];
		read.relative = fmax(read.relative, known->relative);
		read.unseen = fmax(read.unseen, known->unseen);
		read.scale = fmax(read.scale, known->scale);
		read.chosen = read.chosen || known->chosen;
		read.follows = read.follows || known->follows;
		*numbers = fmax(*numbers, width(judge, input));
	}
	if (is_exact(op->kind))
		*numbers = 0;
	return read;
}

/* `numbers`: that the operation itself reads. */
static void judge_value(struct judge *judge, int v, const struct known *read, double numbers)
{
	const struct trace_value *value = trace_value(judge->trace, v);
	struct diff_value *compared = judge->compared[v];
	double gain = is_softmax(trace_op(judge->trace, value->op)->kind) ? fmax(1, 2 * read->scale) : 1;
	struct known *known = &judge->known[v];
	if (compared == NULL) {
		*known = *read;
		known->unseen += numbers;
		known->relative *= gain;
		known->scale = UNSEEN_SCALE;
		return;
	}
	bool whole = value->dtype != DTYPE_F32;
	compared->relative = relative(compared, trace_op(judge->trace, value->op)->kind);
	compared->allowed = OWN_ROOM * UNIT * (numbers + read->unseen) + READ_ROOM * gain * read->relative;
	if (read->chosen || (whole && read->relative > 0))
		compared->allowed = INFINITY;
	else if (whole)
		compared->allowed = 0;
	bool within = compared->relative <= compared->allowed;
	compared->kind = compared->bad == 0     ? DIFF_SAME
		: !within                       ? DIFF_UNEXPLAINED
		: read->chosen || read->follows ? DIFF_FOLLOWS
						: DIFF_ROUNDED;
	*known = (struct known){.relative = whole ? 0 : compared->relative,
		.scale = compared->scale,
		.chosen = compared->bad > 0 && (whole || read->chosen),
		.follows = compared->kind >= DIFF_FOLLOWS};
	judge->diff->partly_seen = judge->diff->partly_seen || (compared->bad > 0 && read->unseen > 0);
}

static void conclude(struct diff *diff)
{
	diff->first_unexplained = -1;
	for (int i = diff->value_count - 1; i >= 0; i--) {
		if (diff->values[i].kind == DIFF_UNEXPLAINED)
			diff->first_unexplained = i;
	}
	diff->verdict = diff->equal ? DIFF_EQUAL : diff->first_unexplained < 0 ? DIFF_ROUNDING : DIFF_BUG;
	for (int64_t r = 0; r < diff->row_count; r++) {
		if (diff->rows[r].goes_on || diff->rows[r].parts_unjudged)
			diff->verdict = DIFF_BUG;
	}
}

void diff_judge(struct diff *diff, struct trace *trace, struct arena *arena)
{
	struct judge judge = {.diff = diff, .trace = trace};
	judge.known = ARENA_ARRAY(arena, struct known, trace_value_count(trace));
	judge.compared = ARENA_ARRAY(arena, struct diff_value *, trace_value_count(trace));
	for (int i = 0; i < diff->value_count; i++)
		judge.compared[diff->values[i].value] = &diff->values[i];
	for (int64_t i = 0; i < trace_pass_count(trace); i++)
		judge.most_keys = trace_pass(trace, i)->layout.K > judge.most_keys ? trace_pass(trace, i)->layout.K
										   : judge.most_keys;
	for (int i = 0; i < trace_op_count(trace); i++) {
		const struct trace_op *op = trace_op(trace, i);
		double numbers;
		struct known read = read_inputs(&judge, op, &numbers);
		for (size_t j = 0; op->outputs[j] != NULL; j++)
			judge_value(&judge, trace_find_value(trace, op->outputs[j]), &read, numbers);
	}
	conclude(diff);
}
