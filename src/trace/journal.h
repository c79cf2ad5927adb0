/*
 * journal.h: a file that only grows, a whole line at a time. Internal to trace/.
 *
 * A line goes out in one write; when the system takes only a part of it (a full disk), that part is cut off again, so that
 * the file holds whole lines whatever fails.
 *
 * While it is open nobody else can go on with it, as far as the file system knows locks.
 *
 *     struct journal journal;
 *     if (!journal_open(&journal, "run1/passes.jsonl", err)) return false;
 *     if (!journal_add(&journal, line, length, err)) ...
 *     journal_close(&journal);
 */
#ifndef TRACE_JOURNAL_H
#define TRACE_JOURNAL_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct journal {
	int descriptor; /* -1 when closed */
	uint64_t length;
	char path[512];
};

#define JOURNAL_CLOSED ((struct journal){.descriptor = -1})

/* Creates an empty file; system error when that fails or the file exists. */
bool journal_open(struct journal *journal, const char *path, struct err *err);
/* Goes on with a file that is there, after its first `length` bytes; what follows them is cut off. Usage error when another process has
 * it open; system error when it cannot be opened or is shorter. */
bool journal_reopen(struct journal *journal, const char *path, uint64_t length, struct err *err);
/* Appends `length` bytes, all or none. System error when the disk is full. */
bool journal_add(struct journal *journal, const char *line, size_t length, struct err *err);
/* Waits until the system has the bytes on disk. */
bool journal_sync(struct journal *journal, struct err *err);
/* Does nothing when it is closed already. */
void journal_close(struct journal *journal);
/* The same as journal_sync for a file or folder that is closed. System error when that is refused. */
bool journal_sync_path(const char *path, struct err *err);

#endif
