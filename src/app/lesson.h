/*
 * lesson.h: a lesson as a file: text, commands and questions. Reading it, and judging answers; running it is lesson_run.h.
 *
 * A lesson is Markdown that reads well on its own. A heading of the second level begins a step. Fenced blocks named
 * `rowscope` hold commands, run when the step is entered; a block named `check` holds one question and ends the step. The
 * right answer is never typed in: it is a command that the trace answers (docs/LESSONS.md). Lessons are foreign
 * files: sizes are bounded, every error names its line, and commands that write files are refused.
 *
 *     struct lesson lesson;
 *     if (!lesson_load(&lesson, "lessons/en/11-three-requests.md", err)) ...
 *     printf("%s: %d steps\n", lesson.title, lesson.step_count);
 *     lesson_free(&lesson);
 */
#ifndef APP_LESSON_H
#define APP_LESSON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

#define LESSON_MAX_FILE (1 << 20)
#define LESSON_MAX_STEPS 200
#define LESSON_MAX_COMMANDS 50 /* of a step */
#define LESSON_MAX_LINES 16    /* choices, hints, wrong answers: of each kind, in a check */

enum lesson_kind { LESSON_CHOICE, LESSON_NUMBER, LESSON_SHAPE, LESSON_TEXT, LESSON_STATE, LESSON_KINDS };

/* A value and what is said about it: "520 | the likeliest". */
struct lesson_line {
	const char *value, *text;
};

struct lesson_check {
	const char *id; /* unique in the lesson */
	enum lesson_kind kind;
	const char *question;
	const char *answer; /* the command that gives the right answer */
	const char *reach;  /* of a state: a command line that gets there, for checking the lesson; NULL otherwise */
	double tolerance;   /* of a number */
	const char *right;  /* said after a right answer; "" */
	struct lesson_line choices[LESSON_MAX_LINES];
	struct lesson_line wrong[LESSON_MAX_LINES]; /* likely wrong answers, each explained */
	const char *hints[LESSON_MAX_LINES];        /* of rising strength */
	int choice_count, wrong_count, hint_count;
	int line; /* of the file, for messages */
};

struct lesson_step {
	const char *title; /* "" */
	const char *text;  /* paragraphs as lines, not wrapped; foreign */
	const char **commands;
	int *command_lines; /* of the file */
	int command_count;
	const struct lesson_check *check; /* NULL: the step asks nothing */
};

struct lesson {
	const char *file, *id, *title;
	struct lesson_step *steps;
	int step_count;
	struct arena arena;
};

/* Reads a lesson. Its ID is the file's name without ending. Input error naming file and line. */
bool lesson_load(struct lesson *lesson, const char *path, struct err *err);
/* The same from memory, terminated by a NUL beyond its length; `path` is named in messages. Fails as lesson_load
 * does. */
bool lesson_parse(struct lesson *lesson, const char *path, const char *bytes, size_t length, struct err *err);
void lesson_free(struct lesson *lesson);

/* Reads the content of a check block that begins after line `line`. Input error that names the line. */
bool lesson_parse_check(struct lesson_check *check, const struct lesson *lesson, const char *text, int line,
	struct arena *arena, struct err *err);
/* An input error at a line of the file. Always returns false. */
bool lesson_error(const struct lesson *lesson, int line, struct err *err, const char *format, ...) ERR_PRINTF(4, 5);

/* "choice", "number", "shape", "text", "state" */
const char *lesson_kind_name(enum lesson_kind kind);

/* Finds a lesson: a path when `name` holds a '/' or ends in .md, else an ID in `folder` (NULL or "": none) or among the
 * bundled ones, in the language in use, else in English. */
bool lesson_find(char *path, size_t size, const char *name, const char *folder, struct err *err);
/* The IDs of all lessons that lesson_find() finds, sorted, NULL-terminated, in the arena. */
const char **lesson_list(const char *folder, struct arena *arena, size_t *count);

#endif
