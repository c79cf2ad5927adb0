/* Commands that answer a question about the trace: the expressions of lessons, and a pocket calculator for people. */
#include <stdlib.h>
#include <string.h>

#include "app/command_run.h"
#include "base/i18n.h"
#include "draw/number.h"
#include "trace/selector.h"
#include "view/plane.h"
#include "view/view.h"

/* A selector read and fitted to the trace; no pass named means the pass at the place. */
static bool resolve(struct session *session, const char *text, struct selector *selector, struct selector_match *match,
	struct arena *arena, struct err *err)
{
	struct scene *scene = &session->scene;
	if (!selector_parse(selector, text, arena, err))
		return false;
	if (selector->is_weight)
		return err_usage(err, text,
			_("weights are shown by `rowscope show`; a tensor of a pass was expected here"));
	if (!selector->has_pass) {
		selector->has_pass = true;
		selector->pass = scene->pass;
	}
	return selector_find(selector, scene->trace, match, err);
}

/* "goto pass=2" alone: a selector has a name, so the tensor at the place is added. */
static bool find(struct session *session, const char *text, struct selector *selector, struct selector_match *match,
	struct arena *arena, struct err *err)
{
	if (!session_needs_pass(session, err))
		return false;
	bool is_pass_only = text[0] == '\0' || (strncmp(text, "pass=", 5) == 0 && strchr(text, ' ') == NULL);
	if (is_pass_only)
		text = arena_printf(arena, "%s %s", text, scene_value(&session->scene)->name);
	return resolve(session, text, selector, match, arena, err);
}

bool command_goto(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	struct arena arena = ARENA_INIT;
	struct selector selector;
	struct selector_match match;
	bool ok = true, ran = true;
	/* a live run computes the passes up to the one that is asked for */
	long long wanted = -1;
	if (strncmp(args->rest, "pass=", 5) == 0)
		wanted = strtoll(args->rest + 5, NULL, 10);
	while (ok && ran && scene->trace != NULL && trace_pass_count(scene->trace) <= wanted)
		ok = session_advance(session, &ran, err);
	ok = ok && find(session, args->rest, &selector, &match, &arena, err);
	if (ok) {
		session_leave(session);
		session_go(session, match.pass, match.tensor.value);
		for (int i = 0; i < selector.part_count && i < match.selection.rank; i++)
			for (int axis = 0; axis < match.selection.rank; axis++)
				if (match.selection.count[axis] > 0 &&
					match.selection.count[axis] < match.tensor.tensor.shape[axis])
					scene->index[axis] = match.selection.first[axis];
		session_reached(session);
		*next |= COMMAND_REDRAW;
	}
	arena_free(&arena);
	return ok;
}

static void answer_number(struct session *session, double value, enum dtype dtype)
{
	struct session_result *result = &session->result;
	char text[NUMBER_SIZE];
	result->kind = SESSION_NUMBER;
	result->number = value;
	if (dtype == DTYPE_F32)
		number_exact(text, (float)value);
	else
		number_exact_double(text, value);
	buf_add_text(&result->text, text);
}

bool command_shape(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct selector selector;
	struct selector_match match;
	bool ok = find(session, args->rest, &selector, &match, &arena, err);
	if (ok) {
		struct session_result *result = &session->result;
		struct tensor part = slice_shape(&match.selection, &match.tensor.tensor);
		result->kind = SESSION_SHAPE;
		result->rank = part.rank;
		buf_add_char(&result->text, '(');
		for (int i = 0; i < part.rank; i++) {
			result->shape[i] = part.shape[i];
			buf_printf(&result->text, "%s%lld", i > 0 ? "," : "", (long long)part.shape[i]);
		}
		buf_add_text(&result->text, part.rank == 1 ? ",)" : ")");
		*next |= COMMAND_REDRAW;
	}
	arena_free(&arena);
	return ok;
}

/* Reads the part that a selector names; without one, the cell at the cursor. */
static bool read_part(struct session *session, const struct command_args *args, struct selector_match *match,
	struct tensor *part, struct arena *arena, struct err *err)
{
	struct scene *scene = &session->scene;
	struct selector selector;
	if (!find(session, args->rest, &selector, match, arena, err))
		return false;
	if (args->count == 0) {
		for (int i = 0; i < match->selection.rank; i++) {
			match->selection.first[i] = scene->index[i];
			match->selection.count[i] = 1;
			match->selection.dropped[i] = true;
		}
	}
	return trace_slice(scene->trace, &match->tensor, &match->selection, arena, part, err);
}

static bool read_cell(struct session *session, const struct command_args *args, double *value, enum dtype *dtype,
	struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct selector_match match;
	struct tensor part;
	bool ok = read_part(session, args, &match, &part, &arena, err);
	if (ok && tensor_count(&part) != 1)
		ok = err_usage(err, args->rest,
			_("one cell was expected, this names %lld; give an index for every axis (%s)"),
			(long long)tensor_count(&part), match.tensor.tensor.axes);
	if (ok) {
		*value = tensor_value(&part, 0);
		*dtype = part.dtype;
	}
	arena_free(&arena);
	return ok;
}

bool command_cell(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	double value = 0;
	enum dtype dtype = DTYPE_F32;
	if (!read_cell(session, args, &value, &dtype, err))
		return false;
	answer_number(session, value, dtype);
	*next |= COMMAND_REDRAW;
	return true;
}

bool command_text(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	double value = 0;
	enum dtype dtype = DTYPE_F32;
	if (!read_cell(session, args, &value, &dtype, err))
		return false;
	if (dtype != DTYPE_I32)
		return err_usage(err, args->rest,
			_("a cell that holds a token ID was expected, as in tokens or next_tokens"));
	scene_token(&session->scene, (int32_t)value, &session->result.text);
	session->result.kind = SESSION_TEXT;
	*next |= COMMAND_REDRAW;
	return true;
}

