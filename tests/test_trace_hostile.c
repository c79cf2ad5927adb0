/* What others may have done to a trace: every cut and many flips end in a clean refusal or a good trace. */
#include <string.h>
#include <sys/stat.h>

#include "trace/trace_parts.h"

#include "trace_fixture.h"

/* Opens the trace and, when that is granted, asks everything of it. False with an input error, or true. */
static bool use(struct fixture *fixture)
{
	struct err err = ERR_INIT;
	struct trace *trace;
	bool ok = trace_open(&trace, fixture->folder, &err);
	if (ok) {
		for (int64_t i = 0; i < trace_pass_count(trace); i++)
			(void)trace_pass(trace, i);
		for (int i = 0; ok && i < trace_value_count(trace) && trace_pass_count(trace) > 0; i++) {
			struct trace_tensor found;
			char data[64];
			if (!trace_value(trace, i)->captured)
				continue;
			ok = trace_find(trace, 0, trace_value(trace, i)->name, &found, &err) &&
				(tensor_count(&found.tensor) == 0 || trace_read(trace, &found, 0, 1, data, &err));
		}
		ok = ok && trace_check(trace, &err);
		trace_close(trace);
	}
	ck_assert_msg(ok || err.kind == ERR_INPUT, "kind %d: %s", (int)err.kind, err.message);
	ck_assert(ok || (err.message[0] != '\0' && err.file[0] != '\0'));
	return ok;
}

START_TEST(any_prefix_of_the_list_of_passes)
{
	struct fixture fixture;
	size_t length;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 5);
	char *bytes = fixture_read(&fixture, "passes.jsonl", &length);
	for (size_t cut = 0; cut <= length; cut++) {
		int64_t lines = 0;
		for (size_t i = 0; i < cut; i++)
			lines += bytes[i] == '\n';
		fixture_write(&fixture, "passes.jsonl", bytes, cut);
		struct trace *trace = fixture_open(&fixture);
		ck_assert_int_eq(trace_pass_count(trace), lines);
		trace_close(trace);
	}
	fixture_free(&fixture);
}
END_TEST

START_TEST(any_prefix_of_the_manifest)
{
	struct fixture fixture;
	size_t length;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 2);
	char *bytes = fixture_read(&fixture, "trace.json", &length);
	for (size_t cut = 0; cut < length; cut++) {
		fixture_write(&fixture, "trace.json", bytes, cut);
		ck_assert_msg(use(&fixture) == (cut == length - 1), "%zu bytes",
			cut); /* all but the newline is whole */
	}
	fixture_free(&fixture);
}
END_TEST

/* One bit of one file turned over, one after the other from `step` to `step` bytes; gives the number of refusals. */
static int flip_bits(struct fixture *fixture, const char *name, size_t most, size_t step)
{
	size_t length;
	int refused = 0;
	char *bytes = fixture_read(fixture, name, &length);
	for (size_t i = 0; i < length && i < most; i += step) {
		char good = bytes[i];
		bytes[i] = (char)((unsigned char)good ^ (1u << i % 8));
		fixture_write(fixture, name, bytes, length);
		refused += !use(fixture);
		bytes[i] = good;
	}
	fixture_write(fixture, name, bytes, length);
	ck_assert(use(fixture));
	return refused;
}

START_TEST(any_flipped_bit)
{
	struct fixture fixture;
	size_t length;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 2);
	ck_assert_int_gt(flip_bits(&fixture, "trace.json", SIZE_MAX, 3), 100);
	ck_assert_int_gt(flip_bits(&fixture, "passes.jsonl", SIZE_MAX, 1), 100);
	(void)fixture_read(&fixture, "pass-000000.safetensors", &length);
	/* the digest sees every one of them */
	ck_assert_int_eq(flip_bits(&fixture, "pass-000000.safetensors", SIZE_MAX, 11), (int)((length + 10) / 11));
	fixture_free(&fixture);
}
END_TEST

