/*
 * faults.h: real-world bugs of batched inference, to be switched on.
 *
 * A fault is a rewrite: of the list of operations (list in, list out) or of how a pass is laid out. Nothing in
 * the engine knows of it. Each has a page in docs/FAULTS.md with the public reports behind it.
 *
 *     if (!faults_apply(names, count, plan, &run_options, err)) return false;
 */
#ifndef ANALYSIS_FAULTS_H
#define ANALYSIS_FAULTS_H

#include "engine/plan.h"
#include "engine/run.h"

struct fault {
	const char *name;    /* as on the command line */
	const char *summary; /* one sentence, translatable */
	bool (*rewrite_plan)(struct plan *plan, struct err *err); /* or NULL */
	void (*rewrite_pass)(void *self, struct pass *pass, const struct kvcache *cache); /* or NULL */
};

/* Fault number i = 0, 1, ...; NULL after the last. */
const struct fault *faults_at(size_t i);
const struct fault *faults_find(const char *name);

/* Rewrites the plan, and adds the rewrites of passes to the options. Usage error naming an unknown fault and the known
 * ones. */
bool faults_apply(const char *const *names, size_t count, struct plan *plan, struct run_options *options,
	struct err *err);

#endif
