/*
 * fork.h: what would have happened: one row's token or sampling is changed at some pass of a recorded run, and the run goes on from there.
 *
 * A change is kept in the batch by logical position (struct edit), so the fork is a run like any other: it can be verified, resumed,
 * compared with its parent and forked again. What its parent had changed at later passes is left out.
 *
 *     struct fork fork;
 *     if (!fork_open(&fork, trace, 3, err)) return false;
 *     if (!fork_set(&fork, "row=B,token=89", err)) ...
 *     ... run again.batch = fork.batch; fork.parent goes to the recorder ...
 *     fork_close(&fork);
 */
#ifndef APP_FORK_H
#define APP_FORK_H

#include "trace/recorder.h"
#include "trace/trace.h"

struct fork {
	struct arena arena;
	const struct trace *trace;
	int64_t pass;
	struct batch batch; /* its requests are the fork's own */
	struct recorder_parent parent;
};

/* Usage error when the trace has no such pass. */
bool fork_open(struct fork *fork, const struct trace *trace, int64_t pass, struct err *err);
void fork_close(struct fork *fork);

/* Reads and enters "row=ID,token=ID" or "row=ID,KEY=VALUE,..." with the sampler's settings; several rows take several calls. A token
 * stands in for the last one that the row reads in the pass; settings hold for what it chooses from the pass on. Usage
 * error naming what was expected. */
bool fork_set(struct fork *fork, const char *text, struct err *err);

#endif
