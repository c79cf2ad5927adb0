#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/data.h"
#include "app/lesson.h"
#include "base/file.h"
#include "base/i18n.h"

static bool ends_in_md(const char *name)
{
	size_t length = strlen(name);
	return length > 3 && strcmp(name + length - 3, ".md") == 0;
}

/* The only lesson whose ID begins so: "11" is enough for 11-three-requests. NULL: none, or several. */
static const char *find_by_beginning(const char *beginning, const char *folder, struct arena *arena)
{
	size_t count = 0, length = strlen(beginning);
	const char **ids = lesson_list(folder, arena, &count), *found = NULL;
	for (size_t i = 0; length > 0 && i < count; i++) {
		if (strncmp(ids[i], beginning, length) != 0)
			continue;
		if (found != NULL)
			return NULL;
		found = ids[i];
	}
	return found;
}

static bool find_by_id(char *path, size_t size, const char *id, const char *folder)
{
	char file[300], kind[32];
	struct err none = ERR_INIT;
	snprintf(file, sizeof file, "%s.md", id);
	if (folder != NULL && folder[0] != '\0' && file_join(path, size, folder, file, &none) && file_exists(path))
		return true;
	err_clear(&none);
	snprintf(kind, sizeof kind, "lessons/%s", i18n_language());
	return data_find(path, size, kind, file, &none) || data_find(path, size, "lessons/en", file, &none);
}

bool lesson_find(char *path, size_t size, const char *name, const char *folder, struct err *err)
{
	if (strchr(name, '/') != NULL || ends_in_md(name)) {
		int length = snprintf(path, size, "%s", name);
		return (length > 0 && (size_t)length < size) || err_usage(err, name, _("the path is too long"));
	}
	if (strlen(name) > 200 || !file_is_plain_name(name, strlen(name)))
		return err_usage(err, name, _("The ID of a lesson was expected; `rowscope lesson list` shows them."));
	if (find_by_id(path, size, name, folder))
		return true;
	struct arena arena = ARENA_INIT;
	const char *whole = find_by_beginning(name, folder, &arena);
	bool found = whole != NULL && find_by_id(path, size, whole, folder);
	arena_free(&arena);
	return found || err_usage(err, name, _("there is no such lesson; `rowscope lesson list` shows them all"));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_folder(const char *folder, struct arena *arena, const char **ids, size_t *count, size_t most)
{
	DIR *entries = opendir(folder);
	if (entries == NULL)
		return;
	for (struct dirent *entry = readdir(entries); entry != NULL && *count < most; entry = readdir(entries))
		if (entry->d_name[0] != '.' && ends_in_md(entry->d_name))
			ids[(*count)++] = arena_strndup(arena, entry->d_name, strlen(entry->d_name) - 3);
	closedir(entries);
}

#define MOST_LESSONS 1000

const char **lesson_list(const char *folder, struct arena *arena, size_t *count)
{
	const char **ids = ARENA_ARRAY(arena, const char *, MOST_LESSONS + 1);
	size_t bundled = 0, kept = 0;
	*count = 0;
	const char **files = data_list("lessons/en", arena, &bundled);
	for (size_t i = 0; i < bundled && *count < MOST_LESSONS; i++)
		if (ends_in_md(files[i]))
			ids[(*count)++] = arena_strndup(arena, files[i], strlen(files[i]) - 3);
	if (folder != NULL && folder[0] != '\0')
		add_folder(folder, arena, ids, count, MOST_LESSONS);
	qsort(ids, *count, sizeof *ids, by_name);
	for (size_t i = 0; i < *count; i++)
		if (i == 0 || strcmp(ids[i], ids[kept - 1]) != 0)
			ids[kept++] = ids[i];
	*count = kept;
	ids[kept] = NULL;
	return ids;
}
