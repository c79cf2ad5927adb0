#include "model/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define PIECE_FLOATS ((int64_t)1 << 18) /* read and converted at a time */

static int64_t columns_of(const struct weight *weight)
{
	return weight->rank == 2 ? weight->shape[1] : 1;
}

/* A number in [-spread * sqrt 3, spread * sqrt 3], by a hash of the weight and the index: the same in every run. */
static float random_number(const struct weight *weight, int64_t index)
{
	uint64_t z = weight->seed + (uint64_t)index * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	float unit = (float)(z >> 40) * 0x1p-23f - 1.0f;
	return unit * 1.7320508f * weight->spread;
}

/* Elements [first, first + count) of the file's tensor as floats: whole rows, so whole blocks. `bytes` is room for the same number
 * of floats, which no type exceeds. */
static bool fetch(const struct weight *weight, int64_t first, int64_t count, uint8_t *bytes, float *floats,
	struct err *err)
{
	if (weight->file == NULL) {
		for (int64_t i = 0; i < count; i++)
			floats[i] = weight->constant ? weight->spread : random_number(weight, first + i);
		return true;
	}
	int64_t values = quant_values(weight->type), size = quant_bytes(weight->type);
	if (!file_read(weight->file, weight->offset_in_file + (uint64_t)(first / values * size),
		    (size_t)(count / values * size), bytes, err))
		return false;
	quant_decode(weight->type, bytes, count / values, floats);
	return true;
}

static void look_for_special(struct weight *weight, const float *floats, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		if (!isfinite(floats[i]))
			weight->has_special = true;
	}
}

/* Where output `row` of the file belongs: pair j of a head lies in rows 2 j and 2 j + 1 there, and in j and j + D/2 here. */
static int64_t half_split(const struct weight *weight, int64_t row)
{
	int64_t D = weight->shape[0] / weight->interleaved_heads, within = row % D;
	return row - within + within / 2 + within % 2 * (D / 2);
}

/* Puts `count` rows of the file, from row `first`, in place: whole rows of all the file's columns. */
static void place(struct weight *weight, int64_t first, int64_t count, float *floats)
{
	int64_t in = weight->shape[1], out = weight->shape[0];
	if (!weight->transposed) {
		for (int64_t i = 0; weight->interleaved_heads > 0 && i < count; i++)
			panel_put_rows(&weight->panel, half_split(weight, first + i), 1, floats + i * in);
		if (weight->interleaved_heads > 0)
			return;
		if (weight->form == WEIGHT_PANEL)
			panel_put_rows(&weight->panel, first, count, floats);
		else
			memcpy(weight->data + first * in, floats, (size_t)(count * in) * sizeof *floats);
		return;
	}
	for (int64_t i = 0; i < count; i++) /* keep the columns of this part, in place */
		memmove(floats + i * out, floats + i * weight->file_outputs + weight->first,
			(size_t)out * sizeof *floats);
	panel_put_cols(&weight->panel, first, count, floats);
}

static bool load_matrix(struct weight *weight, uint8_t *bytes, float *floats, int64_t piece, struct err *err)
{
	int64_t rows = weight->transposed ? weight->shape[1] : weight->shape[0];
	int64_t columns = weight->transposed ? weight->file_outputs : weight->shape[1];
	int64_t step = piece / columns;
	for (int64_t row = 0; row < rows; row += step) {
		int64_t count = rows - row < step ? rows - row : step;
		int64_t from = weight->transposed ? row : row + weight->first; /* parts of outputs follow each other */
		if (!fetch(weight, from * columns, count * columns, bytes, floats, err))
			return false;
		look_for_special(weight, floats, count * columns);
		place(weight, row, count, floats);
	}
	return true;
}

static bool load_vector(struct weight *weight, uint8_t *bytes, float *floats, struct err *err)
{
	if (!fetch(weight, weight->first, weight->shape[0], bytes, floats, err))
		return false;
	for (int64_t i = 0; i < weight->shape[0]; i++)
		weight->data[weight->interleaved_heads > 0 ? half_split(weight, i) : i] = floats[i];
	return true;
}

/* Room for the resident copy. */
static void reserve(struct weight *weight)
{
	size_t floats = weight->form == WEIGHT_PANEL ? panel_floats(weight->shape[1], weight->shape[0])
						     : (size_t)(weight->shape[0] * columns_of(weight));
	weight->memory = mem_array(floats + 16, sizeof(float));
	float *aligned = (float *)(((uintptr_t)weight->memory + 63) & ~(uintptr_t)63);
	if (weight->form == WEIGHT_PANEL)
		weight->panel = (struct panel){.in = weight->shape[1], .out = weight->shape[0], .data = aligned};
	else
		weight->data = aligned;
}

bool weight_load(struct weight *weight, struct err *err)
{
	if (weight->loaded)
		return true;
	reserve(weight);
	int64_t row = weight->rank == 1 ? weight->shape[0]
		: weight->transposed    ? weight->file_outputs
					: weight->shape[1];
	int64_t piece = row > PIECE_FLOATS ? row : PIECE_FLOATS;
	uint8_t *bytes = weight->file == NULL ? NULL : mem_array((size_t)piece, sizeof(float));
	float *floats = mem_array((size_t)piece, sizeof(float));
	bool ok;
	if (weight->rank == 2) {
		ok = load_matrix(weight, bytes, floats, piece, err);
	} else {
		ok = load_vector(weight, bytes, floats, err);
		look_for_special(weight, weight->data, weight->shape[0]);
		for (int64_t i = 0; ok && weight->offset != 0 && i < weight->shape[0]; i++)
			weight->data[i] += weight->offset;
	}
	free(bytes);
	free(floats);
	if (!ok)
		weight_free(weight);
	weight->loaded = ok;
	return ok;
}

void weight_free(struct weight *weight)
{
	free(weight->memory);
	weight->memory = NULL;
	weight->data = NULL;
	weight->panel = (struct panel){0};
	weight->loaded = false;
}

float weight_cell(const struct weight *weight, int64_t i, int64_t j)
{
	if (weight->form == WEIGHT_PANEL)
		return panel_cell(&weight->panel, j, i);
	return weight->data[i * columns_of(weight) + j];
}

void weight_row(const struct weight *weight, int64_t i, float *row)
{
	if (weight->form == WEIGHT_PANEL)
		panel_column(&weight->panel, i, row);
	else
		memcpy(row, weight->data + i * weight->shape[1], (size_t)weight->shape[1] * sizeof *row);
}
