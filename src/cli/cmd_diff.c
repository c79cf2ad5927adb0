/* rowscope diff: where two traces part first, how far, and whether rounding can be the cause. */
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "draw/number.h"
#include "view/difference.h"

const struct cli_option cmd_diff_options[] = {
	{"all", 'a', NULL, N_("list equal tensors too")},
	{0},
};

/* --- JSON --- */

static void add_number(struct json_writer *writer, const char *key, enum dtype dtype, uint32_t bits)
{
	double number = diff_number(dtype, bits);
	json_key(writer, key);
	if (dtype != DTYPE_F32)
		json_add_int(writer, (int64_t)number);
	else
		json_add_float(writer, (float)number);
}

static void add_bits(struct json_writer *writer, const char *key, uint32_t bits)
{
	char text[NUMBER_SIZE];
	number_bits(text, bits);
	json_put_string(writer, key, text);
}

/* A pass, or null for none. */
static void add_pass(struct json_writer *writer, const char *key, int64_t pass)
{
	json_key(writer, key);
	if (pass < 0)
		json_add_null(writer);
	else
		json_add_int(writer, pass);
}

static void add_element(struct json_writer *writer, const struct diff_place *first)
{
	if (first->rank < 0) {
		json_put_string(writer, "index", NULL);
		json_put_string(writer, "a", NULL);
		json_put_string(writer, "b", NULL);
		json_put_string(writer, "ulps", NULL);
		return;
	}
	json_put_ints(writer, "index", first->index, first->rank);
	add_number(writer, "a", first->dtype, first->a);
	add_number(writer, "b", first->dtype, first->b);
	json_put_int(writer, "ulps", (int64_t)diff_ulps(first->dtype, first->a, first->b));
	add_bits(writer, "a_bits", first->a);
	add_bits(writer, "b_bits", first->b);
}

static void add_first(struct json_writer *writer, const struct diff_place *first, const struct trace *a)
{
	json_key(writer, "first");
	if (!first->found) {
		json_add_null(writer);
		return;
	}
	json_begin_object(writer);
	add_pass(writer, "pass", first->pass);
	add_pass(writer, "pass_b", first->pass_b);
	json_put_string(writer, "op", first->name);
	json_put_string(writer, "row", trace_batch(a)->requests[first->request].id);
	json_put_int(writer, "position", first->position);
	add_element(writer, first);
	json_end_object(writer);
}

static void add_value(struct json_writer *writer, const struct diff_value *value, const struct trace *a)
{
	json_begin_object(writer);
	json_put_string(writer, "name", trace_value(a, value->value)->name);
	json_put_double(writer, "max_abs", value->max_abs);
	json_put_int(writer, "max_ulps", (int64_t)value->max_ulps);
	json_put_int(writer, "numbers", value->numbers);
	json_put_int(writer, "differing", value->bad);
	json_put_double(writer, "relative", value->relative);
	json_put_double(writer, "allowed", value->allowed);
	json_put_string(writer, "verdict", diff_kind_name(value->kind));
	json_end_object(writer);
}

static void add_row(struct json_writer *writer, const struct diff_row *row)
{
	json_begin_object(writer);
	json_put_string(writer, "id", row->id);
	json_put_bool(writer, "in_a", row->a >= 0);
	json_put_bool(writer, "in_b", row->b >= 0);
	json_put_int(writer, "positions_a", row->positions_a);
	json_put_int(writer, "positions_b", row->positions_b);
	json_key(writer, "parts_at");
	if (row->parts_at < 0)
		json_add_null(writer);
	else
		json_add_int(writer, row->parts_at);
	json_put_bool(writer, "asked_differently", row->asked_differently);
	if (row->choice.known) {
		json_put_double(writer, "margin", row->choice.margin);
		json_put_double(writer, "distance", row->choice.distance);
		json_put_bool(writer, "near_tie", row->choice.near_tie);
	}
	json_end_object(writer);
}

static void add_names(struct json_writer *writer, const char *key, const char *const *names)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (size_t i = 0; names[i] != NULL; i++)
		json_add_string(writer, names[i]);
	json_end_array(writer);
}

static void add_document(const struct diff *diff, const struct trace *a, struct buf *out)
{
	struct json_writer writer;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_bool(&writer, "equal", diff->equal);
	add_first(&writer, &diff->first, a);
	json_key(&writer, "ops");
	json_begin_array(&writer);
	for (int i = 0; i < diff->value_count; i++)
		add_value(&writer, &diff->values[i], a);
	json_end_array(&writer);
	json_put_string(&writer, "verdict", diff_verdict_name(diff->verdict));
	json_put_int(&writer, "numbers", diff->numbers);
	json_put_int(&writer, "differing", diff->bad);
	json_key(&writer, "rows");
	json_begin_array(&writer);
	for (int64_t i = 0; i < diff->row_count; i++)
		add_row(&writer, &diff->rows[i]);
	json_end_array(&writer);
	add_names(&writer, "only_a", diff->only_a);
	add_names(&writer, "only_b", diff->only_b);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

static bool print_difference(struct cli *cli, const struct diff *diff, const struct trace *a, struct err *err)
{
	struct buf out = BUF_INIT;
	bool all = cli_has(&cli->args, "all"), ok = true;
	if (cli->json) {
		add_document(diff, a, &out);
	} else {
		if (all || diff->bad > 0)
			ok = cli_print_table(cli, difference_table(diff, a, all, &cli->arena), err);
		buf_add_text(&out, all || diff->bad > 0 ? "\n" : "");
		difference_text(diff, a, &out);
	}
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	return ok;
}

bool cmd_diff(struct cli *cli, struct err *err)
{
	struct trace *a = NULL, *b = NULL;
	struct diff diff;
	bool ok = cli_words(cli, 2, 2, err) && trace_open(&a, cli->args.words[0], err) &&
		trace_open(&b, cli->args.words[1], err) && trace_check(a, err) && trace_check(b, err) &&
		diff_traces(&diff, a, b, &cli->arena, err) && print_difference(cli, &diff, a, err);
	if (ok && !diff.equal)
		cli->status = CLI_STATUS_FOUND;
	trace_close(b);
	trace_close(a);
	return ok;
}
