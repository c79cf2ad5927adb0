#include "app/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explainer.h"
#include "analysis/faults.h"
#include "analysis/stops.h"
#include "app/command.h"
#include "app/data.h"
#include "app/home.h"
#include "app/lesson_run.h"
#include "app/live.h"
#include "app/requests.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "view/view.h"

static void forget_place(struct scene *scene)
{
	scene->pass = 0;
	scene->value = 0;
	scene->row = SCENE_ALL;
	scene->scroll = 0;
	scene->is_hidden = false;
	memset(scene->index, 0, sizeof scene->index);
	for (int i = 0; i < 26; i++)
		scene->slice[i] = SCENE_ALL;
}

struct session *session_new(void)
{
	struct session *session = MEM_NEW(struct session);
	struct scene *scene = &session->scene;
	scene->look = look_new();
	scene->decimals = 4;
	scene->view = view_find("home");
	scene->focus = SCENE_MAIN;
	scene->home = home_list(&session->home_arena, &scene->home_count);
	scene->message = scene->found = "";
	session->return_view = view_find("tensor");
	snprintf(session->theme, sizeof session->theme, "dark");
	forget_place(scene);
	return session;
}

void session_close(struct session *session)
{
	struct scene *scene = &session->scene;
	look_forget(scene->look);
	explainer_delete(scene->explainer);
	arena_free(&session->proof_arena);
	arena_free(&session->diff_arena);
	trace_close(scene->trace);
	live_delete(session->live);
	plan_free(session->plan);
	model_delete(session->model);
	arena_free(&session->arena);
	scene->trace = NULL;
	scene->explainer = NULL;
	scene->isolation = NULL;
	scene->diff = NULL;
	scene->model = session->model = NULL;
	scene->is_live = false;
	session->live = NULL;
	session->plan = NULL;
	session->mark_count = session->history_count = 0;
	forget_place(scene);
}

void session_delete(struct session *session)
{
	if (session == NULL)
		return;
	lesson_run_leave(session);
	session_close(session);
	arena_free(&session->home_arena);
	look_delete(session->scene.look);
	buf_free(&session->message);
	buf_free(&session->copy);
	buf_free(&session->result.text);
	free(session);
}

bool session_is_shown(const struct session *session, int value)
{
	const struct trace_value *it = trace_value(session->scene.trace, value);
	return it->captured && !it->is_state;
}

/* The first thing to look at: the token matrix, where it was recorded. */
static void go_to_start(struct session *session)
{
	const struct trace *trace = session->scene.trace;
	int count = trace_value_count(trace);
	session->scene.view = view_find("tensor");
	session->scene.focus = SCENE_OPS;
	for (int i = 0; i < count; i++) {
		if (session_is_shown(session, i)) {
			session_go(session, 0, i);
			return;
		}
	}
}

/* Looks for the model of a recorded trace; without it the trace is still shown. */
static void find_model(struct session *session, const char *model)
{
	struct err ignored = ERR_INIT;
	char path[512];
	const char *name = model != NULL ? model : trace_info(session->scene.trace)->model;
	if (!data_find_model(path, sizeof path, name, &ignored) || !model_open(&session->model, path, &ignored))
		return;
	char digest[17] = "";
	bool same = model_weights_digest(session->model, digest, &ignored) &&
		strcmp(digest, trace_info(session->scene.trace)->weights_digest) == 0;
	if (!same ||
		!plan_build(&session->plan, session->model, batch_way(trace_batch(session->scene.trace)),
			&session->arena, &ignored)) {
		plan_free(session->plan);
		model_delete(session->model);
		session->plan = NULL;
		session->model = NULL;
		session_say(session,
			_("The model '%s' at hand is not the one that was recorded; weights are not shown."), name);
		return;
	}
	session->scene.model = session->model;
}

/* A small model's cells are explained beside the numbers at once; a large one waits until `explain`. */
static void prepare_explainer(struct session *session)
{
	struct err ignored = ERR_INIT;
	if (session->model != NULL && model_parameters(session->model) <= SESSION_SMALL_MODEL)
		explainer_new(&session->scene.explainer, session->scene.trace, session->model, &ignored);
}

