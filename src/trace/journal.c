#include "trace/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file system without locks has no say. */
static bool is_taken(int descriptor)
{
	return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static bool set_path(struct journal *journal, const char *path, struct err *err)
{
	*journal = JOURNAL_CLOSED;
	if (strlen(path) >= sizeof journal->path)
		return err_input(err, path, NULL, "the path has more than %zu bytes; use a shorter one",
			sizeof journal->path - 1);
	snprintf(journal->path, sizeof journal->path, "%s", path);
	return true;
}

bool journal_open(struct journal *journal, const char *path, struct err *err)
{
	if (!set_path(journal, path, err))
		return false;
	journal->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (journal->descriptor < 0)
		return err_system(err, path, errno, "the file cannot be created");
	is_taken(journal->descriptor); /* nobody else knows of it yet */
	return true;
}

/* Takes the lock and cuts the file; the descriptor stays the caller's. */
static bool cut(const struct journal *journal, uint64_t length, struct err *err)
{
	struct stat status;
	if (is_taken(journal->descriptor))
		return err_usage(err, journal->path,
			"another process is recording into this trace; wait until it has ended");
	if (fstat(journal->descriptor, &status) != 0 || (uint64_t)status.st_size < length)
		return err_system(err, journal->path, 0, "the file became shorter while it was in use");
	return ftruncate(journal->descriptor, (off_t)length) == 0 ||
		err_system(err, journal->path, errno,
			"the part of a line that a stopped run has left cannot be cut off");
}

bool journal_reopen(struct journal *journal, const char *path, uint64_t length, struct err *err)
{
	if (!set_path(journal, path, err))
		return false;
	journal->descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (journal->descriptor < 0)
		return err_system(err, path, errno, "the file cannot be opened to go on with it");
	journal->length = length;
	if (cut(journal, length, err))
		return true;
	journal_close(journal);
	return false;
}

/* Takes back what a write that failed has left. */
static bool add_failed(struct journal *journal, int number, struct err *err)
{
	if (number == ENOSPC || number == EDQUOT)
		err_system(err, journal->path, 0, "the disk is full; free some space or write elsewhere");
	else
		err_system(err, journal->path, number, "the line of the finished pass cannot be written");
	if (ftruncate(journal->descriptor, (off_t)journal->length) != 0)
		err_system(err, journal->path, errno, "the part of a line that was written cannot be cut off");
	return false;
}

bool journal_add(struct journal *journal, const char *line, size_t length, struct err *err)
{
	ssize_t put;
	do
		put = write(journal->descriptor, line, length);
	while (put < 0 && errno == EINTR);
	if (put < 0 || (size_t)put != length)
		return add_failed(journal, put < 0 ? errno : ENOSPC, err);
	journal->length += length;
	return true;
}

bool journal_sync(struct journal *journal, struct err *err)
{
	return fsync(journal->descriptor) == 0 || err_system(err, journal->path, errno, "the file cannot be synced");
}

void journal_close(struct journal *journal)
{
	if (journal->descriptor >= 0)
		close(journal->descriptor);
	journal->descriptor = -1;
}

bool journal_sync_path(const char *path, struct err *err)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return err_system(err, path, errno, "the file cannot be opened to sync it");
	/* some file systems cannot sync a folder and say EINVAL: nothing more can be done there */
	bool ok = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
	int number = errno;
	close(descriptor);
	return ok || err_system(err, path, number, "the file cannot be synced");
}
