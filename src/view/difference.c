#include "view/difference.h"

#include <inttypes.h>

#include "base/i18n.h"
#include "draw/number.h"
#include "draw/show.h"

/* --- table --- */

struct table *difference_table(const struct diff *diff, const struct trace *a, bool all, struct arena *arena)
{
	struct table *table = table_new(arena, "difference");
	int name = table_add_column(table, "tensor", TABLE_TEXT),
	    numbers = table_add_column(table, "numbers", TABLE_INT);
	int bad = table_add_column(table, "differing", TABLE_INT),
	    far = table_add_column(table, "max_abs", TABLE_DOUBLE);
	int ulps = table_add_column(table, "max_ulps", TABLE_INT),
	    relative = table_add_column(table, "relative", TABLE_DOUBLE);
	int allowed = table_add_column(table, "allowed", TABLE_DOUBLE),
	    verdict = table_add_column(table, "verdict", TABLE_TEXT);
	table_set_caption(table,
		_("relative: of the largest number of the tensor; allowed: what rounding could make of what the "
		  "operation reads"));
	table_label(table, far, "max_abs", 3);
	table_label(table, relative, "relative", 3);
	table_label(table, allowed, "allowed", 3);
	for (int i = 0; i < diff->value_count; i++) {
		const struct diff_value *value = &diff->values[i];
		if (value->bad == 0 && !all)
			continue;
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, name, trace_value(a, value->value)->name);
		table_set_int(table, row, numbers, value->numbers);
		table_set_int(table, row, bad, value->bad);
		table_set_double(table, row, far, value->max_abs);
		table_set_int(table, row, ulps, (int64_t)value->max_ulps);
		table_set_double(table, row, relative, value->relative);
		table_set_double(table, row, allowed, value->allowed);
		table_set_string(table, row, verdict, _(diff_kind_name(value->kind)));
		table_set_style(table, row, verdict,
			style_of(value->kind == DIFF_UNEXPLAINED ? STYLE_BAD : STYLE_GOOD));
	}
	return table;
}

/* --- sentences --- */

static void add_exact(struct buf *out, enum dtype dtype, uint32_t bits)
{
	char text[NUMBER_SIZE];
	if (dtype == DTYPE_F32)
		number_exact(text, (float)diff_number(dtype, bits));
	else
		number_fixed(text, diff_number(dtype, bits), 0, 0);
	buf_add_text(out, text);
}

static void add_first_line(struct buf *out, const struct diff_place *first, const struct trace *a)
{
	buf_printf(out, _("first difference: pass %" PRId64 ", "), first->pass);
	show_text(out, first->name);
	for (int i = 0; i < first->rank; i++)
		buf_printf(out, "%s%" PRId64, i > 0 ? "," : "[", first->index[i]);
	buf_add_text(out, first->rank > 0 ? "]" : "");
	buf_add_text(out, _(", row "));
	show_text(out, trace_batch(a)->requests[first->request].id);
	buf_printf(out, _(", position %" PRId64), first->position);
	if (first->pass_b != first->pass && first->pass_b >= 0)
		buf_printf(out, _(" (pass %" PRId64 " of the second trace)"), first->pass_b);
	if (first->rank >= 0) {
		buf_add_text(out, ": ");
		add_exact(out, first->dtype, first->a);
		buf_add_text(out, _(" and "));
		add_exact(out, first->dtype, first->b);
		if (first->dtype == DTYPE_F32)
			buf_printf(out, _(", %" PRIu64 " ulps apart"), diff_ulps(first->dtype, first->a, first->b));
	}
	buf_add_char(out, '\n');
}

static void add_choice(struct buf *out, const struct diff_choice *choice)
{
	char margin[NUMBER_SIZE], distance[NUMBER_SIZE];
	number_exact(margin, (float)choice->margin);
	number_exact(distance, (float)choice->distance);
	buf_printf(out,
		_("it chose %d and %d, whose logits lie %s apart in the first trace, and those of both traces up to "
		  "%s, "),
		(int)choice->token_a, (int)choice->token_b, margin, distance);
	buf_add_text(out,
		choice->near_tie        ? _("a near tie; ")
			: choice->turns ? _("enough to turn the choice; ")
					: _("not enough to turn the choice; "));
}

