#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "trace/trace_parts.h"

#define PIECE ((size_t)1 << 20)
#define LINE_MOST ((size_t)256 << 20)

/* --- opening --- */

/* Requests start with their prompts. */
static void start_histories(struct trace *trace)
{
	const struct batch *batch = &trace->manifest.batch;
	trace->histories = MEM_ARRAY(struct trace_history, batch->count);
	for (int64_t i = 0; i < batch->count; i++) {
		struct trace_history *history = &trace->histories[i];
		history->count = history->capacity = batch->requests[i].prompt_length;
		history->tokens = MEM_ARRAY(int32_t, history->count);
		memcpy(history->tokens, batch->requests[i].prompt, (size_t)history->count * sizeof(int32_t));
	}
}

static bool is_trace(const char *folder, const char *manifest, struct err *err)
{
	if (!file_exists(folder))
		return err_input(err, folder, NULL, "there is no such folder; give the folder of a trace");
	if (!file_is_folder(folder))
		return err_input(err, folder, NULL, "this is no folder; a trace is a folder with a " MANIFEST_NAME);
	if (!file_exists(manifest))
		return err_input(err, folder, NULL,
			"the folder holds no " MANIFEST_NAME ": it is no trace, or its run ended before it began");
	return true;
}

bool trace_open(struct trace **result, const char *folder, struct err *err)
{
	struct trace *trace = MEM_NEW(struct trace);
	char manifest[sizeof trace->folder];
	for (int i = 0; i < TRACE_OPEN_FILES; i++)
		trace->files[i].pass = -1;
	if (!file_join(manifest, sizeof manifest, folder, MANIFEST_NAME, err) ||
		!file_join(trace->passes_path, sizeof trace->passes_path, folder, MANIFEST_PASSES, err) ||
		!is_trace(folder, manifest, err) || !manifest_read(&trace->manifest, manifest, &trace->arena, err)) {
		arena_free(&trace->arena);
		free(trace);
		return false;
	}
	snprintf(trace->folder, sizeof trace->folder, "%s", folder);
	start_histories(trace);
	if (!trace_refresh(trace, err)) {
		trace_close(trace);
		return false;
	}
	*result = trace;
	return true;
}

void trace_close(struct trace *trace)
{
	if (trace == NULL)
		return;
	trace_close_files(trace);
	for (int64_t i = 0; i < trace->manifest.batch.count; i++)
		free(trace->histories[i].tokens);
	free(trace->histories);
	free(trace->passes);
	free(trace->text_list);
	map_free(&trace->texts);
	manifest_free(&trace->manifest);
	arena_free(&trace->arena);
	free(trace);
}

/* --- passes.jsonl --- */

/* Takes the whole lines at the front of `text`; *used tells how many bytes they are. */
static bool take_lines(struct trace *trace, const struct buf *text, size_t *used, struct err *err)
{
	const char *line = text->data, *end = text->data + text->length, *newline;
	while (line < end && (newline = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		if (!trace_take_line(trace, line, (size_t)(newline - line), err))
			return false;
		trace->consumed += (uint64_t)(newline + 1 - line);
		trace->passes[trace->pass_count - 1]->line_end = trace->consumed;
		line = newline + 1;
	}
	*used = (size_t)(line - text->data);
	return true;
}

/* What follows the last newline is the line of a pass that a killed run did not finish: it does not count. */
static bool read_lines(struct trace *trace, const struct file *file, struct buf *text, struct err *err)
{
	uint64_t at = trace->consumed;
	while (at < file->size) {
		size_t piece = file->size - at < PIECE ? (size_t)(file->size - at) : PIECE, used;
		if (text->length > LINE_MOST)
			return err_input(err, file->path, NULL, "a line has more than %zu bytes; is this a trace?",
				LINE_MOST);
		buf_reserve(text, piece);
		if (!file_read(file, at, piece, text->data + text->length, err))
			return false;
		text->length += piece;
		at += piece;
		if (!take_lines(trace, text, &used, err))
			return false;
		memmove(text->data, text->data + used, text->length - used);
		text->length -= used;
	}
	return true;
}

bool trace_refresh(struct trace *trace, struct err *err)
{
	struct file file;
	struct buf text = BUF_INIT;
	if (!file_open(&file, trace->passes_path, err))
		return false;
	bool ok = file.size >= trace->consumed;
	if (!ok)
		err_input(err, file.path, NULL,
			"the list of passes became shorter; the trace was replaced, so open it again");
	ok = ok && read_lines(trace, &file, &text, err);
	buf_free(&text);
	file_close(&file);
	return ok;
}

/* --- what was opened --- */

const char *trace_folder(const struct trace *trace)
{
	return trace->folder;
}

const struct trace_info *trace_info(const struct trace *trace)
{
	return &trace->manifest.info;
}

const struct batch *trace_batch(const struct trace *trace)
{
	return &trace->manifest.batch;
}

int64_t trace_pass_count(const struct trace *trace)
{
	return trace->pass_count;
}

int trace_op_count(const struct trace *trace)
{
	return trace->manifest.op_count;
}

const struct trace_op *trace_op(const struct trace *trace, int op)
{
	return &trace->manifest.ops[op];
}

int trace_value_count(const struct trace *trace)
{
	return trace->manifest.value_count;
}

const struct trace_value *trace_value(const struct trace *trace, int value)
{
	return &trace->manifest.values[value];
}

int trace_find_value(const struct trace *trace, const char *name)
{
	return (int)map_get(&trace->manifest.names, name, strlen(name));
}

int32_t trace_find_request(const struct trace *trace, const char *id)
{
	return (int32_t)map_get(&trace->manifest.requests, id, strlen(id));
}

const char *trace_token_text(const struct trace *trace, int32_t token, size_t *length)
{
	int64_t found = map_get(&trace->texts, (const char *)&token, sizeof token);
	if (found < 0)
		return NULL;
	*length = trace->text_list[found].length;
	return trace->text_list[found].bytes;
}

int64_t trace_generated(const struct trace *trace, int32_t request, int32_t *tokens, int64_t max)
{
	const struct trace_history *history = &trace->histories[request];
	int64_t prompt = trace->manifest.batch.requests[request].prompt_length;
	int64_t count = history->count - prompt;
	for (int64_t i = 0; tokens != NULL && i < count && i < max; i++)
		tokens[i] = history->tokens[prompt + i];
	return count;
}
