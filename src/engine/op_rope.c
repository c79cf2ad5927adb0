/*
 * Rotary positions in half-split order: number i of a head is turned together with number i + D/2. Source: Su et al., "RoFormer",
 * 2021; the order and the float32 angles are those of Hugging Face transformers.
 */
#include <math.h>

#include "engine/op_kinds.h"
#include "tensor/real.h"

bool op_rope_shape(const struct op *op, const struct dims *dims, const struct spec *in, struct spec *out,
	struct err *err)
{
	(void)dims;
	out[0] = in[0];
	return spec_want(op, in, 0, DTYPE_F32, err) && spec_want(op, in, 1, DTYPE_I32, err);
}

/* Numbers that are turned together: half the head width. */
static int64_t half_of(const struct dims *dims)
{
	return dims->D / 2;
}

static const struct turns *turns_of(const struct op *op, struct exec *exec)
{
	int64_t cells = exec->dims.T, half = half_of(&exec->dims);
	const int32_t *positions = exec_in(exec, op, 1)->data;
	for (const struct turns *turns = exec->turns; turns != NULL; turns = turns->older) {
		if (turns->frequencies == op->frequencies && turns->positions == op->inputs[1])
			return turns;
	}
	struct turns *turns = ARENA_NEW(exec->memory, struct turns);
	*turns = (struct turns){exec->turns, op->frequencies, op->inputs[1],
		arena_raw(exec->memory, (size_t)(cells * half), sizeof(float)),
		arena_raw(exec->memory, (size_t)(cells * half), sizeof(float))};
	for (int64_t i = 0; i < cells * half; i++) {
		float angle = (float)positions[i / half] * op->frequencies[i % half];
		turns->cosines[i] = real_cos(angle);
		turns->sines[i] = real_sin(angle);
	}
	exec->turns = turns;
	return turns;
}

void op_rope_run(const struct op *op, struct exec *exec)
{
	const struct tensor *x = exec_in(exec, op, 0);
	const struct turns *turns = turns_of(op, exec);
	int64_t cells = exec->dims.T, D = exec->dims.D;
	exec->kernels->rope(exec_out(exec, op, 0)->data, x->data, turns->cosines, turns->sines,
		tensor_count(x) / cells / D, D, cells, exec->pool);
}

bool op_rope_explain(const struct op *op, struct explain *explain, struct err *err)
{
	int64_t D = explain->dims.D, half = half_of(&explain->dims), offset = explain_offset(explain, op->outputs[0]);
	int64_t d = offset % D, first = offset - d, i = d % half;
	float *x, *position;
	if (!explain_read(explain, op->inputs[0], first, D, &x, err) ||
		!explain_read(explain, op->inputs[1], explain_cell_index(explain, op->outputs[0]), 1, &position, err))
		return false;
	float angle = *position * op->frequencies[i], c = real_cos(angle), s = real_sin(angle);
	float other = d < half ? x[i + half] : x[i];
	float mine = x[d] * c, theirs = other * s, y = d < half ? mine - theirs : mine + theirs;
	explain_place(explain, explain_add(explain, op->inputs[0], x[d], c, mine), op->inputs[0], offset);
	explain_place(explain,
		explain_add(explain, op->inputs[0], other, d < half ? -s : s, d < half ? -theirs : theirs),
		op->inputs[0], first + (d < half ? i + half : i));
	explain->recomputed = y;
	buf_printf(&explain->formula, "%.9g = %.9g * cos(%.9g) %c %.9g * sin(%.9g), the angle of position %d",
		(double)y, (double)x[d], (double)angle, d < half ? '-' : '+', (double)other, (double)angle,
		(int)*position);
	return true;
}

void op_rope_reach(const struct op *op, struct reach *reach)
{
	reach_from(reach, op->inputs[0], reach->cell);
	reach_from(reach, op->inputs[1], reach->cell);
}

void op_rope_cost(const struct op *op, const struct dims *dims, struct cost *cost)
{
	/* per pair of a position: an angle, its cosine and sine; per number two products and their sum */
	double cells = (double)dims->T, numbers = cells * (double)dims_count(dims, op->axes),
	       pairs = (double)half_of(dims);
	*cost = (struct cost){.flops = 3 * cells * pairs + 3 * numbers,
		.bytes_read = 4 * (numbers + cells + pairs),
		.bytes_written = 4 * numbers};
}
