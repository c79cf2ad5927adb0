/*
 * plain.h: the terminal program's content line by line: for screen readers, pipes and dumb terminals. No cursor is moved.
 *
 *     if (!plain_lesson(session, stdin, err)) return false;
 */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

#include <stdio.h>

#include "app/session.h"
#include "draw/table.h"

/* Takes a learner through the lesson under way: text and question out, answers in; an empty line goes on, '?' asks for a
 * hint, 'q' leaves. Ends at the end of the input. */
bool plain_lesson(struct session *session, FILE *in, struct err *err);

/* Prints the view at hand as plain text, without blank lines at its end. System error when standard output cannot be
 * written. */
bool plain_view(struct session *session, struct err *err);

/* Prints a table as one JSON document on standard output; system error when that cannot be written. */
bool plain_json(const struct table *table, struct err *err);

#endif
