#include "app/command.h"

#include <stdlib.h>
#include <string.h>

#include "app/command_run.h"
#include "base/i18n.h"
#include "base/mem.h"

static const struct command commands[] = {
#define COMMAND(function, name, arguments, group, help) {name, arguments, COMMAND_##group, help, command_##function},
#include "app/command.def"
#undef COMMAND
};

int command_count(void)
{
	return (int)(sizeof commands / sizeof commands[0]);
}

const struct command *command_item(int i)
{
	return &commands[i];
}

static const struct command *find(const char *name, size_t length)
{
	for (int i = 0; i < command_count(); i++)
		if (strlen(commands[i].name) == length && memcmp(commands[i].name, name, length) == 0)
			return &commands[i];
	return NULL;
}

const struct command *command_find(const char *name)
{
	return find(name, strlen(name));
}

const char *command_group_name(enum command_group group)
{
	static const char *const names[COMMAND_GROUPS] = {N_("moving"), N_("showing"), N_("working"), N_("asking")};
	return _(names[group]);
}

/* Cuts the next word off `*text`, in place: up to a blank, or between double quotes. NULL at the end. */
static char *cut_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	if (*word == '\0')
		return NULL;
	bool quoted = *word == '"';
	word += quoted;
	char *end = word + strcspn(word, quoted ? "\"" : " \t");
	*text = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word;
}

/* Takes the blanks off both ends, in place. */
static char *trim(char *text)
{
	text += strspn(text, " \t\r\n");
	size_t length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
		text[--length] = '\0';
	return text;
}

/* The command whose name shares the most letters at the beginning, to suggest. */
static const char *nearest(const char *name)
{
	const char *best = "help";
	size_t best_length = 0;
	for (int i = 0; i < command_count(); i++) {
		size_t same = 0;
		while (name[same] != '\0' && name[same] == commands[i].name[same])
			same++;
		if (same > best_length) {
			best_length = same;
			best = commands[i].name;
		}
	}
	return best;
}

/* Runs a line that may be changed: `words` is a second copy of it to be cut up. */
static bool run_copies(struct session *session, char *line, char *words, unsigned *next, struct err *err)
{
	struct command_args args = {.rest = ""};
	char *name = cut_word(&words);
	const struct command *command = command_find(name);
	if (command == NULL)
		return err_usage(err, NULL,
			_("there is no command '%s'; the nearest one is '%s'; `help` shows them all"), name,
			nearest(name));
	args.rest = trim(line + strlen(name));
	for (char *word = cut_word(&words); word != NULL; word = cut_word(&words)) {
		if (args.count == COMMAND_MAX_WORDS)
			return err_usage(err, command->name, _("a command takes at most %d words"), COMMAND_MAX_WORDS);
		args.words[args.count++] = word;
	}
	return command->run(session, &args, next, err);
}

bool command_run(struct session *session, const char *line, unsigned *next, struct err *err)
{
	char *copy = mem_strdup(line);
	char *trimmed = trim(copy);
	if (trimmed[0] == '\0' || trimmed[0] == '#') {
		free(copy);
		return true;
	}
	char *words = mem_strdup(trimmed);
	bool ok = run_copies(session, trimmed, words, next, err);
	free(words);
	free(copy);
	return ok;
}

bool command_number(const struct command_args *args, int i, int64_t otherwise, int64_t *number, struct err *err)
{
	*number = otherwise;
	if (i >= args->count)
		return true;
	char *end = NULL;
	long long value = strtoll(args->words[i], &end, 10);
	if (end == args->words[i] || *end != '\0' || value < 0 || value > INT64_C(1000000000))
		return err_usage(err, args->words[i], _("a whole number from 0 to 1000000000 was expected"));
	*number = value;
	return true;
}
