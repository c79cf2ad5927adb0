/*
 * file.h: reading and writing files so that nothing surprises.
 *
 * Reading is by bounded reads at an offset, never by mapping, so that a file which shrinks while it is read
 * ends in a clear error and not in SIGBUS. Only regular files are opened. Writing a whole file goes to a
 * temporary name beside it, is synced, and renamed into place, so that a reader sees the old file or the new. A link is
 * followed and stays a link; a device or pipe is written to directly and never replaced.
 *
 *     char *bytes;
 *     size_t length;
 *     if (!file_load("config.json", 1 << 20, &arena, &bytes, &length, err)) return false;
 *     if (!file_save("a.csv", text.data, text.length, false, err)) return false;
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct file {
	int descriptor; /* -1 when closed */
	uint64_t size;  /* at the time of opening */
	char path[512];
};

#define FILE_CLOSED ((struct file){.descriptor = -1})

/* Opens a regular file for reading. Input error when it is missing or no regular file. */
bool file_open(struct file *file, const char *path, struct err *err);
void file_close(struct file *file);

/* Reads exactly `length` bytes at `offset`; input error when the file is too short for that. */
bool file_read(const struct file *file, uint64_t offset, size_t length, void *bytes, struct err *err);

/* Reads a whole file of at most `limit` bytes into the arena, terminated by a NUL beyond its length. Input error
 * when there is none or it is larger, system error when it cannot be read. */
bool file_load(const char *path, uint64_t limit, struct arena *arena, char **bytes, size_t *length, struct err *err);

/* Replaces or creates `path` by `length` bytes: temporary file, sync, rename. Refuses to replace an existing
 * file unless `replace`: usage error then. */
bool file_save(const char *path, const void *bytes, size_t length, bool replace, struct err *err);

/* A file under way: written piece by piece under a temporary name beside the final one. */
struct file_writer {
	int descriptor;
	uint64_t written;
	char path[512];
	char temporary[544];
};

/* Starts a file; input error when its folder is missing or it is a folder, system error when it cannot be made. */
bool file_writer_open(struct file_writer *writer, const char *path, struct err *err);
/* Appends; system error when the disk is full. The caller then abandons the writer. */
bool file_writer_add(struct file_writer *writer, const void *bytes, size_t length, struct err *err);
/* Renames into place; syncs the file before when `sync`. On failure the temporary file is gone. */
bool file_writer_finish(struct file_writer *writer, bool sync, struct err *err);
/* Removes the temporary file; does nothing after file_writer_finish. */
void file_writer_abandon(struct file_writer *writer);

/* Creates a folder (mode 0777 & ~umask); system error when that fails. */
bool file_make_folder(const char *path, struct err *err);
bool file_exists(const char *path);
bool file_is_folder(const char *path);
/* Removes a folder and everything in it; for temporary traces. */
void file_remove_folder(const char *path);

/* `folder`/`name` into `path`; input error when it is longer than `size`. */
bool file_join(char *path, size_t size, const char *folder, const char *name, struct err *err);

/* True when `name` is one plain component: no '/', '\\', NUL, "." or "..", not empty. */
bool file_is_plain_name(const char *name, size_t length);

#endif
