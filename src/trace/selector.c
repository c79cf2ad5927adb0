#include "trace/selector.h"

#include <inttypes.h>
#include <string.h>

/* What the parts of one selector are fitted to. */
struct fit {
	const struct selector *selector;
	const struct tensor *tensor;
	const char *const *row_ids;
	struct err *err;
};

/* Where ... leads to: parts by place behind it are those of the last axes. */
static int after_rest(const struct fit *fit, int i)
{
	int behind = 0;
	for (int j = i + 1; j < fit->selector->part_count; j++)
		behind += fit->selector->parts[j].axis[0] == '\0';
	return fit->tensor->rank - behind;
}

/* Which axis part `i` is about, or -1 with an error; `next` is the one behind that of the part before. */
static int axis_of(const struct fit *fit, int i, int next)
{
	const struct selector_part *part = &fit->selector->parts[i];
	const struct tensor *tensor = fit->tensor;
	int found = -1, fitting = 0;
	char text[2 * TENSOR_MAX_RANK];
	tensor_axes_text(tensor, text);
	if (part->axis[0] == '\0' && next >= 0 && next < tensor->rank)
		return next;
	for (int axis = 0; part->axis[0] != '\0' && axis < tensor->rank; axis++) {
		if (tensor->axes[axis] != '\0' && strchr(part->axis, tensor->axes[axis]) != NULL) {
			found = axis;
			fitting++;
		}
	}
	if (fitting == 1)
		return found;
	if (part->axis[0] == '\0')
		err_usage(fit->err, fit->selector->text, "at byte %zu: the tensor has only %d axes (%s)", part->at,
			tensor->rank, text);
	else if (fitting == 0)
		err_usage(fit->err, fit->selector->text, "at byte %zu: the tensor has no axis '%s'; its axes are %s",
			part->at, selector_axis_word(part->axis[0]), text);
	else
		err_usage(fit->err, fit->selector->text,
			"at byte %zu: '%s' may be any of several axes (%s); give the indices in order", part->at,
			selector_axis_word(part->axis[0]), text);
	return -1;
}

static int64_t clipped(int64_t index, int64_t size)
{
	index += index < 0 ? size : 0;
	return index < 0 ? 0 : index > size ? size : index;
}

static bool fit_slice(const struct selector_part *part, int axis, const struct fit *fit, struct slice *selection)
{
	int64_t size = fit->tensor->shape[axis];
	int64_t first = part->has_first ? clipped(part->first, size) : 0;
	int64_t end = part->has_end ? clipped(part->end, size) : size;
	selection->first[axis] = first;
	selection->count[axis] = end > first ? end - first : 0;
	return true;
}

static bool fit_row(const struct selector_part *part, int axis, const struct fit *fit, int64_t *index)
{
	const char *text = fit->selector->text;
	if (fit->tensor->axes[axis] != 'B' || fit->row_ids == NULL)
		return err_usage(fit->err, text, "at byte %zu: '%s' is no index; only rows have IDs", part->at,
			part->row);
	for (int64_t b = 0; b < fit->tensor->shape[axis]; b++) {
		if (strcmp(fit->row_ids[b], part->row) == 0) {
			*index = b;
			return true;
		}
	}
	struct buf ids = BUF_INIT;
	for (int64_t b = 0; b < fit->tensor->shape[axis] && b < 8; b++)
		buf_printf(&ids, "%s%s", b > 0 ? ", " : "", fit->row_ids[b]);
	err_usage(fit->err, text, "at byte %zu: no row with the ID '%s' takes part in this pass; its rows are %s%s",
		part->at, part->row, buf_text(&ids), fit->tensor->shape[axis] > 8 ? ", …" : "");
	buf_free(&ids);
	return false;
}

static bool fit_index(const struct selector_part *part, int axis, const struct fit *fit, struct slice *selection)
{
	int64_t size = fit->tensor->shape[axis], index = part->first;
	const char *word = selector_axis_word(fit->tensor->axes[axis]);
	if (part->row != NULL && !fit_row(part, axis, fit, &index))
		return false;
	index += index < 0 ? size : 0;
	if (size == 0)
		return err_usage(fit->err, fit->selector->text, "at byte %zu: the axis is empty", part->at);
	if (index < 0 || index >= size)
		return err_usage(fit->err, fit->selector->text,
			"at byte %zu: the index %" PRId64 " is outside axis %d%s%s%s, which has 0 to %" PRId64,
			part->at, part->first, axis, word[0] != '\0' ? " (" : "", word, word[0] != '\0' ? ")" : "",
			size - 1);
	selection->first[axis] = index;
	selection->count[axis] = 1;
	selection->dropped[axis] = true;
	return true;
}

