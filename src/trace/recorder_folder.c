#include "trace/recorder_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/manifest.h"

/* pass-000012.safetensors, or a temporary file that a killed run has left (see base/file.c). */
static bool is_pass_file(const char *name)
{
	const char *digits = name + strlen("pass-");
	if (strncmp(name, "pass-", strlen("pass-")) == 0)
		return strcmp(digits + strspn(digits, "0123456789"), ".safetensors") == 0;
	size_t length = strlen(name);
	return strncmp(name, ".rs-", 4) == 0 && length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

static bool is_empty(DIR *folder)
{
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
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

/* trace.json goes last: until then the folder is known as a trace and can be replaced again. */
static bool remove_trace(const char *path, struct err *err)
{
	if (!remove_file(path, MANIFEST_PASSES, err))
		return false;
	DIR *folder = opendir(path);
	if (folder == NULL)
		return err_system(err, path, errno, "the folder cannot be read");
	bool ok = true;
	for (struct dirent *entry; ok && (entry = readdir(folder)) != NULL;) {
		if (is_pass_file(entry->d_name))
			ok = remove_file(path, entry->d_name, err);
	}
	closedir(folder);
	return ok && remove_file(path, MANIFEST_NAME, err);
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
	bool empty = is_empty(folder);
	closedir(folder);
	if (empty)
		return true;
	if (!holds_trace(path))
		return err_usage(
			err, path, "the folder exists and holds other files than a trace; choose another name");
	if (!replace)
		return err_usage(err, path, "the folder holds a trace already; use --force to replace it");
	return remove_trace(path, err);
}

void recorder_folder_undo(const char *path, bool created)
{
	struct err ignored = ERR_INIT;
	remove_trace(path, &ignored);
	if (created)
		rmdir(path);
}
