/*
 * live.h: a run that records itself: model, plan, engine and recorder together, into a temporary trace folder.
 *
 *     struct live *live;
 *     if (!live_new(&live, &options, err)) ...
 *     bool more;
 *     while (live_step(live, &more, err) && more) {}
 *     live_delete(live);      // the folder is gone
 */
#ifndef APP_LIVE_H
#define APP_LIVE_H

#include "engine/run.h"
#include "model/model.h"

struct live;

struct live_options {
	struct model *model;
	const struct plan *plan;
	const struct batch *batch; /* must outlive the run */
	const char *capture;       /* "all" */
	struct run_options run;
	const char *const *faults; /* names, for the trace */
	int fault_count;
};

/* Prepares a run and its trace folder under TMPDIR; no pass is run yet. Fails as run_new and
 * recorder_new do. */
bool live_new(struct live **live, const struct live_options *options, struct err *err);
/* Runs one pass; *more is false when it was the last. */
bool live_step(struct live *live, bool *more, struct err *err);
/* Can another pass be run? */
bool live_has_more(const struct live *live);
const char *live_folder(const struct live *live);
void live_delete(struct live *live);

#endif
