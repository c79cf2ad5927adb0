/*
 * lesson_progress.h: how far somebody has come in each lesson, kept in $XDG_STATE_HOME/rowscope/lessons.json
 * (~/.local/state/rowscope when that is not set). The file has a version and is replaced whole; one that cannot be read counts
 * as empty, one that cannot be written is no reason to end a lesson.
 *
 *     int step = lesson_progress_read("11-three-requests");
 *     lesson_progress_write("11-three-requests", step + 1, err);
 */
#ifndef APP_LESSON_PROGRESS_H
#define APP_LESSON_PROGRESS_H

#include "base/err.h"

/* The step that was reached; 0 when the lesson was never begun. */
int lesson_progress_read(const char *id);
/* Takes note of a step. System error when the file cannot be written. */
bool lesson_progress_write(const char *id, int step, struct err *err);

#endif
