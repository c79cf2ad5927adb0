/*
 * fault_rewrites.h: how each fault rewrites a list of operations, a pass or the options of a run. Internal to analysis/.
 */
#ifndef ANALYSIS_FAULT_REWRITES_H
#define ANALYSIS_FAULT_REWRITES_H

#include "engine/plan.h"
#include "engine/run.h"

/* What append-at-longest remembers: how far to the right of its own length each row's keys begin. Rows beyond the last are not
 * shifted. */
#define FAULT_MAX_OFFSETS 1024
struct fault_offsets {
	int64_t offset[FAULT_MAX_OFFSETS];
};

bool fault_padding_attended(struct plan *plan, struct err *err);
bool fault_batch_norm(struct plan *plan, struct err *err);
bool fault_softmax_over_rows(struct plan *plan, struct err *err);
bool fault_batch_dependent_sum(struct plan *plan, struct err *err);

void fault_positions_through_padding(void *self, struct pass *pass, const struct kvcache *cache);
void fault_shared_decode_position(void *self, struct pass *pass, const struct kvcache *cache);
void fault_mask_dropped_at_decode(void *self, struct pass *pass, const struct kvcache *cache);
void fault_square_mask_reused(void *self, struct pass *pass, const struct kvcache *cache);
void fault_last_column_taken(void *self, struct pass *pass, const struct kvcache *cache);
void fault_mask_from_token_ids(void *self, struct pass *pass, const struct kvcache *cache);
void fault_shared_cache_slot(void *self, struct pass *pass, const struct kvcache *cache);
/* `self` is a struct fault_offsets. */
void fault_append_at_longest(void *self, struct pass *pass, const struct kvcache *cache);
/* `self` is a uint32_t: the draws so far. */
void fault_shared_random_stream(void *self, struct pass *pass, const struct kvcache *cache);
void fault_same_noise(void *self, struct pass *pass, const struct kvcache *cache);
void fault_penalty_counts_padding(void *self, struct pass *pass, const struct kvcache *cache);
void fault_stale_slot(void *self, struct pass *pass, const struct kvcache *cache);

void fault_finished_rows_go_on(struct run_options *options);

#endif
