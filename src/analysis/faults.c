#include "analysis/faults.h"

#include "analysis/fault_rewrites.h"
#include "base/i18n.h"

#include <string.h>

#define RAGGED_LEFT (FAULT_NEEDS_RAGGED | FAULT_NEEDS_LEFT)

static const struct fault faults[] = {
	{"positions-through-padding",
		N_("positions are counted through the padding: a shorter row starts at position 1, 2, ..."),
		RAGGED_LEFT, NULL, fault_positions_through_padding, NULL, 0},
	{"shared-decode-position", N_("while decoding, all rows get the position of the longest"),
		FAULT_NEEDS_RAGGED | FAULT_NEEDS_DECODE, NULL, fault_shared_decode_position, NULL, 0},
	{"padding-attended", N_("the padding mask is forgotten: real tokens attend to padding too"), RAGGED_LEFT,
		fault_padding_attended, NULL, NULL, 0},
	{"mask-dropped-at-decode", N_("a single new token gets no mask at all: while decoding, padding is attended to"),
		FAULT_NEEDS_RAGGED | FAULT_NEEDS_DECODE, NULL, fault_mask_dropped_at_decode, NULL, 0},
	{"square-mask-reused", N_("the causal mask of a later chunk is made as if it were the first"),
		FAULT_NEEDS_CHUNKS, NULL, fault_square_mask_reused, NULL, 0},
	{"last-column-taken", N_("the logits are taken at the last column, also where that is padding or another row"),
		FAULT_NEEDS_RAGGED | FAULT_NEEDS_OTHER, NULL, fault_last_column_taken, NULL, 0},
	{"mask-from-token-ids",
		N_("the padding mask is made from token IDs: a real token with the ID of padding is masked"),
		FAULT_NEEDS_PAD_ID, NULL, fault_mask_from_token_ids, NULL, 0},
	{"shared-cache-slot", N_("every row uses the cache slots of the first row"), FAULT_NEEDS_ROWS, NULL,
		fault_shared_cache_slot, NULL, 0},
	{"append-at-longest",
		N_("new keys are appended at the length of the longest row, also after a longer one has left"),
		FAULT_NEEDS_LEAVING, NULL, fault_append_at_longest, NULL, sizeof(struct fault_offsets)},
	{"stale-slot", N_("a slot that is used again counts as written: what its last owner left there is read"),
		FAULT_NEEDS_REUSE, NULL, fault_stale_slot, NULL, 0},
	{"shared-random-stream", N_("one random stream serves the batch: every draw moves the next row's on"),
		FAULT_NEEDS_DRAWS, NULL, fault_shared_random_stream, NULL, sizeof(uint32_t)},
	{"same-noise", N_("every row draws with the random number of the first"), FAULT_NEEDS_DRAWS, NULL,
		fault_same_noise, NULL, 0},
	{"penalty-counts-padding", N_("penalties count padding as tokens of the row"),
		FAULT_NEEDS_RAGGED | FAULT_NEEDS_PENALTY, NULL, fault_penalty_counts_padding, NULL, 0},
	{"finished-rows-go-on", N_("finished rows are not frozen: they go on sampling"),
		FAULT_NEEDS_STATIC | FAULT_NEEDS_ENDS, NULL, NULL, fault_finished_rows_go_on, 0},
	{"batch-norm", N_("units are normalised over the batch instead of each position by itself"), FAULT_NEEDS_ROWS,
		fault_batch_norm, NULL, NULL, 0},
	{"softmax-over-rows", N_("probabilities are taken over the rows instead of over the vocabulary"),
		FAULT_NEEDS_ROWS, fault_softmax_over_rows, NULL, NULL, 0},
	{"batch-dependent-sum", N_("matrix products are summed in an order that depends on the number of rows"),
		FAULT_NEEDS_ROWS, fault_batch_dependent_sum, NULL, NULL, 0},
};

const struct fault *faults_at(size_t i)
{
	return i < sizeof faults / sizeof *faults ? &faults[i] : NULL;
}

const struct fault *faults_find(const char *name)
{
	for (size_t i = 0; faults_at(i) != NULL; i++) {
		if (strcmp(faults[i].name, name) == 0)
			return &faults[i];
	}
	return NULL;
}

static bool unknown(const char *name, struct err *err)
{
	struct buf known = BUF_INIT;
	for (size_t i = 0; faults_at(i) != NULL; i++)
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", faults[i].name);
	err_usage(err, "--fault", "there is no fault \"%s\"; known are %s", name, buf_text(&known));
	buf_free(&known);
	return false;
}

bool faults_apply(const char *const *names, size_t count, struct plan *plan, struct run_options *options,
	struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct fault *fault = faults_find(names[i]);
		if (fault == NULL)
			return unknown(names[i], err);
		if (fault->rewrite_plan != NULL && !fault->rewrite_plan(plan, err))
			return false;
		if (fault->rewrite_options != NULL)
			fault->rewrite_options(options);
		if (fault->rewrite_pass == NULL)
			continue;
		if (options->rewrite_count == RUN_MAX_REWRITES)
			return err_usage(err, "--fault", "more than %d faults at once", RUN_MAX_REWRITES);
		void *self = fault->state > 0 ? arena_array(plan->arena, 1, fault->state) : NULL;
		options->rewrites[options->rewrite_count++] = (struct pass_rewrite){fault->rewrite_pass, self};
	}
	plan_finish(plan);
	return true;
}

/* --- what a batch lacks --- */

