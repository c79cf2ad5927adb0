#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "trace_fixture.h"
#include "trace/slice.h"

#define PASSES 7

static uint32_t canonical(uint32_t bits)
{
	return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}

/* Compares every recorded value of the pass that the fixture would run next with what the trace holds. */
static void compare_pass(const struct fixture *fixture, struct trace *trace, const struct pass *pass)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	for (int i = 0; i < fixture->plan.value_count; i++) {
		const struct value *value = &fixture->plan.values[i];
		struct trace_tensor found;
		if (value->is_state)
			continue;
		struct tensor tensor = fixture_tensor(fixture, pass, i, &arena);
		ck_assert_msg(trace_find(trace, pass->index, value->name, &found, &err), "%s", err.message);
		ck_assert_str_eq(found.tensor.axes, tensor.axes);
		ck_assert_int_eq(found.tensor.dtype, tensor.dtype);
		ck_assert_mem_eq(found.tensor.shape, tensor.shape, sizeof tensor.shape);
		size_t size = tensor_bytes(&tensor);
		char *read = arena_raw(&arena, size + 1, 1);
		ck_assert_msg(trace_read(trace, &found, 0, tensor_count(&tensor), read, &err), "%s", err.message);
		uint32_t *bits = tensor.data;
		for (int64_t j = 0; tensor.dtype == DTYPE_F32 && j < tensor_count(&tensor); j++)
			bits[j] = canonical(bits[j]);
		ck_assert_msg(memcmp(read, tensor.data, size) == 0, "%s", value->name);
	}
	arena_free(&arena);
}

static void compare_layout(const struct pass *a, const struct pass *b)
{
	size_t cells = (size_t)(a->B * a->S);
	ck_assert(a->index == b->index && a->kind == b->kind && a->B == b->B && a->S == b->S && a->K == b->K);
	ck_assert_mem_eq(a->rows, b->rows, (size_t)a->B * sizeof *a->rows);
	ck_assert_mem_eq(a->past, b->past, (size_t)a->B * sizeof *a->past);
	ck_assert_mem_eq(a->fresh, b->fresh, (size_t)a->B * sizeof *a->fresh);
	ck_assert_mem_eq(a->sampled, b->sampled, (size_t)a->B);
	ck_assert_mem_eq(a->last, b->last, (size_t)a->B * sizeof *a->last);
	ck_assert_mem_eq(a->tokens, b->tokens, cells * sizeof *a->tokens);
	ck_assert_mem_eq(a->positions, b->positions, cells * sizeof *a->positions);
	ck_assert_mem_eq(a->pad, b->pad, cells);
	ck_assert_mem_eq(a->key_position, b->key_position, (size_t)(a->B * a->K) * sizeof *a->key_position);
}

/* Runs beside the trace and compares pass by pass. */
static void compare_run(struct fixture *fixture, struct trace *trace, int64_t passes)
{
	fixture_rewind(fixture);
	ck_assert_int_eq(trace_pass_count(trace), passes);
	for (int64_t i = 0; i < passes; i++) {
		struct arena arena = ARENA_INIT;
		struct pass *pass = fixture_lay(fixture, &arena);
		const struct trace_pass *recorded = trace_pass(trace, i);
		compare_pass(fixture, trace, pass);
		compare_layout(&recorded->layout, pass);
		for (int64_t b = 0; b < pass->B; b++) {
			int32_t row = pass->rows[b];
			ck_assert_int_eq(recorded->next[b], fixture_next(fixture, row));
			ck_assert_int_eq(recorded->finished[b], pass->finish[b] != FINISH_NONE);
			fixture->computed[row] = fixture->known[row];
			fixture->histories[row][fixture->known[row]++] = fixture_next(fixture, row);
		}
		fixture->passes++;
		arena_free(&arena);
	}
}

START_TEST(reads_what_was_recorded)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	fixture_init(&fixture);
	fixture_record(&fixture, "all", PASSES);
	struct trace *trace = fixture_open(&fixture);
	compare_run(&fixture, trace, PASSES);
	ck_assert_msg(trace_check(trace, &err), "%s", err.message);
	int32_t tokens[64];
	ck_assert_int_eq(trace_generated(trace, 0, tokens, 64), 4);
	ck_assert_int_eq(tokens[0], 100);
	ck_assert_int_eq(trace_generated(trace, 2, NULL, 0), PASSES - 1);
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