/* Replaces the first `from` of a file by `to`. */
static void edit(struct fixture *fixture, const char *name, const char *from, const char *to)
{
	size_t length;
	char *bytes = fixture_read(fixture, name, &length);
	char *place = strstr(bytes, from);
	ck_assert_msg(place != NULL, "'%s' is not in %s", from, name);
	struct buf text = BUF_INIT;
	buf_add(&text, bytes, (size_t)(place - bytes));
	buf_add_text(&text, to);
	buf_add_text(&text, place + strlen(from));
	fixture_write(fixture, name, text.data, text.length);
	buf_free(&text);
}

static const struct {
	const char *file, *from, *to;
	const char *where, *message; /* parts of the error */
} edits[] = {
	{"trace.json", "rowscope-trace", "other-trace", "", "this is no trace of rowscope"},
	{"trace.json", "\"version\": 1", "\"version\": 2", "version", "use a newer rowscope"},
	{"trace.json", "\"version\": 1", "\"version\": 1.0", "version", ""},
	{"trace.json", "\"hidden\": 4", "\"hidden\": 0", "model.config.hidden", ""},
	{"trace.json", "\"hidden\": 4", "\"hidden\": 4e0", "model.config.hidden", ""},
	{"trace.json", "\"hidden\": 4", "\"hidden\": 99999999999", "model.config.hidden", ""},
	{"trace.json", "\"hidden\": 4", "\"hidden\": 5", "", ""},
	{"trace.json", "\"pad\": 1", "\"pad\": 300", "model.config.pad", ""},
	{"trace.json", "\"gelu_new\"", "\"gelu_knew\"", "model.config.activation", "is no activation"},
	{"trace.json", "\"id\": \"B\"", "\"id\": \"A\"", "rows[1].id", "an ID of its own"},
	{"trace.json", "\"id\": \"B\"", "\"id\": \"\"", "rows[1].id", "an ID of its own"},
	{"trace.json", "\"id\": \"B\"", "\"id\": \"B\\u0000\"", "rows[1].id", "U+0000"},
	{"trace.json", "\"tokens\": [7]", "\"tokens\": []", "rows[1].tokens", "at least one token"},
	{"trace.json", "\"tokens\": [7]", "\"tokens\": [300]", "rows[1].tokens[0]", ""},
	{"trace.json", "\"left\"", "\"sideways\"", "layout", "is not supported"},
	{"trace.json", "\"B,S,H\"", "\"B,S,Q\"", "axes", "letters"},
	{"trace.json", "\"B,S,H\"", "\"B,S,\"", "axes", "letters"},
	{"trace.json", "\"B,S,H\"", "\"B,S\"", "", "not those that trace.json"},
	{"trace.json", "\"B,S,H\"", "\"B,S,H,H,H,H,H,H,H\"", "axes", "at most 8"},
	{"trace.json", "\"F32\"", "\"F33\"", "dtype", "no type that a trace can hold"},
	{"trace.json", "\"F32\"", "\"F4\"", "dtype", "no type that a trace can hold"},
	{"trace.json", "\"name\": \"positions\"", "\"name\": \"tokens\"", "ops[0].outputs[1]", "used twice"},
	{"trace.json", "\"inputs\": [\"tokens\"]", "\"inputs\": [\"token\"]", "inputs[0]", "no operation of the list"},
	{"trace.json", "\"name\": \"pad\"", "\"name\": \"pads\"", "pads", "should be in this file"},
	{"trace.json", "\"ops\": [", "\"sops\": [", "", "'ops' is missing"},
	{"passes.jsonl", "\"index\":1", "\"index\":2", "line 2", "pass 1 is expected here"},
	{"passes.jsonl", "\"index\":0", "\"index\":00", "line 1", ""},
	{"passes.jsonl", "\"kind\":\"prefill\"", "\"kind\":\"fill\"", "line 1, kind", "prefill, decode or mixed"},
	{"passes.jsonl", "[\"A\",\"B\"]", "[\"A\",\"X\"]", "line 1, rows[1]", "is no row of this trace"},
	{"passes.jsonl", "[\"A\",\"B\"]", "[\"B\",\"A\"]", "line 1, rows[1]", "in the order of the batch"},
	{"passes.jsonl", "[\"A\",\"B\"]", "[\"A\",\"A\"]", "line 1, rows[1]", "each once"},
	{"passes.jsonl", "[\"A\",\"B\"]", "[\"A\"]", "line 1, rows", "one per row"},
	{"passes.jsonl", "\"B\":2", "\"B\":9", "line 1, B", ""},
	{"passes.jsonl", "\"S\":3", "\"S\":4", "line 1", "but the rows give"},
	{"passes.jsonl", "\"K\":3", "\"K\":2000000000", "line 1", "but the rows give"},
	{"passes.jsonl", "\"past\":[0,0]", "\"past\":[0,9]", "line 1", "are known"},
	{"passes.jsonl", "\"past\":[0,0]", "\"past\":[0,-1]", "line 1, past[1]", ""},
	{"passes.jsonl", "\"lengths\":[3,1]", "\"lengths\":[3,0]", "line 1, lengths[1]", ""},
	{"passes.jsonl", "\"lengths\":[3,1]", "\"lengths\":[2147483647,1]", "line 1", "are known"},
	{"passes.jsonl", "\"next\":[100,", "\"next\":[300,", "line 1, next[0]", ""},
	{"passes.jsonl", "pass-000000.safetensors", "../pass.safetensors", "line 1, file", "a plain file name"},
	{"passes.jsonl", "pass-000000.safetensors", "/etc/passwd", "line 1, file", "a plain file name"},
	{"passes.jsonl", "pass-000000.safetensors", "..", "line 1, file", "a plain file name"},
	{"passes.jsonl", "pass-000000.safetensors", "pass-000009.safetensors", "", "no such file"},
	{"passes.jsonl", "pass-000000.safetensors", "pass-000001.safetensors", "", "bytes"},
	{"passes.jsonl", "\"digest\":\"", "\"digest\":\"0", "line 1, digest", "more than 16"},
	{"passes.jsonl", "\"digest\":\"", "\"digest\":\"X", "line 1, digest", "16 digits"},
	{"passes.jsonl", "\"100\":", "\"300\":", "line 1, texts", "no token ID below 300"},
	{"passes.jsonl", "\"100\":", "\"010\":", "line 1, texts", "no token ID"},
	{"passes.jsonl", "\"100\":", "\"-1\":", "line 1, texts", "no token ID"},
	{"passes.jsonl", "\"hex\":\"e5be\"", "\"hex\":\"e5b\"", "line 1, texts", "pairs of the digits"},
	{"passes.jsonl", "\"hex\":\"e5be\"", "\"hex\":\"e5bg\"", "line 1, texts", "pairs of the digits"},
	{"passes.jsonl", "\"hex\"", "\"hax\"", "line 1, texts", "'hex'"},
	{"passes.jsonl", "{\"index\":0", "{}\n{\"index\":0", "line 1", ""},
	{"passes.jsonl", "{\"index\":0", "\n{\"index\":0", "line 1", ""},
	{"passes.jsonl", "{\"index\":0", "[]\n{\"index\":0", "line 1", "an object is expected"},
};

