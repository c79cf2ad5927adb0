/* A run that was stopped after any pass goes on to the same bytes, whatever it left behind. */
#include <dirent.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/again.h"
#include "compositions.h"
#include "harness.h"

static const struct run_options one_thread = {.threads = 1};

static const char *in_folder(struct arena *arena, const char *folder, const char *name)
{
	return arena_printf(arena, "%s/%s", folder, name);
}

static void write_file(struct arena *arena, const char *folder, const char *name, const char *bytes, size_t length)
{
	unlink(in_folder(arena, folder, name));
	FILE *file = fopen(in_folder(arena, folder, name), "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
	ck_assert_int_eq(fclose(file), 0);
}

static char *read_file(struct arena *arena, const char *folder, const char *name, size_t *length)
{
	struct err err = ERR_INIT;
	char *bytes = NULL;
	ck_assert_msg(file_load(in_folder(arena, folder, name), 1 << 28, arena, &bytes, length, &err), "%s",
		err.message);
	return bytes;
}

static int64_t count_files(const char *folder)
{
	DIR *stream = opendir(folder);
	int64_t count = 0;
	ck_assert_ptr_nonnull(stream);
	while (readdir(stream) != NULL)
		count++;
	closedir(stream);
	return count;
}

/* Every file of one folder is in the other, with the same bytes, and nothing else is. */
static void same_folders(const char *a, const char *b)
{
	struct arena arena = ARENA_INIT;
	DIR *stream = opendir(a);
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(count_files(a), count_files(b));
	for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
		size_t length_a, length_b;
		if (entry->d_name[0] == '.')
			continue;
		const char *bytes_a = read_file(&arena, a, entry->d_name, &length_a);
		const char *bytes_b = read_file(&arena, b, entry->d_name, &length_b);
		ck_assert_msg(length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0, "%s differs",
			entry->d_name);
	}
	closedir(stream);
	arena_free(&arena);
}

/* Bytes of the first `lines` lines. */
static size_t lines_length(const char *text, int64_t lines)
{
	const char *at = text;
	for (int64_t i = 0; i < lines; i++)
		at = strchr(at, '\n') + 1;
	return (size_t)(at - text);
}

/* Leaves the folder as a run that was killed after `passes` passes could: half a line, a pass file without its line, a temporary file. */
static void stop_after(const char *folder, int64_t passes)
{
	struct arena arena = ARENA_INIT;
	size_t length;
	const char *text = read_file(&arena, folder, "passes.jsonl", &length);
	size_t whole = lines_length(text, passes), more = length - whole;
	write_file(&arena, folder, "passes.jsonl", text, whole + more / 2);
	write_file(&arena, folder, ".rs-left.tmp", "left", 4);
	arena_free(&arena);
}

/* What `run --resume` does. */
static bool resume(struct model *model, const char *folder, struct err *err)
{
	struct trace *trace = NULL;
	struct again again = {0};
	struct run *run = NULL;
	struct recorder *recorder = NULL;
	struct probe none = {0};
	bool more = true;
	bool ok = trace_open(&trace, folder, err) && again_open(&again, trace, trace_batch(trace), model, err);
	int64_t whole = ok ? trace_whole_passes(trace) : 0;
	again.run.threads = 1;
	ok = ok && run_new(&run, model, again.plan, &again.batch, &again.run, err) &&
		again_replay(&again, run, whole, &none, &more, err) &&
		recorder_resume(&recorder,
			&(struct recorder_options){.folder = folder,
				.scratch = true,
				.capture = trace_info(trace)->capture,
				.model = model,
				.plan = again.plan,
				.batch = &again.batch,
				.faults = again.faults,
				.fault_count = again.fault_count},
			&(struct recorder_start){trace, whole}, err);
	if (ok) {
		none = recorder_probe(recorder);
		while (ok && more)
			ok = run_step(run, &none, &more, err);
	}
	ok = recorder_finish(recorder, err) && ok;
	run_delete(run);
	again_close(&again);
	trace_close(trace);
	return ok;
}

static int64_t passes_of(const char *folder)
{
	struct err err = ERR_INIT;
	struct trace *trace;
	ck_assert_msg(trace_open(&trace, folder, &err), "%s", err.message);
	int64_t count = trace_pass_count(trace);
	trace_close(trace);
	return count;
}

