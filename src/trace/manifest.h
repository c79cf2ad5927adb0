/*
 * manifest.h: trace.json, written once at the start of a run and read back. Internal to trace/.
 *
 * The document says what ran: model, requests, capture set and the list of operations, each with the values that it
 * puts out. Writing is a function of the run alone, so that equal runs give equal bytes.
 *
 *     struct buf text = BUF_INIT;
 *     manifest_write(&text, &options, &model);
 *     struct manifest manifest;
 *     if (!manifest_read(&manifest, "run1/trace.json", &arena, err)) return false;
 */
#ifndef TRACE_MANIFEST_H
#define TRACE_MANIFEST_H

#include "base/json.h"
#include "base/map.h"
#include "trace/recorder.h"
#include "trace/trace.h"

#define MANIFEST_NAME "trace.json"
#define MANIFEST_PASSES "passes.jsonl"
#define MANIFEST_FORMAT "rowscope-trace"
#define MANIFEST_VERSION 1
#define MANIFEST_MOST ((uint64_t)256 << 20) /* bytes of trace.json */

struct manifest {
	struct trace_info info;
	struct batch batch;
	struct trace_op *ops;
	int op_count;
	struct trace_value *values;
	int value_count;
	struct map names;    /* value -> index */
	struct map requests; /* ID -> index */
};

/* Appends the document to `out`. */
void manifest_write(struct buf *out, const struct recorder_options *options, const struct recorder_model *model);

/* Reads and checks the document; what it holds lives in the arena, but for the maps: manifest_free. Input error with the
 * path of the value that is wrong. */
bool manifest_read(struct manifest *manifest, const char *path, struct arena *arena, struct err *err);
void manifest_free(struct manifest *manifest);

/* A node that is text without NUL bytes, so that it can be used as a C string. Input error that names the path
 * otherwise. */
bool manifest_text(const struct json *node, const char **text, struct err *err);
/* A required member that is an array. Input error that names the path otherwise. */
bool manifest_get_array(const struct json *object, const char *key, const struct json **array, struct err *err);

#endif