bool session_open_trace(struct session *session, const char *folder, const char *model, struct err *err)
{
	struct trace *trace = NULL;
	if (!trace_open(&trace, folder, err))
		return false;
	session_close(session);
	session->scene.trace = trace;
	find_model(session, model);
	prepare_explainer(session);
	go_to_start(session);
	return true;
}

bool session_open_run(struct session *session, struct model *model, const struct batch *batch,
	const struct session_options *options, struct err *err)
{
	struct session_options choices = options != NULL ? *options : (struct session_options){0};
	session_close(session);
	session->model = session->scene.model = model;
	struct live_options live = {
		.model = model,
		.batch = requests_copy(batch, &session->arena),
		.capture = choices.capture != NULL ? choices.capture : "all",
		.faults = choices.faults,
		.fault_count = choices.fault_count,
	};
	bool ok = plan_build(&session->plan, model, batch_way(batch), &session->arena, err) &&
		faults_apply(choices.faults, (size_t)choices.fault_count, session->plan, &choices.run, err);
	live.plan = session->plan;
	live.run = choices.run;
	live.run.stop = stops_rule(model);
	ok = ok && live_new(&session->live, &live, err) &&
		trace_open(&session->scene.trace, live_folder(session->live), err);
	bool ran = false;
	ok = ok && session_advance(session, &ran, err);
	if (ok) {
		prepare_explainer(session);
		go_to_start(session);
	} else {
		session_close(session);
	}
	return ok;
}

/* Opens the model, resolves the requests, runs them. */
static bool run_requests(struct session *session, const struct requests *requests, const char *path,
	const struct session_options *options, struct err *err)
{
	struct model *model = NULL;
	if (!model_open(&model, path, err))
		return false;
	struct arena arena = ARENA_INIT;
	struct batch batch;
	bool ok = requests_resolve(requests, model, &batch, &arena, err);
	if (ok)
		ok = session_open_run(session, model, &batch, options, err);
	else
		model_delete(model);
	arena_free(&arena);
	return ok;
}

bool session_open_prompts(struct session *session, const char *model, const char *const *prompts, int count,
	struct err *err)
{
	char path[512];
	if (!data_find_model(path, sizeof path, model, err))
		return false;
	struct arena arena = ARENA_INIT;
	struct requests requests;
	requests_from_texts(&requests, prompts, count, &arena);
	bool ok = run_requests(session, &requests, path, NULL, err);
	arena_free(&arena);
	return ok;
}

bool session_open_batch(struct session *session, const char *path, const struct session_options *options,
	struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct requests requests;
	bool ok = requests_load(&requests, path, &arena, err) &&
		run_requests(session, &requests, requests.model, options, err);
	arena_free(&arena);
	return ok;
}

bool session_open_example(struct session *session, const char *model, struct err *err)
{
	char path[512], file[512];
	if (!data_find_model(path, sizeof path, model, err) || !file_join(file, sizeof file, path, "batch.json", err))
		return false;
	if (!file_exists(file))
		return err_usage(err, model,
			_("this model has no batch of its own; give at least one prompt behind its name"));
	return session_open_batch(session, file, NULL, err);
}

bool session_advance(struct session *session, bool *ran, struct err *err)
{
	*ran = false;
	if (session->live == NULL || !live_has_more(session->live))
		return true;
	if (session->is_asked_to_end != NULL && session->is_asked_to_end())
		return err_system(err, NULL, 0, _("stopped before the next pass; what has run is whole"));
	bool more = false;
	int64_t before = trace_pass_count(session->scene.trace);
	bool ok = live_step(session->live, &more, err) && trace_refresh(session->scene.trace, err);
	session->scene.is_live = more;
	*ran = trace_pass_count(session->scene.trace) > before;
	return ok;
}

