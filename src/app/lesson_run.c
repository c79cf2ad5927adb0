#include "app/lesson_run.h"

#include <stdlib.h>
#include <string.h>

#include "app/lesson_judge.h"
#include "app/lesson_progress.h"
#include "base/i18n.h"
#include "base/mem.h"

struct lesson_run {
	struct lesson lesson;
	struct scene_lesson shown;
	struct buf choices, feedback;
	int hints; /* of this check that were shown */
};

static const struct lesson_step *step_of(const struct lesson_run *run)
{
	return &run->lesson.steps[run->shown.step];
}

const struct lesson *lesson_run_lesson(const struct session *session)
{
	return session->lesson != NULL ? &session->lesson->lesson : NULL;
}

const struct lesson_check *lesson_run_check(const struct session *session)
{
	return session->lesson != NULL ? step_of(session->lesson)->check : NULL;
}

static bool run_commands(struct session *session, const struct lesson *lesson, const struct lesson_step *step,
	struct err *err)
{
	for (int i = 0; i < step->command_count; i++) {
		unsigned next = 0;
		struct err own = ERR_INIT;
		if (!session_run(session, step->commands[i], &next, &own))
			return lesson_error(lesson, step->command_lines[i], err, "%s: %s", step->commands[i],
				own.message);
	}
	session->result.kind = SESSION_NOTHING;
	return true;
}

/* Puts the step's texts where the view finds them. */
static void show_step(struct lesson_run *run)
{
	const struct lesson_check *check = step_of(run)->check;
	run->hints = 0;
	buf_clear(&run->choices);
	buf_clear(&run->feedback);
	for (int i = 0; check != NULL && i < check->choice_count; i++)
		buf_printf(&run->choices, "%s%c) %s", i > 0 ? "\n" : "", 'a' + i, check->choices[i].text);
	run->shown.heading = step_of(run)->title;
	run->shown.text = step_of(run)->text;
	run->shown.question = check != NULL ? check->question : "";
	run->shown.choices = buf_text(&run->choices);
	run->shown.feedback = buf_text(&run->feedback);
	run->shown.is_right = run->shown.is_answered = false;
}

/* Every step builds on those before it: going to one that is not the next runs them all. */
static bool enter(struct session *session, int step, struct err *err)
{
	struct lesson_run *run = session->lesson;
	int first = step == run->shown.step + 1 ? step : 0;
	for (int i = first; i <= step; i++)
		if (!run_commands(session, &run->lesson, &run->lesson.steps[i], err))
			return false;
	run->shown.step = step;
	show_step(run);
	return true;
}

static void keep_progress(const struct lesson_run *run)
{
	struct err ignored = ERR_INIT;
	bool is_done = run->shown.step + 1 == run->lesson.step_count;
	lesson_progress_write(run->lesson.id, is_done ? 0 : run->shown.step, &ignored);
}

void lesson_run_leave(struct session *session)
{
	struct lesson_run *run = session->lesson;
	if (run == NULL)
		return;
	lesson_free(&run->lesson);
	buf_free(&run->choices);
	buf_free(&run->feedback);
	free(run);
	session->lesson = NULL;
	session->scene.lesson = NULL;
}

bool lesson_run_start(struct session *session, const char *name, struct err *err)
{
	char path[512];
	struct lesson lesson;
	if (!lesson_find(path, sizeof path, name, session->lesson_folder, err) || !lesson_load(&lesson, path, err))
		return false;
	lesson_run_leave(session);
	struct lesson_run *run = MEM_NEW(struct lesson_run);
	run->lesson = lesson;
	session->lesson = run;
	session->scene.lesson = &run->shown;
	run->shown.id = lesson.id;
	run->shown.title = lesson.title;
	run->shown.steps = lesson.step_count;
	run->shown.step = -1;
	int step = lesson_progress_read(lesson.id);
	if (enter(session, step < lesson.step_count ? step : 0, err))
		return true;
	lesson_run_leave(session);
	return false;
}

static bool needs_lesson(const struct session *session, struct err *err)
{
	return session->lesson != NULL ||
		err_usage(err, NULL, _("no lesson runs; `lesson 11-three-requests` starts one"));
}

bool lesson_run_step(struct session *session, int by, struct err *err)
{
	if (!needs_lesson(session, err))
		return false;
	struct lesson_run *run = session->lesson;
	int step = run->shown.step + by;
	if (step < 0)
		return err_usage(err, NULL, _("this is the first step of the lesson"));
	if (step >= run->lesson.step_count)
		return err_usage(err, NULL, _("this is the last step of the lesson; `lesson leave` ends it"));
	if (!enter(session, step, err))
		return false;
	keep_progress(run);
	return true;
}

