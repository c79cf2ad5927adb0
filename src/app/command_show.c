/* Commands that change what is shown, not where one is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command_run.h"
#include "base/i18n.h"
#include "draw/number.h"
#include "draw/theme.h"
#include "view/plane.h"
#include "view/view.h"

/* The request that a word names: an ID, else a number from 1; -1: none. */
static int32_t find_request(const struct session *session, const char *word)
{
	const struct trace *trace = session->scene.trace;
	int32_t request = trace_find_request(trace, word);
	if (request >= 0)
		return request;
	char *end = NULL;
	long number = strtol(word, &end, 10);
	bool is_number = end != word && *end == '\0';
	return is_number && number >= 1 && number <= trace_batch(trace)->count ? (int32_t)(number - 1) : -1;
}

bool command_row(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	if (!session_needs_pass(session, err))
		return false;
	if (args->count != 1)
		return err_usage(err, "row", _("The ID or number of one row, or all, was expected."));
	*next |= COMMAND_REDRAW;
	if (strcmp(args->words[0], "all") == 0) {
		scene->row = SCENE_ALL;
		return true;
	}
	int32_t request = find_request(session, args->words[0]);
	if (request < 0)
		return err_usage(err, args->words[0],
			_("there is no such row; this batch has %lld of them, the first is %s"),
			(long long)trace_batch(scene->trace)->count, scene_row_id(scene, 0));
	scene->row = scene->row == request ? SCENE_ALL : request;
	int64_t line = pass_row(&scene_pass(scene)->layout, request);
	if (line >= 0)
		scene_aim_line(scene, scene->pass, scene_value(scene)->axes, line, scene->index);
	if (line < 0)
		session_say(session, _("Row %s takes no part in pass %lld."), args->words[0], (long long)scene->pass);
	return true;
}

/* The axis of the value at the place that a word names, by its word or letter; -1: none. */
static int find_axis(const struct scene *scene, const char *word, size_t length)
{
	const char *axes = scene_value(scene)->axes;
	for (int i = 0; axes[i] != '\0'; i++) {
		const char *name = scene_axis_name(axes[i]);
		bool is_word = strlen(name) == length && memcmp(name, word, length) == 0;
		if (is_word || (length == 1 && word[0] == axes[i]))
			return i;
	}
	return -1;
}

static bool slice_one(struct session *session, const char *word, struct err *err)
{
	struct scene *scene = &session->scene;
	const char *equal = strchr(word, '=');
	int axis = equal != NULL ? find_axis(scene, word, (size_t)(equal - word)) : -1;
	if (axis < 0)
		return err_usage(err, word, _("an axis of this tensor and an index were expected: slice %s=0"),
			scene_axis_name(scene_value(scene)->axes[0]));
	char letter = scene_value(scene)->axes[axis];
	int64_t *only = &scene->slice[letter - 'A'];
	if (strcmp(equal + 1, "all") == 0) {
		*only = SCENE_ALL;
		return true;
	}
	char *end = NULL;
	int64_t index = strtoll(equal + 1, &end, 10);
	bool is_number = end != equal + 1 && *end == '\0';
	int32_t request = letter == 'B' ? trace_find_request(scene->trace, equal + 1) : -1;
	if (request >= 0) {
		index = pass_row(&scene_pass(scene)->layout, request);
		is_number = true;
	}
	int64_t size = scene_axis_size(scene, scene->pass, letter);
	if (!is_number || index < 0 || index >= size)
		return err_usage(err, word, _("an index from 0 to %lld was expected"), (long long)size - 1);
	*only = index;
	return true;
}

bool command_slice(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	if (!session_needs_pass(session, err))
		return false;
	*next |= COMMAND_REDRAW;
	if (args->count == 0 || strcmp(args->words[0], "none") == 0) {
		for (int i = 0; i < 26; i++)
			scene->slice[i] = SCENE_ALL;
		return true;
	}
	for (int i = 0; i < args->count; i++)
		if (!slice_one(session, args->words[i], err))
			return false;
	plane_keep_slice(scene);
	return true;
}

bool command_view(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	const struct view *view = args->count > 0 ? view_find(args->words[0]) : NULL;
	if (view == NULL) {
		struct buf names = BUF_INIT;
		for (int i = 0; i < view_count(); i++)
			buf_printf(&names, "%s%s", i > 0 ? ", " : "", view_at(i)->name);
		err_usage(err, args->rest, _("one of the views was expected: %s"), buf_text(&names));
		buf_free(&names);
		return false;
	}
	if (strcmp(scene->view->name, "help") != 0)
		session->return_view = scene->view;
	scene->view = view;
	scene->scroll = 0;
	if (strcmp(view->name, "tensor") != 0)
		scene->focus = SCENE_MAIN;
	*next |= COMMAND_REDRAW;
	return true;
}

