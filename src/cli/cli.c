#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/data.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "export/export.h"
#include "tensor/kernels.h"
#include "trace/nearest.h"
#include "tui/term.h"

static const struct cli_option no_options[] = {{0}};

static const struct subcommand subcommands[] = {
#define SUBCOMMAND(name, usage, summary) {#name, usage, summary, cmd_##name##_options, cmd_##name},
#include "cli/subcommand.def"
#undef SUBCOMMAND
};

const struct subcommand *cli_subcommand(size_t i)
{
	return i < sizeof subcommands / sizeof *subcommands ? &subcommands[i] : NULL;
}

/* --- what subcommands share --- */

void cli_say(const struct cli *cli, const char *format, ...)
{
	va_list args;
	if (cli->quiet || cli->json)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

bool cli_print(const struct buf *out, struct err *err)
{
	if (fwrite(buf_text(out), 1, out->length, stdout) == out->length && fflush(stdout) == 0)
		return true;
	return err_system(err, NULL, errno, _("standard output cannot be written"));
}

bool cli_print_table(const struct cli *cli, const struct table *table, struct err *err)
{
	struct buf out = BUF_INIT;
	struct export_options options = {.depth = cli->color ? THEME_256 : THEME_MONO};
	bool ok = export_table(export_find("text"), table, &options, &out, err) && cli_print(&out, err);
	buf_free(&out);
	return ok;
}

const char *cli_join(struct cli *cli, int first)
{
	struct buf text = BUF_INIT;
	for (int i = first; i < cli->args.count; i++)
		buf_printf(&text, "%s%s", i > first ? " " : "", cli->args.words[i]);
	const char *joined = arena_strdup(&cli->arena, buf_text(&text));
	buf_free(&text);
	return joined;
}

bool cli_words(const struct cli *cli, int least, int most, struct err *err)
{
	if (cli->args.count < least)
		return err_usage(err, NULL, _("something is missing; expected: rowscope %s %s"), cli->subcommand->name,
			cli->subcommand->usage);
	if (most >= 0 && cli->args.count > most)
		return err_usage(err, cli->args.words[most], _("this is one word too many; expected: rowscope %s %s"),
			cli->subcommand->name, cli->subcommand->usage);
	return true;
}

/* --- errors and help --- */

static void add_json_error(struct buf *out, const struct err *err)
{
	struct json_writer writer;
	json_writer_init(&writer, out, false);
	json_begin_object(&writer);
	json_key(&writer, "error");
	json_begin_object(&writer);
	json_put_string(&writer, "kind",
		err->kind == ERR_USAGE           ? "usage"
			: err->kind == ERR_INPUT ? "input"
						 : "system");
	json_put_string(&writer, "message", err->message);
	json_put_string(&writer, "file", err->file);
	json_put_string(&writer, "where", err->where);
	json_end_object(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* Says the error where it belongs and gives the exit status. */
static int fail(struct err *err, bool json)
{
	if (err->is_taken)
		err_hint(err, _("--force replaces it"));
	struct buf out = BUF_INIT;
	struct err ignored = ERR_INIT;
	if (json)
		add_json_error(&out, err);
	if (!json || !cli_print(&out, &ignored)) {
		fputs("rowscope: ", stderr);
		err_print(err, stderr);
	}
	buf_free(&out);
	return err_exit_status(err);
}

static void add_general_help(struct buf *out)
{
	buf_add_text(out,
		_("rowscope: a time-travel debugger for one batch of language-model requests\n\n"
		  "usage: rowscope COMMAND [options]\n\n"));
	for (size_t i = 0; cli_subcommand(i) != NULL; i++) {
		buf_printf(out, "  %-10s  ", subcommands[i].name);
		cli_wrap(out, _(subcommands[i].summary), 14);
	}
	buf_add_text(out, _("\nOptions of every command:\n"));
	cli_options_help(out, cli_common_options);
	buf_add_text(out, _("\nTry: rowscope run tiny-stories \"Once upon a time\" \"The little dog\"\n"));
}

static void add_help(struct buf *out, const struct subcommand *subcommand)
{
	buf_printf(out, _("usage: rowscope %s %s [options]\n\n"), subcommand->name, subcommand->usage);
	cli_wrap(out, _(subcommand->summary), 0);
	if (subcommand->options->name != NULL) {
		buf_add_text(out, _("\nOptions:\n"));
		cli_options_help(out, subcommand->options);
	}
	buf_add_text(out, _("\nOptions of every command:\n"));
	cli_options_help(out, cli_common_options);
}

static int print_help(const struct subcommand *subcommand)
{
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	if (subcommand == NULL)
		add_general_help(&out);
	else
		add_help(&out, subcommand);
	int status = cli_print(&out, &err) ? 0 : fail(&err, false);
	buf_free(&out);
	return status;
}

static int print_version(void)
{
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	buf_printf(&out, "rowscope %s\n", ROWSCOPE_VERSION);
	int status = cli_print(&out, &err) ? 0 : fail(&err, false);
	buf_free(&out);
	return status;
}

/* --- the call --- */

static const struct subcommand *find_subcommand(const char *name, struct err *err)
{
	const char *names[32];
	size_t count = 0;
	if (name[0] == '-' && name[1] != '\0') {
		err_usage(err, name, _("every command has other options; name the command first, and this behind it"));
		return NULL;
	}
	for (; cli_subcommand(count) != NULL && count < 32; count++) {
		if (strcmp(subcommands[count].name, name) == 0)
			return &subcommands[count];
		names[count] = subcommands[count].name;
	}
	const char *near = nearest_name(name, names, count);
	if (near != NULL)
		err_usage(err, name, _("there is no such command; did you mean %s?"), near);
	else
		err_usage(err, name, _("there is no such command; rowscope --help lists them"));
	return NULL;
}

static bool set_color(struct cli *cli, struct err *err)
{
	const char *when = cli_value(&cli->args, "color"), *none = getenv("NO_COLOR"), *term = getenv("TERM");
	bool auto_color = isatty(STDOUT_FILENO) != 0 && (none == NULL || none[0] == '\0') && term != NULL &&
		strcmp(term, "dumb") != 0;
	if (when == NULL || strcmp(when, "auto") == 0)
		cli->color = auto_color;
	else if (strcmp(when, "always") == 0 || strcmp(when, "never") == 0)
		cli->color = when[0] == 'a';
	else
		return err_usage(err, "--color", _("expected auto, always or never, got \"%.60s\""), when);
	return true;
}

static bool set_language(const char *language, struct err *err)
{
	char folder[512];
	struct err none = ERR_INIT;
	if (language != NULL && strcmp(language, "en") != 0 && strcmp(language, "zh") != 0)
		return err_usage(err, "--lang", "expected en or zh, got \"%.60s\"", language);
	bool found = data_find(folder, sizeof folder, "locale", "zh", &none);
	char *slash = found ? strrchr(folder, '/') : NULL;
	if (slash != NULL)
		*slash = '\0';
	i18n_start(language, slash != NULL ? folder : NULL);
	return true;
}

/* The language is needed before anything is said, so it is looked for ahead of parsing. */
static const char *early_language(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--lang") == 0 && i + 1 < argc)
			return argv[i + 1];
		if (strncmp(argv[i], "--lang=", 7) == 0)
			return argv[i] + 7;
	}
	return NULL;
}

static bool asks_for_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			return true;
	}
	return false;
}

