/* rowscope ls: what a trace holds. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "draw/show.h"
#include "trace/hook_names.h"
#include "trace/trace.h"

const struct cli_option cmd_ls_options[] = {
	{"pass", 'p', N_("N"), N_("sizes are those of this pass (the last)")},
	{"names", 0, N_("WHOSE"), N_("transformerlens: what TransformerLens calls each tensor")},
	{0},
};

static void add_axes(struct json_writer *writer, const struct trace_value *value)
{
	json_key(writer, "axes");
	json_begin_array(writer);
	for (int i = 0; value->axes[i] != '\0'; i++)
		json_add_string(writer, (char[]){value->axes[i], '\0'});
	json_end_array(writer);
}

/* A captured value in one pass; the pass may be absent (no pass is finished yet). */
static bool add_tensor(struct json_writer *writer, struct trace *trace, int64_t pass, const struct trace_value *value,
	bool hooks, struct err *err)
{
	struct trace_tensor t;
	char hook[HOOK_NAME_SIZE];
	json_begin_object(writer);
	json_put_string(writer, "name", value->name);
	if (hooks)
		json_put_string(writer, "transformerlens", hook_name(hook, trace, value->name) ? hook : NULL);
	json_put_string(writer, "op", trace_op(trace, value->op)->kind);
	add_axes(writer, value);
	json_put_string(writer, "dtype", dtype_name(value->dtype));
	if (pass >= 0) {
		if (!trace_find(trace, pass, value->name, &t, err))
			return false;
		json_key(writer, "shape");
		json_begin_array(writer);
		for (int i = 0; i < t.tensor.rank; i++)
			json_add_int(writer, t.tensor.shape[i]);
		json_end_array(writer);
		json_put_int(writer, "bytes", (int64_t)tensor_bytes(&t.tensor));
	}
	json_end_object(writer);
	return true;
}

static void add_pass(struct json_writer *writer, const struct trace *trace, int64_t i)
{
	const struct trace_pass *pass = trace_pass(trace, i);
	json_begin_object(writer);
	json_put_int(writer, "index", i);
	json_put_string(writer, "kind", pass_kind_name(pass->layout.kind));
	json_put_int(writer, "B", pass->layout.B);
	json_put_int(writer, "S", pass->layout.S);
	json_put_int(writer, "K", pass->layout.K);
	json_key(writer, "rows");
	json_begin_array(writer);
	for (int64_t b = 0; b < pass->layout.B; b++)
		json_add_string(writer, trace_batch(trace)->requests[pass->layout.rows[b]].id);
	json_end_array(writer);
	json_put_string(writer, "file", pass->file);
	json_put_int(writer, "bytes", (int64_t)pass->bytes);
	json_end_object(writer);
}

