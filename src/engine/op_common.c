/* What several kinds of operations share. */
#include <string.h>

#include "engine/op_kinds.h"

struct spec spec_of(enum dtype dtype, const char *axes)
{
	struct spec spec = {.dtype = dtype};
	for (size_t i = 0; i < TENSOR_MAX_RANK && axes[i] != '\0'; i++)
		spec.axes[i] = axes[i];
	return spec;
}

struct spec spec_of_cells(const struct dims *dims, enum dtype dtype, const char *axes)
{
	struct spec spec = spec_of(dtype, dims->packed ? "T" : "BS");
	strncat(spec.axes, axes, TENSOR_MAX_RANK - strlen(spec.axes));
	return spec;
}

bool spec_want(const struct op *op, const struct spec *in, int i, enum dtype dtype, struct err *err)
{
	if (i < op->input_count && in[i].dtype == dtype)
		return true;
	return err_input(err, NULL, op->name, "input %d of %s must be %s", i, op_kind(op->code)->name,
		dtype_name(dtype));
}

int spec_lead(const struct spec *spec)
{
	if (spec->axes[0] == 'T')
		return 1;
	if (spec->axes[0] != 'B')
		return 0;
	return spec->axes[1] == 'S' ? 2 : 1;
}

int64_t spec_width(const struct spec *spec, const struct dims *dims)
{
	return dims_count(dims, spec->axes + spec_lead(spec));
}

bool op_same_shape(const struct op *op, const struct spec *in, struct spec *out, struct err *err)
{
	if (!spec_want(op, in, 0, DTYPE_F32, err))
		return false;
	for (int i = 1; i < op->input_count; i++) {
		if (!spec_want(op, in, i, DTYPE_F32, err))
			return false;
		if (strcmp(in[i].axes, in[0].axes) != 0)
			return err_input(err, NULL, op->name, "inputs have axes %s and %s; they must be the same",
				in[0].axes, in[i].axes);
	}
	out[0] = in[0];
	return true;
}

void op_same_cell_reach(const struct op *op, struct reach *reach)
{
	for (int i = 0; i < op->input_count; i++)
		reach_from(reach, op->inputs[i], reach->cell);
}

void op_elements_cost(const struct op *op, const struct dims *dims, const char *axes, double flops_each,
	struct cost *cost)
{
	double count = (double)dims_count(dims, axes);
	*cost = (struct cost){
		.flops = flops_each * count,
		.bytes_read = 4.0 * count * op->input_count,
		.bytes_written = 4.0 * count,
	};
}
