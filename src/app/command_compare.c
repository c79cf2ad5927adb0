/* Commands that put another run beside this one: a trace to compare with, a fork from here. */
#include <string.h>

#include "analysis/diff.h"
#include "app/command_run.h"
#include "app/fork.h"
#include "app/requests.h"
#include "base/i18n.h"
#include "view/view.h"

bool command_diff(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	struct command_args view = {.rest = "diff", .count = 1, .words = {"diff"}};
	struct trace *other = NULL;
	if (args->count != 1)
		return err_usage(err, "diff", _("the folder of a trace was expected: diff TRACE"));
	if (!session_needs_pass(session, err) || !trace_open(&other, args->words[0], err))
		return false;
	scene->diff = NULL;
	arena_reset(&session->diff_arena);
	struct diff *diff = ARENA_NEW(&session->diff_arena, struct diff);
	bool ok = trace_check(other, err) && diff_traces(diff, scene->trace, other, &session->diff_arena, err);
	/* names of rows and tensors that only the other has would go with it */
	if (ok)
		diff_keep_texts(diff, &session->diff_arena);
	trace_close(other);
	if (!ok)
		return false;
	scene->diff = diff;
	return command_view(session, &view, next, err);
}

/* --- fork --- */

/* What outlives the trace that is left. */
struct leaving {
	struct arena arena;
	const struct batch *batch;
	const char **faults;
	int fault_count;
	int64_t pass;
	char *value;
	const struct view *view;
};

static void take_along(struct leaving *leaving, const struct session *session, const struct fork *fork)
{
	const char *const *faults = trace_info(session->scene.trace)->faults;
	*leaving = (struct leaving){.arena = ARENA_INIT, .pass = fork->pass, .view = session->scene.view};
	while (faults[leaving->fault_count] != NULL)
		leaving->fault_count++;
	leaving->faults = ARENA_ARRAY(&leaving->arena, const char *, leaving->fault_count);
	for (int i = 0; i < leaving->fault_count; i++)
		leaving->faults[i] = arena_strdup(&leaving->arena, faults[i]);
	leaving->batch = requests_copy(&fork->batch, &leaving->arena);
	leaving->value = arena_strdup(&leaving->arena, scene_value(&session->scene)->name);
}

/* Runs the fork up to its pass, and goes to where one was. */
static bool arrive(struct session *session, const struct leaving *leaving, struct err *err)
{
	struct session_options options = {.faults = leaving->faults, .fault_count = leaving->fault_count};
	struct model *model = session->model;
	session->model = NULL; /* taken over by the new run, not closed with the old one */
	if (!session_open_run(session, model, leaving->batch, &options, err))
		return false;
	for (bool ran = true; ran && trace_pass_count(session->scene.trace) <= leaving->pass;) {
		if (!session_advance(session, &ran, err))
			return false;
	}
	int value = trace_find_value(session->scene.trace, leaving->value);
	if (value >= 0 && session_is_shown(session, value))
		session_go(session, leaving->pass, value);
	session->scene.view = leaving->view;
	session_say(session,
		_("Forked: from pass %lld on this is another run, live; `open` its parent's folder to go back."),
		(long long)leaving->pass);
	return true;
}

bool command_fork(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct fork fork;
	struct leaving leaving;
	if (!session_needs_pass(session, err))
		return false;
	if (args->count == 0)
		return err_usage(err, "fork",
			_("a change was expected: fork row=B,token=5 or fork row=B,temperature=0.8"));
	if (session->model == NULL)
		return err_usage(err, "fork",
			_("going on needs the model, which is not at hand; open the trace with it: open TRACE MODEL"));
	bool ok = fork_open(&fork, session->scene.trace, session->scene.pass, err);
	for (int i = 0; ok && i < args->count; i++)
		ok = fork_set(&fork, args->words[i], err);
	if (ok) {
		take_along(&leaving, session, &fork);
		fork_close(&fork);
		ok = arrive(session, &leaving, err);
		arena_free(&leaving.arena);
	} else {
		fork_close(&fork);
	}
	*next |= COMMAND_REDRAW;
	return ok;
}
