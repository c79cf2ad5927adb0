#include "analysis/influence.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/kvcache.h"
#include "engine/reach.h"

struct own_sets;

/* A set is `words` words: bit r for request r, bit `requests` for padding. */
struct influence {
	const struct plan *plan;
	int64_t requests;
	size_t words;
	uint64_t **sets;      /* [values] of [cells][words] for the pass under way */
	uint64_t **slots;     /* [values], of states: [slots][words], across passes */
	int64_t *slot_count;  /* [values] */
	struct own_sets *own; /* [values][requests], of states: what a row itself has computed, wherever it lies now */
	int32_t request;      /* of the cell under way */
	uint8_t **masks;      /* [values], of those that operations take for a mask, for the pass under way */
	uint64_t *target;     /* set that is being gathered */
	struct proof_count *counts;
	uint8_t *between; /* [requests][requests] */
	struct leak first;
};

/* The sets of the positions that a row has computed: [count][words]. */
struct own_sets {
	uint64_t *sets;
	int64_t count;
};

struct influence *influence_new(const struct plan *plan, int64_t requests)
{
	struct influence *influence = MEM_NEW(struct influence);
	influence->plan = plan;
	influence->requests = requests;
	influence->words = (size_t)(requests + 1 + 63) / 64;
	influence->sets = MEM_ARRAY(uint64_t *, plan->value_count);
	influence->slots = MEM_ARRAY(uint64_t *, plan->value_count);
	influence->slot_count = MEM_ARRAY(int64_t, plan->value_count);
	influence->own = MEM_ARRAY(struct own_sets, plan->value_count * requests);
	influence->masks = MEM_ARRAY(uint8_t *, plan->value_count);
	influence->counts = MEM_ARRAY(struct proof_count, plan->value_count);
	influence->between = MEM_ARRAY(uint8_t, requests * requests);
	return influence;
}

void influence_delete(struct influence *influence)
{
	if (influence == NULL)
		return;
	for (int i = 0; i < influence->plan->value_count; i++) {
		free(influence->sets[i]);
		free(influence->slots[i]);
		free(influence->masks[i]);
	}
	for (int64_t i = 0; i < influence->plan->value_count * influence->requests; i++)
		free(influence->own[i].sets);
	free(influence->own);
	free(influence->sets);
	free(influence->slots);
	free(influence->slot_count);
	free(influence->masks);
	free(influence->counts);
	free(influence->between);
	free(influence);
}

static bool is_per_cell(const struct value *value)
{
	return strpbrk(value->spec.axes, "ST") != NULL;
}

/* Cells of a value in this pass: all of them, B, or 1 for what belongs to no row. */
static int64_t cell_count(const struct value *value, const struct pass *pass)
{
	if (is_per_cell(value))
		return pass->cells;
	return value->spec.axes[0] == 'B' ? pass->B : 1;
}

static void add(uint64_t *set, int64_t bit)
{
	set[bit / 64] |= (uint64_t)1 << (bit % 64);
}

static bool has(const uint64_t *set, int64_t bit)
{
	return (set[bit / 64] >> (bit % 64) & 1) != 0;
}

static struct own_sets *own_of(const struct influence *influence, int state, int32_t request)
{
	return &influence->own[state * influence->requests + request];
}

/* One input cell of the cell under way: its set joins. */
static void from_cell(void *self, int value, int64_t cell)
{
	struct influence *influence = self;
	const uint64_t *source;
	if (!influence->plan->values[value].is_state)
		source = influence->sets[value] + (size_t)cell * influence->words;
	else if (cell >= KVCACHE_OWN)
		source = own_of(influence, value, influence->request)->sets +
			(size_t)(cell - KVCACHE_OWN) * influence->words;
	else if (cell < 0 || cell >= influence->slot_count[value]) {
		add(influence->target,
			influence->requests); /* an empty slot is there for the sake of other rows' length */
		return;
	} else
		source = influence->slots[value] + (size_t)cell * influence->words;
	for (size_t i = 0; i < influence->words; i++)
		influence->target[i] |= source[i];
}

static void grow_slots(struct influence *influence, int value, const struct pass *pass)
{
	int64_t most = influence->slot_count[value];
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		if (pass->slot[cell] >= most)
			most = pass->slot[cell] + 1;
	}
	size_t old = (size_t)influence->slot_count[value] * influence->words, new = (size_t)most * influence->words;
	if (new == old)
		return;
	influence->slots[value] = mem_resize(influence->slots[value], new, sizeof(uint64_t));
	memset(influence->slots[value] + old, 0, (new - old) * sizeof(uint64_t));
	influence->slot_count[value] = most;
}

/* Keeps what the row of a cell has computed, for the time when it shares the slot of another row. */
static void keep_own(struct influence *influence, int state, const struct pass *pass, int64_t cell)
{
	struct own_sets *own = own_of(influence, state, pass->rows[pass->row_of[cell]]);
	int64_t position = pass_position(pass, cell);
	size_t bytes = influence->words * sizeof(uint64_t);
	if (position < 0)
		return;
	if (position >= own->count) {
		own->count = 2 * position + 16;
		own->sets = mem_resize(own->sets, (size_t)own->count, bytes);
	}
	memcpy(own->sets + (size_t)position * influence->words, influence->target, bytes);
}

/* Slots that this pass wrote hold what was written, and nothing of before. */
static void write_slots(struct influence *influence, const struct op *op, const struct pass *pass)
{
	int state = op->outputs[0];
	struct reach query = {.plan = influence->plan, .pass = pass, .self = influence, .from = from_cell};
	grow_slots(influence, state, pass);
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		query.cell = pass->slot[cell];
		influence->target = influence->slots[state] + (size_t)query.cell * influence->words;
		memset(influence->target, 0, influence->words * sizeof(uint64_t));
		op_kind(op->code)->reach(op, &query);
		keep_own(influence, state, pass, cell);
	}
}

