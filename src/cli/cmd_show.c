/* rowscope show: a tensor or a part of it, as a table, a heat map, JSON or CSV. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/pick.h"
#include "draw/show.h"
#include "export/export.h"
#include "trace/selector.h"
#include "view/numbers.h"

const struct cli_option cmd_show_options[] = {
	{"heat", 0, NULL, N_("a heat map; its scale is that of the whole tensor")},
	{"csv", 0, NULL, N_("comma-separated values, every number whole")},
	{"all", 'a', NULL, N_("every row and column of a large tensor")},
	{"model", 'm', N_("MODEL"), N_("the model of a trace that was made with no bundled one")},
	{0},
};

/* --- JSON --- */

static void add_number(struct json_writer *writer, const struct tensor *part, int64_t i)
{
	double value = tensor_value(part, i);
	if (part->dtype == DTYPE_BOOL)
		json_add_bool(writer, value != 0);
	else if (part->dtype == DTYPE_F32)
		json_add_float(writer, (float)value);
	else if (part->dtype == DTYPE_F64)
		json_add_double(writer, value);
	else
		json_add_int(writer, (int64_t)value);
}

/* Nested lists; *at is the next element. */
static void add_nested(struct json_writer *writer, const struct tensor *part, int axis, int64_t *at)
{
	if (axis == part->rank) {
		add_number(writer, part, (*at)++);
		return;
	}
	json_begin_array(writer);
	for (int64_t i = 0; i < part->shape[axis]; i++)
		add_nested(writer, part, axis + 1, at);
	json_end_array(writer);
}

static void add_special(struct json_writer *writer, const struct tensor *part)
{
	json_key(writer, "special");
	json_begin_array(writer);
	for (int64_t i = 0; i < tensor_count(part); i++) {
		double value = tensor_value(part, i);
		int64_t index[TENSOR_MAX_RANK];
		if (isfinite(value))
			continue;
		tensor_index(part, i, index);
		json_begin_object(writer);
		json_key(writer, "index");
		json_begin_array(writer);
		for (int j = 0; j < part->rank; j++)
			json_add_int(writer, index[j]);
		json_end_array(writer);
		json_put_string(writer, "value", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void as_json(const struct pick *pick, struct buf *out)
{
	struct json_writer writer;
	const struct tensor *part = &pick->part;
	int64_t at = 0;
	json_writer_init(&writer, out, false);
	json_begin_object(&writer);
	json_key(&writer, "pass");
	if (pick->pass >= 0)
		json_add_int(&writer, pick->pass);
	else
		json_add_null(&writer);
	json_put_string(&writer, "name", pick->name);
	json_key(&writer, "axes");
	json_begin_array(&writer);
	for (int i = 0; i < part->rank; i++)
		json_add_string(&writer, (char[]){part->axes[i], '\0'});
	json_end_array(&writer);
	json_key(&writer, "shape");
	json_begin_array(&writer);
	for (int i = 0; i < part->rank; i++)
		json_add_int(&writer, part->shape[i]);
	json_end_array(&writer);
	json_put_string(&writer, "dtype", dtype_name(part->dtype));
	json_key(&writer, "data");
	add_nested(&writer, part, 0, &at);
	add_special(&writer, part);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* --- forms for people --- */

/* A part of a tensor looks like the whole once it is in a file or on a slide: says so, and how to get the rest. */
static void say_cut(const struct numbers *numbers, const struct pick *pick, const struct cli *cli)
{
	if (numbers_are_cut(numbers))
		cli_say(cli,
			_("%s is larger than what is shown: --all prints every number of it, a selector a part, as in  "
			  "'%s[%s=3]'"),
			pick->name, pick->name, selector_axis_word(pick->part.axes[pick->part.rank - 1]));
}

/* A file gets CSV with the very bytes of names and tokens; a terminal must not obey them. */
static void make_visible(struct buf *out)
{
	struct buf shown = BUF_INIT;
	for (size_t at = 0; at < out->length;) {
		const char *line = out->data + at, *end = memchr(line, '\n', out->length - at);
		size_t length = end != NULL ? (size_t)(end - line) : out->length - at;
		show_foreign(&shown, line, length > 0 && line[length - 1] == '\r' ? length - 1 : length);
		buf_add_char(&shown, '\n');
		at += length + 1;
	}
	buf_free(out);
	*out = shown;
}

static bool add_form(const struct pick *pick, struct cli *cli, struct buf *out, struct err *err)
{
	bool all = cli_has(&cli->args, "all"), csv = cli_has(&cli->args, "csv"), heat = cli_has(&cli->args, "heat");
	struct export_options options = {.depth = cli->color ? THEME_256 : THEME_MONO};
	struct numbers numbers = pick_numbers(pick, &cli->arena, heat);
	if (all || csv)
		numbers.most_columns = numbers.most_rows = 0;
	say_cut(&numbers, pick, cli);
	if (heat) {
		struct heat scale;
		if (!pick_scale(pick, &cli->arena, &scale, err))
			return false;
		struct grid grid = numbers_heat(&numbers, &scale, &cli->arena);
		return export_grid(export_find("text"), &grid, &options, out, err);
	}
	struct table *table = numbers_table(&numbers, &cli->arena);
	if (!export_table(export_find(csv ? "csv" : "text"), table, &options, out, err))
		return false;
	if (csv && isatty(STDOUT_FILENO) != 0)
		make_visible(out);
	return true;
}

bool cmd_show(struct cli *cli, struct err *err)
{
	struct pick pick;
	struct buf out = BUF_INIT;
	bool ok = true;
	if (cli_has(&cli->args, "heat") && (cli->json || cli_has(&cli->args, "csv")))
		return err_usage(err, "--heat", _("a heat map is for people; leave out --json and --csv"));
	if (!pick_open(&pick, cli, err))
		return false;
	if (cli->json)
		as_json(&pick, &out);
	else
		ok = add_form(&pick, cli, &out, err);
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	pick_close(&pick);
	return ok;
}
