/*
 * scene.h: all that a view may look at: the open trace, the place in it, what is chosen, and the settings.
 *
 * The session (app/) owns and changes a scene; views only read it, apart from the look (look.h), which remembers the
 * tensor read last. Invariant while a trace is open that has passes: `pass` and `value` exist, and `index` lies inside
 * the value's shape in that pass.
 *
 *     const struct trace_value *value = scene_value(scene);
 *     scene_token(scene, 100, &text);   // "很"
 */
#ifndef VIEW_SCENE_H
#define VIEW_SCENE_H

#include "base/buf.h"
#include "draw/grid.h"
#include "model/model.h"
#include "trace/trace.h"
#include "view/look.h"

enum scene_pane { SCENE_OPS, SCENE_MAIN, SCENE_SIDE, SCENE_PANES };

#define SCENE_ALL (-1)

struct view;
struct explainer;
struct isolation;
struct diff;

/* One line of help: derived from the lists of commands and keys. */
struct scene_help {
	const char *group; /* "moving"; a new group gets a heading */
	const char *keys;  /* "Right l"; "" for a command without a key */
	const char *line;  /* the command with its arguments */
	const char *text;  /* what it does */
	const char *label; /* of the footer, or "" */
	unsigned panes;    /* bits of the panes in which the keys work; 0: everywhere */
};

/* One thing that can be opened from the home screen. */
struct scene_home {
	const char *group; /* "models" */
	const char *name;
	const char *about; /* "" */
	const char *line;  /* the command that opens it; a line that ends with a blank waits for more */
};

/* What a lesson under way wants shown. Texts are foreign; a newline ends a paragraph. */
struct scene_lesson {
	const char *id, *title;
	int step, steps;
	const char *heading; /* of the step; "" */
	const char *text;
	const char *question; /* "" when the step asks nothing */
	const char *choices;  /* lines "a) ...", "" */
	const char *feedback; /* hint, or verdict of the last answer; "" */
	bool is_right, is_answered;
};

struct scene {
	struct trace *trace; /* NULL: nothing is open */
	struct model *model; /* NULL: no weights at hand */
	bool is_live;        /* another pass can be run */
	/* the place */
	int64_t pass;
	int value; /* of the trace's list */
	int64_t index[TENSOR_MAX_RANK];
	/* what is chosen */
	int32_t row;       /* request whose lane stands out, or SCENE_ALL */
	int64_t slice[26]; /* by axis letter: the only index shown, or SCENE_ALL */
	const struct view *view;
	enum scene_pane focus;
	int64_t scroll; /* first line, of views that have no cursor */
	bool is_hidden; /* results wait to be revealed */
	/* settings */
	int decimals;
	bool heat;
	bool is_large; /* presenter mode: wider spacing, fewer panes */
	/* texts around the views */
	const char *message; /* the last command's answer or error; "" */
	bool is_error;
	const char *found;                 /* what was searched; "" */
	const struct scene_lesson *lesson; /* NULL: none is under way */
	const struct scene_home *home;
	int home_count;
	const struct scene_help *help;
	int help_count;
	struct look *look;
	struct explainer *explainer;       /* NULL until something is explained */
	const struct isolation *isolation; /* NULL until the rows were proved apart */
	const struct diff *diff;           /* NULL until another trace was compared with this one */
};

/* Is there a pass to look at? */
bool scene_has_pass(const struct scene *scene);
/* The pass, the value and the operation at the place. Only when there is a pass. They belong to the trace. */
const struct trace_pass *scene_pass(const struct scene *scene);
const struct trace_value *scene_value(const struct scene *scene);
const struct trace_op *scene_op(const struct scene *scene);
/* The size of a value's axis in a pass. */
int64_t scene_axis_size(const struct scene *scene, int64_t pass, char letter);
/* The shape of a value in a pass; returns its rank. */
int scene_shape(const struct scene *scene, int64_t pass, int value, int64_t shape[TENSOR_MAX_RANK]);
/* For an index into a value with those axes: the line of its row in the pass, and the cell of the pass; -1 where it belongs
 * to none. */
int64_t scene_line(const struct scene *scene, int64_t pass, const char *axes, const int64_t *index);
int64_t scene_cell(const struct scene *scene, int64_t pass, const char *axes, const int64_t *index);
/* Puts the index on a cell of the pass, or on the first cell of a row, where the axes have it. */
void scene_aim_cell(const struct scene *scene, int64_t pass, const char *axes, int64_t cell, int64_t *index);
void scene_aim_line(const struct scene *scene, int64_t pass, const char *axes, int64_t b, int64_t *index);

/* The request in line `b` of the pass at the place, and its ID. */
int32_t scene_request(const struct scene *scene, int64_t b);
const char *scene_row_id(const struct scene *scene, int32_t request);
/* The token of a request at a logical position, as far as it is known from the recorded passes; -1 otherwise. */
int32_t scene_token_at(const struct scene *scene, int32_t request, int64_t position);
/* The style of a row's lane, standing back while another row is chosen. */
struct style scene_lane(const struct scene *scene, int32_t request);

/* Appends the raw bytes of a token's text: from the trace, else from the model's vocabulary; "" when unknown. */
void scene_token(const struct scene *scene, int32_t token, struct buf *out);
/* The same behind what is there already, a blank between two tokens where neither brings one, so that they can be told
 * apart. */
void scene_append_token(const struct scene *scene, int32_t token, struct buf *out);
/* Draws it, made visible; returns the columns used. */
int scene_draw_token(const struct scene *scene, struct grid *grid, struct grid_span at, struct style style,
	int32_t token);

/* A whole recorded tensor of the pass at the place, into the arena. Input error as trace_find. */
bool scene_read(const struct scene *scene, const char *name, struct arena *arena, struct tensor *tensor,
	struct err *err);

/* The name of an axis as selectors spell it: "row", "pos", "head", ... Constant text. */
const char *scene_axis_name(char letter);

/* Every column of text that follows, wrapped at spaces (or anywhere in Chinese) to the grid's width from line `y` on;
 * returns the line after the last. Foreign bytes are made visible. */
int scene_draw_text(struct grid *grid, int y, struct style style, const char *text);

#endif
