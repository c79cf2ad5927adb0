#include "app/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

#define NAME "rowscope-live-" /* then the process, '-', six letters of mkdtemp() */
#define DAY (24 * 60 * 60)

static const char *base_folder(void)
{
	const char *base = getenv("TMPDIR");
	return base == NULL || base[0] == '\0' ? "/tmp" : base;
}

/* The process that made a folder of this name, or 0 when it is none of ours. */
static long maker(const char *name)
{
	char *end;
	if (strncmp(name, NAME, strlen(NAME)) != 0 || name[strlen(NAME)] < '1' || name[strlen(NAME)] > '9')
		return 0;
	errno = 0;
	long process = strtol(name + strlen(NAME), &end, 10);
	return errno == 0 && end[0] == '-' && strlen(end) == 7 ? process : 0;
}

/* Left behind: our own folder, untouched for a day, and its process is gone. Another machine may share the folder, so
 * that the process alone says nothing. */
static bool is_left(const char *path, const char *name)
{
	struct stat status;
	long process = maker(name);
	return process > 0 && lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
		time(NULL) - status.st_mtime > DAY && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static void sweep(void)
{
	char path[TEMPORARY_SIZE];
	struct err ignored = ERR_INIT;
	DIR *folder = opendir(base_folder());
	if (folder == NULL)
		return;
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
		if (maker(entry->d_name) > 0 && file_join(path, sizeof path, base_folder(), entry->d_name, &ignored) &&
			is_left(path, entry->d_name))
			file_remove_folder(path);
	}
	closedir(folder);
}

bool temporary_make(char folder[TEMPORARY_SIZE], struct err *err)
{
	const char *base = base_folder();
	if (strlen(base) > TEMPORARY_SIZE - 64)
		return err_system(err, base, ENAMETOOLONG, "the folder for temporary files has too long a name");
	sweep();
	snprintf(folder, TEMPORARY_SIZE, "%s/" NAME "%ld-XXXXXX", base, (long)getpid());
	if (mkdtemp(folder) != NULL)
		return true;
	return err_system(err, base, errno,
		"no temporary folder can be made here; set TMPDIR to a folder that can be written");
}

void temporary_remove(const char *folder)
{
	file_remove_folder(folder);
}