static bool as_json(struct trace *trace, int64_t pass, bool hooks, struct buf *out, struct err *err)
{
	struct json_writer writer;
	bool ok = true;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_string(&writer, "model", trace_info(trace)->model);
	json_put_string(&writer, "layout", trace_info(trace)->layout);
	json_put_string(&writer, "schedule", trace_info(trace)->schedule);
	json_put_string(&writer, "capture", trace_info(trace)->capture);
	json_key(&writer, "passes");
	json_begin_array(&writer);
	for (int64_t i = 0; i < trace_pass_count(trace); i++)
		add_pass(&writer, trace, i);
	json_end_array(&writer);
	json_key(&writer, "tensors");
	json_begin_array(&writer);
	for (int v = 0; ok && v < trace_value_count(trace); v++) {
		if (trace_value(trace, v)->captured)
			ok = add_tensor(&writer, trace, pass, trace_value(trace, v), hooks, err);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
	return ok;
}

/* --- tables --- */

static struct table *pass_table(const struct trace *trace, struct arena *arena)
{
	struct table *table = table_new(arena, "passes");
	int index = table_add_column(table, "pass", TABLE_INT), kind = table_add_column(table, "kind", TABLE_TEXT);
	int shape = table_add_column(table, "B,S,K", TABLE_TEXT), rows = table_add_column(table, "rows", TABLE_TEXT);
	int bytes = table_add_column(table, "bytes", TABLE_INT);
	for (int64_t i = 0; i < trace_pass_count(trace); i++) {
		const struct trace_pass *pass = trace_pass(trace, i);
		struct buf ids = BUF_INIT;
		size_t row = table_add_row(table, STYLE_NO_LANE);
		for (int64_t b = 0; b < pass->layout.B; b++)
			buf_printf(&ids, "%s%s", b > 0 ? " " : "",
				trace_batch(trace)->requests[pass->layout.rows[b]].id);
		table_set_int(table, row, index, i);
		table_set_string(table, row, kind, pass_kind_name(pass->layout.kind));
		table_set_string(table, row, shape,
			arena_printf(arena, "%" PRId64 ",%" PRId64 ",%" PRId64, pass->layout.B, pass->layout.S,
				pass->layout.K));
		table_set_string(table, row, rows, buf_text(&ids));
		table_set_int(table, row, bytes, (int64_t)pass->bytes);
		buf_free(&ids);
	}
	return table;
}

static bool add_tensor_row(struct table *table, struct trace *trace, int64_t pass, int v, struct err *err)
{
	const struct trace_value *value = trace_value(trace, v);
	struct trace_tensor t;
	struct buf text = BUF_INIT;
	size_t row = table_add_row(table, STYLE_NO_LANE);
	table_set_string(table, row, 0, value->name);
	table_set_string(table, row, 1, trace_op(trace, value->op)->kind);
	for (int i = 0; value->axes[i] != '\0'; i++)
		buf_printf(&text, "%s%c", i > 0 ? "," : "", value->axes[i]);
	table_set_string(table, row, 2, buf_text(&text));
	table_set_string(table, row, 4, dtype_name(value->dtype));
	buf_clear(&text);
	bool ok = pass < 0 || trace_find(trace, pass, value->name, &t, err);
	for (int i = 0; ok && pass >= 0 && i < t.tensor.rank; i++)
		buf_printf(&text, "%s%" PRId64, i > 0 ? "," : "", t.tensor.shape[i]);
	table_set_string(table, row, 3, buf_text(&text));
	if (ok && pass >= 0)
		table_set_int(table, row, 5, (int64_t)tensor_bytes(&t.tensor));
	buf_free(&text);
	return ok;
}

static struct table *tensor_table(struct trace *trace, int64_t pass, bool hooks, struct arena *arena, struct err *err)
{
	char hook[HOOK_NAME_SIZE];
	static const char *const columns[] = {"tensor", "operation", "axes", "shape", "type"};
	struct table *table = table_new(arena, "tensors");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		table_add_column(table, columns[i], TABLE_TEXT);
	table_add_column(table, "bytes", TABLE_INT);
	int theirs = hooks ? table_add_column(table, "TransformerLens", TABLE_TEXT) : -1;
	for (int v = 0; v < trace_value_count(trace); v++) {
		if (!trace_value(trace, v)->captured)
			continue;
		if (!add_tensor_row(table, trace, pass, v, err))
			return NULL;
		if (hooks && hook_name(hook, trace, trace_value(trace, v)->name))
			table_set_string(table, table->row_count - 1, theirs, hook);
	}
	return table;
}

static bool print_tables(struct cli *cli, struct trace *trace, int64_t pass, bool hooks, struct err *err)
{
	const struct trace_info *info = trace_info(trace);
	struct buf out = BUF_INIT;
	show_text(&out, info->model);
	buf_printf(&out, _(" (%s), layout %s, schedule %s, capture "), info->family, info->layout, info->schedule);
	show_text(&out, info->capture);
	for (const char *const *fault = info->faults; *fault != NULL; fault++) {
		buf_add_text(&out, _(", fault "));
		show_text(&out, *fault);
	}
	buf_add_text(&out, "\n\n");
	bool ok = cli_print(&out, err) && cli_print_table(cli, pass_table(trace, &cli->arena), err);
	buf_free(&out);
	struct table *tensors = ok ? tensor_table(trace, pass, hooks, &cli->arena, err) : NULL;
	if (tensors != NULL && pass >= 0)
		table_set_caption(tensors,
			arena_printf(&cli->arena, _("shapes and bytes are those of pass %" PRId64), pass));
	return tensors != NULL && fputc('\n', stdout) != EOF && cli_print_table(cli, tensors, err);
}

bool cmd_ls(struct cli *cli, struct err *err)
{
	struct trace *trace;
	struct buf out = BUF_INIT;
	bool hooks;
	if (!cli_words(cli, 1, 1, err) || !cli_names(&cli->args, &hooks, err) ||
		!trace_open(&trace, cli->args.words[0], err))
		return false;
	int64_t pass = trace_pass_count(trace) - 1;
	bool ok = cli_int(&cli->args, "pass", 0, pass < 0 ? 0 : pass, &pass, err);
	if (ok && cli->json)
		ok = as_json(trace, pass, hooks, &out, err) && cli_print(&out, err);
	else if (ok)
		ok = print_tables(cli, trace, pass, hooks, err);
	buf_free(&out);
	trace_close(trace);
	return ok;
}