START_TEST(forged_values_are_named)
{
	struct fixture fixture;
	fixture_init(&fixture);
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		struct err err = ERR_INIT;
		struct trace *trace = NULL;
		struct trace_tensor tensor;
		file_remove_folder(fixture.folder);
		fixture_record(&fixture, "io", 2);
		edit(&fixture, edits[i].file, edits[i].from, edits[i].to);
		bool ok = trace_open(&trace, fixture.folder, &err);
		for (int j = 0; ok && j < trace_value_count(trace); j++)
			ok = !trace_value(trace, j)->captured ||
				trace_find(trace, 0, trace_value(trace, j)->name, &tensor, &err);
		ck_assert_msg(!ok, "'%s' was accepted", edits[i].to);
		ck_assert_msg(err.kind == ERR_INPUT && strstr(err.where, edits[i].where) != NULL &&
				strstr(err.message, edits[i].message) != NULL,
			"'%s' gives: %s: %s: %s", edits[i].to, err.file, err.where, err.message);
		trace_close(ok || trace != NULL ? trace : NULL);
	}
	fixture_free(&fixture);
}
END_TEST

/* Keys and events of later versions are passed over. */
START_TEST(more_keys_may_be_added)
{
	struct fixture fixture;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 2);
	edit(&fixture, "trace.json", "\"version\": 1", "\"version\": 1, \"colour\": {\"deep\": [1.5]}");
	edit(&fixture, "passes.jsonl", "{\"index\":0", "{\"weather\":null,\"index\":0");
	edit(&fixture, "passes.jsonl", "\"events\":[", "\"events\":[{\"event\":\"sneezes\"},");
	ck_assert(use(&fixture));
	fixture_free(&fixture);
}
END_TEST

