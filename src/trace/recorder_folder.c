#include "trace/recorder_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/manifest.h"

/* A file that a killed run has left (see base/file.c). */
static bool is_temporary(const char *name)
{
	size_t length = strlen(name);
	return strncmp(name, ".rs-", 4) == 0 && length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

/* pass-000012.safetensors, or a temporary file. */
static bool is_pass_file(const char *name)
{
	const char *digits = name + strlen("pass-");
	if (strncmp(name, "pass-", strlen("pass-")) == 0)
		return strcmp(digits + strspn(digits, "0123456789"), ".safetensors") == 0;
	return is_temporary(name);
}

/* Nothing but what a run leaves that was killed before it had written trace.json. */
static bool holds_remains_only(DIR *folder, const char *path)
{
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		const char *name = entry->d_name;
		char file[512];
		struct stat status;
		struct err ignored = ERR_INIT;
		bool is_start = strcmp(name, MANIFEST_PASSES) == 0 &&
			file_join(file, sizeof file, path, name, &ignored) && lstat(file, &status) == 0 &&
			S_ISREG(status.st_mode) && status.st_size == 0;
		if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !is_start && !is_temporary(name))
			return false;
	}
	return true;
}

/* Removes an entry that is no folder; false with an error when it stays. */
static bool remove_file(const char *folder, const char *name, struct err *err)
{
	char path[512];
	if (!file_join(path, sizeof path, folder, name, err))
		return false;
	return unlink(path) == 0 || errno == ENOENT || err_system(err, path, errno, "the old file cannot be removed");
}

/* The number in pass-000012.safetensors; -1 for a temporary file. */
static int64_t pass_number(const char *name)
{
	return name[0] == '.' ? -1 : strtoll(name + strlen("pass-"), NULL, 10);
}

bool recorder_folder_clean(const char *path, int64_t passes, struct err *err)
{
	DIR *folder = opendir(path);
	if (folder == NULL)
		return err_system(err, path, errno, "the folder cannot be read");
	bool ok = true;
	for (struct dirent *entry; ok && (entry = readdir(folder)) != NULL;) {
		const char *name = entry->d_name;
		if (is_pass_file(name) && (pass_number(name) < 0 || pass_number(name) >= passes))
			ok = remove_file(path, name, err);
	}
	closedir(folder);
	return ok;
}

/* trace.json goes last: until then the folder is known as a trace and can be replaced again. */
static bool remove_trace(const char *path, struct err *err)
{
	return remove_file(path, MANIFEST_PASSES, err) && recorder_folder_clean(path, 0, err) &&
		remove_file(path, MANIFEST_NAME, err);
}

static bool holds_trace(const char *path)
{
	char manifest[512];
	struct err ignored = ERR_INIT;
	return file_join(manifest, sizeof manifest, path, MANIFEST_NAME, &ignored) && file_exists(manifest);
}

bool recorder_folder_prepare(const char *path, bool replace, bool *created, struct err *err)
{
	*created = mkdir(path, 0777) == 0;
	if (*created)
		return true;
	if (errno == ENOENT)
		return err_usage(err, path, "the folder around this one does not exist; create it first");
	if (errno != EEXIST)
		return err_system(err, path, errno, "the folder cannot be created");
	DIR *folder = opendir(path);
	if (folder == NULL && errno == ENOTDIR)
		return err_usage(err, path, "a file of this name exists; a trace is a folder, so choose another name");
	if (folder == NULL)
		return err_system(err, path, errno, "the folder cannot be read");
	bool free_to_take = holds_remains_only(folder, path);
	closedir(folder);
	if (free_to_take)
		return remove_trace(path, err);
	if (!holds_trace(path))
		return err_usage(err, path,
			"the folder exists and holds other files than a trace; choose another name");
	if (!replace)
		return err_taken(err, path, "the folder holds a trace already");
	return remove_trace(path, err);
}

void recorder_folder_undo(const char *path, bool created)
{
	struct err ignored = ERR_INIT;
	remove_trace(path, &ignored);
	if (created)
		rmdir(path);
}
