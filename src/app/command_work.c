/* Commands that open, write and leave. */
#include <string.h>

#include "app/command_run.h"
#include "app/data.h"
#include "base/file.h"
#include "base/i18n.h"
#include "export/export.h"
#include "view/screen.h"
#include "view/view.h"

/* Is this folder a trace? */
static bool is_trace(const char *path)
{
	struct err ignored = ERR_INIT;
	char file[512];
	return file_is_folder(path) && file_join(file, sizeof file, path, "trace.json", &ignored) && file_exists(file);
}

static bool is_batch_file(const char *path)
{
	size_t length = strlen(path);
	return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

bool command_open(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	if (args->count == 0)
		return err_usage(err, "open", _("a trace folder, a batch file, or a model and prompts were expected"));
	const char *what = args->words[0];
	*next |= COMMAND_REDRAW;
	bool ok = false;
	if (is_trace(what))
		ok = session_open_trace(session, what, args->count > 1 ? args->words[1] : NULL, err);
	else if (is_batch_file(what))
		ok = session_open_batch(session, what, NULL, err);
	else if (args->count == 1)
		ok = session_open_example(session, what, err);
	else
		ok = session_open_prompts(session, what, args->words + 1, args->count - 1, err);
	return ok;
}

bool command_run_all(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)args;
	if (!session_needs_pass(session, err))
		return false;
	for (bool ran = true; ran;)
		if (!session_advance(session, &ran, err))
			return false;
	session_say(session, _("All passes are there: 0 to %lld."),
		(long long)trace_pass_count(session->scene.trace) - 1);
	*next |= COMMAND_REDRAW;
	return true;
}

#define EXPORT_COLUMNS 100
#define EXPORT_LINES 30

static bool export_screen(struct session *session, const struct export_format *format, struct buf *out, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct scene plain = session->scene;
	plain.message = "";
	plain.help_count = 0;
	struct grid grid = grid_new(&arena, EXPORT_COLUMNS, EXPORT_LINES);
	struct export_options options = {.theme = theme_find(session->theme)};
	screen_draw(&plain, &grid);
	struct grid figure = grid_sub(&grid, 0, 0, EXPORT_COLUMNS, EXPORT_LINES - SCREEN_FOOT); /* no keys on a slide */
	bool ok = export_grid(format, &figure, &options, out, err);
	arena_free(&arena);
	return ok;
}

static bool export_view_table(struct session *session, const struct export_format *format, struct buf *out,
	struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct table *table = NULL;
	bool ok = session->scene.view->table(&session->scene, &arena, &table, err) &&
		export_table(format, table, NULL, out, err);
	arena_free(&arena);
	return ok;
}

bool command_write_view(struct session *session, const struct export_format *format, const char *what, struct buf *out,
	struct err *err)
{
	bool is_picture = format->table == NULL || strcmp(format->name, "text") == 0;
	if (what == NULL)
		what = is_picture ? "view" : "table";
	if (strcmp(what, "view") == 0)
		return export_screen(session, format, out, err);
	if (strcmp(what, "table") == 0)
		return export_view_table(session, format, out, err);
	return err_usage(err, what, _("view or table was expected."));
}

bool command_export(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	const struct export_format *format = NULL;
	bool replace = args->count > 1 && strcmp(args->words[args->count - 1], "force") == 0;
	int count = args->count - replace;
	if (count < 1 || count > 2)
		return err_usage(err, "export",
			_("a file name was expected, as in  export mask.svg  or  export logits.csv"));
	if (!export_choose(&format, NULL, args->words[0], err))
		return false;
	struct buf out = BUF_INIT;
	bool ok = command_write_view(session, format, count > 1 ? args->words[1] : NULL, &out, err) &&
		export_save(args->words[0], &out, replace, err);
	if (ok)
		session_say(session, _("Wrote %s, %zu bytes."), args->words[0], out.length);
	else if (err->is_taken)
		err_hint(err, _("`force` at the end of the line replaces it"));
	buf_free(&out);
	*next |= COMMAND_REDRAW;
	return ok;
}

bool command_copy(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	bool is_view = args->count > 0 && strcmp(args->words[0], "view") == 0;
	*next |= COMMAND_REDRAW;
	buf_clear(&session->copy);
	if (is_view)
		return export_screen(session, export_find("text"), &session->copy, err);
	struct command_args none = {.rest = ""};
	if (!command_cell(session, &none, next, err))
		return false;
	buf_add_text(&session->copy, buf_text(&session->result.text));
	return true;
}

bool command_quit(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)session;
	(void)args;
	(void)err;
	*next |= COMMAND_QUIT;
	return true;
}

/* From a view that lies over another, back to that; from the first one, out. */
bool command_close(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	const struct view *first = view_find("tensor");
	bool only_view = args->count > 0 && strcmp(args->words[0], "view") == 0;
	(void)err;
	if (scene->view == first || strcmp(scene->view->name, "home") == 0) {
		*next |= only_view ? COMMAND_REDRAW : COMMAND_QUIT;
		return true;
	}
	scene->view = scene->view == session->return_view ? first : session->return_view;
	session->return_view = first;
	scene->focus = scene->view == first ? SCENE_OPS : SCENE_MAIN;
	scene->scroll = 0;
	*next |= COMMAND_REDRAW;
	return true;
}

/* What opening means depends on what the cursor is on. */
bool command_choose(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	const char *view = scene->view->name;
	if (strcmp(view, "home") == 0 && scene->home_count > 0) {
		int64_t at = scene->scroll < scene->home_count ? scene->scroll : scene->home_count - 1;
		return command_run(session, scene->home[at].line, next, err);
	}
	if (strcmp(view, "explain") == 0)
		return command_follow(session, args, next, err);
	if (strcmp(view, "tensor") == 0)
		return scene->focus == SCENE_OPS ? command_pane(session, args, next, err)
						 : command_explain(session, args, next, err);
	struct command_args tensor = {.rest = "tensor", .count = 1, .words = {"tensor"}};
	return command_view(session, &tensor, next, err);
}
