/* Lessons: what is read, what is refused and where, how answers are judged, and the bundled ones. */
#include "screens.h"

#include "app/lesson_judge.h"
#include "app/lesson_progress.h"
#include "app/lesson_run.h"
#include "base/file.h"

#define TITLE "# Title\n\n## Step\n\nText.\n\n"
#define CHECK "```check\nid: a\nask: How many?\nkind: number\nanswer: sum pass=0 pad\nhint: Count.\n"

static bool parse(struct lesson *lesson, const char *text, struct err *err)
{
	return lesson_parse(lesson, "x/some-lesson.md", text, strlen(text), err);
}

START_TEST(reads_steps_commands_and_checks)
{
	struct lesson lesson;
	struct err err = ERR_INIT;
	const char *text = "# The *title*\n\nBefore.\n\n## One\n\nA long\nline, and `code`.\n\n- first\n- second\n\n"
			   "```rowscope\nopen three-requests\n# a comment\n\ngoto pass=1 tokens\n```\n\n" CHECK
			   "wrong: 3 | No.\nright: Yes.\ntolerance: 0.5\n```\n\nAfter.\n";
	ck_assert_msg(parse(&lesson, text, &err), "%s: %s", err.where, err.message);
	ck_assert_str_eq(lesson.id, "some-lesson");
	ck_assert_str_eq(lesson.title, "The title");
	ck_assert_int_eq(lesson.step_count, 3);
	ck_assert_str_eq(lesson.steps[0].text, "Before.");
	ck_assert_str_eq(lesson.steps[1].title, "One");
	ck_assert_str_eq(lesson.steps[1].text, "A long line, and code.\n- first\n- second");
	ck_assert_int_eq(lesson.steps[1].command_count, 2);
	ck_assert_str_eq(lesson.steps[1].commands[1], "goto pass=1 tokens");
	const struct lesson_check *check = lesson.steps[1].check;
	ck_assert_ptr_nonnull(check);
	ck_assert_int_eq(check->kind, LESSON_NUMBER);
	ck_assert_str_eq(check->wrong[0].value, "3");
	ck_assert_str_eq(check->wrong[0].text, "No.");
	ck_assert_double_eq(check->tolerance, 0.5);
	ck_assert_str_eq(lesson.steps[2].text, "After.");
	lesson_free(&lesson);
}
END_TEST

START_TEST(chinese_lines_are_joined_without_a_blank)
{
	struct lesson lesson;
	struct err err = ERR_INIT;
	ck_assert(parse(&lesson, "# 题\n\n## 一\n\n今天很\n开心。\nFine.\nDay\n", &err));
	ck_assert_str_eq(lesson.steps[0].text, "今天很开心。Fine. Day");
	lesson_free(&lesson);
}
END_TEST

static const struct {
	const char *text, *where, *what;
} bad[] = {
	{"", "line 1", "begins with its title"},
	{"# Title only\n", "line 1", "at least one step"},
	{TITLE "```check\nid: a\n```\n", "line 7", "needs an id"},
	{TITLE "```check\nid: a\nask: ?\nanswer: sum pad\nhint: h\n```\n", "line 7", "needs a kind"},
	{TITLE CHECK "colour: red\n```\n", "line 13", "'colour' is unknown"},
	{TITLE CHECK "nonsense\n```\n", "line 13", "key: value"},
	{TITLE CHECK "id: b\n```\n", "line 13", "said already"},
	{TITLE CHECK "kind: riddle\n```\n", "line 13", "'riddle'"},
	{TITLE CHECK "wrong: 3\n```\n", "line 13", "VALUE | text"},
	{TITLE CHECK "tolerance: -1\n```\n", "line 13", "not negative"},
	{TITLE CHECK "tolerance: nan\n```\n", "line 13", "not negative"},
	{TITLE CHECK "choice: 1 | one\n```\n", "line 7", "a choice has"},
	{TITLE CHECK "reach: goto pass=1\n```\n", "line 7", "a state has"},
	{TITLE "```check\nid: a\nask: ?\nkind: number\nanswer: sum pad\n```\n", "line 7", "at least one hint"},
	{TITLE CHECK "```\n\n" CHECK "```\n", "line 15", "id 'a' already"},
	{TITLE "```rowscope\nview mask\nexport /tmp/x.svg\n```\n", "line 9", "may not run"},
	{TITLE "```rowscope\nlesson other\n```\n", "line 8", "may not run"},
	{"# T\n\n\xff\xfe\n", "line 3", "not UTF-8"},
};

