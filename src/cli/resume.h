/*
 * resume.h: runs that begin with a recorded one. `run --resume DIR`: a run that was stopped while it recorded goes on, to the same
 * bytes. `run --fork DIR --pass N --set ...`: a new run that goes another way from pass N on.
 *
 * What ran is read from the trace: the call may name the model (where it is no bundled one), threads and kernels, and for a fork where it
 * is recorded, and nothing else.
 *
 *     struct resume resume;
 *     if (!resume_open(&resume, &setup, cli, err)) return false;
 *     if (!resume_recorder(&resume, &options, &recorder, err) || !resume_replay(&resume, run, &probe, &more, err)) ...
 *     resume_close(&resume, &setup);
 */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "app/again.h"
#include "app/fork.h"
#include "cli/setup.h"
#include "trace/recorder.h"

struct resume {
	struct trace *trace; /* NULL: nothing is resumed */
	struct again again;
	struct fork fork; /* of a fork */
	bool forks;
	int64_t passes; /* that are whole; for a fork, that it shares with its parent */
};

/* Fills in the setup too, from what the trace says. Usage error for options that the trace decides, input error when
 * the trace or its model cannot be read. */
bool resume_open(struct resume *resume, struct setup *setup, struct cli *cli, struct err *err);
/* Closes the trace and its model, and frees what resume_open made. */
void resume_close(struct resume *resume, struct setup *setup);

/* Goes on recording behind the whole passes, or for a fork records anew, if the options have a folder. What the
 * options leave open is filled in from the trace. Fails as recorder_resume and recorder_new do. */
bool resume_recorder(const struct resume *resume, struct recorder_options *options, struct recorder **recorder,
	struct err *err);
/* Brings a new run to where the trace ends, or forks. Input error at the first number that is not the recorded one. */
bool resume_replay(struct resume *resume, struct run *run, const struct probe *probe, bool *more, struct err *err);

#endif