static bool check_arithmetic(struct err *err)
{
	const char *why;
	return kernels_check(&why) || err_system(err, NULL, 0, "%s", why);
}

static int run_subcommand(const struct subcommand *subcommand, struct cli *cli, int argc, char **argv, struct err *err)
{
	cli->subcommand = subcommand;
	if (!cli_parse(&cli->args, subcommand->options, argc, argv, &cli->arena, err) || !set_color(cli, err))
		return fail(err, cli->json);
	cli->quiet = cli_has(&cli->args, "quiet");
	if (cli_has(&cli->args, "help"))
		return print_help(subcommand);
	if (cli_has(&cli->args, "version"))
		return print_version();
	if (!check_arithmetic(err) || !subcommand->run(cli, err))
		return fail(err, cli->json);
	return cli->status;
}

/* The program without a command: what was asked for, else the home screen, else the help. */
static int run_nothing(struct cli *cli, int argc, char **argv, struct err *err)
{
	char home[] = "--home";
	char **at_home = ARENA_ARRAY(&cli->arena, char *, argc + 1);
	if (!cli_parse(&cli->args, no_options, argc, argv, &cli->arena, err))
		return fail(err, cli->json);
	if (cli_has(&cli->args, "version"))
		return print_version();
	if (cli_has(&cli->args, "help"))
		return print_help(NULL);
	if (cli->json) {
		err_usage(err, "--json", _("name a command too; rowscope --help lists them"));
		return fail(err, true);
	}
	if (!term_is_usable())
		return print_help(NULL);
	memcpy(at_home, argv, (size_t)argc * sizeof *argv);
	at_home[argc] = home;
	return run_subcommand(find_subcommand("view", err), cli, argc + 1, at_home, err);
}

/* `rowscope help [COMMAND]` */
static int run_help(const struct cli *cli, int argc, char **argv, struct err *err)
{
	int at = cli_command_place(argc, argv);
	if (at == argc)
		return print_help(NULL);
	const struct subcommand *subcommand = find_subcommand(argv[at], err);
	return subcommand == NULL ? fail(err, cli->json) : print_help(subcommand);
}

int cli_main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct cli cli = {.json = asks_for_json(argc, argv)};
	int status, count = argc > 0 ? argc - 1 : 0, at = cli_command_place(count, argv + 1);
	if (!set_language(early_language(argc, argv), &err))
		return fail(&err, cli.json);
	if (at == count) {
		status = run_nothing(&cli, count, argv + 1, &err);
	} else {
		/* what stands before the command is what stands behind it */
		char *command = argv[1 + at];
		memmove(argv + 2, argv + 1, (size_t)at * sizeof *argv);
		const struct subcommand *subcommand = NULL;
		if (strcmp(command, "help") == 0)
			status = run_help(&cli, count - 1, argv + 2, &err);
		else if ((subcommand = find_subcommand(command, &err)) == NULL)
			status = fail(&err, cli.json);
		else
			status = run_subcommand(subcommand, &cli, count - 1, argv + 2, &err);
	}
	arena_free(&cli.arena);
	return status;
}
