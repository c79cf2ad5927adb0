/* Completion: what a word can become follows from the `arguments` text of the command. */
#include <string.h>

#include "app/command.h"
#include "app/lesson.h"
#include "app/session.h"
#include "view/view.h"

struct words {
	const char **list;
	int count, room;
	const char *prefix;
	size_t prefix_length;
	struct arena *arena;
};

static void offer(struct words *words, const char *word)
{
	if (strncmp(word, words->prefix, words->prefix_length) != 0)
		return;
	for (int i = 0; i < words->count; i++)
		if (strcmp(words->list[i], word) == 0)
			return;
	if (words->count == words->room) {
		int room = words->room == 0 ? 32 : 2 * words->room;
		const char **list = ARENA_ARRAY(words->arena, const char *, room);
		if (words->count > 0)
			memcpy(list, words->list, (size_t)words->count * sizeof *list);
		words->list = list;
		words->room = room;
	}
	words->list[words->count++] = arena_strdup(words->arena, word);
}

static void offer_tensors(struct words *words, const struct session *session)
{
	const struct trace *trace = session->scene.trace;
	for (int i = 0; trace != NULL && i < trace_value_count(trace); i++)
		offer(words, trace_value(trace, i)->name);
	offer(words, "pass=");
}

static void offer_rows(struct words *words, const struct session *session)
{
	if (session->scene.trace == NULL)
		return;
	const struct batch *batch = trace_batch(session->scene.trace);
	for (int64_t i = 0; i < batch->count; i++)
		offer(words, batch->requests[i].id);
}

static void offer_lessons(struct words *words, const struct session *session)
{
	size_t count = 0;
	const char **ids = lesson_list(session->lesson_folder, words->arena, &count);
	for (size_t i = 0; i < count; i++)
		offer(words, ids[i]);
}

static void offer_kind(struct words *words, const struct session *session, const char *kind)
{
	if (strcmp(kind, "SELECTOR") == 0)
		offer_tensors(words, session);
	else if (strcmp(kind, "ROW") == 0)
		offer_rows(words, session);
	else if (strcmp(kind, "VIEW") == 0)
		for (int i = 0; i < view_count(); i++)
			offer(words, view_at(i)->name);
	else if (strcmp(kind, "COMMAND") == 0)
		for (int i = 0; i < command_count(); i++)
			offer(words, command_item(i)->name);
	else if (strcmp(kind, "MARK") == 0)
		for (int i = 0; i < session->mark_count; i++)
			offer(words, session->marks[i].name);
	else if (strcmp(kind, "LESSON") == 0)
		offer_lessons(words, session);
	else if (kind[0] < 'A' || kind[0] > 'Z')
		offer(words, kind);
}

/* The alternatives of the arguments' words: letters, digits and '-' between anything else. */
static void offer_arguments(struct words *words, const struct session *session, const char *arguments)
{
	char kind[32];
	const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-=";
	for (const char *at = arguments; *at != '\0';) {
		at += strcspn(at, letters);
		size_t length = strspn(at, letters);
		if (length > 0 && length < sizeof kind) {
			memcpy(kind, at, length);
			kind[length] = '\0';
			offer_kind(words, session, kind);
		}
		at += length;
	}
}

static void offer_settings(struct words *words, const struct session *session, const char *line)
{
	static const char *const values[][2] = {{"set heat ", "on off"}, {"set large ", "on off"},
		{"set theme ", "dark light mono projector"}, {"set precision ", "2 4 6 9"}};
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		if (strncmp(line, values[i][0], strlen(values[i][0])) == 0)
			offer_arguments(words, session, values[i][1]);
}

int command_complete(struct session *session, const char *line, size_t *start, const char ***list, struct arena *arena)
{
	size_t length = strlen(line);
	*start = length;
	while (*start > 0 && line[*start - 1] != ' ')
		--*start;
	struct words words = {.prefix = line + *start, .prefix_length = length - *start, .arena = arena};
	char name[32] = "";
	size_t name_length = strcspn(line, " ");
	if (*start == 0) {
		offer_kind(&words, session, "COMMAND");
	} else if (name_length < sizeof name) {
		memcpy(name, line, name_length);
		const struct command *command = command_find(name);
		bool is_value = strncmp(line, "set ", 4) == 0 && *start > 4;
		if (is_value)
			offer_settings(&words, session, line);
		else if (command != NULL)
			offer_arguments(&words, session, command->arguments);
	}
	*list = words.list;
	return words.count;
}
