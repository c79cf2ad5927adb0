/* The passes of a trace: lines of passes.jsonl taken in, layouts rebuilt when somebody asks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/trace_parts.h"

/* Cells of a pass; far above any real one, so that a forged line cannot ask for all memory. */
#define CELLS_MOST ((int64_t)1 << 28)

/* The sizes follow from the rows; a line that says otherwise is damaged. */
static bool check_sizes(const struct trace *trace, const struct passline *line, struct err *err)
{
	int64_t S = 0, K = 0;
	for (int64_t b = 0; b < line->B; b++) {
		int64_t known = trace->histories[line->rows[b]].count, length = line->past[b] + line->fresh[b];
		if (length > known)
			return err_input(err, NULL, NULL,
				"row %s has %" PRId64 " tokens here, but only %" PRId64 " are known",
				trace->manifest.batch.requests[line->rows[b]].id, length, known);
		S = line->fresh[b] > S ? line->fresh[b] : S;
		K = length > K ? length : K;
	}
	if (S == 0)
		return err_input(err, NULL, NULL, "no row has a token in this pass");
	if (S != line->S || K != line->K)
		return err_input(err, NULL, NULL,
			"S is %" PRId64 " and K is %" PRId64 ", but the rows give %" PRId64 " and %" PRId64, line->S,
			line->K, S, K);
	if (S > CELLS_MOST / line->B || K > CELLS_MOST / line->B)
		return err_input(err, NULL, NULL, "the pass has more than %" PRId64 " cells, which is not supported",
			CELLS_MOST);
	return true;
}

static void add_history(struct trace_history *history, int32_t token)
{
	if (history->count == history->capacity) {
		history->capacity = history->capacity * 2 + 16;
		history->tokens = mem_resize(history->tokens, (size_t)history->capacity, sizeof *history->tokens);
	}
	history->tokens[history->count++] = token;
}

static void add_texts(struct trace *trace, const struct passline *line)
{
	for (size_t i = 0; i < line->text_count; i++) {
		int32_t token = line->texts[i].token;
		if (!map_put(&trace->texts, (const char *)&token, sizeof token, (int64_t)trace->text_count))
			continue;
		if (trace->text_count == trace->text_capacity) {
			trace->text_capacity = trace->text_capacity * 2 + 64;
			trace->text_list = mem_resize(trace->text_list, trace->text_capacity, sizeof *trace->text_list);
		}
		trace->text_list[trace->text_count++] = line->texts[i];
	}
}

/* Which rows had finished before; then those that finish here are marked. */
static uint8_t *ended_rows(struct trace *trace, const struct passline *line)
{
	uint8_t *ended = ARENA_ARRAY(&trace->arena, uint8_t, line->B);
	for (int64_t b = 0; b < line->B; b++) {
		struct trace_history *history = &trace->histories[line->rows[b]];
		ended[b] = history->ended;
		history->ended = history->ended || line->finished[b] != 0;
	}
	return ended;
}

static void add_pass(struct trace *trace, const struct passline *line)
{
	if (trace->pass_count == trace->pass_capacity) {
		trace->pass_capacity = trace->pass_capacity * 2 + 64;
		trace->passes = mem_resize(trace->passes, (size_t)trace->pass_capacity, sizeof *trace->passes);
	}
	struct trace_pass *pass = ARENA_NEW(&trace->arena, struct trace_pass);
	trace->passes[trace->pass_count++] = pass;
	*pass = (struct trace_pass){.next = line->next,
		.finished = line->finished,
		.file = line->file,
		.bytes = line->bytes,
		.digest = line->digest,
		.events = line->events,
		.event_count = line->event_count};
	pass->layout = (struct pass){.index = line->index,
		.kind = line->kind,
		.B = line->B,
		.S = line->S,
		.K = line->K,
		.rows = line->rows,
		.past = line->past,
		.fresh = line->fresh,
		.sampled = line->sampled,
		.ended = ended_rows(trace, line),
		.lanes = batch_lanes(&trace->manifest.batch),
		.cache_held = line->cache_held,
		.cache_used = line->cache_used,
		.cache_saved = line->cache_saved,
		.layout = trace->manifest.batch.layout};
	for (int64_t b = 0; b < line->B; b++)
		pass->layout.cells += pass->layout.layout == LAYOUT_PACKED ? line->fresh[b] : line->S;
}

bool trace_take_line(struct trace *trace, const char *text, size_t length, struct err *err)
{
	struct passline line;
	bool ok = passline_read(&line, text, length, &trace->manifest, &trace->arena, err);
	if (ok && line.index != trace->pass_count)
		ok = err_input(err, NULL, NULL, "pass %" PRId64 " is expected here, but this is pass %" PRId64,
			trace->pass_count, line.index);
	ok = ok && check_sizes(trace, &line, err);
	if (!ok) {
		struct err cause = *err;
		char where[sizeof cause.where];
		snprintf(where, sizeof where, "line %" PRId64 "%s%.200s", trace->pass_count + 1,
			cause.where[0] != '\0' ? ", " : "", cause.where);
		err_clear(err);
		return err_input(err, trace->passes_path, where, "%s", cause.message);
	}
	for (int64_t b = 0; b < line.B; b++) {
		struct trace_history *history = &trace->histories[line.rows[b]];
		if (line.next[b] >= 0)
			add_history(history,
				request_token(&trace->manifest.batch.requests[line.rows[b]], history->count,
					line.next[b]));
	}
	add_texts(trace, &line);
	add_pass(trace, &line);
	return true;
}

void trace_lay(struct trace *trace, struct trace_pass *pass)
{
	struct arena scratch = ARENA_INIT;
	struct pass *layout = &pass->layout;
	const int32_t **histories = ARENA_ARRAY(&scratch, const int32_t *, layout->B);
	for (int64_t b = 0; b < layout->B; b++)
		histories[b] = trace->histories[layout->rows[b]].tokens;
	int64_t pad = trace->manifest.info.pad_token;
	pass_lay(layout, histories, pad < 0 ? 0 : (int32_t)pad, &trace->arena);
	layout->counted_pads = ARENA_ARRAY(&trace->arena, int64_t, layout->B);
	layout->draws = ARENA_ARRAY(&trace->arena, struct pass_draw, layout->B);
	for (int64_t b = 0; b < layout->B; b++)
		layout->draws[b] = request_draw(&trace_batch(trace)->requests[layout->rows[b]],
			layout->past[b] + layout->fresh[b]);
	arena_free(&scratch);
}

const int32_t *trace_history(const struct trace *trace, int32_t request)
{
	return trace->histories[request].tokens;
}

const struct trace_pass *trace_pass(const struct trace *trace, int64_t pass)
{
	struct trace_pass *found = trace->passes[pass];
	if (found->layout.tokens == NULL)
		trace_lay((struct trace *)(uintptr_t)trace, found);
	return found;
}
