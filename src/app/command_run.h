/*
 * command_run.h: the functions behind the list of commands; for command.c and the command_*.c files only.
 */
#ifndef APP_COMMAND_RUN_H
#define APP_COMMAND_RUN_H

#include "app/command.h"
#include "app/session.h"

#define COMMAND(function, name, arguments, group, help) \
	bool command_##function(struct session *session, const struct command_args *args, unsigned *next, \
		struct err *err);
#include "app/command.def"
#undef COMMAND

#endif
