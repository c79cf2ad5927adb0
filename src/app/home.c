#include "app/home.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "app/data.h"
#include "app/lesson.h"
#include "base/file.h"
#include "base/i18n.h"

#define HOME_MAX 64

struct list {
	struct scene_home *items;
	int count;
	struct arena *arena;
};

static void add(struct list *list, const char *group, const char *name, const char *about, const char *line)
{
	if (list->count < HOME_MAX)
		list->items[list->count++] = (struct scene_home){.group = group,
			.name = arena_strdup(list->arena, name),
			.about = about,
			.line = line};
}

/* Prompts for models that come without a batch: enough rows to see what a batch is. */
static const struct {
	const char *model, *about, *prompts;
} examples[] = {
	{"three-requests", N_("the worked example: three rows, one arrives late"), NULL},
	{"glass", N_("a model of round numbers that can be checked on paper"), "\"the cat\" \"the big dog\" cow"},
	{"tiny-stories", N_("short English stories, four rows"),
		"\"Once upon a time\" \"The little dog\" \"In the garden\" \"One rainy day\""},
	{"tiny-llama", N_("animals, in English and Chinese, built like Llama"),
		"\"The cat\" \"问：熊猫住在哪里？\" \"One rainy day\""},
};

static void add_model(struct list *list, const char *name)
{
	for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
		if (strcmp(examples[i].model, name) != 0)
			continue;
		const char *prompts = examples[i].prompts != NULL ? examples[i].prompts : "";
		add(list, _("models"), name, _(examples[i].about),
			arena_printf(list->arena, "open %s %s", name, prompts));
		return;
	}
	add(list, _("models"), name, "", arena_printf(list->arena, "open %s", name));
}

static void add_lessons(struct list *list)
{
	size_t count = 0;
	const char **ids = lesson_list(NULL, list->arena, &count);
	for (size_t i = 0; i < count; i++) {
		char path[512];
		struct lesson lesson;
		struct err ignored = ERR_INIT;
		if (!lesson_find(path, sizeof path, ids[i], NULL, &ignored) || !lesson_load(&lesson, path, &ignored))
			continue;
		add(list, _("lessons"), ids[i], arena_strdup(list->arena, lesson.title),
			arena_printf(list->arena, "lesson %s", ids[i]));
		lesson_free(&lesson);
	}
}

static bool is_trace(const char *folder)
{
	char path[512];
	struct err ignored = ERR_INIT;
	return file_join(path, sizeof path, folder, "trace.json", &ignored) && file_exists(path);
}

static int by_name(const void *a, const void *b)
{
	const struct scene_home *left = a, *right = b;
	return strcmp(left->name, right->name);
}

static void add_traces(struct list *list)
{
	int first = list->count;
	DIR *folder = opendir(".");
	if (folder == NULL)
		return;
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		if (entry->d_name[0] != '.' && strchr(entry->d_name, '"') == NULL && is_trace(entry->d_name))
			add(list, _("traces in this folder"), entry->d_name, "",
				arena_printf(list->arena, "open \"%s\"", entry->d_name));
	closedir(folder);
	qsort(list->items + first, (size_t)(list->count - first), sizeof *list->items, by_name);
}

const struct scene_home *home_list(struct arena *arena, int *count)
{
	struct list list = {.items = ARENA_ARRAY(arena, struct scene_home, HOME_MAX), .arena = arena};
	size_t models = 0;
	const char **names = data_list("tiny_models", arena, &models);
	for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
		for (size_t m = 0; m < models; m++)
			if (strcmp(names[m], examples[i].model) == 0)
				add_model(&list, names[m]);
	add_lessons(&list);
	add_traces(&list);
	*count = list.count;
	return list.items;
}
