/*
 * Every tensor of the bundled models against Hugging Face transformers: tests/golden/model_*.
 *
 * The goldens hold each row alone, as one pass over its prompt and two generated tokens. Here all rows run as one ragged
 * batch, prompt first and then token by token through the cache, so the same numbers come about in another way.
 */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "engine/run.h"
#include "format/safetensors.h"
#include "harness.h"
#include "numbers.h"

#define MAX_ROWS 8
#define MAX_ENTRIES 512
#define TOLERANCE 2e-5 /* of the tensor's largest magnitude: docs, numbers */

/* One golden tensor, and how far the run was from it. */
struct entry {
	const char *name; /* "A/layers.0.attn.q" */
	struct tensor tensor;
	double largest, distance;
	int64_t compared;
	bool unequal; /* an integer, or an infinity, that differs */
};

struct golden {
	struct arena arena;
	struct json *document;
	struct model *model;
	struct plan *plan;
	struct entry entries[MAX_ENTRIES];
	size_t entry_count;
	struct request requests[MAX_ROWS];
	struct batch batch;
	struct err err;
};

static void load_entries(struct golden *golden, const char *path)
{
	struct safetensors file;
	ck_assert_msg(safetensors_open(&file, path, &golden->err), "%s", golden->err.message);
	ck_assert_uint_le(file.count, MAX_ENTRIES);
	for (size_t i = 0; i < file.count; i++) {
		const struct safetensors_entry *from = &file.entries[i];
		struct entry *entry = &golden->entries[golden->entry_count++];
		int64_t count = tensor_count(&from->tensor);
		*entry = (struct entry){.name = arena_strndup(&golden->arena, from->name, from->name_length),
			.tensor = from->tensor};
		entry->tensor.data = arena_array(&golden->arena, (size_t)count, 4);
		ck_assert(safetensors_read(&file, from, 0, count, entry->tensor.data, &golden->err));
		for (int64_t j = 0; j < count; j++) {
			double magnitude = fabs(tensor_value(&entry->tensor, j));
			if (isfinite(magnitude) && magnitude > entry->largest)
				entry->largest = magnitude;
		}
	}
	safetensors_close(&file);
}

/* A JSON list of integers. */
static int32_t *ids(struct golden *golden, const struct json *list)
{
	int32_t *result = ARENA_ARRAY(&golden->arena, int32_t, list->count);
	for (size_t i = 0; i < list->count; i++) {
		int64_t id;
		ck_assert(json_int(list->items[i], 0, INT32_MAX, &id, &golden->err));
		result[i] = (int32_t)id;
	}
	return result;
}

static void load_requests(struct golden *golden, const char *list)
{
	const struct json *rows = json_find(golden->document, list);
	ck_assert_uint_le(rows->count, MAX_ROWS);
	for (size_t i = 0; i < rows->count; i++) {
		const struct json *prompt = json_find(rows->items[i], "prompt_tokens"),
				  *id = json_find(rows->items[i], "id");
		golden->requests[i] = (struct request){
			.id = id->type == JSON_STRING ? id->text : arena_printf(&golden->arena, "%zu", i),
			.prompt = ids(golden, prompt),
			.prompt_length = (int64_t)prompt->count,
			.max_new_tokens = (int64_t)json_find(rows->items[i], "greedy")->count,
		};
	}
	golden->batch = (struct batch){.requests = golden->requests, .count = (int64_t)rows->count};
}

static void golden_open(struct golden *golden, const char *name)
{
	char path[512];
	*golden = (struct golden){.arena = ARENA_INIT, .err = ERR_INIT};
	snprintf(path, sizeof path, "tests/golden/model_%s.json", name);
	ck_assert_msg(json_load(path, 1 << 20, &golden->arena, &golden->document, &golden->err), "%s",
		golden->err.message);
	snprintf(path, sizeof path, "tests/golden/model_%s.safetensors", name);
	load_entries(golden, path);
	snprintf(path, sizeof path, "tests/golden/families/%s", name);
	if (access(path, F_OK) != 0)
		snprintf(path, sizeof path, "tiny_models/%s", name);
	ck_assert_msg(model_open(&golden->model, path, &golden->err), "%s", golden->err.message);
	ck_assert_msg(plan_build(&golden->plan, golden->model, (struct plan_way){0}, &golden->arena, &golden->err),
		"%s", golden->err.message);
}

static void golden_close(struct golden *golden)
{
	plan_free(golden->plan);
	model_delete(golden->model);
	arena_free(&golden->arena);
}

