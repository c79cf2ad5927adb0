#include "analysis/diff.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/diff_judge.h"
#include "base/i18n.h"

/* One comparison: a is recorded, and b's passes are told like those of a run. */
struct differ {
	struct diff *diff;
	struct trace *a, *b;
	struct comparison *comparison;
	int *values;               /* [values of b]: of a, or -1 */
	struct diff_value **found; /* [values of a]: in diff->values, or NULL */
	int32_t *requests;         /* [requests of b]: of a, or -1 */
	struct arena *arena;
	struct arena piece; /* of one tensor */
	struct err *err;
};

const char *diff_verdict_name(enum diff_verdict verdict)
{
	static const char *const names[] = {"equal", "rounding", "bug"};
	return names[verdict];
}

const char *diff_kind_name(enum diff_kind kind)
{
	static const char *const names[] = {N_("equal"), N_("rounding"), N_("follows"), N_("bug")};
	return names[kind];
}

/* --- rows --- */

static int64_t known_tokens(const struct trace *trace, int32_t request)
{
	return trace_batch(trace)->requests[request].prompt_length + trace_generated(trace, request, NULL, 0);
}

/* Positions computed in the recorded passes; `ended` gets how many there were when the row finished, or -1. */
static int64_t computed(const struct trace *trace, int32_t request, int64_t *ended)
{
	int64_t positions = 0;
	*ended = -1;
	for (int64_t i = 0; i < trace_pass_count(trace); i++) {
		const struct trace_pass *pass = trace_pass(trace, i);
		int64_t b = pass_row(&pass->layout, request);
		if (b < 0)
			continue;
		positions = pass->layout.past[b] + pass->layout.fresh[b];
		if (*ended < 0 && pass->finished[b] != 0)
			*ended = positions;
	}
	return positions;
}

static bool same_texts(const char *const *a, int64_t a_count, const char *const *b, int64_t b_count)
{
	for (int64_t i = 0; i < a_count && i < b_count; i++) {
		if (strcmp(a[i], b[i]) != 0)
			return false;
	}
	return a_count == b_count;
}

static bool same_ids(const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count)
{
	return a_count == b_count && (a_count == 0 || memcmp(a, b, (size_t)a_count * sizeof *a) == 0);
}

static bool ends_alike(const struct request *a, const struct request *b)
{
	return a->max_new_tokens == b->max_new_tokens && same_texts(a->stops, a->stop_count, b->stops, b->stop_count) &&
		same_ids(a->stop_ids, a->stop_id_count, b->stop_ids, b->stop_id_count);
}

static bool drawn_alike(const struct sampling *a, const struct sampling *b)
{
	return a->temperature == b->temperature && a->top_k == b->top_k && a->top_p == b->top_p &&
		a->min_p == b->min_p && a->repetition_penalty == b->repetition_penalty &&
		a->presence_penalty == b->presence_penalty && a->frequency_penalty == b->frequency_penalty &&
		a->seed == b->seed;
}

static bool edited_alike(const struct request *a, const struct request *b)
{
	for (int64_t i = 0; i < a->edit_count && i < b->edit_count; i++) {
		const struct edit *x = &a->edits[i], *y = &b->edits[i];
		if (x->position != y->position || x->token != y->token || !drawn_alike(&x->sampling, &y->sampling))
			return false;
	}
	return a->edit_count == b->edit_count;
}

static bool asked_alike(const struct request *a, const struct request *b)
{
	return same_ids(a->prompt, a->prompt_length, b->prompt, b->prompt_length) && ends_alike(a, b) &&
		drawn_alike(&a->sampling, &b->sampling) && edited_alike(a, b);
}

/* Whether the token at a position was given and not chosen. */
static bool is_given(const struct request *request, int64_t position)
{
	return position < request->prompt_length || request_token(request, position, -1) >= 0;
}

/* The first position whose token both know and that differs; -1 when there is none. */
static int64_t parting(const struct differ *d, int32_t a, int32_t b)
{
	int64_t count_a = known_tokens(d->a, a), count_b = known_tokens(d->b, b);
	const int32_t *tokens_a = trace_history(d->a, a), *tokens_b = trace_history(d->b, b);
	for (int64_t p = 0; p < count_a && p < count_b; p++) {
		if (tokens_a[p] != tokens_b[p])
			return p;
	}
	return -1;
}

