#include "model/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"

#define MOST_NAMES 3

static bool is_model_file(const char *name)
{
	static const char *const endings[] = {".gguf", ".bin"};
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t size = strlen(endings[i]);
		if (length > size && strcmp(name + length - size, endings[i]) == 0 && strncmp(name, "tok", 3) != 0)
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the first names, in their order, of the files that are models by themselves. Returns how many there are. */
static size_t list_models(const char *folder, struct buf *out)
{
	struct arena arena = ARENA_INIT;
	char *names[64];
	size_t count = 0;
	DIR *entries = opendir(folder);
	for (const struct dirent *entry; entries != NULL && count < 64 && (entry = readdir(entries)) != NULL;) {
		if (is_model_file(entry->d_name))
			names[count++] = arena_strdup(&arena, entry->d_name);
	}
	if (entries != NULL)
		closedir(entries);
	qsort(names, count, sizeof *names, by_name);
	for (size_t i = 0; i < count && i < MOST_NAMES; i++)
		buf_printf(out, "%s%.80s", i > 0 ? ", " : "", names[i]);
	buf_add_text(out, count > MOST_NAMES ? ", ..." : "");
	arena_free(&arena);
	return count;
}

bool folder_has_config(const char *folder, struct err *err)
{
	char path[576];
	struct buf names = BUF_INIT;
	if (!file_join(path, sizeof path, folder, "config.json", err))
		return false;
	if (file_exists(path))
		return true;
	if (list_models(folder, &names) > 0)
		err_input(err, folder, NULL, "there is no config.json in this folder, but it holds %s; give that file",
			buf_text(&names));
	else
		err_input(err, folder, NULL,
			"this folder holds neither a trace (trace.json) nor a model (config.json)");
	buf_free(&names);
	return false;
}
