#include "tui/keymap.h"

#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "base/i18n.h"
#include "tui/term.h"

enum {
	OPS = 1 << SCENE_OPS,
	MAIN = 1 << SCENE_MAIN,
	SIDE = 1 << SCENE_SIDE,
	NUMBERS = MAIN | SIDE,
	ANY = OPS | MAIN | SIDE
};

static const struct binding {
	unsigned panes;
	const char *keys, *line, *label;
} bindings[] = {
#define BIND(panes, keys, line, label) {panes, keys, line, label},
#include "tui/keymap.def"
#undef BIND
};

#define BINDING_COUNT (sizeof bindings / sizeof bindings[0])

/* The next name in a list of keys, and its length; NULL at the end. */
static const char *next_key(const char *keys, size_t *length)
{
	keys += strspn(keys, " ");
	*length = strcspn(keys, " ");
	return *length > 0 ? keys : NULL;
}

static bool has_key(const struct binding *binding, uint32_t key)
{
	size_t length = 0;
	for (const char *name = next_key(binding->keys, &length); name != NULL; name = next_key(name + length, &length))
		if (term_key_parse(name, length) == key)
			return true;
	return false;
}

const char *keymap_line(uint32_t key, enum scene_pane pane)
{
	for (size_t i = 0; i < BINDING_COUNT; i++)
		if ((bindings[i].panes & (1U << pane)) && has_key(&bindings[i], key))
			return bindings[i].line;
	return NULL;
}

/* The command that a binding's line runs: ":export " is one of `export`; ":" and "/" open the prompt for any. */
static const struct command *command_of(const char *line)
{
	char name[32];
	if (strcmp(line, ":") == 0)
		return command_find("help");
	if (strcmp(line, "/") == 0)
		return command_find("search");
	line += line[0] == ':';
	snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
	return command_find(name);
}

static bool has_binding(const struct command *command)
{
	for (size_t i = 0; i < BINDING_COUNT; i++)
		if (strcmp(bindings[i].line, ":") != 0 && command_of(bindings[i].line) == command)
			return true;
	return false;
}

static struct scene_help help_of(const struct binding *binding)
{
	const struct command *command = command_of(binding->line);
	bool is_prompt = strcmp(binding->line, ":") == 0;
	return (struct scene_help){
		.group = command_group_name(is_prompt ? COMMAND_WORK : command->group),
		.keys = binding->keys,
		.line = is_prompt                 ? ":"
			: binding->line[0] == ':' ? binding->line + 1
						  : binding->line,
		.text = is_prompt ? _("type a command; Tab completes it") : _(command->help),
		.label = binding->label[0] != '\0' ? _(binding->label) : "",
		.panes = binding->panes == ANY ? 0 : binding->panes,
	};
}

const struct scene_help *keymap_help(struct arena *arena, int *count)
{
	struct scene_help *help = ARENA_ARRAY(arena, struct scene_help, BINDING_COUNT + (size_t)command_count());
	*count = 0;
	for (int i = 0; i < command_count(); i++) {
		const struct command *command = command_item(i);
		if (has_binding(command))
			continue;
		help[(*count)++] = (struct scene_help){.group = command_group_name(command->group),
			.keys = "",
			.label = "",
			.line = arena_printf(arena, "%s %s", command->name, command->arguments),
			.text = _(command->help)};
	}
	for (size_t i = 0; i < BINDING_COUNT; i++)
		help[(*count)++] = help_of(&bindings[i]);
	return help;
}

/* Keys as they stand in a Markdown table. */
static void add_keys(struct buf *out, const char *keys)
{
	size_t length = 0;
	for (const char *name = next_key(keys, &length); name != NULL; name = next_key(name + length, &length))
		buf_printf(out, "%s`%.*s`", name == keys ? "" : " ", (int)length, name);
}

static void add_escaped(struct buf *out, const char *text)
{
	for (; text[0] != '\0'; text++) {
		if (text[0] == '|')
			buf_add_char(out, '\\');
		buf_add_char(out, text[0]);
	}
}

static void add_keys_table(struct buf *out)
{
	static const char *const panes[] = {"", "operations", "numbers", "", "", "", "numbers", ""};
	buf_add_text(out, "## Keys\n\n| keys | where | command |\n|---|---|---|\n");
	for (size_t i = 0; i < BINDING_COUNT; i++) {
		buf_add_text(out, "| ");
		add_keys(out, bindings[i].keys);
		buf_printf(out, " | %s | `%s` |\n", panes[bindings[i].panes & 7U], bindings[i].line);
	}
}

void keymap_markdown(struct buf *out)
{
	buf_add_text(out,
		"# Commands and keys\n\n"
		"Made from `src/app/command.def` and `src/tui/keymap.def`; a test compares, and\n"
		"`ROWSCOPE_UPDATE=1 make test` writes it anew.\n\n"
		"A key runs a command line; so do the `:` prompt, a script and a lesson. A word with spaces "
		"stands in double\n"
		"quotes. `[ ]` may be left out, `|` means or, capitals are what to fill in.\n");
	for (int group = 0; group < COMMAND_GROUPS; group++) {
		buf_printf(out, "\n## %s\n\n| command | what it does |\n|---|---|\n",
			command_group_name((enum command_group)group));
		for (int i = 0; i < command_count(); i++) {
			const struct command *command = command_item(i);
			if ((int)command->group != group)
				continue;
			buf_printf(out, "| `%s%s", command->name, command->arguments[0] != '\0' ? " " : "");
			add_escaped(out, command->arguments);
			buf_add_text(out, "` | ");
			add_escaped(out, command->help);
			buf_add_text(out, " |\n");
		}
	}
	buf_add_text(out, "\n");
	add_keys_table(out);
}

const char *keymap_check(void)
{
	for (size_t i = 0; i < BINDING_COUNT; i++) {
		size_t length = 0;
		const char *keys = bindings[i].keys;
		for (const char *name = next_key(keys, &length); name != NULL; name = next_key(name + length, &length))
			if (term_key_parse(name, length) == 0)
				return keys;
		if (command_of(bindings[i].line) == NULL)
			return bindings[i].line;
	}
	return NULL;
}
