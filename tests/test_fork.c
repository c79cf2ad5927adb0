/* Forks: what lies before them is the parent, what comes after is a run like any other. */
#include "analysis/diff.h"
#include "app/again.h"
#include "app/fork.h"
#include "app/session.h"
#include "compositions.h"
#include "harness.h"
#include "view/view.h"

/* A parent and a fork of it. */
struct forks {
	struct compositions parent, child;
	struct arena arena;
	struct err err;
};

static void forks_init(struct forks *f, const char *model)
{
	*f = (struct forks){.arena = ARENA_INIT, .err = ERR_INIT};
	ck_assert(compositions_open(&f->parent, model) && compositions_open(&f->child, model));
}

static void forks_free(struct forks *f)
{
	compositions_close(&f->parent);
	compositions_close(&f->child);
	arena_free(&f->arena);
}

static void record_parent(struct forks *f, const struct batch *batch)
{
	ck_assert_msg(composition_record(&f->parent, batch, NULL, &(struct run_options){.threads = 1}, &f->err), "%s",
		f->err.message);
}

/* Runs and records again->batch: shared passes, then the others. */
static bool run_fork(struct forks *f, struct fork *fork, struct again *again, struct err *err)
{
	struct recorder *recorder = NULL;
	struct run *run = NULL;
	struct probe probe = {0};
	bool more = true;
	again->run.threads = 1;
	bool ok = run_new(&run, f->child.model, again->plan, &again->batch, &again->run, err) &&
		recorder_new(&recorder,
			&(struct recorder_options){.folder = f->child.folder,
				.replace = true,
				.scratch = true,
				.capture = "all",
				.model = f->child.model,
				.plan = again->plan,
				.batch = &again->batch,
				.faults = again->faults,
				.fault_count = again->fault_count,
				.parent = &fork->parent},
			err);
	if (ok)
		probe = recorder_probe(recorder);
	ok = ok && again_replay(again, run, fork->pass, &probe, &more, err);
	while (ok && more)
		ok = run_step(run, &probe, &more, err);
	ok = recorder_finish(recorder, err) && ok;
	run_delete(run);
	return ok;
}

/* What `run --fork PARENT --pass N --set CHANGE` does. */
static bool make_fork(struct forks *f, const char *folder, int64_t pass, const char *change, struct err *err)
{
	struct trace *trace = NULL;
	struct fork fork = {0};
	struct again again = {0};
	bool ok = trace_open(&trace, folder, err) && fork_open(&fork, trace, pass, err) &&
		fork_set(&fork, change, err) && again_open(&again, trace, &fork.batch, f->child.model, err) &&
		run_fork(f, &fork, &again, err);
	again_close(&again);
	fork_close(&fork);
	trace_close(trace);
	return ok;
}

static void must_fork(struct forks *f, int64_t pass, const char *change)
{
	ck_assert_msg(make_fork(f, f->parent.folder, pass, change, &f->err), "%s at pass %d: %s", change, (int)pass,
		f->err.message);
}

static struct diff compare(struct forks *f, const char *a, const char *b)
{
	struct trace *trace_a, *trace_b;
	struct diff diff;
	ck_assert(trace_open(&trace_a, a, &f->err) && trace_open(&trace_b, b, &f->err));
	ck_assert_msg(diff_traces(&diff, trace_a, trace_b, &f->arena, &f->err), "%s", f->err.message);
	if (diff.first.found)
		diff.first.name = arena_strdup(&f->arena, diff.first.name);
	trace_close(trace_a);
	trace_close(trace_b);
	return diff;
}

/* A of 3 tokens and B of 2, both for 5 more. */
struct pair {
	int32_t tokens[2][8];
	struct request requests[2];
	struct batch batch;
};

static void set_pair(struct pair *p)
{
	*p = (struct pair){.tokens = {{12, 13, 14}, {15, 16}}};
	for (int i = 0; i < 2; i++)
		p->requests[i] = (struct request){.id = i == 0 ? "A" : "B",
			.prompt = p->tokens[i],
			.prompt_length = 3 - i,
			.max_new_tokens = 5};
	p->batch = (struct batch){.requests = p->requests, .count = 2};
}

static int32_t token_at(struct forks *f, const char *folder, int32_t row, int64_t position)
{
	struct trace *trace;
	ck_assert_msg(trace_open(&trace, folder, &f->err), "%s", f->err.message);
	int32_t token = trace_history(trace, row)[position];
	trace_close(trace);
	return token;
}