START_TEST(tells_what_ran)
{
	struct fixture fixture;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 2);
	struct trace *trace = fixture_open(&fixture);
	const struct trace_info *info = trace_info(trace);
	ck_assert_str_eq(info->model, "hand");
	ck_assert_str_eq(info->family, "gpt2");
	ck_assert_str_eq(info->weights_digest, "0123456789abcdef");
	ck_assert_str_eq(info->notes[0], "matrices transposed");
	ck_assert_ptr_null(info->notes[1]);
	ck_assert_ptr_null(info->faults[0]);
	ck_assert_str_eq(info->capture, "io");
	ck_assert(info->B == 3 && info->H == 4 && info->V == FIXTURE_VOCABULARY && info->pad_token == 1);
	ck_assert(info->config.end_token_count == 1 && info->config.end_tokens[0] == 2 && info->config.bos == -1);
	ck_assert(info->config.norm_eps == 1e-5f); /* read back to the bit */
	const struct batch *batch = trace_batch(trace);
	ck_assert_str_eq(batch->requests[0].text, "我今天");
	ck_assert_ptr_null(batch->requests[1].text);
	ck_assert(batch->requests[0].prompt_length == 3 && batch->requests[0].prompt[2] == 101);
	ck_assert(batch->requests[2].arrives == 1 && batch->requests[0].max_new_tokens == 4 && batch->max_rows == 3);
	ck_assert_int_eq(trace_find_request(trace, "7"), 2);
	ck_assert_int_eq(trace_find_request(trace, "C"), -1);
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

START_TEST(tells_the_list_of_operations)
{
	struct fixture fixture;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 1);
	struct trace *trace = fixture_open(&fixture);
	ck_assert_int_eq(trace_op_count(trace), fixture.plan.op_count);
	ck_assert_int_eq(trace_value_count(trace), fixture.plan.value_count);
	int scores = trace_find_value(trace, "layers.0.attn.scores");
	const struct trace_value *value = trace_value(trace, scores);
	const struct trace_op *op = trace_op(trace, value->op);
	ck_assert_str_eq(op->name, "layers.0.attn.scores");
	ck_assert_str_eq(op->kind, "attn_scores");
	ck_assert_int_eq(op->layer, 0);
	ck_assert_str_eq(op->inputs[1], "layers.0.attn.cache");
	ck_assert_ptr_null(op->inputs[3]);
	ck_assert_str_eq(value->axes, "BNSK");
	ck_assert(!value->captured && !value->is_state);
	ck_assert(trace_value(trace, trace_find_value(trace, "layers.0.attn.cache"))->is_state);
	ck_assert(trace_value(trace, trace_find_value(trace, "logits"))->captured);
	ck_assert_str_eq(trace_op(trace, trace_value(trace, trace_find_value(trace, "embed"))->op)->weights[0],
		"embed.token.weight");
	ck_assert_int_eq(trace_find_value(trace, "nothing"), -1);
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

START_TEST(tells_events_and_texts)
{
	struct fixture fixture;
	size_t length;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 4);
	struct trace *trace = fixture_open(&fixture);
	const struct trace_pass *first = trace_pass(trace, 0), *second = trace_pass(trace, 1),
				*fourth = trace_pass(trace, 3);
	ck_assert(first->event_count == 2 && first->events[1].kind == TRACE_STARTS && first->events[1].request == 1);
	ck_assert(second->event_count == 1 && second->events[0].kind == TRACE_STARTS && second->events[0].request == 2);
	ck_assert(fourth->event_count == 1 && fourth->events[0].kind == TRACE_ENDS && fourth->events[0].request == 0);
	ck_assert_int_eq(fourth->events[0].finish, FINISH_LENGTH);
	ck_assert(second->layout.kind == PASS_MIXED && fourth->layout.kind == PASS_DECODE);
	ck_assert_str_eq(trace_token_text(trace, 100, &length), "很");
	ck_assert_uint_eq(length, 3);
	ck_assert_mem_eq(trace_token_text(trace, 101, &length), "\xe5\xbe", 2);
	ck_assert_uint_eq(length, 2);
	ck_assert_ptr_null(trace_token_text(trace, 299, &length));
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

