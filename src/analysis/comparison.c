#include "analysis/comparison.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct comparison {
	struct trace *trace;
	enum proof proof;
	int64_t request_count;
	int32_t *requests;          /* [requests of the run]: request of the trace, or -1 */
	int *values;                /* [values of the run's plan]: value of the trace, or -1 where it is not compared */
	int64_t **pass_of;          /* [requests of the trace] of [positions]: recorded pass, or -1 */
	int64_t *positions;         /* [requests of the trace] */
	struct proof_count *counts; /* [values of the trace] */
	struct leak first;
	struct comparison_watch watch;
	struct arena arena; /* emptied for every value */
	char *whole;        /* all of the value in pass whole_pass, where it is small; NULL: not read yet */
	int64_t whole_pass;
};

/* What is compared at a time: some positions of one row, in the run's pass and in a recorded one. */
struct stretch {
	const struct pass *run, *recorded;
	int64_t run_row, recorded_row;
	int64_t position, count; /* logical positions [position, position + count) */
	int value;               /* of the trace */
	const struct tensor *got;
	struct trace_tensor expected;
};

/* --- finding the recorded counterpart --- */

/* Positions of each request that the recorded passes have computed. A trace may promise any number of tokens, and hold few. */
static void count_positions(struct comparison *c)
{
	for (int64_t i = 0; i < trace_pass_count(c->trace); i++) {
		const struct pass *pass = &trace_pass(c->trace, i)->layout;
		for (int64_t b = 0; b < pass->B; b++) {
			int64_t end = pass->past[b] + pass->fresh[b], *most = &c->positions[pass->rows[b]];
			*most = end > *most ? end : *most;
		}
	}
}

static void index_positions(struct comparison *c)
{
	count_positions(c);
	for (int64_t r = 0; r < trace_batch(c->trace)->count; r++) {
		c->pass_of[r] = MEM_ARRAY(int64_t, c->positions[r]);
		for (int64_t p = 0; p < c->positions[r]; p++)
			c->pass_of[r][p] = -1;
	}
	for (int64_t i = 0; i < trace_pass_count(c->trace); i++) {
		const struct pass *pass = &trace_pass(c->trace, i)->layout;
		for (int64_t b = 0; b < pass->B; b++) {
			int32_t r = pass->rows[b];
			for (int64_t p = pass->past[b]; p < pass->past[b] + pass->fresh[b]; p++)
				c->pass_of[r][p] = i;
		}
	}
}

bool comparison_is_exempt(const char *name)
{
	return strncmp(name, "cache.", 6) == 0 || strcmp(name, "row_of") == 0;
}

struct comparison *comparison_new_named(struct trace *trace, const struct comparison_names *names,
	const int32_t *requests, int64_t count, enum proof proof)
{
	struct comparison *c = MEM_NEW(struct comparison);
	int64_t recorded = trace_batch(trace)->count;
	c->trace = trace;
	c->proof = proof;
	c->request_count = count;
	c->requests = MEM_ARRAY(int32_t, count);
	memcpy(c->requests, requests, (size_t)count * sizeof *requests);
	c->pass_of = MEM_ARRAY(int64_t *, recorded);
	c->positions = MEM_ARRAY(int64_t, recorded);
	c->counts = MEM_ARRAY(struct proof_count, trace_value_count(trace));
	c->values = MEM_ARRAY(int, names->count);
	for (int i = 0; i < names->count; i++) {
		int value = names->names[i] == NULL ? -1 : trace_find_value(trace, names->names[i]);
		bool compared =
			value >= 0 && trace_value(trace, value)->captured && !comparison_is_exempt(names->names[i]);
		c->values[i] = compared ? value : -1;
	}
	index_positions(c);
	return c;
}

struct comparison *comparison_new(struct trace *trace, const struct plan *plan, const int32_t *requests, int64_t count,
	enum proof proof)
{
	struct arena arena = ARENA_INIT;
	const char **names = ARENA_ARRAY(&arena, const char *, plan->value_count);
	for (int i = 0; i < plan->value_count; i++)
		names[i] = plan->values[i].name;
	struct comparison *c = comparison_new_named(trace, &(struct comparison_names){names, plan->value_count},
		requests, count, proof);
	arena_free(&arena);
	return c;
}

