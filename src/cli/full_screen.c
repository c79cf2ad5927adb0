#include "cli/full_screen.h"

#include <stdio.h>

#include "app/command.h"
#include "tui/loop.h"
#include "tui/restore.h"

bool full_screen_theme(struct session *session, const struct cli *cli, struct err *err)
{
	const char *name = cli_value(&cli->args, "theme");
	char line[128];
	unsigned next = 0;
	if (name == NULL)
		return true;
	snprintf(line, sizeof line, "set theme %.100s", name);
	return session_run(session, line, &next, err);
}

bool full_screen_run(struct session *session, struct cli *cli, struct err *err)
{
	struct term_options options = {.theme = theme_find(session->theme), .colours = cli->color};
	struct term *term = NULL;
	if (!term_curses_new(&term, &options, err))
		return false;
	loop_run(term, session);
	term_delete(term);
	if (restore_signal() != 0)
		cli->status = 128 + restore_signal();
	return true;
}
