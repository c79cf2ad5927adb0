#include "app/data.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "base/buf.h"
#include "base/file.h"
#include "base/i18n.h"

#define DATA_PLACES 5

struct places {
	char path[DATA_PLACES][PATH_MAX + 64];
	int count;
};

/* The folder of the running program, without its links; false when the system does not tell. */
static bool program_folder(char folder[PATH_MAX])
{
	char path[PATH_MAX];
#ifdef __APPLE__
	uint32_t size = sizeof path;
	if (_NSGetExecutablePath(path, &size) != 0 || realpath(path, folder) == NULL)
		return false;
#else
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	memcpy(folder, path, (size_t)length + 1);
#endif
	char *slash = strrchr(folder, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

static void add_place(struct places *places, const char *folder, const char *between, const char *kind)
{
	char *path = places->path[places->count];
	int length = snprintf(path, sizeof places->path[0], "%s%s/%s", folder, between, kind);
	if (length > 0 && (size_t)length < sizeof places->path[0])
		places->count++;
}

static void find_places(struct places *places, const char *kind)
{
	char folder[PATH_MAX];
	places->count = 0;
	const char *chosen = getenv("ROWSCOPE_DATA");
	if (chosen != NULL && chosen[0] != '\0')
		add_place(places, chosen, "", kind);
	if (program_folder(folder)) {
		add_place(places, folder, "/..", kind);
		add_place(places, folder, "/../share/rowscope", kind);
		add_place(places, folder, "", kind);
	}
	add_place(places, ROWSCOPE_DATADIR, "", kind);
}

/* Says what there is; where there is nothing at all, where it was looked for. */
static bool fail_with_names(const struct places *places, const char *kind, const char *name, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct buf list = BUF_INIT;
	size_t count = 0;
	const char **names = data_list(kind, &arena, &count);
	for (size_t i = 0; i < count; i++)
		buf_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	if (count > 0)
		err_input(err, name, NULL,
			_("nothing of that name came with the program, which has %s; for anything else "
			  "give a path"),
			buf_text(&list));
	else
		err_input(err, name, NULL,
			_("nothing of that name came with the program (looked for in %s); set "
			  "ROWSCOPE_DATA to the folder that holds %s, or give a path"),
			places->path[0], kind);
	buf_free(&list);
	arena_free(&arena);
	return false;
}

bool data_find(char *path, size_t size, const char *kind, const char *name, struct err *err)
{
	struct places places;
	find_places(&places, kind);
	for (int i = 0; i < places.count; i++) {
		int length = snprintf(path, size, "%s/%s", places.path[i], name);
		if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
			return true;
	}
	path[0] = '\0';
	return fail_with_names(&places, kind, name, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

#define DATA_MAX_NAMES 1024

const char **data_list(const char *kind, struct arena *arena, size_t *count)
{
	struct places places;
	find_places(&places, kind);
	const char **names = ARENA_ARRAY(arena, const char *, DATA_MAX_NAMES + 1);
	*count = 0;
	for (int i = 0; i < places.count; i++) {
		DIR *folder = opendir(places.path[i]);
		if (folder == NULL)
			continue;
		for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
			if (entry->d_name[0] != '.' && *count < DATA_MAX_NAMES &&
				!is_listed(names, *count, entry->d_name))
				names[(*count)++] = arena_strdup(arena, entry->d_name);
		closedir(folder);
	}
	qsort(names, *count, sizeof *names, by_name);
	return names;
}

bool data_find_model(char *path, size_t size, const char *model, struct err *err)
{
	if (strchr(model, '/') == NULL && !file_exists(model) && !file_is_folder(model))
		return data_find(path, size, "tiny_models", model, err);
	int length = snprintf(path, size, "%s", model);
	if (length < 0 || (size_t)length >= size)
		return err_usage(err, model, _("the path is longer than %zu bytes"), size - 1);
	return true;
}
