/* rowscope view: the terminal program on a recorded trace or a live run; the same content as text where there is no
 * full screen. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/session.h"
#include "base/file.h"
#include "base/i18n.h"
#include "cli/commands.h"
#include "cli/full_screen.h"
#include "cli/plain.h"
#include "cli/setup.h"
#include "cli/stop.h"
#include "tui/loop.h"
#include "view/view.h"

const struct cli_option cmd_view_options[] = {
	SETUP_OPTIONS,
	{"model", 'm', N_("MODEL"), N_("the model of a trace that was made with no bundled one")},
	{"theme", 0, N_("NAME"), N_("dark, light, projector or mono (dark)")},
	{"home", 0, NULL, N_("begin with the list of what can be opened")},
	{"plain", 0, NULL, N_("print text instead of taking the whole terminal")},
	{0},
};

static bool open_run(struct session *session, struct cli *cli, bool has_rows, struct err *err)
{
	struct setup setup;
	if (!(has_rows ? setup_open(&setup, cli, err) : setup_open_example(&setup, cli, err)))
		return false;
	struct session_options options = {.run = setup.run, .faults = setup.faults, .fault_count = setup.fault_count};
	options.run.rewrite_count = 0; /* the session applies the faults to its own plan */
	struct model *model = setup.model;
	setup.model = NULL;
	bool ok = session_open_run(session, model, &setup.batch, &options, err);
	setup_close(&setup);
	return ok;
}

/* A trace, a model's own batch, or what the options of `run` say. Nothing at all: the worked example. */
static bool open_what_is_asked(struct session *session, struct cli *cli, struct err *err)
{
	const struct cli_args *args = &cli->args;
	const char *what = args->count > 0 ? args->words[0] : "three-requests";
	bool has_rows = args->count > 1 || cli_has(args, "batch") || cli_has(args, "tokens"), is_trace = false;
	if (!setup_trace(cli, &is_trace, err))
		return false;
	if (is_trace)
		return session_open_trace(session, what, cli_value(args, "model"), err);
	if (has_rows || setup_has_options(cli))
		return open_run(session, cli, has_rows, err);
	return session_open_example(session, what, err);
}

/* The views that say everything, one after the other: for screen readers, pipes and TERM=dumb. */
static bool print_views(struct session *session, struct cli *cli, struct err *err)
{
	const char *name = session->scene.trace != NULL ? "timeline" : "home";
	bool ran = true;
	stop_watch();
	while (ran && !stop_wanted())
		if (!session_advance(session, &ran, err))
			return false;
	if (stop_wanted())
		cli->status = CLI_STATUS_INTERRUPTED;
	struct table *table = NULL;
	if (!view_find(name)->table(&session->scene, &cli->arena, &table, err))
		return false;
	return cli->json ? plain_json(table, err) : cli_print_table(cli, table, err);
}

bool cmd_view(struct cli *cli, struct err *err)
{
	struct session *session = session_new();
	bool is_home = cli_has(&cli->args, "home") && cli->args.count == 0;
	bool ok = full_screen_theme(session, cli, err) && (is_home || open_what_is_asked(session, cli, err));
	bool is_plain = cli_has(&cli->args, "plain") || cli->json;
	if (ok && !is_plain && !term_is_usable() && isatty(STDOUT_FILENO))
		cli_say(cli, _("this terminal cannot show the screen (TERM is \"%.40s\"); as text instead:"),
			getenv("TERM") != NULL ? getenv("TERM") : "");
	if (ok && (is_plain || !term_is_usable()))
		ok = print_views(session, cli, err);
	else if (ok)
		ok = full_screen_run(session, cli, err);
	session_delete(session);
	return ok;
}
