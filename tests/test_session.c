/* The program without a face: what commands answer, where they lead, and what they leave alone when they fail. */
#include "screens.h"

#include <sys/stat.h>
#include <unistd.h>

#include "app/command.h"
#include "app/home.h"
#include "base/file.h"

static struct session *example(void)
{
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
	return session;
}

static void run(struct session *session, const char *line)
{
	unsigned next = 0;
	ck_assert_msg(session_command(session, line, &next), "%s: %s", line, session->scene.message);
}

static const struct {
	const char *line, *answer;
} asked[] = {
	{"shape pass=0 tokens", "(2,3)"},
	{"shape pass=1 tokens", "(3,1)"},
	{"shape pass=1 logits", "(3,2064)"},
	{"shape pass=1 embed", "(3,1,48)"},
	{"shape pass=1 logits[row=A]", "(2064,)"},
	{"cell pass=1 tokens[row=A,pos=0]", "100"},
	{"cell pass=1 tokens[1,0]", "2056"},
	{"cell pass=1 next_tokens[row=A]", "520"},
	{"cell pass=1 next_tokens[row=B]", "89"},
	{"cell pass=1 next_tokens[row=C]", "12"},
	{"text pass=1 next_tokens[row=C]", "你好"},
	{"argmax pass=1 logits[row=B]", "89"},
	{"sum pass=0 pad", "2"},
	{"sum pass=1 mask[row=A]", "4"},
	{"at pass=0 tokens", "yes"},
	{"at pass=1 tokens", "no"},
	{"where", "pass=0 tokens[row=A,pos=0]"},
};

START_TEST(answers_from_the_trace)
{
	struct session *session = example();
	unsigned next = 0;
	struct err err = ERR_INIT;
	run(session, "next-pass");
	run(session, "prev-pass");
	ck_assert_msg(session_run(session, asked[_i].line, &next, &err), "%s", err.message);
	ck_assert_str_eq(buf_text(&session->result.text), asked[_i].answer);
	session_delete(session);
}
END_TEST

static const struct {
	const char *line, *what;
} refused[] = {
	{"nonsense", "no command 'nonsense'"},
	{"nex-op", "next-op"},
	{"goto no_such", "no_such"},
	{"goto logit", "logits"},
	{"goto pass=77", "77"},
	{"goto logits[row=Z]", "Z"},
	{"goto logits[9]", "9"},
	{"goto weights.embed.token.weight[0]", "weights"},
	{"cell logits", "one cell was expected"},
	{"text pass=0 logits[0,0]", "token ID"},
	{"row Q", "no such row"},
	{"view nothing", "tensor"},
	{"set theme pink", "dark"},
	{"set precision 77", "0 to 9"},
	{"set", "setting"},
	{"jump nowhere", "marked"},
	{"back", "no place"},
	{"slice head=0", "axis"},
	{"slice row=9", "0 to 1"},
	{"open no-such-model", "no-such-model"},
	{"open glass", "no batch of its own"},
	{"open no-such-model.json", "no-such-model.json"},
	{"export", "file name"},
	{"export x.nonsense", "nonsense"},
	{"search zzz", "contains"},
	{"answer 3", "no lesson"},
	{"lesson no-such", "no such lesson"},
	{"follow 99999", "99999"},
	{"down -1", "whole number"},
};

START_TEST(a_command_that_fails_changes_nothing)
{
	struct session *session = example();
	struct session_place before = session_place(session);
	unsigned next = 0;
	ck_assert(!session_command(session, refused[_i].line, &next));
	ck_assert(session->scene.is_error);
	if (strcmp(refused[_i].what, "99999") != 0)
		ck_assert_msg(strstr(session->scene.message, refused[_i].what) != NULL, "\"%s\" lacks \"%s\"",
			session->scene.message, refused[_i].what);
	struct session_place after = session_place(session);
	ck_assert_mem_eq(&before, &after, sizeof before);
	ck_assert(!(next & COMMAND_QUIT));
	session_delete(session);
}
END_TEST

