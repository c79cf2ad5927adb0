#include "app/live.h"

#include <stdlib.h>

#include "app/temporary.h"
#include "base/mem.h"
#include "trace/recorder.h"

struct live {
	struct run *run;
	struct recorder *recorder;
	bool has_more;
	char folder[TEMPORARY_SIZE];
};

bool live_new(struct live **result, const struct live_options *options, struct err *err)
{
	struct live *live = MEM_NEW(struct live);
	bool ok = temporary_make(live->folder, err);
	if (!ok)
		live->folder[0] = '\0';
	if (ok) {
		struct recorder_options recorder = {
			.folder = live->folder,
			.replace = true,
			.scratch = true,
			.capture = options->capture,
			.model = options->model,
			.plan = options->plan,
			.batch = options->batch,
			.faults = options->faults,
			.fault_count = options->fault_count,
		};
		ok = recorder_new(&live->recorder, &recorder, err) &&
			run_new(&live->run, options->model, options->plan, options->batch, &options->run, err);
	}
	if (!ok) {
		live_delete(live);
		return false;
	}
	live->has_more = true;
	*result = live;
	return true;
}

bool live_step(struct live *live, bool *more, struct err *err)
{
	struct probe probe = recorder_probe(live->recorder);
	bool ok = run_step(live->run, &probe, &live->has_more, err);
	if (!ok)
		live->has_more = false;
	*more = live->has_more;
	return ok;
}

bool live_has_more(const struct live *live)
{
	return live->has_more;
}

const char *live_folder(const struct live *live)
{
	return live->folder;
}

void live_delete(struct live *live)
{
	if (live == NULL)
		return;
	struct err ignored = ERR_INIT; /* the folder goes anyway */
	recorder_finish(live->recorder, &ignored);
	if (live->run != NULL)
		run_delete(live->run);
	if (live->folder[0] != '\0')
		temporary_remove(live->folder);
	free(live);
}
