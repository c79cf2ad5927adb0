#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/utf8.h"
#include "trace/nearest.h"

const struct cli_option cli_common_options[] = {
	{"json", 0, NULL, N_("print one JSON document to standard output and nothing else there")},
	{"quiet", 'q', NULL, N_("no messages and no progress")},
	{"color", 0, N_("WHEN"), N_("auto, always or never; NO_COLOR is honoured")},
	{"lang", 0, N_("LANG"), N_("language of messages: en or zh")},
	{"help", 'h', NULL, N_("this text")},
	{"version", 0, NULL, N_("the version")},
	{0},
};

static const struct cli_option *find(const struct cli_args *args, const char *name, size_t length, char letter)
{
	for (int t = 0; t < 2; t++) {
		for (const struct cli_option *option = args->tables[t]; option->name != NULL; option++) {
			if (letter != 0 ? option->letter == letter
					: strlen(option->name) == length && memcmp(option->name, name, length) == 0)
				return option;
		}
	}
	return NULL;
}

static bool unknown(const struct cli_args *args, const char *word, struct err *err)
{
	const char *names[128];
	size_t count = 0;
	for (int t = 0; t < 2; t++) {
		for (const struct cli_option *o = args->tables[t]; o->name != NULL && count < 128; o++)
			names[count++] = o->name;
	}
	const char *near = nearest_name(word + strspn(word, "-"), names, count);
	if (near != NULL)
		return err_usage(err, word, _("there is no such option here; did you mean --%s?"), near);
	return err_usage(err, word, _("there is no such option here; --help lists them"));
}

/* Takes the option at argv[*i] and, where it needs one, its value. */
static bool take_option(struct cli_args *args, int argc, char **argv, int *i, struct err *err)
{
	const char *word = argv[*i];
	bool is_long = word[1] == '-';
	const char *equals = is_long ? strchr(word, '=') : NULL;
	size_t length = equals != NULL ? (size_t)(equals - word) - 2 : strlen(word) - (is_long ? 2 : 0);
	const struct cli_option *option = is_long ? find(args, word + 2, length, 0) : find(args, NULL, 0, word[1]);
	if (option == NULL || (!is_long && word[2] != '\0' && option->argument == NULL))
		return unknown(args, word, err);
	const char *value = equals != NULL ? equals + 1 : !is_long && word[2] != '\0' ? word + 2 : NULL;
	if (option->argument == NULL && value != NULL)
		return err_usage(err, word, _("--%s takes no value"), option->name);
	if (option->argument != NULL && value == NULL) {
		if (*i + 1 >= argc)
			return err_usage(err, word, _("--%s needs a value: %s"), option->name, _(option->argument));
		value = argv[++*i];
	}
	args->names[args->given] = option->name;
	args->values[args->given++] = value;
	return true;
}

bool cli_parse(struct cli_args *args, const struct cli_option *options, int argc, char **argv, struct arena *arena,
	struct err *err)
{
	*args = (struct cli_args){.tables = {options, cli_common_options}};
	args->names = ARENA_ARRAY(arena, const char *, argc + 1);
	args->values = ARENA_ARRAY(arena, const char *, argc + 1);
	args->words = ARENA_ARRAY(arena, const char *, argc + 1);
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			while (++i < argc)
				args->words[args->count++] = argv[i];
		} else if (argv[i][0] != '-' || argv[i][1] == '\0') {
			args->words[args->count++] = argv[i];
		} else if (!take_option(args, argc, argv, &i, err)) {
			return false;
		}
	}
	return true;
}

int cli_command_place(int argc, char **argv)
{
	int i = 0;
	const struct cli_args common = {.tables = {cli_common_options, cli_common_options}};
	for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
		const char *word = argv[i];
		bool is_long = word[1] == '-';
		size_t length = is_long ? strcspn(word + 2, "=") : 0;
		const struct cli_option *option =
			find(&common, is_long ? word + 2 : NULL, length, is_long ? 0 : word[1]);
		if (option == NULL)
			return i;
		if (option->argument != NULL && (!is_long || word[2 + length] == '\0'))
			i++;
	}
	return i < argc ? i : argc;
}