START_TEST(steps_through_every_tensor_and_back)
{
	struct session *session = example();
	struct scene *scene = &session->scene;
	int steps = 0;
	run(session, "run");
	for (struct session_place last = {.value = -1}; steps < 10000; steps++) {
		last = session_place(session);
		run(session, "next-op");
		if (last.pass == scene->pass && last.value == scene->value)
			break;
	}
	ck_assert_int_eq(scene->pass, trace_pass_count(scene->trace) - 1);
	for (int i = 0; i < steps; i++)
		run(session, "prev-op");
	ck_assert_int_eq(scene->pass, 0);
	ck_assert_str_eq(scene_value(scene)->name, "tokens");
	session_delete(session);
}
END_TEST

/* The cursor stays on the same request when rows come and go. */
START_TEST(the_cursor_follows_its_row)
{
	struct session *session = example();
	struct scene *scene = &session->scene;
	run(session, "run");
	run(session, "goto pass=3 next_tokens[row=C]");
	ck_assert_int_eq(scene->index[0], 2);
	run(session, "next-pass");
	ck_assert_int_eq(scene_pass(scene)->layout.B, 1);
	ck_assert_str_eq(scene_row_id(scene, scene_request(scene, scene->index[0])), "C");
	session_delete(session);
}
END_TEST

START_TEST(marks_and_history_lead_back)
{
	struct session *session = example();
	run(session, "goto pass=1 logits[row=B,vocab=89]");
	run(session, "mark here");
	run(session, "goto pass=0 tokens[row=A]");
	run(session, "jump here");
	run(session, "where");
	ck_assert_str_eq(session->scene.message, "pass=1 logits[row=B,vocab=89]");
	run(session, "back");
	run(session, "where");
	ck_assert_str_eq(session->scene.message, "pass=0 tokens[row=A,pos=0]");
	session_delete(session);
}
END_TEST

START_TEST(following_inputs_leads_to_the_tokens)
{
	struct session *session = example();
	run(session, "explain pass=1 final.last[row=A,unit=3]");
	for (int i = 0; i < 60 && strcmp(scene_value(&session->scene)->name, "embed.token") != 0; i++) {
		unsigned next = 0;
		if (!session_command(session, "follow 1", &next))
			break;
	}
	/* every hop stays in row A */
	const char *axes = scene_value(&session->scene)->axes;
	ck_assert_int_eq(axes[0], 'B');
	ck_assert_int_eq(scene_request(&session->scene, session->scene.index[0]), 0);
	session_delete(session);
}
END_TEST

/* A live run and the trace that it recorded show the same screens. */
START_TEST(a_recorded_trace_looks_like_the_run)
{
	struct session *session = example();
	run(session, "run");
	struct session *recorded = session_new();
	struct err err = ERR_INIT;
	ck_assert_msg(session_open_trace(recorded, trace_folder(session->scene.trace), NULL, &err), "%s", err.message);
	ck_assert_ptr_nonnull(recorded->model); /* found by name among the bundled ones */
	static const char *const keys = "N : g o t o Space l a y e r s . 1 . m l p . a c t Enter e";
	struct term *one = screens_play(session, 100, 30, keys), *other = screens_play(recorded, 100, 30, keys);
	struct buf a = BUF_INIT, b = BUF_INIT;
	term_memory_text(one, &a);
	term_memory_text(other, &b);
	ck_assert_str_eq(buf_text(&a), buf_text(&b));
	buf_free(&a);
	buf_free(&b);
	term_delete(one);
	term_delete(other);
	session_delete(recorded);
	session_delete(session);
}
END_TEST

START_TEST(the_temporary_trace_goes_with_the_session)
{
	struct session *session = example();
	char folder[512];
	snprintf(folder, sizeof folder, "%s", trace_folder(session->scene.trace));
	ck_assert(file_is_folder(folder));
	session_delete(session);
	ck_assert(!file_is_folder(folder));
}
END_TEST

