/*
 * probe.h: how somebody watches a run without the engine knowing who.
 *
 * The engine tells each pass's beginning, every value as soon as it is computed, and the end. Tensors are views that are
 * valid during the call only. A probe that returns false stops the run with its error. The recorder, the
 * comparisons of the isolation proofs and tests are probes.
 */
#ifndef ENGINE_PROBE_H
#define ENGINE_PROBE_H

#include "engine/pass.h"
#include "engine/plan.h"

struct kvcache;

struct probe {
	void *self;
	/* The pass is laid out; nothing is computed yet. Any of the three may be NULL. */
	bool (*begin)(void *self, const struct plan *plan, const struct pass *pass, struct err *err);
	/* Value number `value` of the plan has been computed. */
	bool (*value)(void *self, const struct plan *plan, const struct pass *pass, int value,
		const struct tensor *tensor, struct err *err);
	/* All values were told; `next` [B] are the chosen tokens (-1: not sampled), `finished` [B]. */
	bool (*end)(void *self, const struct plan *plan, const struct pass *pass, struct err *err);
};

/* Two probes told one after the other. */
struct probe_pair {
	struct probe first, second;
};

/* A probe that tells both; the pair must outlive it. */
struct probe probe_join(struct probe_pair *pair);

#endif