static void set_row(struct differ *d, struct diff_row *row)
{
	const struct request *a = row->a < 0 ? NULL : &trace_batch(d->a)->requests[row->a];
	const struct request *b = row->b < 0 ? NULL : &trace_batch(d->b)->requests[row->b];
	int64_t ended_a = -1, ended_b = -1;
	row->id = a != NULL ? a->id : b->id;
	row->parts_at = -1;
	row->positions_a = a == NULL ? 0 : computed(d->a, row->a, &ended_a);
	row->positions_b = b == NULL ? 0 : computed(d->b, row->b, &ended_b);
	if (a == NULL || b == NULL)
		return;
	row->asked_differently = !asked_alike(a, b);
	row->parts_at = parting(d, row->a, row->b);
	row->goes_on = row->parts_at < 0 && ends_alike(a, b) &&
		((ended_a >= 0 && row->positions_b > ended_a) || (ended_b >= 0 && row->positions_a > ended_b));
	d->diff->asked_differently = d->diff->asked_differently || row->asked_differently;
}

/* a's rows in their order, then those that only b has. */
static void match_rows(struct differ *d)
{
	const struct batch *a = trace_batch(d->a), *b = trace_batch(d->b);
	struct diff *diff = d->diff;
	diff->rows = ARENA_ARRAY(d->arena, struct diff_row, a->count + b->count);
	d->requests = ARENA_ARRAY(d->arena, int32_t, b->count);
	for (int32_t i = 0; i < a->count; i++)
		diff->rows[diff->row_count++] =
			(struct diff_row){.a = i, .b = trace_find_request(d->b, a->requests[i].id)};
	for (int32_t i = 0; i < b->count; i++) {
		d->requests[i] = trace_find_request(d->a, b->requests[i].id);
		if (d->requests[i] < 0)
			diff->rows[diff->row_count++] = (struct diff_row){.a = -1, .b = i};
	}
	for (int64_t r = 0; r < diff->row_count; r++)
		set_row(d, &diff->rows[r]);
}

/* --- values --- */

/* The axes of one position: what is left of B,S or T or B. "" for a form that no operation of this version has. */
static bool position_axes(const char *axes, bool packed, char *rest)
{
	bool keys = strchr(axes, 'K') != NULL, cells = strchr(axes, packed ? 'T' : 'S') != NULL;
	const char *expected = keys ? (packed ? "T" : "BS") : !cells ? "B" : packed ? "T" : "BS";
	size_t count = 0;
	for (const char *at = axes; *at != '\0'; at++) {
		if (strchr("BST", *at) == NULL)
			rest[count++] = *at;
	}
	rest[count] = '\0';
	if (keys && strcmp(rest, "K") != 0 && strcmp(rest, "NK") != 0)
		return false;
	char whole[2 * TENSOR_MAX_RANK + 1];
	if (keys && rest[0] == 'N')
		snprintf(whole, sizeof whole, packed ? "NTK" : "BNSK");
	else
		snprintf(whole, sizeof whole, "%s%s", expected, rest);
	return strcmp(whole, axes) == 0;
}

static bool is_packed(const struct trace *trace)
{
	return trace_batch(trace)->layout == LAYOUT_PACKED;
}

static bool can_be_compared(const struct differ *d, const struct trace_value *a, const struct trace_value *b)
{
	char rest_a[TENSOR_MAX_RANK + 1], rest_b[TENSOR_MAX_RANK + 1];
	return a->captured && b->captured && a->dtype == b->dtype && dtype_size(a->dtype) <= sizeof(uint32_t) &&
		position_axes(a->axes, is_packed(d->a), rest_a) && position_axes(b->axes, is_packed(d->b), rest_b) &&
		strcmp(rest_a, rest_b) == 0;
}

/* Rows that may have another length: that one is finished and the other not says nothing. */
static bool is_by_request(const struct differ *d, const char *name)
{
	for (int64_t r = 0; strcmp(name, "finished") == 0 && r < d->diff->row_count; r++) {
		const struct diff_row *row = &d->diff->rows[r];
		if (row->a >= 0 && row->b >= 0 &&
			!ends_alike(&trace_batch(d->a)->requests[row->a], &trace_batch(d->b)->requests[row->b]))
			return true;
	}
	return false;
}

