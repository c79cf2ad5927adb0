#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No system call is asked for more at once: macOS refuses 2 GiB and Linux cuts it. */
#define PIECE_MOST ((size_t)1 << 30)

static bool copy_path(char *to, size_t size, const char *path, struct err *err)
{
	size_t length = strlen(path);
	if (length == 0)
		return err_input(err, NULL, NULL, "a file name is empty; give the path of a file");
	if (length >= size)
		return err_input(err, path, NULL,
			"the path has %zu bytes, but at most %zu are supported; use a shorter one", length, size - 1);
	memcpy(to, path, length + 1);
	return true;
}

static const char *kind_name(mode_t mode)
{
	return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

static bool open_failed(const char *path, int number, struct err *err)
{
	if (number == ENOENT || number == ENOTDIR)
		return err_input(err, path, NULL, "there is no such file; check the path");
	if (number == ELOOP || number == ENAMETOOLONG)
		return err_input(err, path, NULL, "the path cannot be followed: %s", strerror(number));
	return err_system(err, path, number, "the file cannot be opened for reading");
}

bool file_open(struct file *file, const char *path, struct err *err)
{
	*file = FILE_CLOSED;
	if (!copy_path(file->path, sizeof file->path, path, err))
		return false;
	/* O_NONBLOCK: opening a pipe that nobody writes to must not hang before fstat can refuse it */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (descriptor < 0)
		return open_failed(path, errno, err);
	struct stat status;
	if (fstat(descriptor, &status) != 0) {
		int number = errno;
		close(descriptor);
		return err_system(err, path, number, "the file's size cannot be read");
	}
	if (!S_ISREG(status.st_mode)) {
		close(descriptor);
		return err_input(err, path, NULL, "this is %s, but a regular file is needed",
			kind_name(status.st_mode));
	}
	file->descriptor = descriptor;
	file->size = (uint64_t)status.st_size;
	return true;
}

void file_close(struct file *file)
{
	if (file->descriptor >= 0)
		close(file->descriptor);
	file->descriptor = -1;
}

bool file_read(const struct file *file, uint64_t offset, size_t length, void *bytes, struct err *err)
{
	char where[64];
	snprintf(where, sizeof where, "byte %" PRIu64, offset);
	if (offset > file->size || length > file->size - offset)
		return err_input(err, file->path, where,
			"%zu bytes are needed here, but the file has only %" PRIu64 "; it is cut short", length,
			file->size);
	for (size_t done = 0; done < length;) {
		size_t piece = length - done < PIECE_MOST ? length - done : PIECE_MOST;
		ssize_t got = pread(file->descriptor, (char *)bytes + done, piece, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_system(err, file->path, errno, "the file cannot be read at byte %" PRIu64,
				offset + done);
		if (got == 0)
			return err_input(err, file->path, where,
				"the file became shorter while it was in use; open it again");
		done += (size_t)got;
	}
	return true;
}

bool file_load(const char *path, uint64_t limit, struct arena *arena, char **bytes, size_t *length, struct err *err)
{
	struct file file;
	if (!file_open(&file, path, err))
		return false;
	bool ok = false;
	if (file.size > limit || file.size >= SIZE_MAX) {
		err_input(err, path, NULL,
			"the file has %" PRIu64 " bytes, but at most %" PRIu64 " are expected in a file of this kind",
			file.size, limit);
		goto done;
	}
	char *content = arena_raw(arena, (size_t)file.size + 1, 1);
	if (!file_read(&file, 0, (size_t)file.size, content, err))
		goto done;
	content[file.size] = '\0';
	*bytes = content;
	*length = (size_t)file.size;
	ok = true;
done:
	file_close(&file);
	return ok;
}

/* --- writing --- */

/* Where the folder part of a path ends: the length up to and with the last '/', 0 when there is none. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Decides what opening for writing means for what is at `path`: `direct` for a device or pipe, which is written to
 * and not replaced; a link is followed, so that it stays a link. */
static bool look_at_target(struct file_writer *writer, bool *direct, struct err *err)
{
	struct stat status;
	*direct = false;
	if (stat(writer->path, &status) != 0)
		return true;
	if (S_ISDIR(status.st_mode))
		return err_input(err, writer->path, NULL,
			"this is a folder, but a file is to be written; give a file name");
	*direct = !S_ISREG(status.st_mode);
	struct stat link;
	if (*direct || lstat(writer->path, &link) != 0 || !S_ISLNK(link.st_mode))
		return true;
	char *target = realpath(writer->path, NULL);
	if (target == NULL)
		return err_system(err, writer->path, errno, "the link cannot be followed");
	bool ok = copy_path(writer->path, sizeof writer->path, target, err);
	free(target);
	return ok;
}

/* The temporary name is short and does not repeat the file's, which may have the full length that is allowed. */
static int open_temporary(struct file_writer *writer)
{
	int folder = (int)folder_length(writer->path);
	for (int attempt = 0; attempt < 1000; attempt++) {
		snprintf(writer->temporary, sizeof writer->temporary, "%.*s.rs-%ld-%d.tmp", folder, writer->path,
			(long)getpid(), attempt);
		int descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (descriptor >= 0 || errno != EEXIST)
			return descriptor;
	}
	return -1;
}

bool file_writer_open(struct file_writer *writer, const char *path, struct err *err)
{
	*writer = (struct file_writer){.descriptor = -1};
	bool direct;
	if (!copy_path(writer->path, sizeof writer->path, path, err) || !look_at_target(writer, &direct, err))
		return false;
	writer->descriptor = direct ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_temporary(writer);
	if (writer->descriptor >= 0)
		return true;
	int number = errno;
	writer->temporary[0] = '\0';
	if (number == ENOENT || number == ENOTDIR)
		return err_input(err, path, NULL, "the folder of this file does not exist; create it first");
	return err_system(err, path, number, "the file cannot be created");
}

static bool write_failed(const struct file_writer *writer, int number, struct err *err)
{
	if (number == ENOSPC || number == EDQUOT)
		return err_system(err, writer->path, 0, "the disk is full; free some space or write elsewhere");
	return err_system(err, writer->path, number, "the file cannot be written");
}

bool file_writer_add(struct file_writer *writer, const void *bytes, size_t length, struct err *err)
{
	for (size_t done = 0; done < length;) {
		size_t piece = length - done < PIECE_MOST ? length - done : PIECE_MOST;
		ssize_t put = write(writer->descriptor, (const char *)bytes + done, piece);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return write_failed(writer, put < 0 ? errno : ENOSPC, err);
		done += (size_t)put;
		writer->written += (uint64_t)put;
	}
	return true;
}

/* Makes the new name itself last over a loss of power. */
static bool sync_folder(const char *path, struct err *err)
{
	char folder[512];
	size_t length = folder_length(path);
	snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : (int)length, length == 0 ? "." : path);
	int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor < 0)
		return err_system(err, folder, errno, "the folder cannot be opened to sync it");
	/* some file systems cannot sync a folder and say EINVAL: nothing more can be done there */
	bool ok = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
	int number = errno;
	close(descriptor);
	return ok || err_system(err, folder, number, "the folder cannot be synced");
}

