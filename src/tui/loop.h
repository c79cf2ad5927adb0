/*
 * loop.h: the terminal program: shows the session, turns keys into command lines, until the person leaves.
 *
 *     if (!loop_run(term, session, err)) ...
 *
 * The loop owns neither. Every change goes through command_run(), so whatever a person does by keys a script can do too.
 */
#ifndef TUI_LOOP_H
#define TUI_LOOP_H

#include "app/session.h"
#include "tui/term.h"

/* Runs until `quit`, the terminal's end or a signal. */
void loop_run(struct term *term, struct session *session);

#endif
