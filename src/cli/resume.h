/*
 * resume.h: `run --resume DIR`: a run that was stopped while it recorded goes on, to the same bytes.
 *
 * What ran is read from the trace: the call may name the model (where it is no bundled one), threads and kernels, and nothing else.
 *
 *     struct resume resume;
 *     if (!resume_open(&resume, &setup, cli, err)) return false;
 *     if (!resume_recorder(&resume, &options, &recorder, err) || !resume_replay(&resume, run, &probe, &more, err)) ...
 *     resume_close(&resume, &setup);
 */
#ifndef CLI_RESUME_H
#define CLI_RESUME_H

#include "app/again.h"
#include "cli/setup.h"
#include "trace/recorder.h"

struct resume {
	struct trace *trace; /* NULL: nothing is resumed */
	struct again again;
	int64_t passes;      /* that are whole */
};

/* Fills in the setup too, from what the trace says. */
bool resume_open(struct resume *resume, struct setup *setup, struct cli *cli, struct err *err);
/* Closes both. */
void resume_close(struct resume *resume, struct setup *setup);

/* Goes on recording behind the whole passes. Folder and capture set of the options are filled in. */
bool resume_recorder(const struct resume *resume, struct recorder_options *options, struct recorder **recorder,
	struct err *err);
/* Brings a new run to where the trace ends. */
bool resume_replay(struct resume *resume, struct run *run, const struct probe *probe, bool *more, struct err *err);

#endif
