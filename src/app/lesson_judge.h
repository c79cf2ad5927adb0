/*
 * lesson_judge.h: is an answer right? The right one is asked from the trace, by the check's own command.
 *
 *     struct lesson_judgement judgement;
 *     if (!lesson_judge(session, lesson, check, "(3,1)", &judgement, err)) ...
 */
#ifndef APP_LESSON_JUDGE_H
#define APP_LESSON_JUDGE_H

#include "app/lesson.h"
#include "app/session.h"

struct lesson_judgement {
	bool right;
	const char *said; /* what the lesson says about this answer; "" */
};

/* Judges an answer. Usage error when it has not the form of its kind; input error when the lesson's command fails or
 * answers in another kind. */
bool lesson_judge(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	const char *answer, struct lesson_judgement *judgement, struct err *err);

/* The right answer as a person would give it, appended. Fails when the command that computes it does. */
bool lesson_judge_solution(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	struct buf *out, struct err *err);

#endif