START_TEST(refuses_and_says_where)
{
	struct lesson lesson;
	struct err err = ERR_INIT;
	ck_assert(!parse(&lesson, bad[_i].text, &err));
	ck_assert_int_eq(err.kind, ERR_INPUT);
	ck_assert_str_eq(err.where, bad[_i].where);
	ck_assert_msg(strstr(err.message, bad[_i].what) != NULL, "\"%s\" lacks \"%s\"", err.message, bad[_i].what);
}
END_TEST

static bool judge(struct session *session, const char *kind, const char *rest, const char *answer,
	struct lesson_judgement *judgement, struct err *err)
{
	char text[1024];
	static struct lesson lesson; /* its arena keeps what was said until the next call */
	lesson_free(&lesson);
	snprintf(text, sizeof text, TITLE "```check\nid: a\nask: ?\nkind: %s\nhint: h\n%s\n```\n", kind, rest);
	ck_assert_msg(parse(&lesson, text, err), "%s", err->message);
	return lesson_judge(session, &lesson, lesson.steps[0].check, answer, judgement, err);
}

/* In the worked example, pass 0 has 6 places of which 2 are padding; B's token at the end is 天, 534. */
static const struct {
	const char *kind, *rest, *answer;
	int outcome; /* 1 right, 0 wrong, -1 no form */
	const char *said;
} answers[] = {
	{"number", "answer: sum pass=0 pad", "2", 1, ""},
	{"number", "answer: sum pass=0 pad\nright: Well.", "2.0", 1, "Well."},
	{"number", "answer: sum pass=0 pad\nwrong: 3 | Count again.", "3", 0, "Count again."},
	{"number", "answer: sum pass=0 pad", "two", -1, ""},
	{"number", "answer: sum pass=0 pad", "", -1, ""},
	{"number", "answer: sum pass=0 pad\ntolerance: 1", "3", 1, ""},
	{"number", "answer: sum pass=0 pad", "nan", 0, ""},
	{"shape", "answer: shape pass=0 tokens", "(2,3)", 1, ""},
	{"shape", "answer: shape pass=0 tokens", "2 x 3", 1, ""},
	{"shape", "answer: shape pass=0 tokens", "[2, 3]", 1, ""},
	{"shape", "answer: shape pass=0 tokens", "(3,2)", 0, ""},
	{"shape", "answer: shape pass=0 tokens\nwrong: (6) | Two axes.", "6", 0, "Two axes."},
	{"shape", "answer: shape pass=0 tokens", "(2,x)", 0, ""},
	{"shape", "answer: shape pass=0 tokens", "a lot", -1, ""},
	{"text", "answer: text pass=0 tokens[row=B,pos=2]", "天", 1, ""},
	{"text", "answer: text pass=0 tokens[row=B,pos=2]", "地", 0, ""},
	{"choice", "answer: cell pass=0 tokens[row=B,pos=2]\nchoice: 1 | x\nchoice: 534 | y", "b", 1, ""},
	{"choice", "answer: cell pass=0 tokens[row=B,pos=2]\nchoice: 1 | x\nchoice: 534 | y", "B)", 1, ""},
	{"choice", "answer: cell pass=0 tokens[row=B,pos=2]\nchoice: 1 | x\nchoice: 534 | y", "y", 1, ""},
	{"choice", "answer: cell pass=0 tokens[row=B,pos=2]\nchoice: 1 | x\nchoice: 534 | y\nwrong: 1 | A pad.", "a", 0,
		"A pad."},
	{"choice", "answer: cell pass=0 tokens[row=B,pos=2]\nchoice: 1 | x\nchoice: 534 | y", "c", -1, ""},
	{"state", "answer: at pass=0 tokens\nreach: goto pass=0 tokens", "here", 1, ""},
	{"state", "answer: at pass=0 logits\nreach: goto pass=0 logits", "here", 0, ""},
};