START_TEST(a_fork_that_changes_nothing_is_its_parent)
{
	struct forks f;
	struct pair p;
	forks_init(&f, "tiny-stories");
	set_pair(&p);
	record_parent(&f, &p.batch);
	for (int64_t pass = 0; pass < 5; pass++) {
		int32_t token = token_at(&f, f.parent.folder, 1, 1 + pass);
		must_fork(&f, pass, arena_printf(&f.arena, "row=B,token=%d", token));
		struct diff diff = compare(&f, f.parent.folder, f.child.folder);
		ck_assert_msg(diff.equal, "pass %d", (int)pass);
		ck_assert_int_eq(diff.rows[1].positions_a, diff.rows[1].positions_b);
	}
	forks_free(&f);
}
END_TEST

/* The changed row is what a prompt with that token gives; the other row is the parent's. */
START_TEST(a_changed_token_is_as_if_it_had_been_chosen)
{
	struct forks f;
	struct pair p;
	struct compositions asked;
	forks_init(&f, "tiny-stories");
	ck_assert(compositions_open(&asked, "tiny-stories"));
	for (int64_t pass = 0; pass < 4; pass++) {
		set_pair(&p);
		record_parent(&f, &p.batch);
		must_fork(&f, pass, "row=B,token=99");
		struct diff diff = compare(&f, f.parent.folder, f.child.folder);
		ck_assert(diff.bad == 0 && diff.rows[0].parts_at == -1);
		ck_assert_int_eq(diff.rows[1].parts_at, 1 + pass);
		ck_assert_str_eq(diff.first.name, "tokens");
		ck_assert_int_eq(diff.first.pass, pass);
		for (int64_t i = 0; i < 2 + pass; i++)
			p.tokens[1][i] = token_at(&f, f.child.folder, 1, i);
		ck_assert_int_eq(p.tokens[1][1 + pass], 99);
		p.requests[1].prompt_length = 2 + pass;
		p.requests[1].max_new_tokens = 5 - pass;
		ck_assert(composition_record(&asked, &p.batch, NULL, &(struct run_options){.threads = 1}, &f.err));
		diff = compare(&f, f.child.folder, asked.folder);
		ck_assert_msg(diff.equal && diff.rows[1].positions_a == diff.rows[1].positions_b, "pass %d", (int)pass);
	}
	compositions_close(&asked);
	forks_free(&f);
}
END_TEST

/* Drawn from the fork on; before it the greedy parent. */
START_TEST(changed_sampling_holds_from_the_pass_on)
{
	struct forks f;
	struct pair p;
	forks_init(&f, "tiny-stories");
	set_pair(&p);
	record_parent(&f, &p.batch);
	must_fork(&f, 2, "row=A,temperature=3,seed=5");
	struct diff diff = compare(&f, f.parent.folder, f.child.folder);
	ck_assert(!diff.equal && diff.asked_differently);
	ck_assert_int_eq(diff.rows[0].parts_at, 5); /* three of the prompt, two chosen before */
	ck_assert_int_eq(diff.rows[1].parts_at, -1);
	struct pair drawn; /* the same stream as a row that draws from there by itself */
	set_pair(&drawn);
	for (int64_t i = 0; i < 5; i++)
		drawn.tokens[0][i] = token_at(&f, f.child.folder, 0, i);
	drawn.requests[0].prompt_length = 5, drawn.requests[0].max_new_tokens = 3;
	drawn.requests[0].sampling = (struct sampling){.temperature = 3, .seed = 5};
	record_parent(&f, &drawn.batch);
	for (int64_t i = 5; i < 8; i++)
		ck_assert_int_eq(token_at(&f, f.parent.folder, 0, i), token_at(&f, f.child.folder, 0, i));
	forks_free(&f);
}
END_TEST