bool command_argmax(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct selector_match match;
	struct tensor part;
	bool ok =
		args->count > 0 || err_usage(err, "argmax", _("a selector was expected: argmax pass=1 logits[row=A]"));
	ok = ok && read_part(session, args, &match, &part, &arena, err);
	if (ok) {
		int64_t best = 0;
		for (int64_t i = 1; i < tensor_count(&part); i++)
			if (tensor_value(&part, i) > tensor_value(&part, best))
				best = i;
		answer_number(session, (double)best, DTYPE_I32);
		*next |= COMMAND_REDRAW;
	}
	arena_free(&arena);
	return ok;
}

bool command_sum(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct selector_match match;
	struct tensor part;
	bool ok = args->count > 0 || err_usage(err, "sum", _("a selector was expected: sum pass=1 pad"));
	ok = ok && read_part(session, args, &match, &part, &arena, err);
	if (ok) {
		double sum = 0;
		for (int64_t i = 0; i < tensor_count(&part); i++)
			sum += tensor_value(&part, i);
		answer_number(session, sum, DTYPE_F64);
		*next |= COMMAND_REDRAW;
	}
	arena_free(&arena);
	return ok;
}

/* Every axis on which the selector chooses must have the cursor inside the choice. */
bool command_at(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	struct arena arena = ARENA_INIT;
	struct selector selector;
	struct selector_match match;
	bool ok = find(session, args->rest, &selector, &match, &arena, err);
	if (ok) {
		bool is_there = match.pass == scene->pass && match.tensor.value == scene->value;
		for (int i = 0; is_there && i < match.selection.rank; i++)
			is_there = scene->index[i] >= match.selection.first[i] &&
				scene->index[i] < match.selection.first[i] + match.selection.count[i];
		session->result.kind = SESSION_TRUTH;
		session->result.truth = is_there;
		buf_add_text(&session->result.text, is_there ? "yes" : "no");
		*next |= COMMAND_REDRAW;
	}
	arena_free(&arena);
	return ok;
}

bool command_where(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	(void)args;
	if (!session_needs_pass(session, err))
		return false;
	const struct trace_value *value = scene_value(scene);
	session->result.kind = SESSION_TEXT;
	buf_printf(&session->result.text, "pass=%lld %s", (long long)scene->pass, value->name);
	plane_index_text(scene, scene->pass, value->axes, (int)strlen(value->axes), scene->index,
		&session->result.text);
	*next |= COMMAND_REDRAW;
	return true;
}

bool command_help(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	*next |= COMMAND_REDRAW;
	if (args->count == 0) {
		struct command_args help = {.rest = "help", .count = 1, .words = {"help"}};
		return command_view(session, &help, next, err);
	}
	const struct command *command = command_find(args->words[0]);
	if (command == NULL)
		return err_usage(err, args->words[0], _("there is no such command; `help` shows them all"));
	session_say(session, "%s %s: %s", command->name, command->arguments, _(command->help));
	return true;
}

bool command_message(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)args;
	(void)err;
	session_say(session, "%s", "");
	*next |= COMMAND_REDRAW;
	return true;
}

/* Does a value's name, or the text of a token of the pass, contain the text? */
static bool contains(const char *text, size_t length, const char *found)
{
	size_t size = strlen(found);
	for (size_t i = 0; i + size <= length; i++)
		if (memcmp(text + i, found, size) == 0)
			return true;
	return false;
}

/* The next recorded tensor after the place whose name fits, over the end to the start. */
static int search_names(const struct session *session, const char *found)
{
	int count = trace_value_count(session->scene.trace);
	for (int i = 1; i <= count; i++) {
		int value = (session->scene.value + i) % count;
		const char *name = trace_value(session->scene.trace, value)->name;
		if (session_is_shown(session, value) && contains(name, strlen(name), found))
			return value;
	}
	return -1;
}

/* The next pass with a token whose text fits; false when there is none. */
static bool search_tokens(struct session *session, const char *found)
{
	struct scene *scene = &session->scene;
	int64_t count = trace_pass_count(scene->trace);
	int value = trace_find_value(scene->trace, "tokens");
	for (int64_t i = 1; value >= 0 && i <= count; i++) {
		int64_t pass = (scene->pass + i) % count;
		const struct pass *layout = &trace_pass(scene->trace, pass)->layout;
		for (int64_t cell = 0; cell < layout->cells; cell++) {
			size_t length = 0;
			const char *text = trace_token_text(scene->trace, layout->tokens[cell], &length);
			if (layout->pad[cell] || text == NULL || !contains(text, length, found))
				continue;
			session_go(session, pass, value);
			scene_aim_cell(scene, pass, scene_value(scene)->axes, cell, scene->index);
			return true;
		}
	}
	return false;
}

bool command_search(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	if (!session_needs_pass(session, err))
		return false;
	size_t length = strlen(args->rest);
	if (length >= sizeof session->found)
		return err_usage(err, "search", _("at most %zu bytes were expected"), sizeof session->found - 1);
	if (length > 0)
		memcpy(session->found, args->rest, length + 1);
	session->scene.found = session->found;
	if (session->found[0] == '\0')
		return err_usage(err, "search", _("something to look for was expected: search attn"));
	session_leave(session);
	int value = search_names(session, session->found);
	*next |= COMMAND_REDRAW;
	if (value >= 0)
		session_go(session, session->scene.pass, value);
	else if (!search_tokens(session, session->found))
		return err_usage(err, session->found, _("no tensor's name and no token's text contains this"));
	session_say(session, _("Found '%s'; * finds the next one."), session->found);
	return true;
}
