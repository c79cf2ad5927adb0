#include "engine/pass.h"

const char *pass_kind_name(enum pass_kind kind)
{
	static const char *const names[] = {"prefill", "decode", "mixed"};
	return names[kind];
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
	return b * pass->S + pass->last[b] - (pass->past[b] + pass->fresh[b] - 1 - position);
}

static void lay_row(struct pass *pass, int64_t b, const int32_t *history, int32_t pad_token)
{
	int64_t pads = pass->S - pass->fresh[b];
	int64_t length = pass->past[b] + pass->fresh[b];
	pass->last[b] = pass->S - 1;
	for (int64_t s = 0; s < pass->S; s++) {
		int64_t cell = b * pass->S + s, position = pass->past[b] + s - pads;
		pass->pad[cell] = s < pads;
		pass->positions[cell] = s < pads ? -1 : (int32_t)position;
		pass->tokens[cell] = s < pads ? pad_token : history[position];
		pass->column[cell] = (int32_t)(pass->K - pass->S + s);
	}
	for (int64_t k = 0; k < pass->K; k++) {
		int64_t position = length - pass->K + k;
		pass->key_position[b * pass->K + k] = position < 0 ? -1 : (int32_t)position;
	}
}

void pass_lay_left(struct pass *pass, const int32_t *const *histories, int32_t pad_token, struct arena *arena)
{
	pass->S = pass->K = 0;
	for (int64_t b = 0; b < pass->B; b++) {
		if (pass->fresh[b] > pass->S)
			pass->S = pass->fresh[b];
		if (pass->past[b] + pass->fresh[b] > pass->K)
			pass->K = pass->past[b] + pass->fresh[b];
	}
	int64_t cells = pass->B * pass->S;
	pass->last = ARENA_ARRAY(arena, int64_t, pass->B);
	pass->tokens = ARENA_ARRAY(arena, int32_t, cells);
	pass->positions = ARENA_ARRAY(arena, int32_t, cells);
	pass->pad = ARENA_ARRAY(arena, uint8_t, cells);
	pass->column = ARENA_ARRAY(arena, int32_t, cells);
	pass->key_position = ARENA_ARRAY(arena, int32_t, pass->B * pass->K);
	for (int64_t b = 0; b < pass->B; b++)
		lay_row(pass, b, histories[b], pad_token);
}
