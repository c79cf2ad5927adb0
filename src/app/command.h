/*
 * command.h: one command language for keys, the prompt, scripts and lessons.
 *
 * A command line is a name and words, or text to the end of the line; a word with spaces stands in double quotes, and
 * '#' at the start begins a comment. A command changes the session and says what must happen next; it never draws. What a
 * command answers (a value, a sentence) is the session's result and message.
 *
 *     unsigned next = 0;
 *     if (!command_run(session, "goto pass=1 logits[row=A]", &next, err)) ...
 *     if (next & COMMAND_REDRAW) ...
 */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct session;

enum command_group { COMMAND_MOVE, COMMAND_SHOW, COMMAND_WORK, COMMAND_ASK, COMMAND_GROUPS };

/* What must happen next. */
enum command_next {
	COMMAND_REDRAW = 1,  /* what is shown has changed */
	COMMAND_REPAINT = 2, /* and the terminal must be written anew */
	COMMAND_THEME = 4,   /* another theme is set */
	COMMAND_QUIT = 8,
};

#define COMMAND_MAX_WORDS 32

/* The arguments of a command line. */
struct command_args {
	const char *rest; /* all of them as they were written, without blanks at the ends */
	int count;
	const char *words[COMMAND_MAX_WORDS];
};

struct command {
	const char *name;
	const char *arguments;
	enum command_group group;
	const char *help; /* translatable */
	bool (*run)(struct session *session, const struct command_args *args, unsigned *next, struct err *err);
};

int command_count(void);
const struct command *command_item(int i);
/* The command of that name, or NULL. */
const struct command *command_find(const char *name);
/* "moving", "showing", "working", "asking": translatable. Constant text. */
const char *command_group_name(enum command_group group);

/* Runs one line. `next` gets bits of enum command_next added. Usage error for an unknown command, with the nearest
 * name, or wrong arguments; an empty line or a comment does nothing. */
bool command_run(struct session *session, const char *line, unsigned *next, struct err *err);

/* What the last word of a line that is being typed could become: whole words, in the arena; returns how many. *start gets
 * the offset in the line that they replace. */
int command_complete(struct session *session, const char *line, size_t *start, const char ***words,
	struct arena *arena);

/* For the command_*.c files: a positive number in word `i`, or `otherwise` when there is none. Usage error for
 * anything else. */
bool command_number(const struct command_args *args, int i, int64_t otherwise, int64_t *number, struct err *err);

struct buf;
struct export_format;

/* Appends what the session shows to `out` in that format: `what` is "view" (the screen without keys), "table" (the view's
 * numbers), or NULL: the screen for figures and plain text, the table for everything else. Usage error when the view is
 * not tabular or the format does not take that form. */
bool command_write_view(struct session *session, const struct export_format *format, const char *what, struct buf *out,
	struct err *err);

#endif