bool selector_resolve(const struct selector *selector, const struct tensor *tensor, const char *const *row_ids,
	struct slice *selection, struct err *err)
{
	struct fit fit = {selector, tensor, row_ids, err};
	bool given[TENSOR_MAX_RANK] = {false};
	int next = 0;
	*selection = slice_whole(tensor);
	for (int i = 0; i < selector->part_count; i++) {
		const struct selector_part *part = &selector->parts[i];
		if (part->is_rest) {
			next = after_rest(&fit, i);
			continue;
		}
		int axis = axis_of(&fit, i, next);
		if (axis < 0)
			return false;
		if (given[axis])
			return err_usage(err, selector->text, "at byte %zu: axis %d is given twice", part->at, axis);
		given[axis] = true;
		next = axis + 1;
		if (part->is_slice ? !fit_slice(part, axis, &fit, selection) : !fit_index(part, axis, &fit, selection))
			return false;
	}
	return true;
}

bool selector_pass(const struct selector *selector, const struct trace *trace, int64_t *pass, struct err *err)
{
	int64_t count = trace_pass_count(trace);
	int64_t wanted = selector->has_pass ? selector->pass : -1;
	*pass = wanted < 0 ? wanted + count : wanted;
	if (count == 0)
		return err_input(err, trace_folder(trace), NULL, "the trace has no finished pass yet");
	if (*pass < 0 || *pass >= count)
		return err_usage(err, selector->text,
			"there is no pass %" PRId64 "; the trace has passes 0 to %" PRId64, wanted, count - 1);
	return true;
}

/* Where the tokens of all rows are one axis, a row is a stretch of it. */
static bool stretch_rows(struct selector *selector, const struct pass *layout, const char *const *ids, struct err *err)
{
	for (int i = 0; i < selector->part_count; i++) {
		struct selector_part *part = &selector->parts[i];
		const struct tensor rows = {.rank = 1, .shape = {layout->B}, .axes = "B"};
		const struct fit fit = {selector, &rows, ids, err};
		struct slice row = slice_whole(&rows);
		if (strcmp(part->axis, "B") != 0)
			continue;
		if (part->is_slice ? !fit_slice(part, 0, &fit, &row) : !fit_index(part, 0, &fit, &row))
			return false;
		int64_t first = row.first[0], end = first + row.count[0];
		*part = (struct selector_part){.axis = "T",
			.is_slice = true,
			.has_first = true,
			.has_end = true,
			.at = part->at};
		part->first = first < layout->B ? pass_row_begin(layout, first) : layout->cells;
		part->end =
			end > first ? pass_row_begin(layout, end - 1) + pass_row_width(layout, end - 1) : part->first;
	}
	return true;
}

bool selector_find(const struct selector *selector, struct trace *trace, struct selector_match *match, struct err *err)
{
	if (!selector_pass(selector, trace, &match->pass, err))
		return false;
	if (selector->is_weight)
		return err_usage(err, selector->text, "weights are in the model, not in the trace");
	if (!trace_find(trace, match->pass, selector->name, &match->tensor, err)) {
		if (trace_find_value(trace, selector->name) < 0)
			err->kind = ERR_USAGE; /* the question is wrong, not the trace */
		return false;
	}
	struct arena scratch = ARENA_INIT;
	const struct pass *layout = &trace_pass(trace, match->pass)->layout;
	const char **ids = ARENA_ARRAY(&scratch, const char *, layout->B);
	for (int64_t b = 0; b < layout->B; b++)
		ids[b] = trace_batch(trace)->requests[layout->rows[b]].id;
	struct selector fitted = *selector;
	bool ok = (strchr(match->tensor.tensor.axes, 'T') == NULL || stretch_rows(&fitted, layout, ids, err)) &&
		selector_resolve(&fitted, &match->tensor.tensor, ids, &match->selection, err);
	arena_free(&scratch);
	return ok;
}

void selector_text(struct buf *out, int64_t pass, const char *name, const struct slice *selection)
{
	buf_printf(out, "pass=%" PRId64 " %s", pass, name);
	for (int i = 0; i < selection->rank; i++) {
		buf_add_char(out, i == 0 ? '[' : ',');
		if (selection->dropped[i])
			buf_printf(out, "%" PRId64, selection->first[i]);
		else
			buf_printf(out, "%" PRId64 ":%" PRId64, selection->first[i],
				selection->first[i] + selection->count[i]);
	}
	buf_add_text(out, selection->rank > 0 ? "]" : "");
}
