/*
 * commands.h: declares the function and the options of every subcommand from subcommand.def.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

#define SUBCOMMAND(name, usage, summary) \
	extern const struct cli_option cmd_##name##_options[]; \
	bool cmd_##name(struct cli *cli, struct err *err);
#include "cli/subcommand.def"
#undef SUBCOMMAND

#endif
