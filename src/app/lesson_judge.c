#include "app/lesson_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

/* What kind of result a check's command must give. */
static enum session_result_kind result_of(enum lesson_kind kind)
{
	switch (kind) {
	case LESSON_NUMBER: return SESSION_NUMBER;
	case LESSON_SHAPE: return SESSION_SHAPE;
	case LESSON_TEXT: return SESSION_TEXT;
	case LESSON_STATE: return SESSION_TRUTH;
	default: return SESSION_NOTHING; /* a choice takes any */
	}
}

/* Asks the trace. */
static bool ask(struct session *session, const struct lesson *lesson, const struct lesson_check *check, struct err *err)
{
	unsigned next = 0;
	struct err own = ERR_INIT;
	enum session_result_kind wanted = result_of(check->kind);
	if (!session_run(session, check->answer, &next, &own))
		return lesson_error(lesson, check->line, err, "%s: %s", check->answer, own.message);
	enum session_result_kind got = session->result.kind;
	if (got == SESSION_NOTHING || (wanted != SESSION_NOTHING && got != wanted))
		return lesson_error(lesson, check->line, err, _("the command `%s` does not answer with a %s"),
			check->answer, lesson_kind_name(check->kind));
	return true;
}

/* "(3,1)", "3, 1", "3 x 1": the whole numbers in it; -1 when there is anything else. */
static int read_shape(const char *text, int64_t shape[TENSOR_MAX_RANK])
{
	int rank = 0;
	while (text[0] != '\0') {
		if (strchr("()[], x*", text[0]) != NULL || strncmp(text, "×", strlen("×")) == 0) {
			text += (unsigned char)text[0] < 0x80 ? 1 : strlen("×");
			continue;
		}
		char *end = NULL;
		int64_t size = strtoll(text, &end, 10);
		if (end == text || rank == TENSOR_MAX_RANK || size < 0)
			return -1;
		shape[rank++] = size;
		text = end;
	}
	return rank;
}

/* A choice by its letter, 0 for a; -1: none. */
static int choice_letter(const struct lesson_check *check, const char *answer)
{
	char letter = answer[0] >= 'A' && answer[0] <= 'Z' ? (char)(answer[0] - 'A' + 'a') : answer[0];
	bool is_letter = letter >= 'a' && letter < 'a' + check->choice_count &&
		(answer[1] == '\0' || (answer[1] == ')' && answer[2] == '\0'));
	return is_letter ? letter - 'a' : -1;
}

static const char *choice_value(const struct lesson_check *check, const char *answer)
{
	int letter = choice_letter(check, answer);
	if (letter >= 0)
		return check->choices[letter].value;
	for (int i = 0; i < check->choice_count; i++)
		if (strcmp(check->choices[i].value, answer) == 0 || strcmp(check->choices[i].text, answer) == 0)
			return check->choices[i].value;
	return NULL;
}

/* Do two answers of a kind say the same? -1: `answer` has not the form. `value` may be the lesson's own. */
static int is_same(const struct lesson_check *check, const struct session_result *result, const char *answer)
{
	int64_t shape[TENSOR_MAX_RANK];
	char *end = NULL;
	switch (check->kind) {
	case LESSON_NUMBER: {
		double number = strtod(answer, &end);
		if (end == answer || *end != '\0')
			return -1;
		return number == result->number || fabs(number - result->number) <= check->tolerance;
	}
	case LESSON_SHAPE: {
		int rank = read_shape(answer, shape);
		if (rank < 0)
			return -1;
		return rank == result->rank && memcmp(shape, result->shape, (size_t)rank * sizeof *shape) == 0;
	}
	case LESSON_STATE: return result->truth;
	default: return strcmp(answer, buf_text(&result->text)) == 0;
	}
}

static const char *form_of(enum lesson_kind kind)
{
	switch (kind) {
	case LESSON_CHOICE: return _("one of the letters was expected");
	case LESSON_NUMBER: return _("a number was expected, as in 12 or -0.25");
	case LESSON_SHAPE: return _("a shape was expected, as in (2,3)");
	default: return _("an answer was expected");
	}
}

/* Does the answer equal a wrong one that the lesson explains? */
static bool is_wrong(const struct lesson_check *check, const struct lesson_line *wrong, const char *answer)
{
	int64_t a[TENSOR_MAX_RANK], b[TENSOR_MAX_RANK];
	if (check->kind == LESSON_SHAPE) {
		int rank = read_shape(answer, a);
		return rank >= 0 && rank == read_shape(wrong->value, b) && memcmp(a, b, (size_t)rank * sizeof *a) == 0;
	}
	if (check->kind == LESSON_NUMBER)
		return fabs(strtod(answer, NULL) - strtod(wrong->value, NULL)) <= check->tolerance;
	return strcmp(wrong->value, answer) == 0;
}

bool lesson_judge(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	const char *answer, struct lesson_judgement *judgement, struct err *err)
{
	const char *value = check->kind == LESSON_CHOICE ? choice_value(check, answer) : answer;
	if (value == NULL || (value[0] == '\0' && check->kind != LESSON_STATE))
		return err_usage(err, NULL, "%s", form_of(check->kind));
	if (!ask(session, lesson, check, err))
		return false;
	int same = is_same(check, &session->result, value);
	session->result.kind = SESSION_NOTHING;
	if (same < 0)
		return err_usage(err, NULL, "%s", form_of(check->kind));
	judgement->right = same == 1;
	judgement->said = judgement->right ? check->right : "";
	for (int i = 0; !judgement->right && i < check->wrong_count; i++)
		if (is_wrong(check, &check->wrong[i], value))
			judgement->said = check->wrong[i].text;
	return true;
}

bool lesson_judge_solution(struct session *session, const struct lesson *lesson, const struct lesson_check *check,
	struct buf *out, struct err *err)
{
	if (!ask(session, lesson, check, err))
		return false;
	if (check->kind == LESSON_CHOICE) {
		int found = -1, count = 0;
		for (int i = 0; i < check->choice_count; i++) {
			if (strcmp(check->choices[i].value, buf_text(&session->result.text)) == 0) {
				found = i;
				count++;
			}
		}
		if (count != 1)
			return lesson_error(lesson, check->line, err,
				_("%d of the choices have the right value, %s; exactly one must."), count,
				buf_text(&session->result.text));
		buf_printf(out, "%c", 'a' + found);
		return true;
	}
	if (check->kind == LESSON_STATE)
		buf_add_text(out, check->reach);
	else
		buf_add(out, buf_text(&session->result.text), session->result.text.length);
	return true;
}
