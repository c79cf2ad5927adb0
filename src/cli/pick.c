#include "cli/pick.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "cli/setup.h"
#include "trace/hook_names.h"

/* Reads the selected part of a weight, row by row. */
static void cut_weight(struct pick *pick, const struct weight *weight, struct arena *arena)
{
	pick->part = slice_shape(&pick->slice, &pick->whole);
	float *data = ARENA_ARRAY(arena, float, tensor_count(&pick->part) + 1);
	int64_t index[TENSOR_MAX_RANK] = {0};
	for (int64_t i = 0; i < slice_count(&pick->slice); i++) {
		slice_index(&pick->slice, i, index);
		data[i] = weight_cell(weight, index[0], index[1]);
	}
	pick->part.data = data;
}

static bool pick_weight(struct pick *pick, struct cli *cli, const struct selector *selector, struct err *err)
{
	if (!setup_trace_model(&pick->model, cli, trace_info(pick->trace)->model, err))
		return false;
	struct weight *weight = model_weight(pick->model, selector->name);
	if (weight == NULL)
		return err_usage(err, selector->text,
			"the model has no weight \"%.200s\"; rowscope model --weights lists them", selector->name);
	pick->pass = -1;
	pick->name = arena_printf(&cli->arena, "weights.%s", weight->name);
	pick->whole = (struct tensor){.dtype = DTYPE_F32, .rank = weight->rank};
	memcpy(pick->whole.shape, weight->shape, sizeof weight->shape);
	snprintf(pick->whole.axes, sizeof pick->whole.axes, "%s", weight->axes);
	if (!selector_resolve(selector, &pick->whole, NULL, &pick->slice, err) || !weight_load(weight, err))
		return false;
	cut_weight(pick, weight, &cli->arena);
	return true;
}

static bool pick_value(struct pick *pick, struct cli *cli, const struct selector *selector, struct err *err)
{
	struct selector_match match;
	if (!selector_find(selector, pick->trace, &match, err))
		return false;
	pick->pass = match.pass;
	pick->name = match.tensor.name;
	pick->whole = match.tensor.tensor;
	pick->slice = match.selection;
	pick->tensor = match.tensor;
	pick->has_trace_tensor = true;
	return trace_slice(pick->trace, &match.tensor, &match.selection, &cli->arena, &pick->part, err);
}

bool pick_open(struct pick *pick, struct cli *cli, struct err *err)
{
	struct selector selector;
	*pick = (struct pick){0};
	if (!cli_words(cli, 2, -1, err) || !selector_parse(&selector, cli_join(cli, 1), &cli->arena, err) ||
		!trace_open(&pick->trace, cli->args.words[0], err))
		return false;
	if (selector.is_weight ? pick_weight(pick, cli, &selector, err) : pick_value(pick, cli, &selector, err))
		return true;
	pick_close(pick);
	return false;
}

void pick_close(struct pick *pick)
{
	trace_close(pick->trace);
	model_delete(pick->model);
}

void pick_rename(struct pick *pick, struct arena *arena)
{
	char name[HOOK_NAME_SIZE];
	if (pick->has_trace_tensor && hook_name(name, pick->trace, pick->name))
		pick->name = arena_strdup(arena, name);
}

/* "[row=A,pos=0:2]": the part that was selected, as a selector says it; nothing for the whole. */
static void add_selection(const struct pick *pick, const struct numbers *names, struct buf *out)
{
	const struct slice *slice = &pick->slice;
	char before = '[';
	for (int i = 0; i < slice->rank; i++) {
		int64_t first = slice->first[i], end = first + slice->count[i];
		bool is_row = strchr("BT", pick->whole.axes[i]) != NULL && names->row_ids != NULL;
		if (!slice->dropped[i] && slice->count[i] == pick->whole.shape[i])
			continue;
		buf_printf(out, "%c%s=", before, selector_axis_word(pick->whole.axes[i]));
		if (slice->dropped[i] && is_row)
			buf_add_text(out, names->row_ids[first]);
		else if (slice->dropped[i])
			buf_printf(out, "%" PRId64, first);
		else
			buf_printf(out, "%" PRId64 ":%" PRId64, first, end);
		before = ',';
	}
	if (before == ',')
		buf_add_char(out, ']');
}

static const char *title_of(const struct pick *pick, const struct numbers *names, struct arena *arena)
{
	struct buf text = BUF_INIT;
	if (pick->pass >= 0)
		buf_printf(&text, "pass=%" PRId64 " ", pick->pass);
	buf_add_text(&text, pick->name);
	add_selection(pick, names, &text);
	buf_add_text(&text, "  (");
	for (int i = 0; i < pick->part.rank; i++)
		buf_printf(&text, "%s%c=%" PRId64, i > 0 ? ", " : "", pick->part.axes[i], pick->part.shape[i]);
	buf_printf(&text, ")  %s", dtype_name(pick->part.dtype));
	const char *title = arena_strdup(arena, buf_text(&text));
	buf_free(&text);
	return title;
}

#define MOST_COLUMNS 12
#define MOST_HEAT_COLUMNS 40
#define MOST_ROWS 200

struct numbers pick_numbers(const struct pick *pick, struct arena *arena, bool heat)
{
	struct numbers numbers = {.part = &pick->part,
		.slice = &pick->slice,
		.most_columns = heat ? MOST_HEAT_COLUMNS : MOST_COLUMNS,
		.most_rows = MOST_ROWS};
	if (pick->has_trace_tensor)
		numbers_name_rows(&numbers, pick->trace, pick->pass, pick->whole.axes, arena);
	numbers.title = title_of(pick, &numbers, arena);
	return numbers;
}

bool pick_scale(const struct pick *pick, struct arena *arena, struct heat *heat, struct err *err)
{
	struct tensor whole;
	if (!pick->has_trace_tensor) {
		heat_scan(heat, &pick->part);
		return true;
	}
	struct slice all = slice_whole(&pick->whole);
	if (!trace_slice(pick->trace, &pick->tensor, &all, arena, &whole, err))
		return false;
	heat_scan(heat, &whole);
	return true;
}
