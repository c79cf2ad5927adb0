#include "analysis/fault_rewrites.h"

/* --- the list of operations --- */

bool fault_padding_attended(struct plan *plan, struct err *err)
{
	int producer = plan_producer(plan, "mask");
	if (producer == PLAN_NONE)
		return err_usage(err, "padding-attended", "the model's list of operations has no mask to drop");
	plan->ops[producer].code = OP_copy;
	plan->ops[producer].input_count = 1; /* the first is mask.causal */
	return true;
}

/* Every operation of a kind becomes one of another kind with the same inputs and outputs. */
static bool replace_kind(struct plan *plan, enum op_code from, enum op_code to, struct err *err)
{
	int replaced = 0;
	for (int i = 0; i < plan->op_count; i++) {
		if (plan->ops[i].code == from) {
			plan->ops[i].code = to;
			replaced++;
		}
	}
	return replaced > 0 ||
		err_usage(err, "--fault", "the model's list has no operation of the kind %s", op_kind(from)->name);
}

bool fault_batch_norm(struct plan *plan, struct err *err)
{
	return replace_kind(plan, OP_layer_norm, OP_batch_norm, err);
}

bool fault_softmax_over_rows(struct plan *plan, struct err *err)
{
	return replace_kind(plan, OP_softmax, OP_softmax_rows, err);
}

bool fault_batch_dependent_sum(struct plan *plan, struct err *err)
{
	return replace_kind(plan, OP_linear, OP_linear_parts, err);
}

/* --- positions and masks of a pass --- */

static bool decodes(const struct pass *pass, int64_t b)
{
	return pass->past[b] > 0 && pass->fresh[b] == 1;
}

/* The column that a key has in the matrix, pads included, is taken for its position. */
void fault_positions_through_padding(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		if (pass_position(pass, cell) >= 0)
			pass->positions[cell] = pass->column[cell];
	}
}

void fault_shared_decode_position(void *self, struct pass *pass, const struct kvcache *cache)
{
	int32_t most = 0;
	(void)self, (void)cache;
	for (int64_t cell = 0; cell < pass->cells; cell++)
		most = pass->positions[cell] > most ? pass->positions[cell] : most;
	for (int64_t b = 0; b < pass->B; b++) {
		if (decodes(pass, b))
			pass->positions[pass->first[b]] = most;
	}
}

void fault_mask_dropped_at_decode(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t b = 0; b < pass->B; b++) {
		if (!decodes(pass, b))
			continue;
		pass->column[pass->first[b]] = (int32_t)pass->K - 1;
		for (int64_t k = b * pass->K; k < (b + 1) * pass->K; k++) {
			if (pass->key_position[k] < 0)
				pass->key_position[k] = 0;
		}
	}
}

/* Query s may attend to columns 0 ... s, as if nothing had been cached before. */
void fault_square_mask_reused(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		int64_t b = pass->row_of[cell];
		if (pass->past[b] > 0 && pass->fresh[b] > 1)
			pass->column[cell] = (int32_t)(cell - pass_row_begin(pass, b));
	}
}

void fault_last_column_taken(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t b = 0; b < pass->B; b++) {
		if (pass->last[b] >= 0)
			pass->last[b] = pass->layout == LAYOUT_PACKED ? pass->cells - 1 : (b + 1) * pass->S - 1;
	}
}

/* The token of the key in a column, from this pass or from the cache. */
static int32_t key_token(const struct pass *pass, const struct kvcache *cache, int64_t b, int64_t k)
{
	int64_t ahead = pass->key_position[b * pass->K + k] - pass->past[b];
	return ahead >= 0 ? pass->tokens[pass->first[b] + ahead]
			  : cache->entries[pass->key_slot[b * pass->K + k]].token;
}

void fault_mask_from_token_ids(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self;
	for (int64_t cell = 0; cell < pass->cells; cell++)
		pass->pad[cell] = pass->tokens[cell] == pass->pad_token;
	for (int64_t b = 0; b < pass->B; b++) {
		for (int64_t k = 0; k < pass->K; k++) {
			int32_t *position = &pass->key_position[b * pass->K + k];
			if (*position >= 0 && key_token(pass, cache, b, k) == pass->pad_token)
				*position = -1;
		}
	}
}

