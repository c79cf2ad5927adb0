/* Commands that change the place. */
#include <stdlib.h>
#include <string.h>

#include "app/command_run.h"
#include "base/i18n.h"
#include "view/plane.h"
#include "view/view.h"
#include "view/view.h"

/* The nearest recorded value from `value` on in that direction, itself included; -1: none. */
static int shown_from(const struct session *session, int value, int step)
{
	int count = trace_value_count(session->scene.trace);
	for (; value >= 0 && value < count; value += step)
		if (session_is_shown(session, value))
			return value;
	return -1;
}

/* One step back or forth over tensors and, at the ends, over passes. */
static bool step_op(struct session *session, int step, bool *moved, struct err *err)
{
	struct scene *scene = &session->scene;
	*moved = true;
	int value = shown_from(session, scene->value + step, step);
	if (value >= 0) {
		session_go(session, scene->pass, value);
		return true;
	}
	int64_t pass = scene->pass + step;
	bool ran = false;
	if (pass == trace_pass_count(scene->trace) && !session_advance(session, &ran, err))
		return false;
	*moved = pass >= 0 && pass < trace_pass_count(scene->trace);
	if (*moved)
		session_go(session, pass,
			shown_from(session, step > 0 ? 0 : trace_value_count(scene->trace) - 1, step));
	return true;
}

static bool step_ops(struct session *session, const struct command_args *args, int step, struct err *err)
{
	int64_t times = 0;
	if (!session_needs_pass(session, err) || !command_number(args, 0, 1, &times, err))
		return false;
	bool moved = true;
	for (int64_t i = 0; i < times && moved; i++) {
		if (!step_op(session, step, &moved, err))
			return false;
	}
	session->scene.scroll = 0;
	if (step > 0 && moved)
		session_reached(session);
	if (!moved)
		session_say(session, "%s",
			step > 0 ? _("This is the last tensor of the last pass.")
				 : _("This is the first tensor of the first pass."));
	return true;
}

bool command_next_op(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return step_ops(session, args, 1, err);
}

bool command_prev_op(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return step_ops(session, args, -1, err);
}

bool command_next_pass(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	int64_t times = 0;
	if (!session_needs_pass(session, err) || !command_number(args, 0, 1, &times, err))
		return false;
	struct scene *scene = &session->scene;
	*next |= COMMAND_REDRAW;
	int64_t before = scene->pass;
	for (int64_t i = 0; i < times; i++) {
		bool ran = false;
		if (scene->pass + 1 == trace_pass_count(scene->trace) && !session_advance(session, &ran, err))
			return false;
		session_go(session, scene->pass + 1, scene->value);
	}
	if (scene->pass == before && times > 0)
		session_say(session, "%s", _("This is the last pass: every row has finished."));
	else
		session_reached(session);
	return true;
}

bool command_prev_pass(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	int64_t times = 0;
	if (!session_needs_pass(session, err) || !command_number(args, 0, 1, &times, err))
		return false;
	struct scene *scene = &session->scene;
	*next |= COMMAND_REDRAW;
	if (scene->pass == 0)
		session_say(session, "%s", _("This is the first pass."));
	session_go(session, scene->pass > times ? scene->pass - times : 0, scene->value);
	return true;
}

/* Runs a live run to its end. */
static bool run_all(struct session *session, struct err *err)
{
	bool ran = true;
	while (ran)
		if (!session_advance(session, &ran, err))
			return false;
	return true;
}

static bool first_cell(struct session *session, bool last)
{
	struct scene *scene = &session->scene;
	int64_t shape[TENSOR_MAX_RANK];
	int rank = scene_shape(scene, scene->pass, scene->value, shape);
	for (int i = 0; i < rank; i++)
		scene->index[i] = last && shape[i] > 0 ? shape[i] - 1 : 0;
	scene->scroll = 0;
	plane_keep_slice(scene);
	return true;
}