/* Random batches in random ways, a random change: all proofs hold, since a change goes by logical position. */
START_TEST(forks_are_isolated)
{
	struct forks f;
	int done = 0;
	forks_init(&f, "glass");
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct arena arena = ARENA_INIT;
		uint64_t state = seed;
		struct trace *trace;
		struct isolation result;
		struct batch batch = composition_batch(model_config(f.parent.model), &state, &arena);
		record_parent(&f, &batch);
		ck_assert(trace_open(&trace, f.parent.folder, &f.err));
		int64_t pass = composition_below(&state, trace_pass_count(trace));
		const struct pass *layout = &trace_pass(trace, pass)->layout;
		int64_t b = composition_below(&state, layout->B);
		const char *id = arena_strdup(&arena, trace_batch(trace)->requests[layout->rows[b]].id);
		bool reads = layout->fresh[b] > 0;
		trace_close(trace);
		if (reads) {
			must_fork(&f, pass,
				arena_printf(&arena,
					seed % 2 == 0 ? "row=%s,token=%d" : "row=%s,token=%d,temperature=2,top-k=4", id,
					(int)composition_below(&state, 16)));
			ck_assert(trace_open(&trace, f.child.folder, &f.err));
			struct isolation_options options = {.trace = trace,
				.model = f.child.model,
				.run = {.threads = 1},
				.seed = seed,
				.cells_per_value = 2};
			ck_assert_msg(isolation_check(&result, &options, &arena, &f.err), "%s", f.err.message);
			ck_assert_msg(result.ok,
				"seed %d: proof %s, pass %d, %s, row %d, position %d (fork at %d of row %s)", (int)seed,
				proof_name(result.first.proof), (int)result.first.pass,
				trace_value(trace, result.first.value)->name, (int)result.first.request,
				(int)result.first.position, (int)pass, id);
			trace_close(trace);
			done++;
		}
		arena_free(&arena);
	}
	ck_assert_int_gt(done, 30);
	forks_free(&f);
}
END_TEST

START_TEST(the_parent_is_named_and_its_later_changes_are_left_out)
{
	struct forks f;
	struct pair p;
	struct trace *trace;
	forks_init(&f, "tiny-stories");
	set_pair(&p);
	record_parent(&f, &p.batch);
	must_fork(&f, 3, "row=B,token=99");
	ck_assert(trace_open(&trace, f.child.folder, &f.err));
	ck_assert_str_eq(trace_info(trace)->parent, strrchr(f.parent.folder, '/') + 1);
	ck_assert_int_eq(trace_info(trace)->parent_pass, 3);
	ck_assert_uint_eq(strlen(trace_info(trace)->parent_digest), 16);
	const struct request *b = &trace_batch(trace)->requests[1];
	ck_assert(b->edit_count == 1 && b->edits[0].position == 4 && b->edits[0].token == 99);
	struct fork again;
	ck_assert(fork_open(&again, trace, 2, &f.err) && fork_set(&again, "row=A,token=7", &f.err));
	ck_assert_int_eq(again.batch.requests[1].edit_count, 0);
	ck_assert_int_eq(again.batch.requests[0].edit_count, 1);
	fork_close(&again);
	ck_assert(fork_open(&again, trace, 3, &f.err) && fork_set(&again, "row=B,token=7,top_k=3", &f.err));
	b = &again.batch.requests[1];
	ck_assert_int_eq(b->edit_count, 3);
	ck_assert_int_eq(request_token(b, 4, 1), 7); /* the newer one */
	ck_assert_int_eq(request_sampling(b, 4)->top_k, 0);
	ck_assert_int_eq(request_sampling(b, 5)->top_k, 3);
	fork_close(&again);
	trace_close(trace);
	forks_free(&f);
}
END_TEST

START_TEST(what_cannot_be_changed_is_refused)
{
	static const struct {
		int64_t pass;
		const char *change, *says;
	} cases[] = {
		{5, "row=A,token=1", "passes 0 to 4"},
		{-1, "row=A,token=1", "passes 0 to 4"},
		{1, "row=X,token=1", "no row \"X\""},
		{1, "row=A", "row=ID,token=ID"},
		{1, "token=1,row=A", "row=ID,token=ID"},
		{1, "", "row=ID,token=ID"},
		{1, "row=A,", "KEY=VALUE"},
		{1, "row=A,token", "KEY=VALUE"},
		{1, "row=A,token=", "token ID from 0"},
		{1, "row=A,token=-1", "token ID from 0"},
		{1, "row=A,token=99999999999999999999", "token ID from 0"},
		{1, "row=A,token=1x", "token ID from 0"},
		{1, "row=A,top_p=2", "number from"},
		{1, "row=A,mask=1", "no setting"},
	};
	struct forks f;
	struct pair p;
	forks_init(&f, "tiny-stories");
	set_pair(&p);
	record_parent(&f, &p.batch);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err err = ERR_INIT;
		ck_assert_msg(!make_fork(&f, f.parent.folder, cases[i].pass, cases[i].change, &err), "%s",
			cases[i].change);
		ck_assert_int_eq(err.kind, ERR_USAGE);
		ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "%s: %s", cases[i].change, err.message);
	}
	forks_free(&f);
}
END_TEST

