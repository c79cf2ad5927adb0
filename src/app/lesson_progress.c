#include "app/lesson_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"

#define PROGRESS_VERSION 1
#define PROGRESS_MAX_FILE (1 << 20)

/* The folder, made when `make`; false when the system tells no home. */
static bool find_folder(char *path, size_t size, bool make)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int length = 0;
	if (state != NULL && state[0] == '/')
		length = snprintf(path, size, "%s/rowscope", state);
	else if (home != NULL && home[0] == '/')
		length = snprintf(path, size, "%s/.local/state/rowscope", home);
	if (length <= 0 || (size_t)length >= size)
		return false;
	for (char *slash = path + 1; make && (slash = strchr(slash, '/')) != NULL; slash++) {
		struct err ignored = ERR_INIT;
		*slash = '\0';
		if (!file_is_folder(path))
			file_make_folder(path, &ignored);
		*slash = '/';
	}
	struct err ignored = ERR_INIT;
	return !make || file_is_folder(path) || file_make_folder(path, &ignored);
}

static bool find_file(char *path, size_t size, bool make)
{
	char folder[480];
	struct err ignored = ERR_INIT;
	return find_folder(folder, sizeof folder, make) && file_join(path, size, folder, "lessons.json", &ignored);
}

/* The object of all lessons, or NULL. */
static const struct json *read_lessons(struct arena *arena)
{
	char path[512];
	struct err ignored = ERR_INIT;
	struct json *root = NULL;
	int64_t version = 0;
	if (!find_file(path, sizeof path, false) || !json_load(path, PROGRESS_MAX_FILE, arena, &root, &ignored) ||
		!json_get_int(root, "version", 1, 1 << 20, &version, &ignored) || version != PROGRESS_VERSION)
		return NULL;
	const struct json *lessons = json_find(root, "lessons");
	return lessons != NULL && lessons->type == JSON_OBJECT ? lessons : NULL;
}

static int64_t read_step(const struct json *node)
{
	struct err ignored = ERR_INIT;
	int64_t step = 0;
	return json_int(node, 0, 1 << 20, &step, &ignored) ? step : 0;
}

int lesson_progress_read(const char *id)
{
	struct arena arena = ARENA_INIT;
	const struct json *lessons = read_lessons(&arena);
	const struct json *node = lessons != NULL ? json_find(lessons, id) : NULL;
	int step = node != NULL ? (int)read_step(node) : 0;
	arena_free(&arena);
	return step;
}

bool lesson_progress_write(const char *id, int step, struct err *err)
{
	char path[512];
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct json_writer writer;
	if (!find_file(path, sizeof path, true))
		return err_system(err, NULL, 0, "there is no folder to keep progress in; set XDG_STATE_HOME");
	const struct json *lessons = read_lessons(&arena);
	json_writer_init(&writer, &out, true);
	json_begin_object(&writer);
	json_key(&writer, "version");
	json_add_int(&writer, PROGRESS_VERSION);
	json_key(&writer, "lessons");
	json_begin_object(&writer);
	for (size_t i = 0; lessons != NULL && i < lessons->count; i++) {
		if (strcmp(lessons->items[i]->key, id) == 0)
			continue;
		json_key(&writer, lessons->items[i]->key);
		json_add_int(&writer, read_step(lessons->items[i]));
	}
	json_key(&writer, id);
	json_add_int(&writer, step);
	json_end_object(&writer);
	json_end_object(&writer);
	buf_add_char(&out, '\n');
	bool ok = file_save(path, out.data, out.length, true, err);
	buf_free(&out);
	arena_free(&arena);
	return ok;
}