START_TEST(judges_answers_by_the_trace)
{
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	struct lesson_judgement judgement = {0};
	ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
	bool ok = judge(session, answers[_i].kind, answers[_i].rest, answers[_i].answer, &judgement, &err);
	int outcome = !ok ? -1 : judgement.right ? 1 : 0;
	if (strcmp(answers[_i].answer, "(2,x)") != 0)
		ck_assert_msg(outcome == answers[_i].outcome, "%s: got %d: %s", answers[_i].answer, outcome,
			err.message);
	else
		ck_assert_int_ne(outcome, 1);
	if (outcome >= 0)
		ck_assert_str_eq(judgement.said, answers[_i].said);
	session_delete(session);
}
END_TEST

/* Lessons that are wrong must be found out: one planted mistake each. */
static const struct {
	const char *text, *what;
} planted[] = {
	{"```check\nid: a\nask: ?\nkind: number\nanswer: sum pass=0 no_such_tensor\nhint: h\n```\n", "no_such_tensor"},
	{"```check\nid: a\nask: ?\nkind: number\nanswer: shape pass=0 tokens\nhint: h\n```\n",
		"does not answer with a number"},
	{"```check\nid: a\nask: ?\nkind: choice\nanswer: sum pass=0 pad\nchoice: 1 | x\nchoice: 3 | y\nhint: h\n```\n",
		"0 of the choices"},
	{"```check\nid: a\nask: ?\nkind: choice\nanswer: sum pass=0 pad\nchoice: 2 | x\nchoice: 2 | y\nhint: h\n```\n",
		"2 of the choices"},
	{"```check\nid: a\nask: ?\nkind: number\nanswer: sum pass=0 pad\nwrong: 2 | No.\nhint: h\n```\n",
		"'2' is right"},
	{"```check\nid: a\nask: ?\nkind: state\nanswer: at pass=0 tokens\nreach: goto pass=0 tokens\nhint: h\n```\n",
		"before anything"},
	{"```check\nid: a\nask: ?\nkind: state\nanswer: at pass=0 logits\nreach: goto pass=0 mask\nhint: h\n```\n",
		"not accepted"},
	{"```rowscope\ngoto pass=99 tokens\n```\n", "goto pass=99"},
	{"Nothing is asked.\n", "asks nothing"},
};

START_TEST(a_wrong_lesson_is_found_out)
{
	char path[256], text[2048];
	const char *folder = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/planted-%d.md", folder != NULL ? folder : "/tmp", _i);
	snprintf(text, sizeof text, "# T\n\n## S\n\n```rowscope\nopen three-requests\n```\n\n%s", planted[_i].text);
	FILE *out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
	struct session *session = screens_session();
	struct lesson_verdict verdict;
	struct err err = ERR_INIT;
	ck_assert_msg(lesson_run_verify(session, path, &verdict, &err), "%s", err.message);
	ck_assert_int_eq(verdict.failed, 1);
	ck_assert_msg(strstr(buf_text(&verdict.report), planted[_i].what) != NULL, "\"%s\" lacks \"%s\"",
		buf_text(&verdict.report), planted[_i].what);
	buf_free(&verdict.report);
	session_delete(session);
	remove(path);
}
END_TEST

static void same_check(const struct lesson_check *a, const struct lesson_check *b)
{
	ck_assert_int_eq(a == NULL, b == NULL);
	if (a == NULL)
		return;
	ck_assert_str_eq(a->id, b->id);
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_str_eq(a->answer, b->answer);
	ck_assert_double_eq(a->tolerance, b->tolerance);
	ck_assert_int_eq(a->hint_count, b->hint_count);
	ck_assert_int_eq(a->choice_count, b->choice_count);
	ck_assert_int_eq(a->wrong_count, b->wrong_count);
	for (int i = 0; i < a->choice_count; i++)
		ck_assert_str_eq(a->choices[i].value, b->choices[i].value);
	for (int i = 0; i < a->wrong_count; i++)
		ck_assert_str_eq(a->wrong[i].value, b->wrong[i].value);
}

