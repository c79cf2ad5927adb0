/* rowscope lesson: lessons in the terminal program, line by line without a screen, and checked without a learner. */
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/lesson_judge.h"
#include "app/lesson_progress.h"
#include "app/lesson_run.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/full_screen.h"
#include "cli/plain.h"
#include "tui/loop.h"

const struct cli_option cmd_lesson_options[] = {
	{"lessons", 0, N_("DIR"), N_("a folder of your own lessons (Markdown), besides the bundled ones")},
	{"theme", 0, N_("NAME"), N_("dark, light, projector or mono (dark)")},
	{"plain", 0, NULL, N_("line by line, without taking the whole terminal")},
	{0},
};

/* --- list --- */

static bool list(struct cli *cli, struct err *err)
{
	const char *folder = cli_value(&cli->args, "lessons");
	struct table *table = table_new(&cli->arena, "lessons");
	size_t count = 0;
	table_add_column(table, "id", TABLE_TEXT);
	table_add_column(table, "title", TABLE_TEXT);
	table_add_column(table, "steps", TABLE_INT);
	table_add_column(table, "reached", TABLE_INT);
	const char **ids = lesson_list(folder, &cli->arena, &count);
	for (size_t i = 0; i < count; i++) {
		char path[512];
		struct lesson lesson;
		if (!lesson_find(path, sizeof path, ids[i], folder, err) || !lesson_load(&lesson, path, err))
			return false;
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, 0, lesson.id);
		table_set_string(table, row, 1, lesson.title);
		table_set_int(table, row, 2, lesson.step_count);
		table_set_int(table, row, 3, lesson_progress_read(lesson.id));
		lesson_free(&lesson);
	}
	return cli->json ? plain_json(table, err) : cli_print_table(cli, table, err);
}

/* --- check --- */

static void add_json(struct json_writer *writer, const char *path, const struct lesson_verdict *verdict)
{
	json_begin_object(writer);
	json_key(writer, "file");
	json_add_string(writer, path);
	json_key(writer, "ok");
	json_add_bool(writer, verdict->failed == 0);
	json_key(writer, "checks");
	json_add_int(writer, verdict->checks);
	json_key(writer, "failed");
	json_add_int(writer, verdict->failed);
	json_key(writer, "report");
	json_add_string(writer, buf_text(&verdict->report));
	json_end_object(writer);
}

/* Checks one lesson in a session of its own. */
static bool check_one(const char *name, const char *folder, struct lesson_verdict *verdict, struct err *err)
{
	char path[512];
	if (!lesson_find(path, sizeof path, name, folder, err))
		return false;
	struct session *session = session_new();
	bool ok = lesson_run_verify(session, path, verdict, err);
	session_delete(session);
	return ok;
}

static bool check(struct cli *cli, struct err *err)
{
	struct buf out = BUF_INIT;
	struct json_writer writer;
	int checks = 0, failed = 0;
	bool ok = cli_words(cli, 2, -1, err);
	json_writer_init(&writer, &out, true);
	if (cli->json)
		json_begin_array(&writer);
	for (int i = 1; ok && i < cli->args.count; i++) {
		struct lesson_verdict verdict = {0};
		ok = check_one(cli->args.words[i], cli_value(&cli->args, "lessons"), &verdict, err);
		checks += verdict.checks;
		failed += verdict.failed;
		if (cli->json)
			add_json(&writer, cli->args.words[i], &verdict);
		else
			buf_add(&out, buf_text(&verdict.report), verdict.report.length);
		buf_free(&verdict.report);
	}
	if (cli->json)
		json_end_array(&writer);
	else if (ok)
		buf_printf(&out, _("%d checks, %d failed"), checks, failed);
	buf_add_char(&out, '\n');
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	if (failed > 0)
		cli->status = CLI_STATUS_FOUND;
	return ok;
}

/* --- a learner --- */

static bool learn(struct cli *cli, struct err *err)
{
	struct session *session = session_new();
	const char *folder = cli_value(&cli->args, "lessons");
	bool ok = true;
	if (folder != NULL && strlen(folder) >= sizeof session->lesson_folder)
		ok = err_usage(err, "--lessons", _("the path is too long"));
	else if (folder != NULL)
		memcpy(session->lesson_folder, folder, strlen(folder) + 1);
	ok = ok && full_screen_theme(session, cli, err) && lesson_run_start(session, cli->args.words[0], err);
	if (ok && (cli_has(&cli->args, "plain") || !term_is_usable()))
		ok = plain_lesson(session, stdin, err);
	else if (ok)
		ok = full_screen_run(session, cli, err);
	session_delete(session);
	return ok;
}

bool cmd_lesson(struct cli *cli, struct err *err)
{
	const char *what = cli->args.count > 0 ? cli->args.words[0] : "list";
	if (strcmp(what, "list") == 0)
		return list(cli, err);
	if (strcmp(what, "check") == 0)
		return check(cli, err);
	if (cli->json)
		return err_usage(err, "--json",
			_("a lesson is for people; `lesson list` and `lesson check` give JSON"));
	return cli_words(cli, 1, 1, err) && learn(cli, err);
}
