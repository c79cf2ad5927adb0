/* rowscope verify: three proofs that the rows stay apart, and an audit. */
#include <stdlib.h>
#include <string.h>

#include "analysis/isolation.h"
#include "app/live.h"
#include "base/i18n.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "cli/stop.h"
#include "cli/verdict.h"
#include "view/proofs.h"
#include "trace/trace.h"

const struct cli_option cmd_verify_options[] = {
	SETUP_OPTIONS,
	{"model", 'm', N_("MODEL"), N_("the model of a trace that was made with no bundled one")},
	{"cells", 0, N_("N"), N_("cells of each value that are explained and recomputed (8)")},
	{"scramble-seed", 0, N_("N"), N_("of what the neighbours are scrambled with (1)")},
	{0},
};

#define MAX_CELLS 1000000

/* Proves one trace and prints the verdict. */
static bool verify_trace(struct cli *cli, struct trace *trace, struct model *model, struct run_options run,
	struct err *err)
{
	struct isolation result;
	int64_t cells = ISOLATION_DEFAULT_CELLS, seed = 1, threads = run.threads;
	struct buf out = BUF_INIT;
	if (!cli_int(&cli->args, "cells", 1, MAX_CELLS, &cells, err) ||
		!cli_int(&cli->args, "scramble-seed", 0, INT64_MAX, &seed, err) ||
		!cli_int(&cli->args, "threads", 1, 256, &threads, err))
		return false;
	run.threads = (int)threads;
	struct isolation_options options = {.trace = trace,
		.model = model,
		.run = run,
		.seed = (uint64_t)seed,
		.cells_per_value = cells,
		.is_asked_to_end = stop_wanted};
	if (!isolation_check(&result, &options, &cli->arena, err))
		return false;
	cli->status = result.ok ? 0 : CLI_STATUS_FOUND;
	bool ok = true;
	if (cli->json) {
		verdict_json(&result, trace, &out);
	} else {
		ok = cli_print_table(cli, proofs_table(&result, trace, &cli->arena), err);
		verdict_text(&result, trace, &out);
	}
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	return ok;
}

static bool verify_folder(struct cli *cli, const char *folder, struct err *err)
{
	struct trace *trace;
	struct model *model = NULL;
	struct run_options run = {.kernels = cli_value(&cli->args, "kernels")};
	if (!trace_open(&trace, folder, err))
		return false;
	stop_watch();
	bool ok = trace_check(trace, err) && setup_trace_model(&model, cli, trace_info(trace)->model, err) &&
		verify_trace(cli, trace, model, run, err);
	model_delete(model);
	trace_close(trace);
	return ok;
}

/* Records the batch with everything in it, to be checked. */
static bool verify_batch(struct cli *cli, struct err *err)
{
	struct setup setup;
	struct live *live = NULL;
	struct trace *trace = NULL;
	bool more = true;
	if (!setup_open(&setup, cli, err))
		return false;
	stop_watch();
	struct live_options options = {.model = setup.model,
		.plan = setup.plan,
		.batch = &setup.batch,
		.capture = "all",
		.run = setup.run,
		.faults = setup.faults,
		.fault_count = setup.fault_count};
	bool ok = live_new(&live, &options, err);
	while (ok && more && !stop_wanted())
		ok = live_step(live, &more, err);
	ok = ok && trace_open(&trace, live_folder(live), err) && verify_trace(cli, trace, setup.model, setup.run, err);
	trace_close(trace);
	live_delete(live);
	setup_close(&setup);
	return ok;
}

bool cmd_verify(struct cli *cli, struct err *err)
{
	bool is_trace = false;
	if (!setup_trace(cli, &is_trace, err))
		return false;
	bool ok = is_trace ? verify_folder(cli, cli->args.words[0], err) : verify_batch(cli, err);
	if (!stop_wanted())
		return ok;
	/* the temporary trace is gone, and no half a verdict was printed */
	cli_say(cli, _("stopped before all proofs were done"));
	cli->status = CLI_STATUS_INTERRUPTED;
	return true;
}
