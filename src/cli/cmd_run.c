/* rowscope run: runs a batch, records it where asked, prints each row's text. */
#include <string.h>

#include "base/i18n.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/resume.h"
#include "cli/setup.h"
#include "cli/stop.h"
#include "trace/recorder.h"

const struct cli_option cmd_run_options[] = {
	SETUP_OPTIONS,
	{"output", 'o', N_("DIR"), N_("record into this folder, which must not exist yet")},
	{"capture", 0, N_("SET"), N_("io, all, or globs separated by commas (io)")},
	{"durable", 0, NULL, N_("sync to disk after every pass")},
	{"force", 'f', NULL, N_("replace a trace that is there")},
	{"resume", 0, N_("DIR"), N_("go on with the run that was stopped while it recorded into this folder")},
	{"fork", 0, N_("DIR"), N_("run what this trace holds again, but go another way from --pass on, as --set says")},
	{"pass", 0, N_("N"), N_("with --fork: the first pass that may differ")},
	{"set", 0, N_("CHANGE"), N_("with --fork: row=ID,token=ID or row=ID,KEY=VALUE,...; may be given again")},
	{0},
};

#define LARGE_BYTES ((uint64_t)256 << 20)

/* Everything of one call. */
struct recording {
	struct setup setup;
	struct resume resume; /* of an earlier run; empty for a new one */
	struct run *run;
	struct recorder *recorder; /* NULL without --output */
	struct report *report;
	bool more;
};

static bool start_recorder(struct recording *r, struct cli *cli, struct err *err)
{
	const char *folder = cli_value(&cli->args, "output");
	struct recorder_options options = {.folder = folder,
		.replace = cli_has(&cli->args, "force"),
		.durable = cli_has(&cli->args, "durable"),
		.capture = cli_value(&cli->args, "capture"),
		.model = r->setup.model,
		.plan = r->setup.plan,
		.batch = &r->setup.batch,
		.faults = r->setup.faults,
		.fault_count = r->setup.fault_count};
	if (r->resume.trace != NULL)
		return resume_recorder(&r->resume, &options, &r->recorder, err);
	if (folder != NULL)
		return recorder_new(&r->recorder, &options, err);
	return !cli_has(&cli->args, "capture") || capture_check(options.capture, r->setup.plan, err);
}

/* What the whole trace may take: every row to its end, as one prefill and decode passes of all rows. */
static void say_size(const struct recording *r, const struct cli *cli)
{
	const struct batch *batch = &r->setup.batch;
	struct dims prefill = r->setup.plan->dims, decode;
	int64_t most_new = 0;
	if (r->recorder == NULL)
		return;
	for (int64_t i = 0; i < batch->count; i++) {
		prefill.S = batch->requests[i].prompt_length > prefill.S ? batch->requests[i].prompt_length : prefill.S;
		most_new = batch->requests[i].max_new_tokens > most_new ? batch->requests[i].max_new_tokens : most_new;
	}
	prefill.B = batch->count, prefill.T = prefill.B * prefill.S, prefill.K = prefill.S;
	decode = prefill;
	decode.S = 1, decode.T = decode.B, decode.K = prefill.S + most_new;
	uint64_t bytes = recorder_pass_bytes(r->recorder, &prefill) +
		(uint64_t)(most_new - 1) * recorder_pass_bytes(r->recorder, &decode);
	if (bytes >= LARGE_BYTES)
		cli_say(cli, _("the trace may take up to %llu MiB"), (unsigned long long)(bytes >> 20));
}

/* Tells the report, and the recorder when there is one. */
static struct probe watchers(const struct recording *r, struct probe_pair *pair)
{
	*pair = (struct probe_pair){.first = report_probe(r->report)};
	if (r->recorder != NULL)
		pair->second = recorder_probe(r->recorder);
	return probe_join(pair);
}

/* Brings an earlier run to where this one begins: before anything is written when it is resumed, recorded anew when it is forked. */
static bool replay(struct recording *r, struct err *err)
{
	struct probe_pair pair;
	struct probe probe = watchers(r, &pair);
	return resume_replay(&r->resume, r->run, &probe, &r->more, err);
}

static bool start(struct recording *r, struct cli *cli, struct err *err)
{
	bool again = r->resume.trace != NULL, forks = r->resume.forks;
	r->more = true;
	return run_new(&r->run, r->setup.model, r->setup.plan, &r->setup.batch, &r->setup.run, err) &&
		(!again || forks || replay(r, err)) && start_recorder(r, cli, err) && (!forks || replay(r, err));
}

static bool run_passes_all(struct recording *r, struct cli *cli, struct err *err)
{
	struct probe_pair pair;
	struct probe probe = watchers(r, &pair);
	bool more = r->more, ok = true;
	stop_watch();
	while (ok && more && !stop_wanted())
		ok = run_step(r->run, &probe, &more, err);
	if (ok && more) {
		cli->status = CLI_STATUS_INTERRUPTED;
		cli_say(cli, _("stopped after pass %lld; what was recorded is whole"),
			(long long)run_passes(r->run) - 1);
	}
	return ok;
}

static bool print_report(struct recording *r, struct cli *cli, struct err *err)
{
	struct buf out = BUF_INIT;
	bool resumes = r->resume.trace != NULL && !r->resume.forks;
	const char *folder = resumes ? trace_folder(r->resume.trace) : cli_value(&cli->args, "output");
	if (cli->json)
		report_json(r->report, r->run, folder, &out);
	else
		report_text(r->report, r->run, &out);
	bool ok = cli_print(&out, err);
	buf_free(&out);
	return ok;
}

bool cmd_run(struct cli *cli, struct err *err)
{
	struct recording r = {0};
	bool again = cli_has(&cli->args, "resume") || cli_has(&cli->args, "fork");
	if (!again && (cli_has(&cli->args, "pass") || cli_has(&cli->args, "set")))
		return err_usage(err, cli_has(&cli->args, "pass") ? "--pass" : "--set", _("this goes with --fork"));
	if (again ? !resume_open(&r.resume, &r.setup, cli, err) : !setup_open(&r.setup, cli, err))
		return false;
	r.report = report_new(r.setup.model);
	bool ok = start(&r, cli, err);
	if (ok)
		say_size(&r, cli);
	ok = ok && run_passes_all(&r, cli, err);
	ok = recorder_finish(r.recorder, err) && ok;
	ok = ok && print_report(&r, cli, err);
	report_delete(r.report);
	run_delete(r.run);
	if (r.resume.trace != NULL)
		resume_close(&r.resume, &r.setup);
	else
		setup_close(&r.setup);
	return ok;
}