/* Captured tensors of `one` that `other` has not, or not in a form that can be compared. */
static const char **only_in(struct differ *d, struct trace *one, struct trace *other)
{
	const char **names = ARENA_ARRAY(d->arena, const char *, trace_value_count(one) + 1);
	size_t count = 0;
	for (int i = 0; i < trace_value_count(one); i++) {
		const struct trace_value *value = trace_value(one, i);
		int match = trace_find_value(other, value->name);
		if (value->captured && !comparison_is_exempt(value->name) &&
			(match < 0 ||
				!can_be_compared(d, one == d->a ? value : trace_value(d->a, match),
					one == d->a ? trace_value(d->b, match) : value)))
			names[count++] = value->name;
	}
	return names;
}

static void match_values(struct differ *d)
{
	struct diff *diff = d->diff;
	diff->values = ARENA_ARRAY(d->arena, struct diff_value, trace_value_count(d->a));
	d->found = ARENA_ARRAY(d->arena, struct diff_value *, trace_value_count(d->a));
	d->values = ARENA_ARRAY(d->arena, int, trace_value_count(d->b));
	for (int i = 0; i < trace_value_count(d->b); i++)
		d->values[i] = -1;
	for (int i = 0; i < trace_value_count(d->a); i++) {
		const struct trace_value *value = trace_value(d->a, i);
		int match = trace_find_value(d->b, value->name);
		if (match < 0 || comparison_is_exempt(value->name) || is_by_request(d, value->name) ||
			!can_be_compared(d, value, trace_value(d->b, match)))
			continue;
		d->values[match] = i;
		d->found[i] = &diff->values[diff->value_count];
		diff->values[diff->value_count++] = (struct diff_value){.value = i};
	}
	diff->only_a = only_in(d, d->a, d->b);
	diff->only_b = only_in(d, d->b, d->a);
}

/* --- comparing --- */

static void on_group(void *self, const struct comparison_group *group)
{
	struct differ *d = self;
	diff_judge_group(d->found[group->value], group);
}

static void start_comparison(struct differ *d)
{
	struct comparison_names names = {.count = trace_value_count(d->b)};
	const char **list = ARENA_ARRAY(d->arena, const char *, names.count);
	for (int i = 0; i < names.count; i++)
		list[i] = d->values[i] < 0 ? NULL : trace_value(d->b, i)->name;
	names.names = list;
	d->comparison = comparison_new_named(d->a, &names, d->requests, trace_batch(d->b)->count, PROOF_REPLAY);
	comparison_set_watch(d->comparison, (struct comparison_watch){d, on_group});
}

static bool holds_common_row(const struct differ *d, const struct pass *pass)
{
	for (int64_t b = 0; b < pass->B; b++) {
		if (d->requests[pass->rows[b]] >= 0 && pass->fresh[b] > 0)
			return true;
	}
	return false;
}

static bool tell_tensor(struct differ *d, int64_t pass, int value)
{
	struct trace_tensor found;
	arena_reset(&d->piece);
	if (!trace_find(d->b, pass, trace_value(d->b, value)->name, &found, d->err))
		return false;
	struct tensor tensor = found.tensor;
	int64_t count = tensor_count(&tensor);
	tensor.data = arena_raw(&d->piece, (size_t)count, dtype_size(tensor.dtype));
	if (!trace_read(d->b, &found, 0, count, tensor.data, d->err))
		return false;
	diff_judge_scale(d->found[d->values[value]], &tensor);
	return comparison_tell(d->comparison, &trace_pass(d->b, pass)->layout, value, &tensor, d->err);
}

static bool compare_passes(struct differ *d)
{
	for (int64_t i = 0; i < trace_pass_count(d->b); i++) {
		if (!holds_common_row(d, &trace_pass(d->b, i)->layout))
			continue;
		for (int v = 0; v < trace_value_count(d->b); v++) {
			if (d->values[v] >= 0 && !tell_tensor(d, i, v))
				return false;
		}
	}
	return true;
}

/* --- rows that part or go on --- */

/* The recorded pass that computed a position, or -1. */
static int64_t pass_of(const struct trace *trace, int32_t request, int64_t position)
{
	for (int64_t i = 0; i < trace_pass_count(trace); i++) {
		if (pass_cell(&trace_pass(trace, i)->layout, request, position) >= 0)
			return i;
	}
	return -1;
}