static bool go_to_end(struct session *session, const struct command_args *args, bool last, struct err *err)
{
	struct scene *scene = &session->scene;
	if (!session_needs_pass(session, err))
		return false;
	const char *what = args->count > 0 ? args->words[0] : "op";
	if (strcmp(what, "cell") == 0)
		return first_cell(session, last);
	session_leave(session);
	if (strcmp(what, "pass") == 0) {
		if (last && !run_all(session, err))
			return false;
		session_go(session, last ? trace_pass_count(scene->trace) - 1 : 0, scene->value);
		return true;
	}
	if (strcmp(what, "op") != 0)
		return err_usage(err, what, _("one of op, pass and cell was expected"));
	int count = trace_value_count(scene->trace);
	session_go(session, scene->pass, last ? shown_from(session, count - 1, -1) : shown_from(session, 0, 1));
	return true;
}

bool command_first(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return go_to_end(session, args, false, err);
}

bool command_last(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return go_to_end(session, args, true, err);
}

#define MOVE_PAGE 10

/* How far to move: a number, or a page. */
static bool distance(const struct command_args *args, int64_t *lines, struct err *err)
{
	if (args->count > 0 && strcmp(args->words[0], "page") == 0) {
		*lines = MOVE_PAGE;
		return true;
	}
	return command_number(args, 0, 1, lines, err);
}

static bool move(struct session *session, const struct command_args *args, int lines, int columns, struct err *err)
{
	struct scene *scene = &session->scene;
	int64_t by = 0;
	if (!distance(args, &by, err))
		return false;
	if (strcmp(scene->view->name, "tensor") != 0 || !scene_has_pass(scene)) {
		scene->scroll += lines * by;
		int64_t last = view_last_scroll(scene);
		scene->scroll = scene->scroll < 0 ? 0 : scene->scroll > last ? last : scene->scroll;
		return true;
	}
	plane_move(scene, lines * by, columns * by);
	return true;
}

bool command_up(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return move(session, args, -1, 0, err);
}

bool command_down(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return move(session, args, 1, 0, err);
}

bool command_left(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return move(session, args, 0, -1, err);
}

bool command_right(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	return move(session, args, 0, 1, err);
}

static void go_to_place(struct session *session, const struct session_place *place)
{
	struct scene *scene = &session->scene;
	session_go(session, place->pass, place->value);
	int64_t shape[TENSOR_MAX_RANK];
	int rank = scene_shape(scene, scene->pass, scene->value, shape);
	for (int i = 0; i < rank; i++)
		scene->index[i] = place->index[i] < shape[i] ? place->index[i] : 0;
	scene->view = place->view;
}

bool command_back(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)args;
	if (!session_needs_pass(session, err))
		return false;
	if (session->history_count == 0)
		return err_usage(err, NULL, _("there is no place to return to yet"));
	go_to_place(session, &session->history[--session->history_count]);
	*next |= COMMAND_REDRAW;
	return true;
}

static const char *mark_name(const struct command_args *args)
{
	return args->count > 0 ? args->rest : "mark";
}

static struct session_place *find_mark(struct session *session, const char *name)
{
	for (int i = 0; i < session->mark_count; i++)
		if (strcmp(session->marks[i].name, name) == 0)
			return &session->marks[i];
	return NULL;
}

bool command_mark(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	const char *name = mark_name(args);
	if (!session_needs_pass(session, err))
		return false;
	struct session_place *mark = find_mark(session, name);
	if (strlen(name) >= sizeof mark->name)
		return err_usage(err, name, _("the name of a mark has at most %zu bytes"), sizeof mark->name - 1);
	if (mark == NULL && session->mark_count == SESSION_MARKS)
		return err_usage(err, name, _("there are %d marks already; use one of their names"), SESSION_MARKS);
	if (mark == NULL)
		mark = &session->marks[session->mark_count++];
	*mark = session_place(session);
	memcpy(mark->name, name, strlen(name) + 1);
	session_say(session, _("Marked as '%s'; `jump %s` returns here."), name, name);
	*next |= COMMAND_REDRAW;
	return true;
}

bool command_jump(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	const char *name = mark_name(args);
	const struct session_place *mark = find_mark(session, name);
	if (!session_needs_pass(session, err))
		return false;
	if (mark == NULL)
		return err_usage(err, name, _("no place is marked so; `mark %s` marks one"), name);
	session_leave(session);
	go_to_place(session, mark);
	*next |= COMMAND_REDRAW;
	return true;
}