static void add_row_line(struct buf *out, const struct diff_row *row)
{
	if (row->a < 0 || row->b < 0 || row->asked_differently || row->parts_at >= 0 || row->goes_on ||
		row->positions_a != row->positions_b) {
		buf_add_text(out, _("row "));
		show_text(out, row->id);
		buf_add_text(out, ": ");
	} else {
		return;
	}
	if (row->a < 0 || row->b < 0) {
		buf_printf(out, row->b < 0 ? _("only in the first trace\n") : _("only in the second trace\n"));
		return;
	}
	if (row->asked_differently)
		buf_add_text(out, _("asked for differently (prompt, length, sampling, stops, or changed by a fork); "));
	if (row->parts_at >= 0)
		buf_printf(out, _("its tokens part at position %" PRId64 ", later ones are not compared; "),
			row->parts_at);
	if (row->choice.known)
		add_choice(out, &row->choice);
	if (row->goes_on)
		buf_add_text(out, _("it ended in one trace and went on in the other; "));
	buf_printf(out, _("%" PRId64 " and %" PRId64 " positions\n"), row->positions_a, row->positions_b);
}

static void add_only(struct buf *out, const char *format, const char *const *names)
{
	int64_t count = 0;
	while (names[count] != NULL)
		count++;
	if (count == 0)
		return;
	buf_printf(out, format, count);
	for (int64_t i = 0; i < count && i < 3; i++) {
		buf_add_text(out, i > 0 ? ", " : " ");
		show_text(out, names[i]);
	}
	buf_add_text(out, count > 3 ? ", ...\n" : "\n");
}

/* Why it is a bug: the first tensor that rounding does not explain, or a row. */
static void add_bug(struct buf *out, const struct diff *diff, const struct trace *a)
{
	if (diff->first_unexplained >= 0) {
		const struct diff_value *value = &diff->values[diff->first_unexplained];
		buf_add_text(out, _("bug: "));
		show_text(out, trace_value(a, value->value)->name);
		if (trace_value(a, value->value)->dtype == DTYPE_F32)
			buf_printf(out, _(" differs by %.3g of its size, where rounding could make %.3g\n"),
				value->relative, value->allowed);
		else
			buf_add_text(out, _(" differs, though all that it is made from is equal\n"));
	} else if (diff->asked_differently) {
		buf_add_text(out,
			_("no rounding: rows were asked for differently, and go different ways from there\n"));
	} else {
		buf_add_text(out, _("bug: rounding does not explain that the rows go different ways\n"));
	}
	if (diff->asked_differently && diff->first_unexplained >= 0)
		buf_add_text(out, _("but rows were asked for differently, and that may be all there is to it\n"));
}

void difference_text(const struct diff *diff, const struct trace *a, struct buf *out)
{
	buf_printf(out,
		_("%" PRId64 " numbers of %d tensors compared, by row and logical position; %" PRId64 " differ\n"),
		diff->numbers, diff->value_count, diff->bad);
	for (int64_t i = 0; i < diff->row_count; i++)
		add_row_line(out, &diff->rows[i]);
	add_only(out, _("%" PRId64 " tensors only in the first trace:"), diff->only_a);
	add_only(out, _("%" PRId64 " tensors only in the second trace:"), diff->only_b);
	if (diff->first.found)
		add_first_line(out, &diff->first, a);
	if (diff->verdict == DIFF_EQUAL)
		buf_add_text(out, _("equal: what both traces hold is the same, bit for bit\n"));
	else if (diff->verdict == DIFF_ROUNDING)
		buf_add_text(out,
			_("rounding: every difference is as small as another order of summation could make it\n"));
	else
		add_bug(out, diff, a);
	if (!diff->equal && diff->partly_seen)
		buf_add_text(out,
			_("judged across operations that are not recorded; --capture all makes the verdict sharper\n"));
}