/* Whether the tokens at which a row parts were chosen in both traces. */
static bool was_chosen(const struct differ *d, const struct diff_row *row)
{
	return !is_given(&trace_batch(d->a)->requests[row->a], row->parts_at) &&
		!is_given(&trace_batch(d->b)->requests[row->b], row->parts_at);
}

static struct diff_choice_place chooser(struct trace *trace, int32_t request, int64_t position)
{
	int64_t pass = pass_of(trace, request, position - 1);
	return (struct diff_choice_place){trace, pass,
		pass < 0 ? -1 : pass_row(&trace_pass(trace, pass)->layout, request),
		trace_history(trace, request)[position]};
}

/* How close the choices were at which rows part. */
static bool read_choices(struct differ *d)
{
	for (int64_t r = 0; r < d->diff->row_count; r++) {
		struct diff_row *row = &d->diff->rows[r];
		if (row->parts_at < 0 || !was_chosen(d, row))
			continue;
		struct diff_choice_place a = chooser(d->a, row->a, row->parts_at),
					 b = chooser(d->b, row->b, row->parts_at);
		if (a.pass >= 0 && b.pass >= 0 && !diff_choice_read(&row->choice, &a, &b, d->err))
			return false;
	}
	return true;
}

/* A place for a row that parts: the choice of the differing token, or the token itself where it was asked for. */
static struct leak place_of_parting(const struct differ *d, const struct diff_row *row)
{
	bool chosen = was_chosen(d, row);
	int value = trace_find_value(d->a, chosen ? "next_tokens" : "tokens");
	int64_t position = chosen ? row->parts_at - 1 : row->parts_at;
	int64_t pass = pass_of(d->a, row->a, position);
	if (value < 0 || pass < 0)
		return (struct leak){0};
	const struct pass *layout = &trace_pass(d->a, pass)->layout;
	struct leak place = {.found = true,
		.proof = PROOF_REPLAY,
		.pass = pass,
		.value = value,
		.op = trace_value(d->a, value)->op,
		.request = row->a,
		.position = position,
		.from = LEAK_FROM_UNKNOWN,
		.expected = (uint32_t)trace_history(d->a, row->a)[row->parts_at],
		.got = (uint32_t)trace_history(d->b, row->b)[row->parts_at]};
	int64_t cell = pass_cell(layout, row->a, position), b = pass_row(layout, row->a);
	place.rank = chosen || layout->layout == LAYOUT_PACKED ? 1 : 2;
	place.index[0] = chosen || place.rank == 2 ? b : cell;
	place.index[1] = place.rank == 2 ? cell % layout->S : 0;
	return place;
}

/* Rows are compared up to where they part. */
static void cut_rows(struct differ *d, struct leak *first)
{
	int value = trace_find_value(d->a, "next_tokens");
	for (int64_t r = 0; r < d->diff->row_count; r++) {
		struct diff_row *row = &d->diff->rows[r];
		if (row->parts_at < 0)
			continue;
		struct leak place = place_of_parting(d, row);
		leak_note(first, &place);
		row->parts_unjudged = !place.found || place.value != value || d->found[value] == NULL;
		comparison_cut(d->comparison, row->a, row->parts_at);
	}
}

static void set_first(struct differ *d, const struct leak *leak)
{
	struct diff_place *first = &d->diff->first;
	const struct trace_value *value = trace_value(d->a, leak->value);
	*first = (struct diff_place){.found = true,
		.pass = leak->pass,
		.name = value->name,
		.dtype = value->dtype,
		.request = leak->request,
		.position = leak->position,
		.rank = leak->rank,
		.a = leak->expected,
		.b = leak->got};
	memcpy(first->index, leak->index, sizeof first->index);
	first->pass_b =
		pass_of(d->b, trace_find_request(d->b, trace_batch(d->a)->requests[leak->request].id), leak->position);
}

/* The first position that a finished row has in one trace only. */
static void set_first_going_on(struct differ *d)
{
	for (int64_t r = 0; r < d->diff->row_count && !d->diff->first.found; r++) {
		const struct diff_row *row = &d->diff->rows[r];
		bool in_a = row->positions_a > row->positions_b;
		int64_t position = in_a ? row->positions_b : row->positions_a;
		if (!row->goes_on)
			continue;
		d->diff->first = (struct diff_place){.found = true,
			.name = "tokens",
			.dtype = DTYPE_I32,
			.request = row->a,
			.position = position,
			.rank = -1,
			.pass = pass_of(d->a, row->a, position),
			.pass_b = pass_of(d->b, row->b, position)};
	}
}

