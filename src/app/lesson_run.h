/*
 * lesson_run.h: a lesson under way in a session: steps, questions, hints, progress; with or without a screen.
 *
 * Entering a step runs its commands; leaving off and coming back runs those of the steps before it too, so that the state is
 * the one the text speaks of. What is to be shown is in scene.lesson.
 *
 *     if (!lesson_run_start(session, "11-three-requests", err)) ...
 *     if (!lesson_run_answer(session, "(3,1)", err)) ...
 *     if (!lesson_run_step(session, 1, err)) ...
 */
#ifndef APP_LESSON_RUN_H
#define APP_LESSON_RUN_H

#include "app/lesson.h"
#include "app/session.h"

/* Begins a lesson by ID or path, where it was left off. Fails as lesson_find and lesson_load do. */
bool lesson_run_start(struct session *session, const char *name, struct err *err);
/* Ends it; the trace stays open. */
void lesson_run_leave(struct session *session);
/* Goes `by` steps on (or back). Usage error beyond the ends, or when none runs. */
bool lesson_run_step(struct session *session, int by, struct err *err);
/* Judges an answer; scene.lesson tells. An answer of no fitting form is a usage error. */
bool lesson_run_answer(struct session *session, const char *answer, struct err *err);
/* Shows the next hint. Usage error when the step asks nothing. */
bool lesson_run_hint(struct session *session, struct err *err);

/* The step and the check at hand; NULL when none. */
const struct lesson *lesson_run_lesson(const struct session *session);
const struct lesson_check *lesson_run_check(const struct session *session);

/* What a lesson's own check found. */
struct lesson_verdict {
	int checks, failed;
	struct buf report; /* one line for each check, and one for what failed */
};

/* Runs every command and answers every check by its own rule, without a screen and without progress. False only when the
 * lesson cannot be read; what is wrong in it is counted and told in the report, which the caller frees. */
bool lesson_run_verify(struct session *session, const char *path, struct lesson_verdict *verdict, struct err *err);

#endif