/* Every view goes to every format that takes it, and a file that is there is never replaced. */
START_TEST(every_view_is_exported)
{
	static const char *const endings[] = {"csv", "json", "md", "tex", "txt", "svg"};
	struct session *session = example();
	char folder[] = "/tmp/rowscope-export-XXXXXX", line[512];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	run(session, "next-pass");
	run(session, "explain");
	run(session, "verify");
	for (int v = 0; v < view_count(); v++) {
		snprintf(line, sizeof line, "view %s", view_at(v)->name);
		run(session, line);
		for (size_t e = 0; e < sizeof endings / sizeof endings[0]; e++) {
			unsigned next = 0;
			snprintf(line, sizeof line, "export %s/%s.%s", folder, view_at(v)->name, endings[e]);
			bool is_table = e < 4;
			bool ok = session_command(session, line, &next);
			bool expected = !is_table || strcmp(view_at(v)->name, "lesson") != 0;
			ck_assert_msg(ok == expected, "%s: %s", line, session->scene.message);
			if (ok)
				ck_assert_msg(!session_command(session, line, &next), "%s replaced a file", line);
			snprintf(line, sizeof line, "export %s/%s.%s force", folder, view_at(v)->name, endings[e]);
			ck_assert_msg(session_command(session, line, &next) == expected, "%s: %s", line,
				session->scene.message);
		}
	}
	session_delete(session);
	file_remove_folder(folder);
}
END_TEST

START_TEST(completion_offers_what_fits)
{
	struct session *session = example();
	struct arena arena = ARENA_INIT;
	const char **words = NULL;
	size_t start = 0;
	ck_assert_int_eq(command_complete(session, "next-p", &start, &words, &arena), 1);
	ck_assert_str_eq(words[0], "next-pass");
	ck_assert_int_eq(command_complete(session, "view time", &start, &words, &arena), 1);
	ck_assert_str_eq(words[0], "timeline");
	ck_assert_uint_eq(start, 5);
	ck_assert_int_eq(command_complete(session, "goto final.l", &start, &words, &arena), 1);
	ck_assert_str_eq(words[0], "final.last");
	ck_assert_int_eq(command_complete(session, "row ", &start, &words, &arena), 4); /* A, B, C, all */
	ck_assert_int_eq(command_complete(session, "set theme li", &start, &words, &arena), 1);
	ck_assert_int_eq(command_complete(session, "set heat o", &start, &words, &arena), 2);
	ck_assert_int_ge(command_complete(session, "lesson 11", &start, &words, &arena), 1);
	ck_assert_int_eq(command_complete(session, "zzz ", &start, &words, &arena), 0);
	arena_free(&arena);
	session_delete(session);
}
END_TEST

START_TEST(every_thing_on_the_home_screen_opens)
{
	struct arena arena = ARENA_INIT;
	int count = 0;
	setenv("ROWSCOPE_DATA", ".", 1);
	const struct scene_home *items = home_list(&arena, &count);
	ck_assert_int_ge(count, 4);
	for (int i = 0; i < count; i++) {
		struct session *session = screens_session();
		run(session, items[i].line);
		session_delete(session);
	}
	arena_free(&arena);
}
END_TEST

TEST_PROGRAM("session", {
	tcase_add_loop_test(tests, answers_from_the_trace, 0, (int)(sizeof asked / sizeof asked[0]));
	tcase_add_loop_test(tests, a_command_that_fails_changes_nothing, 0, (int)(sizeof refused / sizeof refused[0]));
	tcase_add_test(tests, steps_through_every_tensor_and_back);
	tcase_add_test(tests, the_cursor_follows_its_row);
	tcase_add_test(tests, marks_and_history_lead_back);
	tcase_add_test(tests, following_inputs_leads_to_the_tokens);
	tcase_add_test(tests, a_recorded_trace_looks_like_the_run);
	tcase_add_test(tests, the_temporary_trace_goes_with_the_session);
	tcase_add_test(tests, every_view_is_exported);
	tcase_add_test(tests, completion_offers_what_fits);
	tcase_add_test(tests, every_thing_on_the_home_screen_opens);
})