/* What a pass is given belongs to the request of its row, or is padding. */
static void seed(struct influence *influence, const struct op *op, const struct pass *pass)
{
	for (int i = 0; i < op->output_count; i++) {
		for (int64_t cell = 0; cell < pass->cells; cell++) {
			int64_t bit =
				pass_position(pass, cell) < 0 ? influence->requests : pass->rows[pass->row_of[cell]];
			add(influence->sets[op->outputs[i]] + (size_t)cell * influence->words, bit);
		}
	}
}

/* Attention reads its mask last; NULL for what has none. */
static const uint8_t *mask_of(const struct influence *influence, const struct op *op)
{
	return op->input_count > 0 ? influence->masks[op->inputs[op->input_count - 1]] : NULL;
}

static void follow(struct influence *influence, const struct op *op, const struct pass *pass)
{
	for (int i = 0; i < op->output_count; i++) {
		int value = op->outputs[i];
		int64_t cells = cell_count(&influence->plan->values[value], pass);
		free(influence->sets[value]);
		influence->sets[value] = MEM_ARRAY(uint64_t, cells * (int64_t)influence->words);
		if (op->code == OP_input)
			continue;
		struct reach query = {.plan = influence->plan,
			.pass = pass,
			.mask = mask_of(influence, op),
			.output = i,
			.self = influence,
			.from = from_cell};
		for (query.cell = 0; query.cell < cells; query.cell++) {
			influence->target = influence->sets[value] + (size_t)query.cell * influence->words;
			influence->request =
				cells == pass->cells ? pass->rows[pass->row_of[query.cell]] : LEAK_FROM_UNKNOWN;
			op_kind(op->code)->reach(op, &query);
		}
	}
	if (op->code == OP_input)
		seed(influence, op, pass);
}

/* --- the verdict --- */

static void note_leak(struct influence *influence, int value, const struct pass *pass, int64_t cell, int64_t from)
{
	const char *axes = influence->plan->values[value].spec.axes;
	bool per_cell = is_per_cell(&influence->plan->values[value]);
	int64_t b = per_cell ? pass->row_of[cell] : cell;
	struct leak leak = {.found = true,
		.proof = PROOF_REACH,
		.pass = pass->index,
		.value = value,
		.op = influence->plan->values[value].producer,
		.request = pass->rows[b],
		.position = per_cell ? pass_position(pass, cell) : pass->past[b] + pass->fresh[b] - 1,
		.rank = (int)strlen(axes)};
	leak.from = from == influence->requests ? LEAK_FROM_PADDING : (int32_t)from;
	for (int i = 0; axes[i] != '\0'; i++)
		leak.index[i] = axes[i] == 'B' ? b : axes[i] == 'S' ? cell % pass->S : axes[i] == 'T' ? cell : 0;
	leak_note(&influence->first, &leak);
}

/* True when the cell of request `own` is reached by nothing else. */
static bool judge_cell(struct influence *influence, int value, const struct pass *pass, int64_t cell, int32_t own)
{
	const uint64_t *set = influence->sets[value] + (size_t)cell * influence->words;
	bool isolated = true;
	for (int64_t bit = 0; bit <= influence->requests; bit++) {
		if (!has(set, bit))
			continue;
		if (bit < influence->requests)
			influence->between[bit * influence->requests + own] = 1;
		if (bit == own)
			continue;
		if (isolated)
			note_leak(influence, value, pass, cell, bit);
		isolated = false;
	}
	return isolated;
}

static void judge(struct influence *influence, int value, const struct pass *pass)
{
	const struct value *v = &influence->plan->values[value];
	struct proof_count *count = &influence->counts[value];
	struct dims dims = influence->plan->dims;
	int64_t cells = cell_count(v, pass);
	bool per_cell = is_per_cell(v);
	if (v->is_state || (!per_cell && v->spec.axes[0] != 'B'))
		return;
	dims_set_pass(&dims, pass);
	int64_t numbers = dims_count(&dims, v->spec.axes) / cells;
	count->tensors++;
	for (int64_t cell = 0; cell < cells; cell++) {
		int64_t b = per_cell ? pass->row_of[cell] : cell;
		if (per_cell ? pass_position(pass, cell) < 0 : pass->fresh[b] == 0)
			continue; /* padding is outside the promise */
		count->values += numbers;
		if (!judge_cell(influence, value, pass, cell, pass->rows[b]))
			count->bad += numbers;
	}
}

static bool on_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct influence *influence = self;
	(void)pass, (void)err;
	if (strncmp(plan->values[value].name, "mask", 4) != 0)
		return true;
	free(influence->masks[value]);
	influence->masks[value] = mem_array(tensor_bytes(tensor), 1);
	memcpy(influence->masks[value], tensor->data, tensor_bytes(tensor));
	return true;
}

static bool on_end(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	struct influence *influence = self;
	(void)err;
	for (int i = 0; i < plan->op_count; i++) {
		const struct op *op = &plan->ops[i];
		if (op->code == OP_cache_write)
			write_slots(influence, op, pass);
		else
			follow(influence, op, pass);
	}
	for (int i = 0; i < plan->value_count; i++)
		judge(influence, i, pass);
	return true;
}

struct probe influence_probe(struct influence *influence)
{
	return (struct probe){.self = influence, .value = on_value, .end = on_end};
}

const struct proof_count *influence_counts(const struct influence *influence)
{
	return influence->counts;
}

struct leak influence_leak(const struct influence *influence)
{
	return influence->first;
}

bool influence_between(const struct influence *influence, int32_t from, int32_t to)
{
	return influence->between[(int64_t)from * influence->requests + to] != 0;
}