void comparison_delete(struct comparison *c)
{
	if (c == NULL)
		return;
	for (int64_t r = 0; r < trace_batch(c->trace)->count; r++)
		free(c->pass_of[r]);
	free(c->pass_of);
	free(c->positions);
	free(c->counts);
	free(c->values);
	free(c->requests);
	arena_free(&c->arena);
	free(c);
}

int64_t comparison_pass(const struct comparison *c, int32_t request, int64_t position)
{
	return position < c->positions[request] ? c->pass_of[request][position] : -1;
}

void comparison_cut(struct comparison *c, int32_t request, int64_t position)
{
	for (int64_t p = position; p < c->positions[request]; p++)
		c->pass_of[request][p] = -1;
}

void comparison_set_watch(struct comparison *c, struct comparison_watch watch)
{
	c->watch = watch;
}

/* --- comparing --- */

static bool is_per_cell(const char *axes)
{
	return strpbrk(axes, "ST") != NULL;
}

static uint32_t bits_at(const void *data, int64_t i, size_t size)
{
	uint32_t bits = 0;
	memcpy(&bits, (const char *)data + (size_t)i * size, size);
	return bits;
}

/* One element in both: `at` of the elements read, which begin at element `first` of the recorded tensor. */
struct element {
	const void *expected;
	int64_t first, at, got, position;
};

static void note(struct comparison *c, const struct stretch *stretch, const struct element *element, uint32_t expected,
	uint32_t got)
{
	const struct tensor *tensor = &stretch->expected.tensor;
	struct leak leak = {.found = true,
		.proof = c->proof,
		.pass = stretch->expected.pass,
		.value = stretch->value,
		.op = trace_value(c->trace, stretch->value)->op,
		.request = stretch->recorded->rows[stretch->recorded_row],
		.position = element->position,
		.rank = tensor->rank,
		.from = LEAK_FROM_UNKNOWN,
		.expected = expected,
		.got = got};
	tensor_index(tensor, element->first + element->at, leak.index);
	leak_note(&c->first, &leak);
}

/* Counts the element, and notes it when the bits differ; true when they are equal. */
static bool compare_one(struct comparison *c, const struct stretch *stretch, const struct element *element)
{
	size_t size = dtype_size(stretch->got->dtype);
	uint32_t a = bits_at(element->expected, element->at, size);
	uint32_t b = bits_at(stretch->got->data, element->got, size);
	c->counts[stretch->value].values++;
	if (a == b)
		return true;
	c->counts[stretch->value].bad++;
	note(c, stretch, element, a, b);
	return false;
}

/* Hands over `count` numbers from an element on that are not all equal; `columns` [2][count] are their places, or NULL. */
static void tell_group(struct comparison *c, const struct stretch *s, const struct element *element, int64_t count,
	const int64_t *columns)
{
	size_t size = dtype_size(s->got->dtype);
	if (c->watch.differs == NULL)
		return;
	c->watch.differs(c->watch.self,
		&(struct comparison_group){
			.value = s->value,
			.dtype = s->got->dtype,
			.count = count,
			.expected = (const char *)element->expected + (size_t)element->at * size,
			.got = (const char *)s->got->data + (size_t)element->got * size,
			.expected_at = columns,
			.got_at = columns == NULL ? NULL : columns + count,
		});
}

/* `count` elements that follow each other, of one row and position. */
static void compare_group(struct comparison *c, const struct stretch *s, const struct element *first, int64_t count)
{
	size_t size = dtype_size(s->got->dtype);
	bool equal = memcmp((const char *)first->expected + (size_t)first->at * size,
			     (const char *)s->got->data + (size_t)first->got * size, (size_t)count * size) == 0;
	if (equal) {
		c->counts[s->value].values += count;
		return;
	}
	for (int64_t i = 0; i < count; i++) {
		struct element element = *first;
		element.at += i;
		element.got += i;
		equal = compare_one(c, s, &element) && equal;
	}
	if (!equal)
		tell_group(c, s, first, count, NULL);
}

/* Tensors up to this are read at once: their rows are asked for one after the other. */
#define WHOLE_BYTES (64 << 10)

