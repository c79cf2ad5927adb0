/*
 * passline.h: one line of passes.jsonl: what a finished pass was. Internal to trace/.
 *
 * A line is one JSON object and a newline. Everything that decides the layout of the pass is in it, so that a reader needs
 * no tensor for that: rows, positions computed before, new tokens of each row, and the tokens that were chosen.
 *
 *     struct passline line = {...};
 *     passline_write(&text, &line, batch);
 *     if (!passline_read(&line, text, length, &manifest, &arena, err)) return false;
 */
#ifndef TRACE_PASSLINE_H
#define TRACE_PASSLINE_H

#include "trace/manifest.h"

/* The bytes of a token that occurs for the first time. */
struct passline_text {
	int32_t token;
	const char *bytes;
	size_t length;
};

struct passline {
	int64_t index;
	enum pass_kind kind;
	int64_t B, S, K;
	int32_t *rows;    /* [B]: indices of requests */
	int64_t *past;    /* [B] */
	int64_t *fresh;   /* [B] */
	uint8_t *sampled; /* [B] */
	int64_t cache_held, cache_used, cache_saved;
	const int32_t *next;     /* [B] */
	const uint8_t *finished; /* [B] */
	const struct trace_event *events;
	int event_count;
	const char *file;
	uint64_t bytes, digest;
	const struct passline_text *texts;
	size_t text_count;
};

/* Appends the line, newline included, to `out`. */
void passline_write(struct buf *out, const struct passline *line, const struct batch *batch);

/* Reads a line of `length` bytes, without its newline. Its arrays and texts live in `arena`. Input error with the path of the value that is wrong; whether positions
 * fit the row's tokens is the caller's to check. */
bool passline_read(struct passline *line, const char *text, size_t length, const struct manifest *manifest,
	struct arena *arena, struct err *err);

/* The name of the tensor file of a pass, into name[PASSLINE_NAME_SIZE]. */
void passline_file_name(int64_t index, char *name);
#define PASSLINE_NAME_SIZE 48

#endif
