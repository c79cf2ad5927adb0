/*
 * trace_parts.h: what the trace_*.c files share. Internal to trace/.
 */
#ifndef TRACE_TRACE_PARTS_H
#define TRACE_TRACE_PARTS_H

#include "format/safetensors.h"
#include "trace/manifest.h"
#include "trace/passline.h"

/* Opening a file reads its header: proofs go back and forth over the passes. */
#define TRACE_OPEN_FILES 16

/* A pass file that is kept open; the one unused for longest is closed for another. */
struct trace_file {
	int64_t pass; /* -1: free */
	uint64_t used;
	struct safetensors content;
};

/* A row's tokens as far as they are known: prompt, then generated. */
struct trace_history {
	int32_t *tokens;
	int64_t count, capacity;
	bool ended;
};

struct trace {
	char folder[512];
	char passes_path[512];
	struct arena arena;
	struct manifest manifest;
	struct trace_history *histories; /* [requests] */
	struct trace_pass **passes;      /* each in the arena, so that it stays where it is */
	int64_t pass_count, pass_capacity;
	uint64_t consumed; /* bytes of passes.jsonl that were read as whole lines */
	struct map texts;  /* token (4 bytes) -> index in text_list */
	struct passline_text *text_list;
	size_t text_count, text_capacity;
	struct trace_file files[TRACE_OPEN_FILES];
	uint64_t clock;
};

/* Enters one line of passes.jsonl: a new pass. Input error, which names the line, when it is damaged. */
bool trace_take_line(struct trace *trace, const char *text, size_t length, struct err *err);
/* Fills in the arrays of a pass's layout. */
void trace_lay(struct trace *trace, struct trace_pass *pass);
/* Closes the pass files that are open. */
void trace_close_files(struct trace *trace);

#endif
