#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stops.h"
#include "base/i18n.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "draw/show.h"
#include "draw/table_grid.h"

/* One pass, kept after its arena is gone. */
struct seen_pass {
	struct pass layout; /* rows, past, fresh, first, row_of, tokens, waiting; the rest is not kept */
	int32_t *next;      /* [B] */
};

struct report {
	const struct model *model;
	struct arena arena;
	struct seen_pass *passes;
	int64_t count, capacity;
};

struct report *report_new(const struct model *model)
{
	struct report *report = MEM_NEW(struct report);
	report->model = model;
	return report;
}

void report_delete(struct report *report)
{
	if (report == NULL)
		return;
	free(report->passes);
	arena_free(&report->arena);
	free(report);
}

static void *kept(struct report *report, const void *data, size_t bytes)
{
	return memcpy(arena_raw(&report->arena, bytes, 1), data, bytes);
}

static bool on_begin(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	struct report *report = self;
	(void)plan, (void)err;
	if (report->count == report->capacity) {
		report->capacity = report->capacity * 2 + 64;
		report->passes = mem_resize(report->passes, (size_t)report->capacity, sizeof *report->passes);
	}
	size_t rows = (size_t)pass->B, cells = (size_t)pass->cells;
	struct pass *layout = &report->passes[report->count].layout;
	*layout = *pass;
	layout->rows = kept(report, pass->rows, rows * sizeof *pass->rows);
	layout->past = kept(report, pass->past, rows * sizeof *pass->past);
	layout->fresh = kept(report, pass->fresh, rows * sizeof *pass->fresh);
	layout->first = kept(report, pass->first, rows * sizeof *pass->first);
	layout->row_of = kept(report, pass->row_of, cells * sizeof *pass->row_of);
	layout->tokens = kept(report, pass->tokens, cells * sizeof *pass->tokens);
	layout->waiting = kept(report, pass->waiting, (size_t)pass->waiting_count * sizeof *pass->waiting);
	report->passes[report->count++].next = ARENA_ARRAY(&report->arena, int32_t, pass->B);
	return true;
}

static bool on_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct report *report = self;
	(void)pass, (void)err;
	if (strcmp(plan->values[value].name, "next_tokens") == 0)
		memcpy(report->passes[report->count - 1].next, tensor->data, tensor_bytes(tensor));
	return true;
}

struct probe report_probe(struct report *report)
{
	return (struct probe){.self = report, .begin = on_begin, .value = on_value};
}

/* Whether the last token is an end or stop token, which is no part of the text. */
static bool ends_with_token(const struct row *row, const struct request *request)
{
	for (int64_t i = 0; row->finish == FINISH_STOP && i < request->stop_id_count; i++) {
		if (request->stop_ids[i] == row->tokens[row->count - 1])
			return true;
	}
	return row->finish == FINISH_EOS;
}

/* The generated text of a row: without the end token, and cut before a stop text. */
static void add_text(const struct report *report, const struct row *row, const struct request *request, struct buf *out)
{
	int64_t count = row->count - request->prompt_length - (ends_with_token(row, request) ? 1 : 0);
	stops_text(report->model, request, row->tokens, count, out);
}

/* --- JSON --- */

static void add_ids(struct json_writer *writer, const int32_t *ids, int64_t count)
{
	json_begin_array(writer);
	for (int64_t i = 0; i < count; i++)
		json_add_int(writer, ids[i]);
	json_end_array(writer);
}

static void add_row(struct json_writer *writer, const struct report *report, const struct row *row,
	const struct request *request)
{
	struct buf text = BUF_INIT;
	int64_t generated = row->count - request->prompt_length;
	add_text(report, row, request, &text);
	json_begin_object(writer);
	json_put_string(writer, "id", request->id);
	json_put_int32s(writer, "prompt_tokens", request->prompt, request->prompt_length);
	json_put_int32s(writer, "tokens", row->tokens + request->prompt_length, generated);
	json_put_string(writer, "text", buf_text(&text));
	json_put_string(writer, "finish", row->finish == FINISH_NONE ? NULL : finish_reason_name(row->finish));
	json_key(writer, "logprobs");
	json_begin_array(writer);
	for (int64_t i = 0; i < generated; i++)
		json_add_float(writer, row->logprobs[i]);
	json_end_array(writer);
	json_end_object(writer);
	buf_free(&text);
}

/* One list per row of the matrix; one list of all when packed. */
static void add_matrix(struct json_writer *writer, const struct pass *layout)
{
	if (layout->layout == LAYOUT_PACKED) {
		add_ids(writer, layout->tokens, layout->cells);
		return;
	}
	json_begin_array(writer);
	for (int64_t b = 0; b < layout->B; b++)
		add_ids(writer, layout->tokens + b * layout->S, layout->S);
	json_end_array(writer);
}

static void add_pass(struct json_writer *writer, const struct seen_pass *seen, int64_t index, const struct batch *batch)
{
	const struct pass *pass = &seen->layout;
	json_begin_object(writer);
	json_put_int(writer, "index", index);
	json_put_string(writer, "kind", pass_kind_name(pass->kind));
	json_key(writer, "rows");
	json_begin_array(writer);
	for (int64_t b = 0; b < pass->B; b++)
		json_add_string(writer, batch->requests[pass->rows[b]].id);
	json_end_array(writer);
	json_key(writer, "tokens");
	add_matrix(writer, pass);
	json_put_int32s(writer, "next_tokens", seen->next, pass->B);
	json_end_object(writer);
}