/* `count` recorded elements from `first`; NULL with an error. */
static void *recorded(struct comparison *c, const struct stretch *stretch, int64_t first, int64_t count,
	struct err *err)
{
	const struct tensor *tensor = &stretch->expected.tensor;
	if (tensor_bytes(tensor) <= WHOLE_BYTES && first >= 0 && count <= tensor_count(tensor) - first) {
		if (c->whole == NULL || c->whole_pass != stretch->expected.pass) {
			char *data = arena_raw(&c->arena, tensor_bytes(tensor) + 1, 8);
			if (!trace_read(c->trace, &stretch->expected, 0, tensor_count(tensor), data, err))
				return NULL;
			c->whole = data;
			c->whole_pass = stretch->expected.pass;
		}
		return c->whole + (size_t)first * dtype_size(tensor->dtype);
	}
	void *data = arena_raw(&c->arena, (size_t)count, dtype_size(stretch->expected.tensor.dtype));
	return trace_read(c->trace, &stretch->expected, first, count, data, err) ? data : NULL;
}

/* Numbers that follow each other per position: axes B,S,... */
static bool compare_cells(struct comparison *c, const struct stretch *s, struct err *err)
{
	int64_t width = tensor_count(s->got) / s->run->cells;
	int32_t request = s->recorded->rows[s->recorded_row];
	int64_t from = pass_cell(s->recorded, request, s->position) * width;
	int64_t to = pass_cell(s->run, s->run->rows[s->run_row], s->position) * width;
	size_t size = dtype_size(s->got->dtype);
	const char *expected = recorded(c, s, from, s->count * width, err);
	if (expected == NULL)
		return false;
	if (memcmp(expected, (const char *)s->got->data + (size_t)to * size, (size_t)(s->count * width) * size) == 0) {
		c->counts[s->value].values += s->count * width;
		return true;
	}
	for (int64_t i = 0; i < s->count; i++)
		compare_group(c, s, &(struct element){expected, from, i * width, to + i * width, s->position + i},
			width);
	return true;
}

/* Columns of keys 0, 1, ... in both passes: [2][count]. */
static int64_t *key_columns(struct comparison *c, const struct stretch *s, int64_t count)
{
	int64_t *columns = ARENA_ARRAY(&c->arena, int64_t, 2 * count);
	for (int64_t p = 0; p < count; p++) {
		columns[p] = pass_key_column(s->recorded, s->recorded_row, p);
		columns[count + p] = pass_key_column(s->run, s->run_row, p);
	}
	return columns;
}

static int64_t keys_of(const struct pass *pass, int64_t b)
{
	return pass->past[b] + pass->fresh[b];
}

/* Where a value with numbers per query and key has (head n, query of a cell, key 0); N is 1 when it has no heads. */
static int64_t key_offset(const struct pass *pass, int64_t N, int64_t n, int64_t cell)
{
	if (pass->layout == LAYOUT_PACKED)
		return (n * pass->cells + cell) * pass->K;
	return ((cell / pass->S * N + n) * pass->S + cell % pass->S) * pass->K;
}

/* Compares the keys of one query of one head; both begin at key column 0. */
static void compare_query(struct comparison *c, const struct stretch *s, const struct element *query,
	const int64_t *columns, int64_t keys)
{
	bool equal = true,
	     follow = keys > 0 && columns[keys - 1] - columns[0] == keys - 1 &&
		columns[2 * keys - 1] - columns[keys] == keys - 1; /* columns ascend */
	size_t size = dtype_size(s->got->dtype);
	if (follow &&
		memcmp((const char *)query->expected + (size_t)(query->at + columns[0]) * size,
			(const char *)s->got->data + (size_t)(query->got + columns[keys]) * size,
			(size_t)keys * size) == 0) {
		c->counts[s->value].values += keys;
		return;
	}
	for (int64_t k = 0; k < keys; k++) {
		struct element element = *query;
		element.at += columns[k];
		element.got += columns[keys + k];
		equal = compare_one(c, s, &element) && equal;
	}
	if (!equal)
		tell_group(c, s, query, keys, columns);
}