bool cli_has(const struct cli_args *args, const char *name)
{
	for (int i = 0; i < args->given; i++) {
		if (strcmp(args->names[i], name) == 0)
			return true;
	}
	return false;
}

const char *cli_value(const struct cli_args *args, const char *name)
{
	const char *value = NULL;
	for (int i = 0; i < args->given; i++) {
		if (strcmp(args->names[i], name) == 0)
			value = args->values[i];
	}
	return value;
}

const char **cli_values(const struct cli_args *args, const char *name, struct arena *arena, int *count)
{
	const char **values = ARENA_ARRAY(arena, const char *, args->given + 1);
	*count = 0;
	for (int i = 0; i < args->given; i++) {
		if (strcmp(args->names[i], name) == 0)
			values[(*count)++] = args->values[i];
	}
	return values;
}

bool cli_int(const struct cli_args *args, const char *name, int64_t low, int64_t high, int64_t *value, struct err *err)
{
	const char *text = cli_value(args, name);
	char *end;
	if (text == NULL)
		return true;
	errno = 0;
	long long number = strtoll(text, &end, 10);
	if (text[0] == '\0' || text[0] == ' ' || *end != '\0' || errno != 0 || number < low || number > high) {
		char where[64];
		snprintf(where, sizeof where, "--%s", name);
		return err_usage(err, where, _("expected a whole number from %lld to %lld, got \"%.60s\""),
			(long long)low, (long long)high, text);
	}
	*value = number;
	return true;
}

bool cli_names(const struct cli_args *args, bool *hooks, struct err *err)
{
	const char *text = cli_value(args, "names");
	*hooks = text != NULL;
	return text == NULL || strcmp(text, "transformerlens") == 0 ||
		err_usage(err, "--names", _("expected transformerlens, got \"%.60s\""), text);
}

#define HELP_WIDTH 79
#define HELP_LEFT 30 /* columns before the sentence; an option that needs more has a line of its own */

/* Bytes of a text that go on one line of `columns`: broken at a space where there is one, else where the line is full. */
static size_t line_length(const char *text, int columns)
{
	int used;
	size_t fits = utf8_fit(text, columns, &used), end = fits;
	while (text[fits] != '\0' && end > 0 && text[end] != ' ')
		end--;
	return end > 0 ? end : fits;
}

void cli_wrap(struct buf *out, const char *text, int indent)
{
	while (text[0] != '\0') {
		size_t length = line_length(text, HELP_WIDTH - indent);
		if (length == 0)
			length = strlen(text);
		buf_add(out, text, length);
		text += length;
		text += strspn(text, " ");
		if (text[0] != '\0')
			buf_printf(out, "\n%*s", indent, "");
	}
	buf_add_char(out, '\n');
}

/* "  -o, --output DIR"; returns its columns. */
static int option_text(const struct cli_option *option, char text[80])
{
	int length = snprintf(text, 80, option->letter != 0 ? "  -%c, --%s" : "  %c   --%s",
		option->letter != 0 ? option->letter : ' ', option->name);
	if (option->argument != NULL)
		snprintf(text + length, 80 - (size_t)length, " %s", _(option->argument));
	return utf8_width(text);
}

void cli_options_help(struct buf *out, const struct cli_option *options)
{
	char text[80];
	for (const struct cli_option *option = options; option->name != NULL; option++) {
		int width = option_text(option, text);
		if (width + 2 <= HELP_LEFT)
			buf_printf(out, "%s%*s", text, HELP_LEFT - width, "");
		else
			buf_printf(out, "%s\n%*s", text, HELP_LEFT, "");
		cli_wrap(out, _(option->help), HELP_LEFT);
	}
}