static bool has_ragged(const struct batch *batch)
{
	for (int64_t i = 1; i < batch->count; i++) {
		const struct request *a = &batch->requests[0], *b = &batch->requests[i];
		if (a->prompt_length != b->prompt_length || a->arrives != b->arrives)
			return batch_lanes(batch) > 1;
	}
	return false;
}

static bool has_pad_id(const struct batch *batch, int32_t pad)
{
	for (int64_t i = 0; i < batch->count; i++) {
		for (int64_t t = 0; t < batch->requests[i].prompt_length; t++) {
			if (batch->requests[i].prompt[t] == pad)
				return true;
		}
	}
	return false;
}

static bool has_decode(const struct batch *batch)
{
	for (int64_t i = 0; i < batch->count; i++) {
		if (batch->requests[i].max_new_tokens > 1)
			return true;
	}
	return false;
}

/* A later chunk of more than one token: with one, the square mask is a row of one. */
static bool has_chunks(const struct batch *batch)
{
	int64_t chunk = batch->chunk > 0 ? batch->chunk : BATCH_DEFAULT_CHUNK;
	for (int64_t i = 0; i < batch->count; i++) {
		if (batch->requests[i].prompt_length > chunk + 1 && chunk > 1)
			return batch->schedule == SCHEDULE_CHUNKED;
	}
	return false;
}

static bool has_leaving(const struct batch *batch)
{
	for (int64_t i = 0; i < batch->count; i++) {
		for (int64_t j = 0; j < batch->count; j++) {
			const struct request *a = &batch->requests[i], *b = &batch->requests[j];
			if (a->prompt_length > b->prompt_length && a->max_new_tokens < b->max_new_tokens)
				return batch_lanes(batch) > 1 && batch->schedule != SCHEDULE_STATIC;
		}
	}
	return false;
}

/* Unless an end token comes first. */
static bool has_ends(const struct batch *batch)
{
	for (int64_t i = 1; i < batch->count; i++) {
		if (batch->requests[i].max_new_tokens != batch->requests[0].max_new_tokens)
			return batch_lanes(batch) > 1;
	}
	return false;
}

static bool is_penalised(const struct sampling *s)
{
	struct sampling penalties = *s;
	penalties.temperature = 0;
	return sampling_is_used(&penalties);
}

static bool has_penalty(const struct batch *batch)
{
	for (int64_t i = 0; i < batch->count; i++) {
		if (is_penalised(&batch->requests[i].sampling))
			return batch->layout != LAYOUT_PACKED;
	}
	return false;
}

static bool has_draws(const struct batch *batch)
{
	int64_t count = 0;
	for (int64_t i = 0; i < batch->count; i++)
		count += batch->requests[i].sampling.temperature > 0;
	return count > 1 && batch_lanes(batch) > 1;
}

static bool has(const struct batch *batch, int32_t pad, enum fault_need need)
{
	switch (need) {
	case FAULT_NEEDS_ROWS: return batch_lanes(batch) > 1;
	case FAULT_NEEDS_RAGGED: return has_ragged(batch);
	case FAULT_NEEDS_LEFT: return batch->layout == LAYOUT_LEFT;
	case FAULT_NEEDS_OTHER: return batch->layout != LAYOUT_LEFT;
	case FAULT_NEEDS_DECODE: return has_decode(batch);
	case FAULT_NEEDS_CHUNKS: return has_chunks(batch);
	case FAULT_NEEDS_REUSE: return batch_lanes(batch) < batch->count;
	case FAULT_NEEDS_STATIC: return batch->schedule == SCHEDULE_STATIC;
	case FAULT_NEEDS_PAD_ID: return has_pad_id(batch, pad);
	case FAULT_NEEDS_LEAVING: return has_leaving(batch);
	case FAULT_NEEDS_ENDS: return has_ends(batch);
	case FAULT_NEEDS_DRAWS: return has_draws(batch);
	case FAULT_NEEDS_PENALTY: return has_penalty(batch);
	}
	return true;
}

void faults_lacking(const struct fault *fault, const struct batch *batch, int32_t pad, struct buf *out)
{
	static const struct {
		enum fault_need need;
		const char *text;
	} needs[] = {
		{FAULT_NEEDS_ROWS, N_("two rows in one pass")},
		{FAULT_NEEDS_RAGGED, N_("two rows of different lengths in one pass")},
		{FAULT_NEEDS_LEFT, N_("layout left")},
		{FAULT_NEEDS_OTHER, N_("layout right or packed")},
		{FAULT_NEEDS_DECODE, N_("a row with at least two new tokens")},
		{FAULT_NEEDS_CHUNKS,
			N_("schedule chunked and a prompt of two chunks, the second of two tokens or more")},
		{FAULT_NEEDS_REUSE, N_("fewer places than rows (--max-rows)")},
		{FAULT_NEEDS_STATIC, N_("schedule static")},
		{FAULT_NEEDS_PAD_ID, N_("a prompt that holds the token ID of padding")},
		{FAULT_NEEDS_ENDS, N_("two rows that make different numbers of tokens")},
		{FAULT_NEEDS_DRAWS, N_("two rows in one pass that draw (temperature above 0)")},
		{FAULT_NEEDS_PENALTY, N_("a penalty, and padding to be counted (layout left or right)")},
		{FAULT_NEEDS_LEAVING, N_("a row with a longer prompt that makes fewer tokens than another")},
	};
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
		if ((fault->needs & needs[i].need) != 0 && !has(batch, pad, needs[i].need))
			buf_printf(out, "%s%s", out->length > 0 ? ", " : "", _(needs[i].text));
	}
}