void session_say(struct session *session, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buf_clear(&session->message);
	buf_vprintf(&session->message, format, args);
	va_end(args);
	session->scene.message = buf_text(&session->message);
	session->scene.is_error = false;
}

bool session_run(struct session *session, const char *line, unsigned *next, struct err *err)
{
	session->result.kind = SESSION_NOTHING;
	buf_clear(&session->result.text);
	return command_run(session, line, next, err);
}

bool session_command(struct session *session, const char *line, unsigned *next)
{
	struct err err = ERR_INIT;
	session_say(session, "%s", "");
	*next |= COMMAND_REDRAW;
	if (session_run(session, line, next, &err)) {
		if (session->result.kind != SESSION_NOTHING && session->message.length == 0)
			session_say(session, "%s", buf_text(&session->result.text));
		return true;
	}
	char text[2048];
	err_text(&err, text, sizeof text);
	session_say(session, "%s", text);
	session->scene.is_error = true;
	return false;
}

void session_copied(struct session *session, bool ok)
{
	size_t bytes = session->copy.length;
	buf_clear(&session->copy);
	if (ok)
		session_say(session, _("Copied %zu bytes to the clipboard, where the terminal allows it."), bytes);
	else
		session_say(session,
			_("%zu bytes are too many for the terminal's clipboard; `export FILE` takes any size."), bytes);
}

bool session_needs_pass(const struct session *session, struct err *err)
{
	if (scene_has_pass(&session->scene))
		return true;
	return err_usage(err, NULL, _("nothing is open yet; `open three-requests` starts with the worked example"));
}

struct session_place session_place(const struct session *session)
{
	const struct scene *scene = &session->scene;
	struct session_place place = {.pass = scene->pass, .value = scene->value, .view = scene->view};
	memcpy(place.index, scene->index, sizeof place.index);
	return place;
}

void session_leave(struct session *session)
{
	if (session->history_count == SESSION_HISTORY) {
		memmove(session->history, session->history + 1, (SESSION_HISTORY - 1) * sizeof session->history[0]);
		session->history_count--;
	}
	session->history[session->history_count++] = session_place(session);
}

/* The row's line in another pass, when it takes part there. */
static void follow_row(const struct scene *scene, const char *axes, int64_t pass, int64_t *index)
{
	int64_t line = scene_line(scene, scene->pass, axes, index);
	if (line < 0 || pass == scene->pass)
		return;
	int64_t at = pass_row(&trace_pass(scene->trace, pass)->layout, scene_request(scene, line));
	if (at >= 0)
		scene_aim_line(scene, pass, axes, at, index);
}

/* Keeps the cursor on the same row, head, unit, ... where the next tensor has that axis too. */
static void carry_index(struct scene *scene, const char *from, int64_t pass, int value)
{
	int64_t old[TENSOR_MAX_RANK], shape[TENSOR_MAX_RANK];
	memcpy(old, scene->index, sizeof old);
	follow_row(scene, from, pass, old);
	int rank = scene_shape(scene, pass, value, shape);
	const char *axes = trace_value(scene->trace, value)->axes;
	for (int i = 0; i < rank; i++) {
		const char *same = strchr(from, axes[i]);
		int64_t at = same != NULL ? old[same - from] : 0;
		scene->index[i] = at < shape[i] ? at : shape[i] - 1;
		if (scene->index[i] < 0)
			scene->index[i] = 0;
	}
}

void session_go(struct session *session, int64_t pass, int value)
{
	struct scene *scene = &session->scene;
	int64_t passes = trace_pass_count(scene->trace);
	if (passes == 0)
		return;
	pass = pass >= passes ? passes - 1 : pass < 0 ? 0 : pass;
	char from[TENSOR_MAX_RANK + 1];
	memcpy(from, trace_value(scene->trace, scene->value)->axes, sizeof from);
	carry_index(scene, from, pass, value);
	scene->pass = pass;
	scene->value = value;
}

void session_reached(struct session *session)
{
	session->scene.is_hidden = session->predicts;
}
