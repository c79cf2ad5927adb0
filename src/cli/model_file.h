/*
 * model_file.h: rowscope model for a file that is no whole model: what it holds, and why it cannot be run.
 */
#ifndef CLI_MODEL_FILE_H
#define CLI_MODEL_FILE_H

#include "cli/cli.h"

/* Describes the file at `path`, which could not be opened as a model for the reason in *why. Where the file is a model's and only that
 * hinders it, or is damaged, that is the error. */
bool model_file_print(struct cli *cli, const char *path, const struct err *why, struct err *err);

#endif