static void same_files(struct fixture *a, struct fixture *b, const char *name)
{
	size_t a_length, b_length;
	char *a_bytes = fixture_read(a, name, &a_length), *b_bytes = fixture_read(b, name, &b_length);
	ck_assert_uint_eq(a_length, b_length);
	ck_assert_msg(memcmp(a_bytes, b_bytes, a_length) == 0, "%s differs", name);
}

START_TEST(same_run_same_bytes)
{
	struct fixture a, b;
	fixture_init(&a);
	fixture_init(&b);
	fixture_record(&a, "all", PASSES);
	fixture_record(&b, "all", PASSES);
	int count = 0;
	DIR *folder = opendir(a.folder);
	ck_assert_ptr_nonnull(folder);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2) {
			same_files(&a, &b, entry->d_name);
			count++;
		}
	}
	closedir(folder);
	ck_assert_int_eq(count, PASSES + 2); /* no temporary file is left */
	fixture_free(&a);
	fixture_free(&b);
}
END_TEST

START_TEST(says_why_a_tensor_is_not_there)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	struct trace_tensor tensor;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 2);
	struct trace *trace = fixture_open(&fixture);
	ck_assert(trace_find(trace, 1, "logits", &tensor, &err));
	ck_assert(!trace_find(trace, 1, "layers.0.attn.scores", &tensor, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "--capture 'io,layers.0.attn.scores'"));
	err_clear(&err);
	ck_assert(!trace_find(trace, 1, "logts", &tensor, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "did you mean 'logits'?"));
	err_clear(&err);
	ck_assert(!trace_find(trace, 1, "layers.0.attn.cache", &tensor, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "the cache itself is not recorded"));
	err_clear(&err);
	ck_assert(!trace_find(trace, 2, "logits", &tensor, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "the trace has passes 0 to 1"));
	err_clear(&err);
	ck_assert(!trace_find(trace, -1, "logits", &tensor, &err));
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

static bool start(struct fixture *fixture, bool replace, struct err *err)
{
	struct recorder *recorder;
	struct recorder_options options = fixture_options(fixture, "io");
	options.replace = replace;
	err_clear(err);
	return recorder_new_described(&recorder, &options, &fixture->model, err) && recorder_finish(recorder, err);
}

START_TEST(overwrites_only_when_asked)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 3);
	fixture_write(&fixture, "notes.txt", "mine", 4);
	ck_assert(!start(&fixture, false, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.message, "holds a trace already"));
	ck_assert(err.is_taken);
	struct trace *trace = fixture_open(&fixture);
	ck_assert_int_eq(trace_pass_count(trace), 3);
	trace_close(trace);
	ck_assert_msg(start(&fixture, true, &err), "%s", err.message);
	trace = fixture_open(&fixture);
	ck_assert_int_eq(trace_pass_count(trace), 0);
	trace_close(trace);
	ck_assert(!file_exists(fixture_path(&fixture, "pass-000000.safetensors")));
	ck_assert(file_exists(fixture_path(&fixture, "notes.txt")));
	ck_assert_int_eq(unlink(fixture_path(&fixture, "trace.json")), 0);
	ck_assert(!start(&fixture, true, &err)); /* somebody's folder, and no trace */
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert(file_exists(fixture_path(&fixture, "notes.txt")));
	fixture_free(&fixture);
}
END_TEST

START_TEST(takes_an_empty_folder_and_no_file)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	fixture_init(&fixture);
	ck_assert_int_eq(mkdir(fixture.folder, 0777), 0);
	ck_assert(start(&fixture, false, &err));
	file_remove_folder(fixture.folder);
	FILE *file = fopen(fixture.folder, "wb");
	fclose(file);
	ck_assert(!start(&fixture, true, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "a trace is a folder"));
	unlink(fixture.folder);
	struct recorder *recorder;
	struct recorder_options options = fixture_options(&fixture, "logist");
	err_clear(&err);
	ck_assert(!recorder_new_described(&recorder, &options, &fixture.model, &err));
	ck_assert(!file_exists(fixture.folder)); /* nothing is left behind */
	fixture_free(&fixture);
}
END_TEST