/* Numbers per query and key: axes B,N,S,K or B,S,K, or N,T,K or T,K. Keys are matched by logical position. */
static bool compare_keys(struct comparison *c, const struct stretch *s, struct err *err)
{
	const char *heads = strchr(s->got->axes, 'N');
	int64_t N = heads == NULL ? 1 : s->got->shape[heads - s->got->axes];
	int64_t a = keys_of(s->recorded, s->recorded_row), b = keys_of(s->run, s->run_row), keys = a < b ? a : b;
	const int64_t *columns = key_columns(c, s, keys);
	int64_t from = pass_cell(s->recorded, s->recorded->rows[s->recorded_row], s->position);
	int64_t to = pass_cell(s->run, s->run->rows[s->run_row], s->position);
	for (int64_t n = 0; n < N; n++) { /* the queries of a stretch follow each other, head by head */
		struct element query = {.first = key_offset(s->recorded, N, n, from),
			.got = key_offset(s->run, N, n, to)};
		query.expected = recorded(c, s, query.first, s->count * s->recorded->K, err);
		if (query.expected == NULL)
			return false;
		for (int64_t i = 0; i < s->count; i++) {
			query.position = s->position + i;
			compare_query(c, s, &query, columns, keys);
			query.at += s->recorded->K;
			query.got += s->run->K;
		}
	}
	return true;
}

/* Numbers per row: axes B,... They belong to the row's last position of the pass. */
static bool compare_row(struct comparison *c, const struct stretch *s, struct err *err)
{
	int64_t width = tensor_count(s->got) / s->run->B;
	int64_t last = keys_of(s->run, s->run_row) - 1;
	if (keys_of(s->recorded, s->recorded_row) - 1 != last)
		return true; /* the recorded pass stopped elsewhere in the prompt */
	const void *expected = recorded(c, s, s->recorded_row * width, width, err);
	if (expected == NULL)
		return false;
	compare_group(c, s, &(struct element){expected, s->recorded_row * width, 0, s->run_row * width, last}, width);
	return true;
}

static bool compare_stretch(struct comparison *c, struct stretch *s, int64_t pass, int32_t request, struct err *err)
{
	const char *axes = s->got->axes;
	s->recorded = &trace_pass(c->trace, pass)->layout;
	s->recorded_row = pass_row(s->recorded, request);
	if (!trace_find(c->trace, pass, trace_value(c->trace, s->value)->name, &s->expected, err))
		return false;
	c->counts[s->value].tensors++;
	if (strchr(axes, 'K') != NULL)
		return compare_keys(c, s, err);
	return is_per_cell(axes) ? compare_cells(c, s, err) : compare_row(c, s, err);
}

/* One row of one value: in stretches that lie in one recorded pass. */
static bool compare_one_row(struct comparison *c, struct stretch *s, int32_t request, struct err *err)
{
	int64_t end = keys_of(s->run, s->run_row);
	int64_t first = is_per_cell(s->got->axes) ? s->run->past[s->run_row] : end - 1;
	for (int64_t p = first; p < end; p += s->count) {
		int64_t pass = comparison_pass(c, request, p);
		s->position = p;
		for (s->count = 1; p + s->count < end && comparison_pass(c, request, p + s->count) == pass;
			s->count++) {
		}
		if (pass >= 0 && !compare_stretch(c, s, pass, request, err))
			return false;
	}
	return true;
}

bool comparison_tell(struct comparison *c, const struct pass *pass, int value, const struct tensor *tensor,
	struct err *err)
{
	if (c->values[value] < 0)
		return true;
	arena_reset(&c->arena);
	c->whole = NULL;
	for (int64_t b = 0; b < pass->B; b++) {
		int32_t request = c->requests[pass->rows[b]];
		struct stretch s = {.run = pass, .run_row = b, .value = c->values[value], .got = tensor};
		if (request >= 0 && pass->fresh[b] > 0 && !compare_one_row(c, &s, request, err))
			return false;
	}
	return true;
}

static bool on_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	(void)plan;
	return comparison_tell(self, pass, value, tensor, err);
}

struct probe comparison_probe(struct comparison *comparison)
{
	return (struct probe){.self = comparison, .value = on_value};
}

const struct proof_count *comparison_counts(const struct comparison *comparison)
{
	return comparison->counts;
}

struct leak comparison_leak(const struct comparison *comparison)
{
	return comparison->first;
}