static void resumes_at_every_pass(const char *model, uint64_t seed, const char *fault)
{
	struct compositions whole, stopped;
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	uint64_t state = seed;
	ck_assert(compositions_open(&whole, model) && compositions_open(&stopped, model));
	struct batch batch = composition_batch(model_config(whole.model), &state, &arena);
	if (composition_record(&whole, &batch, fault, &one_thread, &err)) { /* some faults need a greedy batch */
		int64_t passes = passes_of(whole.folder);
		for (int64_t i = 0; i <= passes; i++) {
			ck_assert(composition_record(&stopped, &batch, fault, &one_thread, &err));
			stop_after(stopped.folder, i);
			ck_assert_msg(resume(stopped.model, stopped.folder, &err), "seed %d, pass %d: %s", (int)seed,
				(int)i, err.message);
			same_folders(whole.folder, stopped.folder);
		}
	}
	compositions_close(&whole);
	compositions_close(&stopped);
	arena_free(&arena);
}

START_TEST(random_batches_resume_at_every_pass)
{
	static const char *const models[] = {"glass", "three-requests", "tiny-stories"};
	for (uint64_t seed = 1; seed <= 8; seed++)
		resumes_at_every_pass(models[_i], 1000 * (uint64_t)_i + seed, NULL);
}
END_TEST

/* Also faults that remember something from pass to pass. */
START_TEST(runs_with_faults_resume_at_every_pass)
{
	for (size_t f = 0; faults_at(f) != NULL; f++) {
		resumes_at_every_pass("glass", 7, faults_at(f)->name);
		resumes_at_every_pass("glass", 25, faults_at(f)->name);
	}
}
END_TEST

/* A stopped trace of one small batch. */
struct stopped {
	struct compositions c;
	struct arena arena;
	struct err err;
	int32_t tokens[2][2];
	struct request requests[2];
};

static void stopped_init(struct stopped *s)
{
	*s = (struct stopped){.arena = ARENA_INIT, .err = ERR_INIT, .tokens = {{2, 3}, {5, 6}}};
	for (int i = 0; i < 2; i++)
		s->requests[i] = (struct request){.id = i == 0 ? "A" : "B",
			.prompt = s->tokens[i],
			.prompt_length = 2,
			.max_new_tokens = 6};
	ck_assert(compositions_open(&s->c, "tiny-stories"));
	ck_assert(composition_record(&s->c, &(struct batch){.requests = s->requests, .count = 2}, NULL, &one_thread,
		&s->err));
	ck_assert_int_eq(passes_of(s->c.folder), 6);
}

static void stopped_free(struct stopped *s)
{
	compositions_close(&s->c);
	arena_free(&s->arena);
}

/* After a power loss a file may be there and hold other bytes: the passes from there on are made anew. */
START_TEST(a_damaged_pass_is_made_anew)
{
	struct stopped s, whole;
	stopped_init(&s);
	stopped_init(&whole);
	size_t length;
	char *bytes = read_file(&s.arena, s.c.folder, "pass-000003.safetensors", &length);
	bytes[length - 1] ^= 1;
	write_file(&s.arena, s.c.folder, "pass-000003.safetensors", bytes, length);
	unlink(in_folder(&s.arena, s.c.folder, "pass-000004.safetensors"));
	ck_assert_msg(resume(s.c.model, s.c.folder, &s.err), "%s", s.err.message);
	same_folders(whole.c.folder, s.c.folder);
	stopped_free(&s);
	stopped_free(&whole);
}
END_TEST

START_TEST(a_run_that_still_records_is_left_alone)
{
	struct stopped s;
	size_t before, after;
	stopped_init(&s);
	stop_after(s.c.folder, 2);
	read_file(&s.arena, s.c.folder, "passes.jsonl", &before);
	FILE *other = fopen(in_folder(&s.arena, s.c.folder, "passes.jsonl"), "ab");
	ck_assert_ptr_nonnull(other);
	ck_assert_int_eq(flock(fileno(other), LOCK_EX), 0);
	ck_assert(!resume(s.c.model, s.c.folder, &s.err));
	ck_assert_int_eq(s.err.kind, ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(s.err.message, "another process"));
	fclose(other);
	read_file(&s.arena, s.c.folder, "passes.jsonl", &after);
	ck_assert_uint_eq(before, after);
	err_clear(&s.err);
	ck_assert_msg(resume(s.c.model, s.c.folder, &s.err), "%s", s.err.message);
	stopped_free(&s);
}
END_TEST

