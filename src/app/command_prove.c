/* Commands that need the model beside the trace: explain a cell, follow an input, prove the rows apart. */
#include <string.h>

#include "analysis/isolation.h"
#include "app/command_run.h"
#include "base/i18n.h"
#include "view/view.h"

static bool show_view(struct session *session, const char *name, unsigned *next, struct err *err)
{
	struct command_args args = {.rest = name, .count = 1, .words = {name}};
	return command_view(session, &args, next, err);
}

/* The explainer of what is open, made when first needed: it reads all weights. */
static bool need_explainer(struct session *session, struct err *err)
{
	struct scene *scene = &session->scene;
	if (!session_needs_pass(session, err))
		return false;
	if (scene->explainer != NULL)
		return true;
	if (session->model == NULL)
		return err_usage(err, NULL,
			_("this needs the model's weights, which a trace does not hold, and '%s' is not at hand; "
			  "open the trace with its model: open TRACE MODEL"),
			trace_info(scene->trace)->model);
	return explainer_new(&scene->explainer, scene->trace, session->model, err);
}

bool command_explain(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	if (!need_explainer(session, err))
		return false;
	if (args->count > 0 && !command_goto(session, args, next, err))
		return false;
	return show_view(session, "explain", next, err);
}

/* Goes to the input number `i`, as ranked, of the cell at the cursor. */
static bool follow(struct session *session, int64_t i, struct err *err)
{
	struct scene *scene = &session->scene;
	struct arena arena = ARENA_INIT;
	struct explained cell = {.pass = scene->pass, .name = scene_value(scene)->name};
	memcpy(cell.index, scene->index, sizeof cell.index);
	bool ok = explainer_cell(scene->explainer, &cell, &arena, err);
	if (ok && (i < 0 || i >= cell.term_count))
		ok = err_usage(err, "follow", _("this cell has %lld inputs; a number from 1 to that was expected"),
			(long long)cell.term_count);
	const struct explain_term *term = ok ? &cell.terms[i].term : NULL;
	int value = ok && term->pass >= 0 ? trace_find_value(scene->trace, term->name) : -1;
	if (ok && value < 0)
		ok = err_usage(err, term->name,
			_("this is a weight, which no pass computes; `rowscope show` prints it"));
	if (ok && term->pass >= trace_pass_count(scene->trace))
		ok = err_usage(err, term->name, _("the pass that wrote this is not recorded"));
	if (ok) {
		session_leave(session);
		session_go(session, term->pass, value);
		memcpy(scene->index, term->index, sizeof scene->index);
		scene->scroll = 0;
	}
	arena_free(&arena);
	return ok;
}

bool command_follow(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	int64_t number = 0;
	*next |= COMMAND_REDRAW;
	return need_explainer(session, err) && command_number(args, 0, session->scene.scroll + 1, &number, err) &&
		follow(session, number - 1, err);
}

static bool check(struct session *session, struct err *err)
{
	struct scene *scene = &session->scene;
	struct isolation_options options = {.trace = scene->trace,
		.model = session->model,
		.seed = 1,
		.cells_per_value = ISOLATION_DEFAULT_CELLS,
		.is_asked_to_end = session->is_asked_to_end};
	arena_reset(&session->proof_arena);
	struct isolation *result = ARENA_NEW(&session->proof_arena, struct isolation);
	scene->isolation = NULL;
	if (!isolation_check(result, &options, &session->proof_arena, err))
		return false;
	scene->isolation = result;
	session->proof_passes = trace_pass_count(scene->trace);
	return true;
}

bool command_verify(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	(void)args;
	if (!need_explainer(session, err))
		return false;
	for (bool ran = true; ran;)
		if (!session_advance(session, &ran, err))
			return false;
	bool is_known = scene->isolation != NULL && session->proof_passes == trace_pass_count(scene->trace);
	return (is_known || check(session, err)) && show_view(session, "isolation", next, err);
}
