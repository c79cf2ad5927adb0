/* rowscope script: command lines from a file, run without a screen. What they answer goes to standard output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/session.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/plain.h"
#include "draw/show.h"

const struct cli_option cmd_script_options[] = {
	{"screen", 0, NULL, N_("print the view after every command")},
	{0},
};

#define SCRIPT_MAX_BYTES (1 << 20)

struct script {
	struct cli *cli;
	struct session *session;
	struct json_writer writer; /* of --json */
	struct buf out;
};

static void tell_json(struct script *script, const char *line)
{
	const struct session_result *result = &script->session->result;
	json_begin_object(&script->writer);
	json_key(&script->writer, "command");
	json_add_string(&script->writer, line);
	json_key(&script->writer, "answer");
	if (result->kind == SESSION_NOTHING)
		json_add_null(&script->writer);
	else if (result->kind == SESSION_NUMBER)
		json_add_double(&script->writer, result->number);
	else if (result->kind == SESSION_TRUTH)
		json_add_bool(&script->writer, result->truth);
	else if (result->kind == SESSION_SHAPE) {
		json_begin_array(&script->writer);
		for (int i = 0; i < result->rank; i++)
			json_add_int(&script->writer, result->shape[i]);
		json_end_array(&script->writer);
	} else
		json_add_bytes(&script->writer, buf_text(&result->text), result->text.length);
	json_end_object(&script->writer);
}

static bool tell(struct script *script, const char *line, struct err *err)
{
	const struct session_result *result = &script->session->result;
	if (script->cli->json) {
		tell_json(script, line);
		return true;
	}
	if (result->kind != SESSION_NOTHING) {
		struct buf text = BUF_INIT;
		show_foreign(&text, buf_text(&result->text), result->text.length);
		buf_add_char(&text, '\n');
		bool ok = cli_print(&text, err);
		buf_free(&text);
		if (!ok)
			return false;
	}
	return !cli_has(&script->cli->args, "screen") || plain_view(script->session, err);
}

/* Runs lines until one fails; its error names the line. */
static bool run_lines(struct script *script, const char *file, char *text, struct err *err)
{
	bool ok = true, over = false;
	for (int number = 1; ok && !over && text[0] != '\0'; number++) {
		size_t length = strcspn(text, "\n");
		char *rest = text + length + (text[length] == '\n');
		text[length] = '\0';
		unsigned next = 0;
		struct err own = ERR_INIT;
		if (!session_run(script->session, text, &next, &own)) {
			char where[32], what[768];
			snprintf(where, sizeof where, "line %d", number);
			err_text(&own, what, sizeof what);
			ok = err_input(err, file, where, "%s", what);
		} else if (text[strspn(text, " \t\r")] != '\0' && text[strspn(text, " \t\r")] != '#') {
			ok = tell(script, text, err);
		}
		over = (next & COMMAND_QUIT) != 0;
		text = rest;
	}
	return ok;
}

static bool read_input(struct cli *cli, char **text, struct err *err)
{
	struct buf in = BUF_INIT;
	char piece[4096];
	for (size_t length; in.length <= SCRIPT_MAX_BYTES && (length = fread(piece, 1, sizeof piece, stdin)) > 0;)
		buf_add(&in, piece, length);
	bool ok = ferror(stdin) == 0 || err_system(err, NULL, errno, _("standard input cannot be read"));
	*text = arena_strndup(&cli->arena, buf_text(&in), in.length);
	buf_free(&in);
	return ok;
}

bool cmd_script(struct cli *cli, struct err *err)
{
	if (!cli_words(cli, 1, 1, err))
		return false;
	const char *file = cli->args.words[0];
	struct script script = {.cli = cli, .out = BUF_INIT};
	char *text = NULL;
	size_t length = 0;
	bool is_input = strcmp(file, "-") == 0;
	if (is_input ? !read_input(cli, &text, err)
		     : !file_load(file, SCRIPT_MAX_BYTES, &cli->arena, &text, &length, err))
		return false;
	script.session = session_new();
	json_writer_init(&script.writer, &script.out, true);
	json_begin_array(&script.writer);
	bool ok = run_lines(&script, is_input ? NULL : file, text, err);
	json_end_array(&script.writer);
	buf_add_char(&script.out, '\n');
	if (ok && cli->json)
		ok = cli_print(&script.out, err);
	buf_free(&script.out);
	session_delete(script.session);
	return ok;
}
