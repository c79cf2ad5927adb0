/*
 * session.h: the program without a face: what is open, where one is, what is chosen, and the commands' effects on it.
 *
 * A session shows one trace: a recorded one, or that of a live run, which is recorded into a temporary folder and grows by
 * a pass whenever one goes beyond the last. Both are looked at in the same way. The terminal program, scripts and
 * lessons drive it by command lines; only this layer changes a scene.
 * Invariant: what scene.h promises; a command that fails has changed nothing but the message.
 *
 *     struct session *session = session_new();
 *     if (!session_open_trace(session, "run1", NULL, err)) ...
 *     unsigned next = 0;
 *     session_command(session, "goto pass=1 logits[row=A]", &next);
 *     session_delete(session);
 */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/batch.h"
#include "engine/run.h"
#include "view/scene.h"

/* A place to come back to. */
struct session_place {
	char name[24]; /* of a mark */
	int64_t pass;
	int value;
	int64_t index[TENSOR_MAX_RANK];
	const struct view *view;
};

#define SESSION_MARKS 26
#define SESSION_HISTORY 64

/* What the last command answered, for lessons and scripts: one of these, or nothing. */
enum session_result_kind { SESSION_NOTHING, SESSION_NUMBER, SESSION_TEXT, SESSION_TRUTH, SESSION_SHAPE };

struct session_result {
	enum session_result_kind kind;
	double number;
	bool truth;
	int rank;
	int64_t shape[TENSOR_MAX_RANK];
	struct buf text; /* always: the answer as text; raw bytes of a token for SESSION_TEXT */
};

struct live;
struct lesson_run;

struct session {
	struct scene scene;
	struct arena arena; /* of what is open */
	struct model *model;
	struct plan *plan; /* of the model; NULL without one */
	struct live *live; /* the run behind the trace; NULL for a recorded trace */
	struct session_place marks[SESSION_MARKS];
	int mark_count;
	struct session_place history[SESSION_HISTORY];
	int history_count;
	const struct view *return_view; /* where `close` leads from help and the like */
	bool predicts;                  /* each next result is hidden */
	struct arena home_arena;        /* of scene.home */
	struct arena proof_arena;       /* of scene.isolation */
	int64_t proof_passes;           /* how many it covers */
	struct arena diff_arena;        /* of scene.diff */
	char theme[16];
	char found[128];
	struct buf message;
	struct session_result result;
	struct lesson_run *lesson;     /* NULL: none is under way */
	char lesson_folder[512];       /* a teacher's own lessons; "" */
	struct buf copy;               /* for the clipboard; taken by session_copied */
	bool (*is_asked_to_end)(void); /* asked before every pass; NULL: never */
};

/* How a batch is run. */
struct session_options {
	const char *capture; /* NULL: "all" */
	struct run_options run;
	const char *const *faults; /* names of the bugs that are switched on */
	int fault_count;
};

/* A session with nothing open. The caller frees it with session_delete. */
struct session *session_new(void);
/* Closes what is open, removes a temporary trace, frees. NULL is allowed. */
void session_delete(struct session *session);

/* Opens a recorded trace. `model` is the folder of its model, or NULL to look for it among the bundled ones by name;
 * a trace is shown without one too, apart from weights and explanations. Fails as trace_open does, and when the
 * model named cannot be read; without a model the trace is open all the same. */
bool session_open_trace(struct session *session, const char *folder, const char *model, struct err *err);
/* Runs a batch on a model, live. The session takes the model over, whatever happens, and a copy of the batch. The
 * first pass is run. `options` may be NULL. Fails as live_new does. */
bool session_open_run(struct session *session, struct model *model, const struct batch *batch,
	const struct session_options *options, struct err *err);
/* The same from prompts, tokenized by the model; rows are named A, B, C, ... Fails when the model cannot be read or
 * a prompt cannot be cut into tokens. */
bool session_open_prompts(struct session *session, const char *model, const char *const *prompts, int count,
	struct err *err);
/* The same from a batch file, which names the model. Input error that names the place in the file. */
bool session_open_batch(struct session *session, const char *path, const struct session_options *options,
	struct err *err);
/* The same with the batch file that came with a model. Usage error when it has none. */
bool session_open_example(struct session *session, const char *model, struct err *err);
/* Closes what is open and forgets the place. */
void session_close(struct session *session);

/* Runs the next pass of a live run; *ran is false when there is none. System error when the session is asked to end: a
 * command that runs many passes stops there. */
bool session_advance(struct session *session, bool *ran, struct err *err);

/* Runs a command line for a person: a failure becomes the message. False then. */
bool session_command(struct session *session, const char *line, unsigned *next);
/* Runs a command line for a script or lesson: a failure is the caller's. */
bool session_run(struct session *session, const char *line, unsigned *next, struct err *err);
/* The loop has handed session->copy to the terminal. */
void session_copied(struct session *session, bool ok);

/* Models up to this many parameters are explained without being asked: their weights are read in no time. */
#define SESSION_SMALL_MODEL 5000000

/* --- for the command_*.c files --- */
/* Sets the message line. */
void session_say(struct session *session, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 2, 3)))
#endif
	;
/* Usage error unless something with at least one pass is open. */
bool session_needs_pass(const struct session *session, struct err *err);
/* Remembers the place for `back`. */
void session_leave(struct session *session);
struct session_place session_place(const struct session *session);
/* Goes there, as far as it still exists; clamps the cursor into the tensor's shape. */
void session_go(struct session *session, int64_t pass, int value);
/* Is there a recorded tensor for this value? */
bool session_is_shown(const struct session *session, int value);
/* Hides the result just reached, when predicting. */
void session_reached(struct session *session);

#endif
