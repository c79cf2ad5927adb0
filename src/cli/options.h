/*
 * options.h: the options of a subcommand as a table, from which both the parser and the help text follow.
 *
 * Options may stand before and after positional arguments; `--name value` and `--name=value` are the same; `--` ends the
 * options. Names are not abbreviated. An unknown option is wrong use and names the nearest known one.
 *
 *     static const struct cli_option options[] = {
 *         {"new", 0, N_("N"), N_("new tokens per row")}, {0}};
 *     if (!cli_parse(&args, options, argc, argv, &arena, err)) return false;
 *     if (!cli_int(&args, "new", 1, 1 << 20, &count, err)) return false;
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct cli_option {
	const char *name;     /* without the dashes; NULL ends a table */
	char letter;          /* short form, or 0 */
	const char *argument; /* what its value is called in the help; NULL for a flag */
	const char *help;     /* translatable */
};

/* What was given. */
struct cli_args {
	const struct cli_option *tables[2]; /* the subcommand's, and those that all have */
	const char **names;                 /* [given]: options in their order */
	const char **values;                /* [given]: NULL for a flag */
	int given;
	const char **words; /* [count]: positional arguments */
	int count;
};

/* Options that every subcommand has: --json, --quiet, --color, --lang, --help, --version. */
extern const struct cli_option cli_common_options[];

/* Sorts arguments into options and words. argv[0] is the first argument. Usage error for what is not known. */
bool cli_parse(struct cli_args *args, const struct cli_option *options, int argc, char **argv, struct arena *arena,
	struct err *err);

/* Where the command is: options that all commands have may stand before it. The place of the first other option where there is
 * one; argc when there is neither. */
int cli_command_place(int argc, char **argv);

bool cli_has(const struct cli_args *args, const char *name);
/* The last value given, or NULL. */
const char *cli_value(const struct cli_args *args, const char *name);
/* All values given, in order; *count gets their number. */
const char **cli_values(const struct cli_args *args, const char *name, struct arena *arena, int *count);
/* *value stays as it is when the option was not given. Usage error unless it is an integer within bounds. */
bool cli_int(const struct cli_args *args, const char *name, int64_t low, int64_t high, int64_t *value, struct err *err);

/* Reads --names: *hooks is whether tensors get TransformerLens' names. Usage error for any other naming. */
bool cli_names(const struct cli_args *args, bool *hooks, struct err *err);

/* Appends a text of our own wrapped to 79 columns, and a newline; lines after the first begin with `indent` spaces, where the text
 * begins too. */
void cli_wrap(struct buf *out, const char *text, int indent);
/* Appends "  -o, --output FILE   text" lines for a table. */
void cli_options_help(struct buf *out, const struct cli_option *options);

#endif
