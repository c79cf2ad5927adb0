#include "engine/pass.h"

#include <string.h>

static const char *const layouts[LAYOUT_COUNT] = {"left", "right", "packed"};

const char *pass_kind_name(enum pass_kind kind)
{
	static const char *const names[] = {"prefill", "decode", "mixed"};
	return names[kind];
}

const char *layout_name(enum layout layout)
{
	return layouts[layout];
}

bool layout_find(const char *name, enum layout *layout, struct err *err)
{
	for (int i = 0; i < LAYOUT_COUNT; i++) {
		if (strcmp(layouts[i], name) == 0) {
			*layout = (enum layout)i;
			return true;
		}
	}
	return err_usage(err, "layout", "left, right or packed was expected, got \"%.60s\"", name);
}

int64_t pass_row(const struct pass *pass, int32_t request)
{
	for (int64_t b = 0; b < pass->B; b++) {
		if (pass->rows[b] == request)
			return b;
	}
	return -1;
}

int64_t pass_cell(const struct pass *pass, int32_t request, int64_t position)
{
	int64_t b = pass_row(pass, request);
	if (b < 0 || position < pass->past[b] || position >= pass->past[b] + pass->fresh[b])
		return -1;
	return pass->first[b] + position - pass->past[b];
}

int64_t pass_position(const struct pass *pass, int64_t cell)
{
	int64_t b = pass->row_of[cell], ahead = cell - pass->first[b];
	return ahead >= 0 && ahead < pass->fresh[b] ? pass->past[b] + ahead : -1;
}

int64_t pass_row_begin(const struct pass *pass, int64_t b)
{
	return pass->layout == LAYOUT_PACKED ? pass->first[b] : b * pass->S;
}

int64_t pass_row_width(const struct pass *pass, int64_t b)
{
	return pass->layout == LAYOUT_PACKED ? pass->fresh[b] : pass->S;
}

/* Sizes, and where the rows lie. */
static void place_rows(struct pass *pass, struct arena *arena)
{
	int64_t real = 0;
	pass->S = pass->K = 0;
	pass->first = ARENA_ARRAY(arena, int64_t, pass->B);
	pass->last = ARENA_ARRAY(arena, int64_t, pass->B);
	for (int64_t b = 0; b < pass->B; b++) {
		if (pass->fresh[b] > pass->S)
			pass->S = pass->fresh[b];
		if (pass->past[b] + pass->fresh[b] > pass->K)
			pass->K = pass->past[b] + pass->fresh[b];
		pass->first[b] = real; /* packed */
		real += pass->fresh[b];
	}
	pass->cells = pass->layout == LAYOUT_PACKED ? real : pass->B * pass->S;
	for (int64_t b = 0; b < pass->B; b++) {
		if (pass->layout != LAYOUT_PACKED)
			pass->first[b] = b * pass->S + (pass->layout == LAYOUT_LEFT ? pass->S - pass->fresh[b] : 0);
		pass->last[b] = pass->fresh[b] > 0 ? pass->first[b] + pass->fresh[b] - 1 : -1;
	}
}

/* Columns are right-aligned in layout left, and logical positions in the others. */
static int64_t column_shift(const struct pass *pass, int64_t b)
{
	return pass->layout == LAYOUT_LEFT ? pass->K - (pass->past[b] + pass->fresh[b]) : 0;
}

int64_t pass_key_column(const struct pass *pass, int64_t b, int64_t position)
{
	return position + column_shift(pass, b);
}

static void lay_row(struct pass *pass, int64_t b, const int32_t *history, int32_t pad_token)
{
	int64_t begin = pass_row_begin(pass, b), shift = column_shift(pass, b), length = pass->past[b] + pass->fresh[b];
	for (int64_t cell = begin; cell < begin + pass_row_width(pass, b); cell++) {
		int64_t position = pass->past[b] + cell - pass->first[b], column = position + shift;
		pass->row_of[cell] = (int32_t)b;
		pass->pad[cell] = position < pass->past[b] || position >= length;
		pass->positions[cell] = pass->pad[cell] != 0 ? -1 : (int32_t)position;
		pass->tokens[cell] = pass->pad[cell] != 0 ? pad_token : history[position];
		/* padding at the right may lie beyond the last column */
		pass->column[cell] = (int32_t)(column < pass->K ? column : pass->K - 1);
	}
	for (int64_t k = 0; k < pass->K; k++) {
		int64_t position = k - shift;
		pass->key_position[b * pass->K + k] = position < 0 || position >= length ? -1 : (int32_t)position;
	}
}

void pass_lay(struct pass *pass, const int32_t *const *histories, int32_t pad_token, struct arena *arena)
{
	place_rows(pass, arena);
	pass->pad_token = pad_token;
	pass->row_of = ARENA_ARRAY(arena, int32_t, pass->cells);
	pass->tokens = ARENA_ARRAY(arena, int32_t, pass->cells);
	pass->positions = ARENA_ARRAY(arena, int32_t, pass->cells);
	pass->pad = ARENA_ARRAY(arena, uint8_t, pass->cells);
	pass->column = ARENA_ARRAY(arena, int32_t, pass->cells);
	pass->key_position = ARENA_ARRAY(arena, int32_t, pass->B * pass->K);
	for (int64_t b = 0; b < pass->B; b++)
		lay_row(pass, b, histories[b], pad_token);
}
