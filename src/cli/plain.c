#include "cli/plain.h"

#include <stdlib.h>
#include <string.h>

#include "app/lesson_run.h"
#include "base/i18n.h"
#include "cli/cli.h"
#include "draw/show.h"
#include "export/export.h"
#include "view/view.h"

#define PLAIN_COLUMNS 79
#define PLAIN_LINES 22

bool plain_json(const struct table *table, struct err *err)
{
	struct buf out = BUF_INIT;
	bool ok = export_table(export_find("json"), table, NULL, &out, err) && cli_print(&out, err);
	buf_free(&out);
	return ok;
}

/* One blank line where there are several. */
static void close_gaps(struct buf *out)
{
	size_t kept = 0;
	for (size_t i = 0; i < out->length; i++) {
		bool is_gap =
			kept >= 2 && out->data[i] == '\n' && out->data[kept - 1] == '\n' && out->data[kept - 2] == '\n';
		if (!is_gap)
			out->data[kept++] = out->data[i];
	}
	out->length = kept;
}

/* Without the blank lines at the end, then one. */
static void close_paragraph(struct buf *out)
{
	while (out->length > 0 && strchr(" \n", out->data[out->length - 1]) != NULL)
		out->length--;
	buf_add_text(out, "\n\n");
}

bool plain_view(struct session *session, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct buf out = BUF_INIT;
	struct grid grid = grid_new(&arena, PLAIN_COLUMNS, PLAIN_LINES);
	view_draw(session->scene.view, &session->scene, &grid);
	bool ok = export_grid(export_find("text"), &grid, NULL, &out, err);
	if (ok) {
		close_gaps(&out);
		close_paragraph(&out);
		ok = cli_print(&out, err);
	}
	buf_free(&out);
	arena_free(&arena);
	return ok;
}

/* Foreign text wrapped to the width of a page. */
static void add_wrapped(struct buf *out, const char *text)
{
	struct arena arena = ARENA_INIT;
	struct err ignored = ERR_INIT;
	struct buf part = BUF_INIT;
	struct grid scrap = grid_new(&arena, PLAIN_COLUMNS, 400);
	int lines = scene_draw_text(&scrap, 0, style_of(STYLE_NORMAL), text);
	struct grid page = grid_sub(&scrap, 0, 0, PLAIN_COLUMNS, lines);
	if (lines > 0 && export_grid(export_find("text"), &page, NULL, &part, &ignored)) {
		close_paragraph(&part);
		buf_add(out, part.data, part.length - 1);
	}
	buf_free(&part);
	arena_free(&arena);
}

static bool print_step(struct session *session, struct err *err)
{
	const struct scene_lesson *lesson = session->scene.lesson;
	const struct lesson_step *step = &lesson_run_lesson(session)->steps[lesson->step];
	struct buf out = BUF_INIT;
	buf_printf(&out, "--- %d/%d ", lesson->step + 1, lesson->steps);
	show_text(&out, lesson->heading);
	buf_add_text(&out, "\n\n");
	add_wrapped(&out, lesson->text);
	if (lesson->text[0] != '\0')
		buf_add_char(&out, '\n');
	for (int i = 0; i < step->command_count; i++) {
		buf_add_text(&out, "> ");
		show_text(&out, step->commands[i]);
		buf_add_char(&out, '\n');
	}
	bool ok = cli_print(&out, err) && (step->command_count == 0 || plain_view(session, err));
	buf_clear(&out);
	add_wrapped(&out, lesson->question);
	add_wrapped(&out, lesson->choices);
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	return ok;
}

static bool print_feedback(struct session *session, const char *message, struct err *err)
{
	struct buf out = BUF_INIT;
	add_wrapped(&out, message[0] != '\0' ? message : session->scene.lesson->feedback);
	bool ok = cli_print(&out, err);
	buf_free(&out);
	return ok;
}

static bool is_last(const struct session *session)
{
	return session->scene.lesson->step + 1 == session->scene.lesson->steps;
}

/* What a typed line asks for. *over is set when the lesson ends. */
static bool obey(struct session *session, const char *line, bool *over, struct err *err)
{
	struct err own = ERR_INIT;
	bool has_question = lesson_run_check(session) != NULL;
	unsigned next = 0;
	if (strcmp(line, "q") == 0 || (line[0] == '\0' && is_last(session))) {
		*over = true;
		return true;
	}
	if (line[0] == '\0')
		return lesson_run_step(session, 1, err) && print_step(session, err);
	bool done = true;
	if (strcmp(line, "?") == 0)
		done = lesson_run_hint(session, &own);
	else if (line[0] == ':')
		done = session_run(session, line + 1, &next, &own);
	else if (has_question)
		done = lesson_run_answer(session, line, &own);
	if (done && line[0] == ':')
		return plain_view(session, err);
	return print_feedback(session, done ? "" : own.message, err);
}

static bool prompt(const struct session *session, struct err *err)
{
	struct buf out = BUF_INIT;
	buf_add_text(&out,
		lesson_run_check(session) != NULL ? _("[answer, ? hint, :command, Enter next, q leave] ")
						  : _("[Enter next, :command, q leave] "));
	bool ok = cli_print(&out, err);
	buf_free(&out);
	return ok;
}

bool plain_lesson(struct session *session, FILE *in, struct err *err)
{
	char line[1024];
	struct buf title = BUF_INIT;
	show_text(&title, session->scene.lesson->title);
	buf_add_text(&title, "\n\n");
	bool over = false, ok = cli_print(&title, err) && print_step(session, err);
	buf_free(&title);
	while (ok && !over && prompt(session, err) && fgets(line, sizeof line, in) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		ok = obey(session, line, &over, err);
	}
	return ok;
}