static struct entry *find(struct golden *golden, const char *row, const char *name)
{
	char full[512];
	snprintf(full, sizeof full, "%s/%s", row, name);
	for (size_t i = 0; i < golden->entry_count; i++)
		if (strcmp(golden->entries[i].name, full) == 0)
			return &golden->entries[i];
	return NULL;
}

static void compare(struct entry *entry, int64_t at, const struct tensor *tensor, int64_t offset)
{
	double a = tensor_value(tensor, offset), b = tensor_value(&entry->tensor, at);
	entry->compared++;
	if (!isfinite(b) || entry->tensor.dtype != DTYPE_F32)
		entry->unequal = entry->unequal || a != b;
	else if (!(fabs(a - b) <= entry->distance))
		entry->distance = isfinite(a) ? fabs(a - b) : INFINITY;
}

/* `count` elements of the golden from its position `position` on its first axis, and of the run from `offset` on. */
static void compare_run(struct entry *entry, int64_t position, const struct tensor *tensor, int64_t offset,
	int64_t count)
{
	if (entry == NULL || (entry->tensor.rank > 0 && position >= entry->tensor.shape[0]))
		return;
	for (int64_t i = 0; i < count; i++)
		compare(entry, position * count + i, tensor, offset + i);
}

/* Axes B,N,S,K against N,S,K: columns by logical position. */
static void compare_keys(struct entry *entry, const struct pass *pass, int64_t b, const struct tensor *tensor)
{
	int64_t longest = entry->tensor.shape[1];
	for (int64_t n = 0; n < tensor->shape[1]; n++)
		for (int64_t s = 0; s < pass->S; s++)
			for (int64_t k = 0; k < pass->K; k++) {
				int64_t query = pass->positions[b * pass->S + s],
					key = pass->key_position[b * pass->K + k];
				if (query < 0 || query >= longest || key < 0 || key >= longest)
					continue;
				int64_t offset = ((b * tensor->shape[1] + n) * pass->S + s) * pass->K + k;
				compare(entry, (n * longest + query) * longest + key, tensor, offset);
			}
}

/* Axes B,…: what the pass tells of each row's last position. */
static void compare_last(struct golden *golden, const struct pass *pass, int64_t b, const char *name,
	const struct tensor *tensor)
{
	const char *row = golden->requests[pass->rows[b]].id;
	int64_t width = tensor->shape[1], position = pass->positions[pass->last[b]];
	if (strcmp(name, "logits") == 0)
		compare_run(find(golden, row, "logits_at"), position, tensor, b * width, width);
	if (position + 1 == find(golden, row, "tokens")->tensor.shape[0])
		for (int64_t i = 0; i < width; i++)
			compare(find(golden, row, name), i, tensor, b * width + i);
}

static bool compare_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct golden *golden = self;
	const char *name = plan->values[value].name;
	(void)err;
	for (int64_t b = 0; b < pass->B; b++) {
		const char *row = golden->requests[pass->rows[b]].id;
		struct entry *entry = find(golden, row, name);
		if (entry == NULL)
			continue;
		if (strcmp(tensor->axes, "BNSK") == 0)
			compare_keys(entry, pass, b, tensor);
		else if (tensor->axes[1] != 'S')
			compare_last(golden, pass, b, name, tensor);
		for (int64_t s = 0; tensor->axes[1] == 'S' && s < pass->S; s++) {
			int64_t cell = b * pass->S + s, width = tensor_count(tensor) / (pass->B * pass->S);
			if (!pass->pad[cell])
				compare_run(entry, pass->positions[cell], tensor, cell * width, width);
		}
	}
	return true;
}

/* Runs the batch to its end; every row's generated tokens must be the golden's. */
static void run_all(struct golden *golden, const char *list, const struct probe *probe)
{
	struct run *run;
	struct run_options options = {.threads = 1};
	const struct json *rows = json_find(golden->document, list);
	ck_assert_msg(run_new(&run, golden->model, golden->plan, &golden->batch, &options, &golden->err), "%s",
		golden->err.message);
	for (bool more = true; more;)
		ck_assert_msg(run_step(run, probe, &more, &golden->err), "%s", golden->err.message);
	for (int64_t i = 0; i < golden->batch.count; i++) {
		const struct row *row = run_row(run, i);
		const struct json *wanted = json_find(rows->items[i], "greedy"),
				  *logprobs = json_find(rows->items[i], "logprobs");
		int64_t start = golden->requests[i].prompt_length;
		ck_assert_int_eq(row->count - start, (int64_t)wanted->count);
		ck_assert(memcmp(row->tokens + start, ids(golden, wanted), wanted->count * sizeof(int32_t)) == 0);
		for (size_t t = 0; t < wanted->count; t++)
			ck_assert_double_eq_tol((double)row->logprobs[t], logprobs->items[t]->number, 2e-4);
	}
	run_delete(run);
}

