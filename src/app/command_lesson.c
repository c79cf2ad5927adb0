/* Commands of lessons. */
#include <string.h>

#include "app/command_run.h"
#include "app/lesson_run.h"
#include "base/i18n.h"

bool command_lesson(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	if (args->count != 1)
		return err_usage(err, "lesson", _("The ID of a lesson, or next, prev or leave, was expected."));
	const char *what = args->words[0];
	if (strcmp(what, "next") == 0)
		return lesson_run_step(session, 1, err);
	if (strcmp(what, "prev") == 0)
		return lesson_run_step(session, -1, err);
	if (strcmp(what, "leave") != 0)
		return lesson_run_start(session, what, err);
	lesson_run_leave(session);
	return true;
}

bool command_answer(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return lesson_run_answer(session, args->rest, err);
}

bool command_hint(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)args;
	*next |= COMMAND_REDRAW;
	return lesson_run_hint(session, err);
}