/* A pass file that is a folder, a pipe, a link to nowhere or not there is refused at once. */
START_TEST(odd_pass_files)
{
	struct fixture fixture;
	fixture_init(&fixture);
	fixture_record(&fixture, "io", 2);
	const char *path = fixture_path(&fixture, "pass-000000.safetensors");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert(!use(&fixture));
	ck_assert_int_eq(mkfifo(path, 0666), 0);
	ck_assert(!use(&fixture));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0777), 0);
	ck_assert(!use(&fixture));
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(symlink("/dev/zero", path), 0);
	ck_assert(!use(&fixture));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("pass-000001.safetensors", path), 0);
	ck_assert(!use(&fixture));
	fixture_free(&fixture);
}
END_TEST

START_TEST(a_pass_file_that_shrinks_in_use)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	struct trace_tensor tensor;
	char data[4 * FIXTURE_VOCABULARY];
	fixture_init(&fixture);
	fixture_record(&fixture, "io", TRACE_OPEN_FILES + 2);
	struct trace *trace = fixture_open(&fixture);
	ck_assert(trace_find(trace, 0, "logits", &tensor, &err));
	ck_assert_int_eq(truncate(fixture_path(&fixture, "pass-000000.safetensors"), 1500), 0);
	ck_assert(!trace_read(trace, &tensor, 0, FIXTURE_VOCABULARY, data, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	err_clear(&err);
	for (int64_t i = 1; i < TRACE_OPEN_FILES + 2; i++)
		ck_assert(trace_find(trace, i, "logits", &tensor, &err)); /* the others push it out */
	ck_assert(!trace_find(trace, 0, "logits", &tensor, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	trace_close(trace);
	fixture_free(&fixture);
}
END_TEST

START_TEST(what_is_no_trace)
{
	struct fixture fixture;
	struct err err = ERR_INIT;
	struct trace *trace;
	fixture_init(&fixture);
	ck_assert(!trace_open(&trace, fixture.folder, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "no such folder"));
	err_clear(&err);
	ck_assert_int_eq(mkdir(fixture.folder, 0777), 0);
	ck_assert(!trace_open(&trace, fixture.folder, &err));
	ck_assert_ptr_nonnull(strstr(err.message, "holds no trace.json"));
	err_clear(&err);
	fixture_write(&fixture, "trace.json", "", 0);
	ck_assert(!trace_open(&trace, fixture_path(&fixture, "trace.json"), &err));
	ck_assert_ptr_nonnull(strstr(err.message, "this is no folder"));
	err_clear(&err);
	ck_assert(!trace_open(&trace, fixture.folder, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	fixture_free(&fixture);
}
END_TEST

TEST_PROGRAM("trace_hostile", {
	tcase_add_test(tests, any_prefix_of_the_list_of_passes);
	tcase_add_test(tests, any_prefix_of_the_manifest);
	tcase_add_test(tests, any_flipped_bit);
	tcase_add_test(tests, forged_values_are_named);
	tcase_add_test(tests, more_keys_may_be_added);
	tcase_add_test(tests, odd_pass_files);
	tcase_add_test(tests, a_pass_file_that_shrinks_in_use);
	tcase_add_test(tests, what_is_no_trace);
})
