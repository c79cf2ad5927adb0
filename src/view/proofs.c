#include "view/proofs.h"

#include <inttypes.h>

#include "base/i18n.h"

static void add_tensor(struct table *table, const struct isolation *result, int value, const char *name)
{
	int64_t values = 0, bad = 0;
	for (int i = 0; i < PROOF_COUNT; i++) {
		values += result->proofs[i].counts[value].values;
		bad += result->proofs[i].counts[value].bad;
	}
	if (values == 0)
		return;
	size_t row = table_add_row(table, STYLE_NO_LANE);
	table_set_string(table, row, 0, name);
	for (int i = 0; i < PROOF_COUNT; i++)
		table_set_int(table, row, 1 + i, result->proofs[i].counts[value].values);
	table_set_int(table, row, 1 + PROOF_COUNT, bad);
	table_set_style(table, row, 1 + PROOF_COUNT, style_of(bad == 0 ? STYLE_GOOD : STYLE_BAD));
}

struct table *proofs_table(const struct isolation *result, const struct trace *trace, struct arena *arena)
{
	struct table *table = table_new(arena, "isolation");
	table_add_column(table, "tensor", TABLE_TEXT);
	for (int i = 0; i < PROOF_COUNT; i++)
		table_add_column(table, proof_name((enum proof)i), TABLE_INT);
	table_add_column(table, "differing", TABLE_INT);
	table_set_caption(table, _("numbers compared, over all passes; differing: over all proofs"));
	for (int v = 0; result != NULL && v < result->value_count; v++)
		add_tensor(table, result, v, trace_value(trace, v)->name);
	return table;
}

void proofs_counts(const struct isolation_proof *proof, struct buf *out)
{
	buf_printf(out,
		P_("%" PRId64 " run, %" PRId64 " tensors, %" PRId64 " numbers, %" PRId64 " differ",
			"%" PRId64 " runs, %" PRId64 " tensors, %" PRId64 " numbers, %" PRId64 " differ",
			(unsigned long)proof->runs),
		proof->runs, proof->tensors, proof->values, proof->bad);
}