/* Replaces the first `from` in a file by `to`, of the same length. */
static void change(struct stopped *s, const char *name, const char *from, const char *to)
{
	size_t length;
	const char *old = read_file(&s->arena, s->c.folder, name, &length);
	char *bytes = arena_strndup(&s->arena, old, length);
	ck_assert_ptr_nonnull(strstr(bytes, from));
	size_t at = (size_t)(strstr(bytes, from) - bytes);
	for (size_t i = 0; to[i] != '\0'; i++)
		bytes[at + i] = to[i];
	write_file(&s->arena, s->c.folder, name, bytes, length);
}

START_TEST(another_run_is_refused_and_nothing_is_touched)
{
	static const struct {
		const char *file, *from, *to, *says;
	} cases[] = {
		{"trace.json", "\"max_new_tokens\": 6", "\"max_new_tokens\": 8",
			NULL}, /* that is another run, and a whole one */
		{"trace.json", "\"tokens\": [5, 6]", "\"tokens\": [5, 7]", "is not what was recorded"},
		{"trace.json", "\"rowscope\": \"0.1", "\"rowscope\": \"9.1", "not what rowscope"},
		{"trace.json", "\"weights_digest\": \"", "\"weights_digest\": \"0000000", "was made with weights"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stopped s;
		struct err err = ERR_INIT;
		size_t before, after;
		stopped_init(&s);
		stop_after(s.c.folder, 2);
		change(&s, cases[i].file, cases[i].from, cases[i].to);
		const char *old = read_file(&s.arena, s.c.folder, "passes.jsonl", &before);
		bool ok = resume(s.c.model, s.c.folder, &err);
		ck_assert_msg(ok == (cases[i].says == NULL), "case %d: %s", (int)i, err.message);
		if (!ok) {
			ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "case %d: %s", (int)i, err.message);
			const char *new = read_file(&s.arena, s.c.folder, "passes.jsonl", &after);
			ck_assert(before == after && memcmp(old, new, before) == 0);
			ck_assert(file_exists(in_folder(&s.arena, s.c.folder, ".rs-left.tmp")));
		}
		stopped_free(&s);
	}
}
END_TEST

/* Killed before trace.json was there: nothing to go on with, and a new run may take the folder. */
START_TEST(what_a_run_leaves_that_never_began_is_no_hindrance)
{
	struct stopped s;
	struct err err = ERR_INIT;
	char folder[TEMPORARY_SIZE];
	stopped_init(&s);
	ck_assert(temporary_make(folder, &err));
	write_file(&s.arena, folder, "passes.jsonl", "", 0);
	write_file(&s.arena, folder, ".rs-left.tmp", "{", 1);
	ck_assert(!resume(s.c.model, folder, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	err_clear(&err);
	struct batch batch = {.requests = s.requests, .count = 2};
	struct plan *plan;
	struct recorder *recorder;
	ck_assert(plan_build(&plan, s.c.model, batch_way(&batch), &s.arena, &err));
	struct recorder_options options = {.folder = folder,
		.scratch = true,
		.model = s.c.model,
		.plan = plan,
		.batch = &batch};
	ck_assert_msg(recorder_new(&recorder, &options, &err), "%s", err.message);
	ck_assert(recorder_finish(recorder, &err));
	write_file(&s.arena, folder, "trace.json", "", 0); /* now it is something that somebody may want */
	ck_assert(!recorder_new(&recorder, &options, &err));
	plan_free(plan);
	temporary_remove(folder);
	stopped_free(&s);
}
END_TEST

TEST_PROGRAM("resume", {
	tcase_add_loop_test(tests, random_batches_resume_at_every_pass, 0, 3);
	tcase_add_test(tests, runs_with_faults_resume_at_every_pass);
	tcase_add_test(tests, a_damaged_pass_is_made_anew);
	tcase_add_test(tests, a_run_that_still_records_is_left_alone);
	tcase_add_test(tests, another_run_is_refused_and_nothing_is_touched);
	tcase_add_test(tests, what_a_run_leaves_that_never_began_is_no_hindrance);
})
