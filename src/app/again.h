/*
 * again.h: a recorded run set up again: the same requests, list of operations and faults, brought to the state after some pass.
 *
 * The passes are run again without recording them: by the bit promise that gives the very cache, tokens and random streams of the
 * recorded run, faults that remember something included. Every
 * recorded number of them is compared, so that a changed trace is found out.
 *
 *     struct again again;
 *     if (!again_open(&again, trace, trace_batch(trace), model, err)) return false;
 *     ... run_new(&run, model, again.plan, &again.batch, &again.run, err) ...
 *     if (!again_replay(&again, run, passes, &probe, &more, err)) ...
 *     again_close(&again);
 */
#ifndef APP_AGAIN_H
#define APP_AGAIN_H

#include "engine/run.h"
#include "model/model.h"
#include "trace/trace.h"

struct again {
	struct arena arena;
	struct trace *trace; /* the caller's */
	struct plan *plan;
	struct batch batch;
	struct run_options run;
	const char *const *faults;
	int fault_count;
};

/* `batch` is the trace's, or that of a fork (fork.h); its requests must outlive this. Usage error when the model has other weights than the recorded one; input error when the trace names a fault that this version
 * has not. The model must outlive it. */
bool again_open(struct again *again, struct trace *trace, const struct batch *batch, struct model *model,
	struct err *err);
void again_close(struct again *again);

/* Runs passes 0 .. passes - 1 and tells them to the probe. *more is false when no pass can follow. Input error naming the pass and
 * tensor that is not what was recorded. */
bool again_replay(struct again *again, struct run *run, int64_t passes, const struct probe *probe, bool *more,
	struct err *err);

#endif