/* A pass that went wrong is left out; the run may tell it again. */
START_TEST(leaves_out_an_unfinished_pass)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	fixture_init(&fixture);
	struct recorder *recorder = fixture_recorder(&fixture, "all");
	ck_assert(fixture_step(&fixture, recorder, &err));
	struct probe probe = recorder_probe(recorder);
	struct pass *pass = fixture_lay(&fixture, &arena);
	ck_assert(probe.begin(probe.self, &fixture.plan, pass, &err));
	ck_assert(!probe.end(probe.self, &fixture.plan, pass, &err));
	err_clear(&err);
	ck_assert(probe.begin(probe.self, &fixture.plan, pass, &err));
	int late = plan_value(&fixture.plan, "logits");
	struct tensor tensor = fixture_tensor(&fixture, pass, late, &arena);
	ck_assert(!probe.value(probe.self, &fixture.plan, pass, late, &tensor, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "out of the order"));
	err_clear(&err);
	pass->index = 5;
	ck_assert(!probe.begin(probe.self, &fixture.plan, pass, &err));
	err_clear(&err);
	ck_assert(fixture_step(&fixture, recorder, &err));
	ck_assert(recorder_finish(recorder, &err));
	struct trace *trace = fixture_open(&fixture);
	compare_run(&fixture, trace, 2);
	trace_close(trace);
	arena_free(&arena);
	fixture_free(&fixture);
}
END_TEST

START_TEST(sees_passes_that_were_added)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	fixture_init(&fixture);
	struct recorder *recorder = fixture_recorder(&fixture, "all");
	struct trace *trace = fixture_open(&fixture);
	ck_assert_int_eq(trace_pass_count(trace), 0);
	const struct trace_pass *first = NULL;
	for (int i = 0; i < PASSES; i++) {
		ck_assert(fixture_step(&fixture, recorder, &err));
		ck_assert(trace_refresh(trace, &err));
		ck_assert_int_eq(trace_pass_count(trace), i + 1);
		ck_assert(first == NULL || first == trace_pass(trace, 0)); /* stays where it is */
		first = trace_pass(trace, 0);
	}
	compare_run(&fixture, trace, PASSES);
	ck_assert(recorder_finish(recorder, &err));
	fixture_write(&fixture, "passes.jsonl", "", 0);
	ck_assert(!trace_refresh(trace, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "became shorter"));
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

/* A random box of a tensor, some axes dropped. */
static struct slice random_slice(const struct tensor *tensor, uint32_t *state)
{
	struct slice slice = slice_whole(tensor);
	for (int i = 0; i < tensor->rank; i++) {
		*state = *state * 1664525u + 1013904223u;
		int64_t size = tensor->shape[i];
		slice.dropped[i] = (*state >> 20) % 4 == 0;
		slice.first[i] = (int64_t)(*state >> 8) % size;
		slice.count[i] = slice.dropped[i] ? 1 : 1 + (int64_t)(*state >> 24) % (size - slice.first[i]);
		if ((*state >> 12) % 3 == 0 && !slice.dropped[i]) {
			slice.first[i] = 0;
			slice.count[i] = size;
		}
	}
	return slice;
}

START_TEST(reads_any_box)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	uint32_t state = 7;
	fixture_init(&fixture);
	fixture_record(&fixture, "all", 2);
	struct trace *trace = fixture_open(&fixture);
	for (int i = 0; i < 600; i++) {
		struct arena arena = ARENA_INIT;
		const char *name = i % 3 == 0 ? "layers.0.attn.scores" : i % 3 == 1 ? "mask" : "logits";
		struct trace_tensor found;
		struct tensor part;
		ck_assert(trace_find(trace, i % 2, name, &found, &err));
		struct slice slice = random_slice(&found.tensor, &state);
		char *whole = arena_raw(&arena, tensor_bytes(&found.tensor), 1);
		ck_assert(trace_read(trace, &found, 0, tensor_count(&found.tensor), whole, &err));
		ck_assert(trace_slice(trace, &found, &slice, &arena, &part, &err));
		ck_assert_int_eq(tensor_count(&part), slice_count(&slice));
		size_t size = dtype_size(part.dtype);
		for (int64_t j = 0; j < slice_count(&slice); j++) {
			int64_t index[TENSOR_MAX_RANK];
			slice_index(&slice, j, index);
			int64_t at = tensor_offset(&found.tensor, index);
			ck_assert_mem_eq((char *)part.data + (size_t)j * size, whole + (size_t)at * size, size);
		}
		for (int axis = 0, kept = 0; axis < slice.rank; axis++) {
			if (!slice.dropped[axis])
				ck_assert_int_eq(part.axes[kept++], found.tensor.axes[axis]);
		}
		arena_free(&arena);
	}
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

