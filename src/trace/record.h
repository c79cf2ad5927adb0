/*
 * record.h: a probe that writes a trace folder (version 1 of the contract).
 *
 * trace.json is written at the start; each pass streams into a temporary file that is renamed when the pass is
 * whole, and then gets its line in passes.jsonl. Killed at any moment, the folder holds all finished passes.
 *
 *     struct recorder *recorder;
 *     if (!recorder_new(&recorder, &options, err)) return false;
 *     struct probe probe = recorder_probe(recorder);
 *     ... run_step(run, &probe, &more, err) ...
 *     recorder_finish(recorder, err);   // syncs; frees
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include "engine/batch.h"
#include "engine/probe.h"
#include "model/model.h"

struct recorder;

struct recorder_options {
	const char *folder;   /* created; usage error when it exists and is not empty, unless `replace` */
	bool replace;
	bool durable;         /* sync after every pass */
	const char *capture;  /* "io", "all" or globs separated by commas */
	struct model *model;
	const struct plan *plan;
	const struct batch *batch;
	const char *const *faults; /* names of the faults in force */
	int fault_count;
};

bool recorder_new(struct recorder **recorder, const struct recorder_options *options, struct err *err);
struct probe recorder_probe(struct recorder *recorder);
/* Syncs and frees. NULL is allowed. */
bool recorder_finish(struct recorder *recorder, struct err *err);

/* Bytes that one pass with these sizes adds to the trace. */
uint64_t recorder_pass_bytes(const struct recorder *recorder, const struct dims *dims);

/* Does the capture set hold the value of that name? Usage error for a malformed set. "io" as in the contract;
 * a glob knows '*', '?' and [sets]. */
bool capture_matches(const char *capture, const char *name);
bool capture_check(const char *capture, const struct plan *plan, struct err *err);

#endif