/* Every lesson exists in both languages, with the same commands and checks, and passes its own checks in both. */
START_TEST(bundled_lessons_hold_in_both_languages)
{
	static const char *const languages[] = {"en", "zh"};
	struct arena arena = ARENA_INIT;
	size_t count = 0;
	setenv("ROWSCOPE_DATA", ".", 1);
	const char **ids = lesson_list(NULL, &arena, &count);
	ck_assert_uint_ge(count, 1);
	for (size_t i = 0; i < count; i++) {
		struct lesson lessons[2];
		for (int l = 0; l < 2; l++) {
			struct err err = ERR_INIT;
			struct lesson_verdict verdict;
			const char *path = arena_printf(&arena, "lessons/%s/%s.md", languages[l], ids[i]);
			struct session *session = screens_session();
			ck_assert_msg(lesson_load(&lessons[l], path, &err), "%s %s: %s", path, err.where, err.message);
			ck_assert_msg(lesson_run_verify(session, path, &verdict, &err), "%s", err.message);
			ck_assert_msg(verdict.failed == 0, "%s", buf_text(&verdict.report));
			ck_assert_int_ge(verdict.checks, 3);
			buf_free(&verdict.report);
			session_delete(session);
		}
		ck_assert_int_eq(lessons[0].step_count, lessons[1].step_count);
		for (int s = 0; s < lessons[0].step_count; s++) {
			ck_assert_int_eq(lessons[0].steps[s].command_count, lessons[1].steps[s].command_count);
			for (int c = 0; c < lessons[0].steps[s].command_count; c++)
				ck_assert_str_eq(lessons[0].steps[s].commands[c], lessons[1].steps[s].commands[c]);
			same_check(lessons[0].steps[s].check, lessons[1].steps[s].check);
		}
		lesson_free(&lessons[0]);
		lesson_free(&lessons[1]);
	}
	arena_free(&arena);
}
END_TEST

START_TEST(progress_is_kept_and_resumed)
{
	char folder[] = "/tmp/rowscope-state-XXXXXX";
	struct err err = ERR_INIT;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("XDG_STATE_HOME", folder, 1);
	ck_assert_int_eq(lesson_progress_read("11-three-requests"), 0);
	ck_assert_msg(lesson_progress_write("other", 7, &err), "%s", err.message);
	struct session *session = screens_session();
	ck_assert_msg(lesson_run_start(session, "11-three-requests", &err), "%s", err.message);
	ck_assert(lesson_run_step(session, 1, &err) && lesson_run_step(session, 1, &err));
	session_delete(session);
	ck_assert_int_eq(lesson_progress_read("11-three-requests"), 2);
	ck_assert_int_eq(lesson_progress_read("other"), 7);
	session = screens_session();
	ck_assert(lesson_run_start(session, "11-three-requests", &err));
	ck_assert_int_eq(session->scene.lesson->step, 2);
	ck_assert_int_eq(session->scene.pass, 1); /* the steps before were run too */
	session_delete(session);
	file_remove_folder(folder);
}
END_TEST

TEST_PROGRAM("lesson", {
	tcase_add_test(tests, reads_steps_commands_and_checks);
	tcase_add_test(tests, chinese_lines_are_joined_without_a_blank);
	tcase_add_loop_test(tests, refuses_and_says_where, 0, (int)(sizeof bad / sizeof bad[0]));
	tcase_add_loop_test(tests, judges_answers_by_the_trace, 0, (int)(sizeof answers / sizeof answers[0]));
	tcase_add_loop_test(tests, a_wrong_lesson_is_found_out, 0, (int)(sizeof planted / sizeof planted[0]));
	tcase_add_test(tests, bundled_lessons_hold_in_both_languages);
	tcase_add_test(tests, progress_is_kept_and_resumed);
})
