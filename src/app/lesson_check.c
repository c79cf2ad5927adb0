/* The content of a check block: lines "key: value". */
#include <stdlib.h>
#include <string.h>

#include "app/lesson.h"
#include "base/i18n.h"

const char *lesson_kind_name(enum lesson_kind kind)
{
	static const char *const names[LESSON_KINDS] = {"choice", "number", "shape", "text", "state"};
	return names[kind];
}

struct field {
	struct lesson_check *check;
	const struct lesson *lesson;
	struct arena *arena;
	int line;
};

static bool set_kind(const struct field *field, const char *value, struct err *err)
{
	for (int i = 0; i < LESSON_KINDS; i++) {
		if (strcmp(value, lesson_kind_name((enum lesson_kind)i)) == 0) {
			field->check->kind = (enum lesson_kind)i;
			return true;
		}
	}
	return lesson_error(field->lesson, field->line, err,
		_("one of choice, number, shape, text and state was expected, not '%.40s'"), value);
}

/* "VALUE | text" */
static bool add_pair(const struct field *field, const char *value, struct lesson_line *lines, int *count,
	struct err *err)
{
	const char *bar = strstr(value, " | ");
	if (bar == NULL || bar == value)
		return lesson_error(field->lesson, field->line, err,
			_("a value and its text were expected: VALUE | text"));
	if (*count == LESSON_MAX_LINES)
		return lesson_error(field->lesson, field->line, err, _("at most %d such lines fit"), LESSON_MAX_LINES);
	const char *text = bar + 3 + strspn(bar + 3, " ");
	size_t length = (size_t)(bar - value);
	while (length > 0 && value[length - 1] == ' ')
		length--;
	lines[(*count)++] = (struct lesson_line){arena_strndup(field->arena, value, length), text};
	return true;
}

static bool set_tolerance(const struct field *field, const char *value, struct err *err)
{
	char *end = NULL;
	field->check->tolerance = strtod(value, &end);
	if (end != value && *end == '\0' && field->check->tolerance >= 0 && field->check->tolerance <= 1e30)
		return true;
	return lesson_error(field->lesson, field->line, err, _("a number that is not negative was expected"));
}

static bool add_hint(const struct field *field, const char *value, struct err *err)
{
	if (field->check->hint_count == LESSON_MAX_LINES)
		return lesson_error(field->lesson, field->line, err, _("at most %d hints fit"), LESSON_MAX_LINES);
	field->check->hints[field->check->hint_count++] = value;
	return true;
}

static bool set_once(const struct field *field, const char **text, const char *value, struct err *err)
{
	if (*text != NULL)
		return lesson_error(field->lesson, field->line, err, _("this was said already in this check"));
	*text = value;
	return true;
}

static bool set_field(const struct field *field, const char *key, const char *value, struct err *err)
{
	struct lesson_check *check = field->check;
	if (strcmp(key, "id") == 0)
		return set_once(field, &check->id, value, err);
	if (strcmp(key, "ask") == 0)
		return set_once(field, &check->question, value, err);
	if (strcmp(key, "kind") == 0)
		return set_kind(field, value, err);
	if (strcmp(key, "answer") == 0)
		return set_once(field, &check->answer, value, err);
	if (strcmp(key, "reach") == 0)
		return set_once(field, &check->reach, value, err);
	if (strcmp(key, "right") == 0)
		return set_once(field, &check->right, value, err);
	if (strcmp(key, "tolerance") == 0)
		return set_tolerance(field, value, err);
	if (strcmp(key, "choice") == 0)
		return add_pair(field, value, check->choices, &check->choice_count, err);
	if (strcmp(key, "wrong") == 0)
		return add_pair(field, value, check->wrong, &check->wrong_count, err);
	if (strcmp(key, "hint") == 0)
		return add_hint(field, value, err);
	return lesson_error(field->lesson, field->line, err,
		_("'%.40s' is unknown; id, ask, kind, answer, reach, choice, wrong, hint, right and tolerance are "
		  "known."),
		key);
}

/* One line of the block: "key: value". */
static bool read_line(const struct field *field, char *line, struct err *err)
{
	char *colon = strchr(line, ':');
	if (colon == NULL)
		return lesson_error(field->lesson, field->line, err, _("a line 'key: value' was expected"));
	*colon = '\0';
	char *value = colon + 1 + strspn(colon + 1, " \t");
	size_t length = strlen(value);
	while (length > 0 && strchr(" \t\r", value[length - 1]) != NULL)
		value[--length] = '\0';
	return set_field(field, line, value, err);
}

/* What belongs together is there. */
static bool is_complete(struct lesson_check *check, const struct lesson *lesson, struct err *err)
{
	if (check->id == NULL || check->question == NULL || check->answer == NULL || check->id[0] == '\0')
		return lesson_error(lesson, check->line, err, _("a check needs an id, a question (ask) and an answer"));
	if ((int)check->kind == LESSON_KINDS)
		return lesson_error(lesson, check->line, err,
			_("a check needs a kind: choice, number, shape, text or state"));
	if ((check->kind == LESSON_CHOICE) != (check->choice_count > 0) || check->choice_count == 1)
		return lesson_error(lesson, check->line, err,
			_("a choice has at least two lines 'choice', and nothing else has"));
	if ((check->kind == LESSON_STATE) != (check->reach != NULL))
		return lesson_error(lesson, check->line, err, _("a state has a line 'reach', and nothing else has"));
	if (check->hint_count == 0)
		return lesson_error(lesson, check->line, err, _("a check has at least one hint"));
	check->right = check->right != NULL ? check->right : "";
	return true;
}

bool lesson_parse_check(struct lesson_check *check, const struct lesson *lesson, const char *text, int line,
	struct arena *arena, struct err *err)
{
	*check = (struct lesson_check){.kind = LESSON_KINDS, .line = line};
	struct field field = {.check = check, .lesson = lesson, .arena = arena, .line = line};
	while (text[0] != '\0') {
		size_t length = strcspn(text, "\n");
		char *copy = arena_strndup(arena, text, length);
		text += length + (text[length] == '\n');
		field.line++;
		if (copy[strspn(copy, " \t")] != '\0' && !read_line(&field, copy, err))
			return false;
	}
	return is_complete(check, lesson, err);
}
