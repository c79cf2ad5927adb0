/* rowscope explain: one cell taken apart. */
#include <inttypes.h>
#include <string.h>

#include "analysis/explainer.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "draw/show.h"
#include "trace/selector.h"

const struct cli_option cmd_explain_options[] = {
	{"top", 'n', N_("N"), N_("inputs that are listed, largest share first (12)")},
	{"model", 'm', N_("MODEL"), N_("the model of a trace that was made with no bundled one")},
	{0},
};

static void add_place(struct buf *out, const char *name, const int64_t *index, int rank)
{
	show_text(out, name);
	for (int i = 0; i < rank; i++)
		buf_printf(out, "%s%" PRId64, i > 0 ? "," : "[", index[i]);
	buf_add_text(out, rank > 0 ? "]" : "");
}

/* --- JSON --- */

static void add_bits(struct json_writer *writer, const char *key, uint32_t bits)
{
	char text[16];
	snprintf(text, sizeof text, "0x%08x", bits);
	json_key(writer, key);
	json_add_string(writer, text);
}

static void add_value(struct json_writer *writer, const struct explained *cell)
{
	json_key(writer, "value");
	if (cell->dtype == DTYPE_F32)
		json_add_float(writer, (float)cell->value);
	else
		json_add_int(writer, (int64_t)cell->value);
}

static void add_term(struct json_writer *writer, const struct explained_term *term)
{
	json_begin_object(writer);
	json_put_string(writer, "name", term->term.name);
	if (term->term.pass >= 0) {
		json_put_int(writer, "pass", term->term.pass);
	}
	json_put_ints(writer, "index", term->term.index, term->term.rank);
	json_put_double(writer, "value", term->term.value);
	json_put_double(writer, "weight", term->term.weight);
	json_put_double(writer, "term", term->term.term);
	json_put_double(writer, "share", term->share);
	json_end_object(writer);
}

static void as_json(const struct explained *cell, int64_t top, struct buf *out)
{
	struct json_writer writer;
	double rest = 0;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_key(&writer, "cell");
	json_begin_object(&writer);
	json_put_int(&writer, "pass", cell->pass);
	json_put_string(&writer, "name", cell->name);
	json_put_ints(&writer, "index", cell->index, cell->rank);
	json_end_object(&writer);
	add_value(&writer, cell);
	add_bits(&writer, "bits", cell->bits);
	json_put_string(&writer, "kind", cell->kind);
	json_put_string(&writer, "formula", cell->formula);
	add_bits(&writer, "recomputed_bits", cell->recomputed_bits);
	json_put_bool(&writer, "same", cell->same);
	json_key(&writer, "inputs");
	json_begin_array(&writer);
	for (int64_t i = 0; i < cell->term_count; i++) {
		if (i < top)
			add_term(&writer, &cell->terms[i]);
		else
			rest += cell->terms[i].term.term;
	}
	json_end_array(&writer);
	json_key(&writer, "rest");
	json_begin_object(&writer);
	json_put_int(&writer, "count", cell->term_count > top ? cell->term_count - top : 0);
	json_put_double(&writer, "sum", rest);
	json_end_object(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* --- text --- */

static struct table *term_table(const struct explained *cell, int64_t top, struct arena *arena)
{
	struct table *table = table_new(arena, "inputs");
	int input = table_add_column(table, "input", TABLE_TEXT), value = table_add_column(table, "value", TABLE_FLOAT);
	int weight = table_add_column(table, "times", TABLE_FLOAT), term = table_add_column(table, "term", TABLE_FLOAT);
	int share = table_add_column(table, "share", TABLE_TEXT);
	for (int64_t i = 0; i < cell->term_count && i < top; i++) {
		const struct explained_term *t = &cell->terms[i];
		struct buf place = BUF_INIT;
		if (t->term.pass >= 0 && t->term.pass != cell->pass)
			buf_printf(&place, "pass=%" PRId64 " ", t->term.pass);
		add_place(&place, t->term.name, t->term.index, t->term.rank);
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, input, buf_text(&place));
		table_set_float(table, row, value, (float)t->term.value);
		table_set_float(table, row, weight, (float)t->term.weight);
		table_set_float(table, row, term, (float)t->term.term);
		table_set_string(table, row, share, arena_printf(arena, "%.1f %%", 100 * t->share));
		buf_free(&place);
	}
	table->omitted = cell->term_count > top ? cell->term_count - top : 0;
	return table;
}

static void add_head(const struct explained *cell, struct buf *out)
{
	buf_printf(out, _("pass %" PRId64 "  "), cell->pass);
	add_place(out, cell->name, cell->index, cell->rank);
	buf_printf(out, "  %s\n%s\n", cell->kind, cell->formula_text);
	show_text(out, cell->formula);
	buf_printf(out, _("\nrecorded 0x%08x, recomputed 0x%08x: %s\n\n"), cell->bits, cell->recomputed_bits,
		cell->same ? _("the same bits") : _("OTHER BITS"));
}

static bool print_cell(struct cli *cli, const struct explained *cell, int64_t top, struct err *err)
{
	struct buf out = BUF_INIT;
	if (cli->json)
		as_json(cell, top, &out);
	else
		add_head(cell, &out);
	bool ok = cli_print(&out, err);
	if (ok && !cli->json && cell->term_count > 0)
		ok = cli_print_table(cli, term_table(cell, top, &cli->arena), err);
	buf_free(&out);
	return ok;
}

/* The selector must name one cell of a recorded tensor. */
static bool find_cell(struct cli *cli, struct trace *trace, struct explained *cell, struct err *err)
{
	struct selector selector;
	struct selector_match match;
	if (!selector_parse(&selector, cli_join(cli, 1), &cli->arena, err))
		return false;
	if (selector.is_weight)
		return err_usage(err, selector.text, _("a weight is given, not computed; show prints it"));
	if (!selector_find(&selector, trace, &match, err))
		return false;
	if (slice_count(&match.selection) != 1)
		return err_usage(err, selector.text, _("names %" PRId64 " cells; name one, as in %s[0,0]"),
			slice_count(&match.selection), match.tensor.name);
	cell->pass = match.pass;
	cell->name = match.tensor.name;
	slice_index(&match.selection, 0, cell->index);
	return true;
}

bool cmd_explain(struct cli *cli, struct err *err)
{
	struct trace *trace;
	struct model *model = NULL;
	struct explainer *explainer = NULL;
	struct explained cell = {0};
	int64_t top = 12;
	if (!cli_words(cli, 2, -1, err) || !cli_int(&cli->args, "top", 0, INT32_MAX, &top, err) ||
		!trace_open(&trace, cli->args.words[0], err))
		return false;
	bool ok = find_cell(cli, trace, &cell, err) && setup_trace_model(&model, cli, trace_info(trace)->model, err) &&
		explainer_new(&explainer, trace, model, err) && explainer_cell(explainer, &cell, &cli->arena, err) &&
		print_cell(cli, &cell, top, err);
	if (ok && !cell.same)
		cli->status = CLI_STATUS_FOUND;
	explainer_delete(explainer);
	model_delete(model);
	trace_close(trace);
	return ok;
}