/* Records for ever; the parent kills it. */
static void record_until_killed(struct fixture *fixture)
{
	struct err err = ERR_INIT;
	for (;;) {
		struct recorder *recorder;
		struct recorder_options options = fixture_options(fixture, "all");
		options.replace = true;
		fixture_rewind(fixture);
		if (!recorder_new_described(&recorder, &options, &fixture->model, &err))
			_exit(1);
		while (fixture->passes < 20 && fixture_step(fixture, recorder, &err))
			;
		recorder_finish(recorder, &err);
	}
}

START_TEST(killed_at_any_moment)
{
	struct fixture fixture;
	fixture_init(&fixture);
	int opened = 0;
	for (int i = 0; i < 60; i++) {
		file_remove_folder(fixture.folder);
		pid_t child = fork();
		if (child == 0)
			record_until_killed(&fixture);
		struct timespec pause = {0, 1000 * (400 + i * i * 3)};
		nanosleep(&pause, NULL);
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		if (!file_exists(fixture_path(&fixture, "trace.json")) ||
			!file_exists(fixture_path(&fixture, "passes.jsonl")))
			continue; /* it had not begun, or was being replaced */
		struct trace *trace = fixture_open(&fixture);
		compare_run(&fixture, trace, trace_pass_count(trace));
		trace_close(trace);
		opened++;
	}
	ck_assert_int_gt(opened, 0);
	fixture_free(&fixture);
}
END_TEST

/* A disk that is full at every possible byte: all finished passes stay, and the error is the system's. */
static void record_within(struct fixture *fixture, rlim_t limit)
{
	struct err err = ERR_INIT;
	struct recorder *recorder = fixture_recorder(fixture, "io");
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit size = {limit, RLIM_INFINITY};
	if (setrlimit(RLIMIT_FSIZE, &size) != 0)
		_exit(2);
	while (fixture->passes < 28 && fixture_step(fixture, recorder, &err))
		;
	bool failed = err.kind == ERR_SYSTEM;
	_exit(failed ? 0 : 3);
}

START_TEST(full_disk_keeps_finished_passes)
{
	struct fixture fixture;
	fixture_init(&fixture);
	int64_t most = 0;
	for (rlim_t limit = 0; limit < 6000; limit += 173) {
		file_remove_folder(fixture.folder);
		fixture_rewind(&fixture);
		int status;
		pid_t child = fork();
		if (child == 0)
			record_within(&fixture, limit);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		struct trace *trace = fixture_open(&fixture);
		most = trace_pass_count(trace) > most ? trace_pass_count(trace) : most;
		trace_close(trace);
	}
	ck_assert_int_gt(most, 2);
	fixture_free(&fixture);
}
END_TEST

TEST_PROGRAM("trace", {
	tcase_add_test(tests, reads_what_was_recorded);
	tcase_add_test(tests, tells_what_ran);
	tcase_add_test(tests, tells_the_list_of_operations);
	tcase_add_test(tests, tells_events_and_texts);
	tcase_add_test(tests, same_run_same_bytes);
	tcase_add_test(tests, says_why_a_tensor_is_not_there);
	tcase_add_test(tests, overwrites_only_when_asked);
	tcase_add_test(tests, takes_an_empty_folder_and_no_file);
	tcase_add_test(tests, leaves_out_an_unfinished_pass);
	tcase_add_test(tests, sees_passes_that_were_added);
	tcase_add_test(tests, reads_any_box);
	tcase_add_test(tests, killed_at_any_moment);
	tcase_add_test(tests, full_disk_keeps_finished_passes);
})