/* --- slots of the cache --- */

/* A column of keys is read from another slot than the row's own. */
static void read_from(struct pass *pass, int64_t column, int32_t slot)
{
	pass->key_slot[column] = pass->key_origin[column] = slot;
}

/* The slot of a row's position; where its table has no block for that yet, one of the blocks that it has. */
static int32_t slot_of(const struct kvcache *cache, int32_t request, int64_t position)
{
	int64_t slot = kvcache_slot(cache, request, position);
	for (; slot < 0 && position >= cache->block_slots; slot = kvcache_slot(cache, request, position))
		position -= cache->block_slots;
	return (int32_t)slot;
}

/* The table of blocks is looked up for the first row of the pass, whatever the row. */
void fault_shared_cache_slot(void *self, struct pass *pass, const struct kvcache *cache)
{
	int32_t first = pass->rows[0];
	(void)self;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		if (pass_position(pass, cell) >= 0)
			pass->slot[cell] = slot_of(cache, first, pass_position(pass, cell));
	}
	for (int64_t i = 0; i < pass->B * pass->K; i++) {
		if (pass->key_position[i] >= 0)
			read_from(pass, i, slot_of(cache, first, pass->key_position[i]));
	}
}

static int64_t longest(const struct pass *pass)
{
	int64_t most = 0;
	for (int64_t b = 0; b < pass->B; b++) {
		int64_t length = pass->past[b] + pass->fresh[b];
		most = length > most ? length : most;
	}
	return most;
}

/*
 * Rows are thought of as padded on the left to the longest, and the next key goes where the longest row's goes. That is right
 * as long as the row that gave the padding is there; afterwards the index lies too far to the left by what the longest
 * row was longer. Whenever a row joins, the batch is padded anew.
 */
void fault_append_at_longest(void *self, struct pass *pass, const struct kvcache *cache)
{
	struct fault_offsets *state = self;
	int64_t most = longest(pass);
	bool joins = false;
	for (int64_t b = 0; b < pass->B; b++)
		joins = joins || pass->past[b] == 0;
	for (int64_t b = 0; b < pass->B; b++) {
		int64_t length = pass->past[b] + pass->fresh[b];
		if (pass->rows[b] >= FAULT_MAX_OFFSETS)
			continue;
		int64_t *offset = &state->offset[pass->rows[b]];
		if (joins)
			*offset = most - length;
		int64_t position = most - 1 - *offset;
		if (decodes(pass, b) && position >= 0 && position < length)
			pass->slot[pass->first[b]] = slot_of(cache, pass->rows[b], position);
	}
}

/* What an earlier owner left in the slots of a new row counts as the row's own: its keys are not written. They go to the slots that
 * padding would have. */
void fault_stale_slot(void *self, struct pass *pass, const struct kvcache *cache)
{
	int64_t scratch = cache->blocks * cache->block_slots;
	(void)self;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		int32_t request = pass->rows[pass->row_of[cell]], owner = cache->entries[pass->slot[cell]].request;
		if (pass->slot[cell] < scratch && owner >= 0 && owner != request)
			pass->slot[cell] = (int32_t)(scratch + cell);
	}
}

/* --- sampling --- */

void fault_shared_random_stream(void *self, struct pass *pass, const struct kvcache *cache)
{
	uint32_t *drawn = self;
	(void)cache;
	for (int64_t b = 0; b < pass->B; b++) {
		if (pass->sampled[b] != 0)
			pass->draws[b] =
				(struct pass_draw){.key = pass->draws[0].key, .counter = {(*drawn)++, 0, 0, 0}};
	}
}

void fault_same_noise(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t b = 1; b < pass->B; b++)
		pass->draws[b] = pass->draws[0];
}

void fault_penalty_counts_padding(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self, (void)cache;
	for (int64_t b = 0; b < pass->B && pass->layout != LAYOUT_PACKED; b++)
		pass->counted_pads[b] = pass->K - pass->past[b] - pass->fresh[b];
}

/* --- the run --- */

void fault_finished_rows_go_on(struct run_options *options)
{
	options->finished_go_on = true;
}
