/*
 * full_screen.h: a session handed to the whole terminal, for the subcommands that can also do without: --theme, and the loop
 * until the person leaves.
 *
 *     if (!full_screen_theme(session, cli, err)) return false;
 *     return full_screen_run(session, cli, err);
 */
#ifndef CLI_FULL_SCREEN_H
#define CLI_FULL_SCREEN_H

#include "app/session.h"
#include "cli/cli.h"

/* Sets what --theme says, if it was given; usage error for a theme that is not known. */
bool full_screen_theme(struct session *session, const struct cli *cli, struct err *err);
/* Runs the session in the terminal and restores that afterwards; the status tells the signal that ended it, as a shell does.
 * Usage error when the terminal cannot be used. */
bool full_screen_run(struct session *session, struct cli *cli, struct err *err);

#endif