bool command_pane(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	const char *which = args->count > 0 ? args->words[0] : "next";
	*next |= COMMAND_REDRAW;
	bool is_tensor = strcmp(scene->view->name, "tensor") == 0;
	if (strcmp(which, "ops") == 0)
		scene->focus = SCENE_OPS;
	else if (strcmp(which, "main") == 0)
		scene->focus = SCENE_MAIN;
	else if (strcmp(which, "next") == 0 || strcmp(which, "prev") == 0)
		scene->focus = is_tensor && scene->focus == SCENE_MAIN ? SCENE_OPS : SCENE_MAIN;
	else
		return err_usage(err, which, _("one of ops, main, next and prev was expected"));
	return true;
}

bool command_hide(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)args;
	(void)err;
	session->scene.is_hidden = true;
	*next |= COMMAND_REDRAW;
	return true;
}

bool command_reveal(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)args;
	(void)err;
	session->scene.is_hidden = false;
	*next |= COMMAND_REDRAW;
	return true;
}

/* "on", "off" or "toggle"; false for anything else. */
static bool read_switch(const char *word, bool *value, struct err *err)
{
	if (strcmp(word, "on") == 0)
		*value = true;
	else if (strcmp(word, "off") == 0)
		*value = false;
	else if (strcmp(word, "toggle") == 0)
		*value = !*value;
	else
		return err_usage(err, word, _("on or off was expected."));
	return true;
}

bool command_predict(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	struct scene *scene = &session->scene;
	*next |= COMMAND_REDRAW;
	if (args->count == 0 && scene->is_hidden) {
		scene->is_hidden = false;
		return true;
	}
	if (args->count == 0)
		session->predicts = !session->predicts;
	else if (!read_switch(args->words[0], &session->predicts, err))
		return false;
	if (!session->predicts)
		scene->is_hidden = false;
	session_say(session, "%s",
		session->predicts ? _("Predict first: the next result stays hidden until you press g.")
				  : _("Results are shown at once."));
	return true;
}

static bool set_precision(struct session *session, const char *word, struct err *err)
{
	int *decimals = &session->scene.decimals;
	char *end = NULL;
	long value = strtol(word, &end, 10);
	if (strcmp(word, "more") == 0)
		*decimals = *decimals < 9 ? *decimals + 1 : 9;
	else if (strcmp(word, "less") == 0)
		*decimals = *decimals > 0 ? *decimals - 1 : 0;
	else if (end != word && *end == '\0' && value >= 0 && value <= 9)
		*decimals = (int)value;
	else
		return err_usage(err, word, _("the number of decimals, 0 to 9, was expected"));
	return true;
}

static bool set_theme(struct session *session, const char *word, struct err *err)
{
	if (theme_find(word) != NULL) {
		snprintf(session->theme, sizeof session->theme, "%s", word);
		return true;
	}
	struct buf names = BUF_INIT;
	for (size_t i = 0; theme_at(i) != NULL; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", theme_name(theme_at(i)));
	err_usage(err, word, _("one of the themes was expected: %s"), buf_text(&names));
	buf_free(&names);
	return false;
}

bool command_set(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	if (args->count != 2)
		return err_usage(err, "set", _("a setting and its value were expected: set precision 6"));
	const char *name = args->words[0], *value = args->words[1];
	*next |= COMMAND_REDRAW;
	if (strcmp(name, "precision") == 0)
		return set_precision(session, value, err);
	if (strcmp(name, "heat") == 0)
		return read_switch(value, &session->scene.heat, err);
	if (strcmp(name, "large") == 0)
		return read_switch(value, &session->scene.is_large, err);
	if (strcmp(name, "theme") != 0)
		return err_usage(err, name, _("one of precision, heat, theme and large was expected"));
	*next |= COMMAND_THEME;
	return set_theme(session, value, err);
}

bool command_repaint(struct session *session, const struct command_args *args, unsigned *next, struct err *err)
{
	(void)session;
	(void)args;
	(void)err;
	*next |= COMMAND_REDRAW | COMMAND_REPAINT;
	return true;
}
