/*
 * cli.h: the program as a command line: one table of subcommands, one file per subcommand.
 *
 * A subcommand prints its result to standard output and gives an error back as a sentence; only cli.c prints errors
 * and turns them into the exit status (0 done, 1 a check found something, 2 wrong use, 3 bad input, 4 the system refused).
 * To add one: a line in subcommand.def and a file cmd_<name>.c with its options and its function.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdio.h>

#include "cli/options.h"
#include "draw/table.h"

#define CLI_STATUS_FOUND 1
#define CLI_STATUS_INTERRUPTED 130

/* One call of the program. */
struct cli {
	const struct subcommand *subcommand;
	struct cli_args args;
	struct arena arena; /* lives until the end of the call */
	bool json, quiet;
	bool color; /* colours may be used on standard output */
	int status; /* set to CLI_STATUS_FOUND when a check found a leak or a difference */
};

struct subcommand {
	const char *name;
	const char *usage;   /* behind the name: "[MODEL] [PROMPT...]" */
	const char *summary; /* one line, translatable */
	const struct cli_option *options;
	bool (*run)(struct cli *cli, struct err *err);
};

/* Number i = 0, 1, ...; NULL after the last. */
const struct subcommand *cli_subcommand(size_t i);

/* Runs the program: argv[0] is its own name. Gives the exit status. */
int cli_main(int argc, char **argv);

/* --- for subcommands --- */
/* A line for people on standard error, unless --quiet or --json. */
void cli_say(const struct cli *cli, const char *format, ...) ERR_PRINTF(2, 3);
/* Writes the buffer to standard output; system error when that fails. */
bool cli_print(const struct buf *out, struct err *err);
/* Prints a table as aligned text, with colours where they are wanted. System error when standard output cannot be
 * written. */
bool cli_print_table(const struct cli *cli, const struct table *table, struct err *err);
/* Words from `first` on, joined by spaces. The text lies in the arena of the call. */
const char *cli_join(struct cli *cli, int first);
/* Usage error unless there are between `least` and `most` words (-1: any number). */
bool cli_words(const struct cli *cli, int least, int most, struct err *err);

#endif
