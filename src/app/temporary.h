/*
 * temporary.h: a folder for a trace that nobody asked to keep.
 *
 * A process that crashed or was killed leaves its folder behind. The next one to make a folder takes it away: where
 * it belongs to the same user, is named rowscope-live-PROCESS-XXXXXX, was untouched for a day and no such process is left.
 *
 *     char folder[TEMPORARY_SIZE];
 *     if (!temporary_make(folder, err)) return false;
 *     ...
 *     temporary_remove(folder);
 */
#ifndef APP_TEMPORARY_H
#define APP_TEMPORARY_H

#include "base/err.h"

#define TEMPORARY_SIZE 512

/* Makes a new, empty folder under TMPDIR, or /tmp. System error when that fails. */
bool temporary_make(char folder[TEMPORARY_SIZE], struct err *err);
/* Removes it with all that is in it. */
void temporary_remove(const char *folder);

#endif
