/*
 * recorder_folder.h: a folder made ready for a new trace. Internal to trace/.
 *
 *     bool created;
 *     if (!recorder_folder_prepare("run1", false, &created, err)) return false;
 */
#ifndef TRACE_RECORDER_FOLDER_H
#define TRACE_RECORDER_FOLDER_H

#include <stdint.h>

#include "base/err.h"

/* Creates the folder, or takes one that is empty (but for what a run leaves that is killed before it begins), or, with `replace`, one that holds a trace, whose files are removed; files
 * that are no trace's are left alone. *created tells which. Usage error when the folder is taken. */
bool recorder_folder_prepare(const char *path, bool replace, bool *created, struct err *err);

/* Removes what a stopped run has left behind its first `passes` passes: their files, and temporary files. System
 * error when one stays. */
bool recorder_folder_clean(const char *path, int64_t passes, struct err *err);

/* Removes the files of a trace, and the folder itself when `created`: after a start that failed. */
void recorder_folder_undo(const char *path, bool created);

#endif