static bool close_written(struct file_writer *writer, bool sync, struct err *err)
{
	bool direct = writer->temporary[0] == '\0';
	bool ok = true;
	if (sync && !direct && fsync(writer->descriptor) != 0)
		ok = write_failed(writer, errno, err);
	if (close(writer->descriptor) != 0 && errno != EINTR && ok)
		ok = write_failed(writer, errno, err);
	writer->descriptor = -1;
	return ok;
}

/* `keep`: an existing file is left as it is, and that is a usage error. */
static bool finish(struct file_writer *writer, bool sync, bool keep, struct err *err)
{
	if (!close_written(writer, sync, err)) {
		file_writer_abandon(writer);
		return false;
	}
	if (writer->temporary[0] == '\0')
		return true;
	int result = keep ? link(writer->temporary, writer->path) : rename(writer->temporary, writer->path);
	if (keep && result != 0 && errno != EEXIST && !file_exists(writer->path))
		result = rename(writer->temporary, writer->path); /* a file system without hard links */
	int number = errno;
	if (keep || result != 0)
		unlink(writer->temporary);
	writer->temporary[0] = '\0';
	if (result != 0 && keep && number == EEXIST)
		return err_taken(err, writer->path, "the file exists already");
	if (result != 0)
		return err_system(err, writer->path, number, "the finished file cannot be renamed into place");
	return !sync || sync_folder(writer->path, err);
}

bool file_writer_finish(struct file_writer *writer, bool sync, struct err *err)
{
	return finish(writer, sync, false, err);
}

void file_writer_abandon(struct file_writer *writer)
{
	if (writer->descriptor >= 0)
		close(writer->descriptor);
	writer->descriptor = -1;
	if (writer->temporary[0] != '\0')
		unlink(writer->temporary);
	writer->temporary[0] = '\0';
}

bool file_save(const char *path, const void *bytes, size_t length, bool replace, struct err *err)
{
	struct stat status;
	if (!replace && stat(path, &status) == 0 && S_ISREG(status.st_mode))
		return err_taken(err, path, "the file exists already");
	struct file_writer writer;
	if (!file_writer_open(&writer, path, err))
		return false;
	if (!file_writer_add(&writer, bytes, length, err)) {
		file_writer_abandon(&writer);
		return false;
	}
	return finish(&writer, true, !replace, err);
}

/* --- folders and names --- */

bool file_make_folder(const char *path, struct err *err)
{
	if (mkdir(path, 0777) == 0)
		return true;
	return err_system(err, path, errno, "the folder cannot be created");
}

bool file_exists(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0;
}

bool file_is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status, (void)kind, (void)place;
	remove(path);
	return 0;
}

void file_remove_folder(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

bool file_join(char *path, size_t size, const char *folder, const char *name, struct err *err)
{
	size_t length = strlen(folder);
	const char *slash = length == 0 || folder[length - 1] == '/' ? "" : "/";
	int needed = snprintf(path, size, "%s%s%s", folder, slash, name);
	if (needed >= 0 && (size_t)needed < size)
		return true;
	return err_input(err, folder, NULL,
		"the path of '%s' in this folder has more than %zu bytes; use shorter names", name, size - 1);
}

bool file_is_plain_name(const char *name, size_t length)
{
	if (length == 0 || (length == 1 && name[0] == '.') || (length == 2 && memcmp(name, "..", 2) == 0))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (name[i] == '/' || name[i] == '\\' || name[i] == '\0')
			return false;
	}
	return true;
}