bool lesson_run_answer(struct session *session, const char *answer, struct err *err)
{
	if (!needs_lesson(session, err))
		return false;
	struct lesson_run *run = session->lesson;
	const struct lesson_check *check = lesson_run_check(session);
	struct lesson_judgement judged = {0};
	if (check == NULL)
		return err_usage(err, NULL, _("this step asks nothing; `lesson next` goes on"));
	if (!lesson_judge(session, &run->lesson, check, answer, &judged, err))
		return false;
	run->shown.is_right = judged.right;
	run->shown.is_answered = true;
	session->scene.is_hidden = session->scene.is_hidden && !judged.right;
	buf_clear(&run->feedback);
	buf_printf(&run->feedback, "%s %s", judged.right ? _("Right.") : _("Not quite."), judged.said);
	if (!judged.right && judged.said[0] == '\0')
		buf_add_text(&run->feedback, _("Try again, or ask for a hint."));
	run->shown.feedback = buf_text(&run->feedback);
	return true;
}

bool lesson_run_hint(struct session *session, struct err *err)
{
	if (!needs_lesson(session, err))
		return false;
	struct lesson_run *run = session->lesson;
	const struct lesson_check *check = lesson_run_check(session);
	if (check == NULL)
		return err_usage(err, NULL, _("this step asks nothing, so there is no hint"));
	int hint = run->hints < check->hint_count ? run->hints : check->hint_count - 1;
	buf_clear(&run->feedback);
	buf_printf(&run->feedback, _("Hint %d of %d: %s"), hint + 1, check->hint_count, check->hints[hint]);
	run->hints = hint + 1;
	run->shown.is_right = false;
	run->shown.feedback = buf_text(&run->feedback);
	return true;
}

/* --- a lesson's own check --- */

static void fail(struct lesson_verdict *verdict, const struct err *err)
{
	char text[1600];
	err_text(err, text, sizeof text);
	verdict->failed++;
	buf_printf(&verdict->report, "FAIL %s\n", text);
}

/* A likely wrong answer that is right would tell learners nonsense. */
static bool wrong_ones_are_wrong(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	struct err *err)
{
	for (int i = 0; i < check->wrong_count; i++) {
		struct lesson_judgement judged = {0};
		if (!lesson_judge(session, lesson, check, check->wrong[i].value, &judged, err))
			return false;
		if (judged.right)
			return lesson_error(lesson, check->line, err, _("the wrong answer '%.60s' is right"),
				check->wrong[i].value);
		if (judged.said != check->wrong[i].text)
			return lesson_error(lesson, check->line, err, _("the explanation of '%.60s' is never said"),
				check->wrong[i].value);
	}
	return true;
}

/* A state must not hold before it is reached. */
static bool reach_state(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	struct err *err)
{
	unsigned next = 0;
	struct lesson_judgement judged = {0};
	struct err own = ERR_INIT;
	if (!lesson_judge(session, lesson, check, "", &judged, err))
		return false;
	if (judged.right)
		return lesson_error(lesson, check->line, err, _("the state is there before anything was done"));
	if (!session_run(session, check->reach, &next, &own))
		return lesson_error(lesson, check->line, err, "%s: %s", check->reach, own.message);
	return true;
}

static bool verify_check(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	struct err *err)
{
	struct buf solution = BUF_INIT;
	struct lesson_judgement judged = {0};
	bool ok = check->kind != LESSON_STATE || reach_state(session, lesson, check, err);
	ok = ok && lesson_judge_solution(session, lesson, check, &solution, err) &&
		lesson_judge(session, lesson, check, buf_text(&solution), &judged, err);
	if (ok && !judged.right)
		ok = lesson_error(lesson, check->line, err, _("the computed answer '%s' is not accepted"),
			buf_text(&solution));
	buf_free(&solution);
	return ok && wrong_ones_are_wrong(session, lesson, check, err);
}

bool lesson_run_verify(struct session *session, const char *path, struct lesson_verdict *verdict, struct err *err)
{
	struct lesson lesson;
	*verdict = (struct lesson_verdict){0};
	if (!lesson_load(&lesson, path, err))
		return false;
	for (int i = 0; i < lesson.step_count; i++) {
		struct err own = ERR_INIT;
		const struct lesson_step *step = &lesson.steps[i];
		if (!run_commands(session, &lesson, step, &own)) {
			fail(verdict, &own);
			break;
		}
		if (step->check == NULL)
			continue;
		verdict->checks++;
		if (verify_check(session, &lesson, step->check, &own))
			buf_printf(&verdict->report, "ok %s\n", step->check->id);
		else
			fail(verdict, &own);
	}
	if (verdict->checks == 0 && verdict->failed == 0) {
		struct err own = ERR_INIT;
		lesson_error(&lesson, 1, &own, _("the lesson asks nothing; a lesson has at least one check"));
		fail(verdict, &own);
	}
	lesson_free(&lesson);
	return true;
}
