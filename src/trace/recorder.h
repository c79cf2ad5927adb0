/*
 * recorder.h: a probe that writes a trace folder (version 1 of the contract).
 *
 * trace.json is written at the start; each pass streams into a temporary file that is renamed when the pass is
 * whole, and then gets its line in passes.jsonl by one write. Killed at any moment, the folder holds all finished
 * passes. The same run writes the same bytes: nothing in the folder tells time, place or machine.
 *
 *     struct recorder *recorder;
 *     if (!recorder_new(&recorder, &options, err)) return false;
 *     struct probe probe = recorder_probe(recorder);
 *     ... run_step(run, &probe, &more, err) ...
 *     recorder_finish(recorder, err);   // syncs; frees
 */
#ifndef TRACE_RECORDER_H
#define TRACE_RECORDER_H

#include "engine/batch.h"
#include "engine/probe.h"
#include "model/model.h"
#include "trace/capture.h"

struct recorder;

/* The trace that a fork goes on from. */
struct recorder_parent {
	const char *name;   /* of its folder, without the path */
	const char *digest; /* of its trace.json: 16 hexadecimal digits */
	int64_t pass;       /* the first that may differ */
};

/* What is recorded, and where. Model, plan and batch must outlive the recorder; the texts are copied. */
struct recorder_options {
	const char *folder;  /* created; usage error when it exists and is not empty, unless `replace` */
	bool replace;        /* a trace that is there is replaced; any other folder is still refused */
	bool durable;        /* sync after every pass */
	bool scratch;        /* a temporary trace: never synced */
	const char *capture; /* "io", "all" or globs separated by commas; NULL: "io" */
	struct model *model;
	const struct plan *plan;
	const struct batch *batch;
	const char *const *faults; /* names of the faults in force */
	int fault_count;
	const struct recorder_parent *parent; /* NULL: a run of its own; copied */
};

/* A model as a trace tells it: what recorder_new takes from a struct model, given by hand for tensors that come from
 * another program. */
struct recorder_model {
	const char *name;
	const struct config *config;
	const char *weights_digest, *tokenizer_digest; /* 16 hexadecimal digits, or "" */
	const char *const *notes;                      /* NULL-terminated */
	void *self;
	/* Appends the bytes of a token as they stand in text; false when it has none. May be NULL. */
	bool (*token_bytes)(void *self, int32_t token, struct buf *out);
};

/* Starts a trace of `options->model`. Usage error for a malformed capture set or a folder that is taken; system error
 * when something cannot be written: nothing is left behind then. */
bool recorder_new(struct recorder **recorder, const struct recorder_options *options, struct err *err);

/* The same for a model that is described; `options->model` is not used. Fails as recorder_new does. */
bool recorder_new_described(struct recorder **recorder, const struct recorder_options *options,
	const struct recorder_model *model, struct err *err);

struct trace;

/* Where a trace is gone on with: after its first `passes` passes. */
struct recorder_start {
	const struct trace *trace;
	int64_t passes;
};

/* Goes on with a trace that a stopped run has left, after `start`: what lies behind that is removed, and the
 * next pass told must be number `start->passes`. `options->folder` is the trace's. Input error when the run of the options would have
 * begun another trace (a changed trace.json, another version of rowscope or of the model); usage error when another process is recording into it.
 * Nothing is changed then. */
bool recorder_resume(struct recorder **recorder, const struct recorder_options *options,
	const struct recorder_start *start, struct err *err);

/* The same for a model that is described. Fails as recorder_resume does. */
bool recorder_resume_described(struct recorder **recorder, const struct recorder_options *options,
	const struct recorder_model *model, const struct recorder_start *start, struct err *err);

/* The probe to hand to run_step. A pass that ends in an error is left out whole. */
struct probe recorder_probe(struct recorder *recorder);

/* Syncs files and folder, and frees the recorder, also on failure. NULL is allowed. */
bool recorder_finish(struct recorder *recorder, struct err *err);

/* Bytes of captured numbers that one pass with these sizes adds to the trace, and a fair guess of what describes them. */
uint64_t recorder_pass_bytes(const struct recorder *recorder, const struct dims *dims);

#endif