static void sum_up(struct differ *d, const struct leak *parted)
{
	struct diff *diff = d->diff;
	struct leak first = comparison_leak(d->comparison);
	const struct proof_count *counts = comparison_counts(d->comparison);
	bool goes_on = false;
	leak_note(&first, parted);
	if (first.found)
		set_first(d, &first);
	set_first_going_on(d);
	for (int i = 0; i < diff->value_count; i++) {
		struct diff_value *value = &diff->values[i];
		value->tensors = counts[value->value].tensors;
		value->numbers = counts[value->value].values;
		value->bad = counts[value->value].bad;
		diff->numbers += value->numbers;
		diff->bad += value->bad;
	}
	for (int64_t r = 0; r < diff->row_count; r++)
		goes_on = goes_on || diff->rows[r].goes_on || diff->rows[r].parts_at >= 0;
	diff->equal = diff->bad == 0 && !goes_on;
	diff_judge(diff, d->a, d->arena);
	for (int64_t r = 0; r < diff->row_count; r++)
		diff->rows[r].choice.near_tie = diff->rows[r].choice.turns && diff->verdict == DIFF_ROUNDING;
}

/* --- can they be compared at all? --- */

static bool same_sizes(const struct trace_info *a, const struct trace_info *b)
{
	return a->H == b->H && a->N == b->N && a->G == b->G && a->D == b->D && a->F == b->F && a->V == b->V &&
		a->L == b->L;
}

static bool check_models(const struct differ *d)
{
	const struct trace_info *a = trace_info(d->a), *b = trace_info(d->b);
	bool both_known = a->weights_digest[0] != '\0' && b->weights_digest[0] != '\0';
	if (same_sizes(a, b) && (!both_known || strcmp(a->weights_digest, b->weights_digest) == 0))
		return true;
	return err_usage(d->err, trace_folder(d->b),
		"the traces come from different models, %.100s (weights %.16s) and %.100s (weights %.16s); compare two "
		"runs of one model",
		a->model, a->weights_digest, b->model, b->weights_digest);
}

static bool check_common(const struct differ *d)
{
	const char *where = trace_folder(d->b);
	bool rows = false;
	for (int64_t r = 0; r < d->diff->row_count; r++)
		rows = rows || (d->diff->rows[r].a >= 0 && d->diff->rows[r].b >= 0);
	if (trace_pass_count(d->a) == 0 || trace_pass_count(d->b) == 0)
		return err_usage(d->err, trace_pass_count(d->a) == 0 ? trace_folder(d->a) : where,
			"the trace has no finished pass, so there is nothing to compare");
	if (!rows)
		return err_usage(d->err, where,
			"the traces have no row in common: rows are matched by their IDs, and a row of %s has ID %.60s",
			trace_folder(d->a), trace_batch(d->a)->requests[0].id);
	return d->diff->value_count > 0 ||
		err_usage(d->err, where,
			"the traces have no recorded tensor in common; record both with the same --capture");
}

bool diff_traces(struct diff *diff, struct trace *a, struct trace *b, struct arena *arena, struct err *err)
{
	struct differ d = {.diff = diff, .a = a, .b = b, .arena = arena, .piece = ARENA_INIT, .err = err};
	struct leak parted = {0};
	*diff = (struct diff){0};
	if (!check_models(&d))
		return false;
	match_rows(&d);
	match_values(&d);
	if (!check_common(&d))
		return false;
	start_comparison(&d);
	cut_rows(&d, &parted);
	bool ok = compare_passes(&d) && read_choices(&d);
	if (ok)
		sum_up(&d, &parted);
	comparison_delete(d.comparison);
	arena_free(&d.piece);
	return ok;
}

void diff_keep_texts(struct diff *diff, struct arena *arena)
{
	for (int64_t r = 0; r < diff->row_count; r++)
		diff->rows[r].id = arena_strdup(arena, diff->rows[r].id);
	for (size_t i = 0; diff->only_b[i] != NULL; i++)
		diff->only_b[i] = arena_strdup(arena, diff->only_b[i]);
}