void report_json(const struct report *report, const struct run *run, const char *trace, struct buf *out)
{
	struct json_writer writer;
	const struct batch *batch = run_batch(run);
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_string(&writer, "trace", trace);
	json_put_string(&writer, "model", model_name(report->model));
	json_key(&writer, "rows");
	json_begin_array(&writer);
	for (int64_t i = 0; i < batch->count; i++)
		add_row(&writer, report, run_row(run, i), &batch->requests[i]);
	json_end_array(&writer);
	json_key(&writer, "passes");
	json_begin_array(&writer);
	for (int64_t i = 0; i < report->count; i++)
		add_pass(&writer, &report->passes[i], i, batch);
	json_end_array(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* --- text --- */

#define MOST_PASS_ROWS 8 /* in the line of a pass; every row has a line of its own below, and --json has all */

static void add_token(const struct report *report, int32_t id, struct buf *out)
{
	struct buf bytes = BUF_INIT;
	const struct tokenizer *tokenizer = model_tokenizer(report->model);
	if (tokenizer != NULL && tokenizer_token_bytes(tokenizer, id, &bytes))
		show_foreign(out, buf_text(&bytes), bytes.length);
	else
		buf_printf(out, "%d", id);
	buf_free(&bytes);
}

/* One row's part in a pass: "   A [我][今] -> 天". */
static void add_pass_row(const struct report *report, int64_t index, int64_t b, const char *id, struct buf *out)
{
	const struct pass *pass = &report->passes[index].layout;
	int32_t next = report->passes[index].next[b];
	buf_add_text(out, "   ");
	show_text(out, id);
	buf_add_char(out, ' ');
	for (int64_t cell = pass->first[b]; cell < pass->first[b] + pass->fresh[b]; cell++) {
		buf_add_char(out, '[');
		add_token(report, pass->tokens[cell], out);
		buf_add_char(out, ']');
	}
	if (next >= 0) {
		buf_add_text(out, " -> ");
		add_token(report, next, out);
	} else {
		buf_add_text(out, pass->fresh[b] == 0 ? _("FINISHED") : " ...");
	}
}

/* Decimal digits of the last pass's number, so that the lines of all passes stand below one another. */
static int number_width(const struct report *report)
{
	int width = 1;
	for (int64_t last = report->count - 1; last >= 10; last /= 10)
		width++;
	return width;
}

static void add_pass_line(const struct report *report, int64_t index, const struct batch *batch, struct buf *out)
{
	const struct pass *pass = &report->passes[index].layout;
	buf_printf(out, _("pass %*lld  %-7s  tokens "), number_width(report), (long long)index,
		pass_kind_name(pass->kind));
	if (pass->layout == LAYOUT_PACKED)
		buf_printf(out, "(%lld)", (long long)pass->cells);
	else
		buf_printf(out, "(%lld,%lld)", (long long)pass->B, (long long)pass->S);
	int64_t shown = pass->B > MOST_PASS_ROWS ? MOST_PASS_ROWS : pass->B;
	for (int64_t b = 0; b < shown; b++)
		add_pass_row(report, index, b, batch->requests[pass->rows[b]].id, out);
	if (shown < pass->B) {
		buf_add_text(out, "   ");
		table_show_omitted(pass->B - shown, out);
	}
	for (int64_t i = 0; i < pass->waiting_count; i++) {
		buf_add_text(out, "   ");
		show_text(out, batch->requests[pass->waiting[i]].id);
		buf_printf(out, _(" waits: %lld of %lld places taken"), (long long)pass->lanes, (long long)pass->lanes);
	}
	buf_add_char(out, '\n');
}

static void add_row_line(const struct report *report, const struct row *row, const struct request *request,
	struct buf *out)
{
	struct buf text = BUF_INIT;
	const struct tokenizer *tokenizer = model_tokenizer(report->model);
	show_text(out, request->id);
	buf_add_text(out, "  ");
	if (request->text != NULL)
		show_text(out, request->text);
	else if (tokenizer != NULL)
		tokenizer_decode(tokenizer, request->prompt, (size_t)request->prompt_length, false, &text);
	show_foreign(out, buf_text(&text), text.length);
	buf_add_text(out, " | ");
	buf_clear(&text);
	add_text(report, row, request, &text);
	show_foreign(out, buf_text(&text), text.length);
	if (row->finish != FINISH_NONE)
		buf_printf(out, "  (%s)", finish_reason_name(row->finish));
	buf_add_char(out, '\n');
	buf_free(&text);
}

void report_text(const struct report *report, const struct run *run, struct buf *out)
{
	const struct batch *batch = run_batch(run);
	for (int64_t i = 0; i < report->count; i++)
		add_pass_line(report, i, batch, out);
	buf_add_char(out, '\n');
	for (int64_t i = 0; i < batch->count; i++)
		add_row_line(report, run_row(run, i), &batch->requests[i], out);
}