/* The elements that a run can tell of a golden: not the columns after the query of cached passes, nor early logits. */
static int64_t wanted_elements(const struct entry *entry)
{
	const int64_t *shape = entry->tensor.shape;
	if (strstr(entry->name, ".scores") != NULL || strstr(entry->name, ".weights") != NULL)
		return shape[0] * shape[1] * (shape[1] + 1) / 2;
	return strstr(entry->name, "/logits_at") != NULL ? 3 * shape[1] : tensor_count(&entry->tensor);
}

static bool agrees(const struct entry *entry)
{
	return !entry->unequal && entry->distance <= TOLERANCE * entry->largest &&
		entry->compared >= wanted_elements(entry);
}

static void check_model(const char *name)
{
	struct golden golden;
	golden_open(&golden, name);
	load_requests(&golden, "rows");
	run_all(&golden, "rows", &(struct probe){.self = &golden, .value = compare_value});
	for (size_t i = 0; i < golden.entry_count; i++) {
		const struct entry *entry = &golden.entries[i];
		ck_assert_msg(agrees(entry), "%s %s: distance %g of %g, %lld of %lld elements compared", name,
			entry->name, entry->distance, entry->largest, (long long)entry->compared,
			(long long)wanted_elements(entry));
	}
	load_requests(&golden, "continuations");
	run_all(&golden, "continuations", NULL);
	golden_close(&golden);
}

START_TEST(three_requests_agrees_with_transformers)
{
	check_model("three-requests");
}
END_TEST

START_TEST(glass_agrees_with_transformers)
{
	check_model("glass");
}
END_TEST

START_TEST(tiny_stories_agrees_with_transformers)
{
	check_model("tiny-stories");
}
END_TEST

START_TEST(tiny_llama_agrees_with_transformers)
{
	check_model("tiny-llama");
}
END_TEST

static const char *const families[] = {"llama", "llama3", "linear", "mistral", "qwen2", "qwen3", "gemma", "gemma2",
	"gemma3"};

START_TEST(every_family_agrees_with_transformers)
{
	check_model(families[_i]);
}
END_TEST

/* A golden with one number moved by four times the tolerance is no longer met, and no other one is touched. */
START_TEST(one_moved_number_is_noticed)
{
	struct golden golden;
	golden_open(&golden, "glass");
	load_requests(&golden, "rows");
	struct entry *moved = find(&golden, "D", "layers.0.mlp.up");
	((float *)moved->tensor.data)[7] += (float)(4 * TOLERANCE * moved->largest);
	run_all(&golden, "rows", &(struct probe){.self = &golden, .value = compare_value});
	for (size_t i = 0; i < golden.entry_count; i++)
		ck_assert_msg(agrees(&golden.entries[i]) == (&golden.entries[i] != moved), "%s",
			golden.entries[i].name);
	golden_close(&golden);
}
END_TEST

/* The rows under each other's names: nearly nothing agrees. */
START_TEST(another_row_is_noticed)
{
	struct golden golden;
	size_t differing = 0;
	golden_open(&golden, "glass");
	load_requests(&golden, "rows");
	golden.requests[0].id = "B";
	golden.requests[1].id = "A";
	run_all(&golden, "rows", &(struct probe){.self = &golden, .value = compare_value});
	for (size_t i = 0; i < golden.entry_count; i++)
		differing += !agrees(&golden.entries[i]);
	ck_assert_uint_gt(differing, 30);
	golden_close(&golden);
}
END_TEST

TEST_PROGRAM("golden", {
	tcase_add_test(tests, three_requests_agrees_with_transformers);
	tcase_add_test(tests, glass_agrees_with_transformers);
	tcase_add_test(tests, tiny_stories_agrees_with_transformers);
	tcase_add_test(tests, tiny_llama_agrees_with_transformers);
	tcase_add_loop_test(tests, every_family_agrees_with_transformers, 0, (int)(sizeof families / sizeof *families));
	tcase_add_test(tests, one_moved_number_is_noticed);
	tcase_add_test(tests, another_row_is_noticed);
})
