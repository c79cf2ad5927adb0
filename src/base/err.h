/*
 * err.h: one failure, told as a sentence.
 *
 * Every function that can fail returns bool and takes a `struct err *`. On failure it fills it and
 * returns false. The first error wins: filling an err that already holds one changes nothing, so a
 * clean-up path may fail too without hiding the cause. The message says what is wrong, what was expected
 * and what to do; `file` and `where` say the place (a file, and a path, offset or line inside it).
 *
 *     struct err err = ERR_INIT;
 *     if (!trace_open(&trace, dir, &err)) { err_print(&err, stderr); return err_exit_status(&err); }
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stdio.h>

enum err_kind {
	ERR_NONE = 0,
	ERR_USAGE = 2,  /* wrong use of the command line or a command: exit status 2 */
	ERR_INPUT = 3,  /* a file that was read is bad: exit status 3 */
	ERR_SYSTEM = 4, /* the system refused: disk full, no memory, no permission: exit status 4 */
};

struct err {
	enum err_kind kind;
	char message[768];
	char file[512];  /* "" when no file is concerned */
	char where[256]; /* "rows[2].prompt", "byte 17", "line 3"; "" when it is the whole file */
	bool is_taken;   /* what was to be written is there already, and may be replaced when that is asked for */
};

#define ERR_INIT ((struct err){.kind = ERR_NONE})

#if defined(__GNUC__)
#define ERR_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define ERR_PRINTF(format_at, args_at)
#endif

/* Wrong use. `where` names the option or argument, or is NULL. Always returns false. */
bool err_usage(struct err *err, const char *where, const char *format, ...) ERR_PRINTF(3, 4);

/* Something is there already where `path` was to be written. A usage error; whoever asked adds with err_hint how it is
 * replaced. Always returns false. */
bool err_taken(struct err *err, const char *path, const char *format, ...) ERR_PRINTF(3, 4);

/* A bad input file. `file` or `where` may be NULL. Always returns false. */
bool err_input(struct err *err, const char *file, const char *where, const char *format, ...) ERR_PRINTF(4, 5);

/* A refusal of the system; `number` is an errno value whose text is appended, or 0. Always returns false. */
bool err_system(struct err *err, const char *file, int number, const char *format, ...) ERR_PRINTF(4, 5);

/* Gives an error that has no file yet the file `file`: for readers of a part that do not know the whole. */
void err_in_file(struct err *err, const char *file);

/* Adds "; hint" to the message of an error: what to do, in the words of the command line or of the screen. */
void err_hint(struct err *err, const char *hint);

/* Forgets the error, so that the struct can be used again. */
void err_clear(struct err *err);

/* The exit status of the contract: 0 for no error, else 2, 3 or 4. */
int err_exit_status(const struct err *err);

/* Writes "file: where: message" with foreign bytes made visible, and a newline. Used by cli and tui only. */
void err_print(const struct err *err, FILE *out);

/* The same text, without newline, into `text` (cut at `size`, always terminated). */
void err_text(const struct err *err, char *text, size_t size);

#endif