/* The worked example in the terminal program: another token for B at pass 2, then beside what it was. */
START_TEST(the_session_forks_and_compares)
{
	struct forks f;
	struct session *session = session_new();
	unsigned next = 0;
	setenv("ROWSCOPE_DATA", ".", 1);
	forks_init(&f, "three-requests");
	ck_assert_msg(session_command(session, "open tiny_models/three-requests", &next), "%s", session->scene.message);
	record_parent(&f, trace_batch(session->scene.trace));
	ck_assert(session_command(session, "next-pass 2", &next));
	ck_assert(session_command(session, "view timeline", &next));
	ck_assert(!session_command(session, "fork", &next) && !session_command(session, "fork row=Q,token=1", &next));
	ck_assert(!session_command(session, "diff no/such/folder", &next) && session->scene.diff == NULL);
	ck_assert_msg(session_command(session, "fork row=B,token=12", &next), "%s", session->scene.message);
	ck_assert_int_eq(session->scene.pass, 2);
	ck_assert_str_eq(session->scene.view->name, "timeline");
	ck_assert_int_eq(trace_history(session->scene.trace, 1)[2], 12);
	ck_assert(session_command(session, "run", &next));
	ck_assert_msg(session_command(session, arena_printf(&f.arena, "diff %s", f.parent.folder), &next), "%s",
		session->scene.message);
	ck_assert_str_eq(session->scene.view->name, "diff");
	ck_assert_int_eq(session->scene.diff->rows[1].parts_at, 2);
	ck_assert_int_eq(session->scene.diff->rows[0].parts_at, -1);
	ck_assert(session_command(session, "verify", &next) && session->scene.isolation->ok);
	session_delete(session);
	forks_free(&f);
}
END_TEST

/* Changes that no fork makes: trace.json says where they are wrong. */
START_TEST(changed_changes_are_refused)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{"\"position\": 4", "\"position\": 1", "edits[0].position"},
		{"\"token\": 99", "\"token\": -1", "edits[0].token"},
		{"\"token\": 99", "\"tokes\": 99", "edits[0]"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct forks f;
		struct pair p;
		struct trace *trace;
		char *text;
		size_t length;
		forks_init(&f, "tiny-stories");
		set_pair(&p);
		record_parent(&f, &p.batch);
		must_fork(&f, 3, "row=B,token=99");
		const char *path = arena_printf(&f.arena, "%s/trace.json", f.child.folder);
		ck_assert(file_load(path, 1 << 20, &f.arena, &text, &length, &f.err));
		const char *at = strstr(text, cases[i].from);
		ck_assert_ptr_nonnull(at);
		ck_assert(file_save(path,
			arena_printf(&f.arena, "%.*s%s%s", (int)(at - text), text, cases[i].to,
				at + strlen(cases[i].from)),
			length + strlen(cases[i].to) - strlen(cases[i].from), true, &f.err));
		ck_assert(!trace_open(&trace, f.child.folder, &f.err));
		ck_assert_int_eq(f.err.kind, ERR_INPUT);
		ck_assert_msg(strstr(f.err.where, cases[i].says) != NULL, "%s: %s", f.err.where, f.err.message);
		forks_free(&f);
	}
}
END_TEST

TEST_PROGRAM("fork", {
	tcase_add_test(tests, the_session_forks_and_compares);
	tcase_add_test(tests, changed_changes_are_refused);
	tcase_add_test(tests, a_fork_that_changes_nothing_is_its_parent);
	tcase_add_test(tests, a_changed_token_is_as_if_it_had_been_chosen);
	tcase_add_test(tests, changed_sampling_holds_from_the_pass_on);
	tcase_add_test(tests, forks_are_isolated);
	tcase_add_test(tests, the_parent_is_named_and_its_later_changes_are_left_out);
	tcase_add_test(tests, what_cannot_be_changed_is_refused);
})
