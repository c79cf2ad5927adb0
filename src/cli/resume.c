#include "cli/resume.h"

#include <string.h>

#include "base/i18n.h"

static bool is_listed(const char *const *names, const char *name)
{
	for (size_t i = 0; names[i] != NULL; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* What such a run may be told anew: nothing that would change what was recorded. */
static bool check_options(const struct cli *cli, bool forks, struct err *err)
{
	static const char *const always[] = {"threads", "kernels", "durable", "json", "quiet", "color", "lang", NULL};
	static const char *const fork[] = {"fork", "pass", "set", "output", "capture", "force", NULL};
	for (int i = 0; i < cli->args.given; i++) {
		const char *name = cli->args.names[i];
		if (is_listed(always, name) || (forks ? is_listed(fork, name) : strcmp(name, "resume") == 0))
			continue;
		return forks ? err_usage(err, name,
				       _("with --fork the trace says what is run; --pass and --set say what changes, "
					 "and -o, --capture, --force, --threads, --kernels and --durable can be given"))
			     : err_usage(err, name,
				       _("with --resume the trace says what is run; only --threads, --kernels and "
					 "--durable can be given"));
	}
	return cli_words(cli, 0, 1, err);
}

/* The model of the first word, or the bundled one of the recorded name. */
static bool open_model(struct model **model, const struct cli *cli, const char *recorded, struct err *err)
{
	struct err why = ERR_INIT;
	if (cli->args.count > 0)
		return setup_model(model, cli->args.words[0], err);
	if (setup_trace_model(model, cli, recorded, &why))
		return true;
	if (why.kind == ERR_USAGE)
		return err_usage(err, "MODEL",
			_("the trace was made with \"%.200s\", which is no bundled model; give its folder before the "
			  "options: rowscope run MODEL ..."),
			recorded);
	*err = why;
	return false;
}

static bool open_fork(struct resume *resume, struct cli *cli, struct err *err)
{
	int64_t pass = -1;
	int count;
	const char **changes = cli_values(&cli->args, "set", &cli->arena, &count);
	if (!cli_int(&cli->args, "pass", 0, INT64_MAX, &pass, err))
		return false;
	if (pass < 0 || count == 0)
		return err_usage(err, "--fork",
			_("--pass N and --set row=ID,token=ID or --set row=ID,KEY=VALUE say where it goes another "
			  "way"));
	if (!trace_check(resume->trace, err) || !fork_open(&resume->fork, resume->trace, pass, err))
		return false;
	for (int i = 0; i < count; i++) {
		if (!fork_set(&resume->fork, changes[i], err))
			return false;
	}
	resume->passes = pass;
	return true;
}

static void count_whole(struct resume *resume, const struct cli *cli)
{
	resume->passes = trace_whole_passes(resume->trace);
	if (resume->passes < trace_pass_count(resume->trace))
		cli_say(cli, _("the file of pass %lld is damaged or missing; it is made anew, and those behind it"),
			(long long)resume->passes);
}

static bool fill_setup(const struct resume *resume, struct setup *setup, const struct cli *cli, struct err *err)
{
	int64_t threads = 0;
	if (!cli_int(&cli->args, "threads", 1, 256, &threads, err))
		return false;
	setup->batch = resume->again.batch;
	setup->faults = (const char **)(uintptr_t)resume->again.faults;
	setup->fault_count = resume->again.fault_count;
	setup->run = resume->again.run;
	setup->run.threads = (int)threads;
	setup->run.kernels = cli_value(&cli->args, "kernels");
	setup->plan = resume->again.plan;
	return true;
}

static bool open_parts(struct resume *resume, struct setup *setup, struct cli *cli, struct err *err)
{
	resume->forks = cli_has(&cli->args, "fork");
	if (!check_options(cli, resume->forks, err) ||
		!trace_open(&resume->trace, cli_value(&cli->args, resume->forks ? "fork" : "resume"), err) ||
		(resume->forks && !open_fork(resume, cli, err)) ||
		!open_model(&setup->model, cli, trace_info(resume->trace)->model, err))
		return false;
	const struct batch *batch = resume->forks ? &resume->fork.batch : trace_batch(resume->trace);
	if (!again_open(&resume->again, resume->trace, batch, setup->model, err) ||
		!fill_setup(resume, setup, cli, err))
		return false;
	if (!resume->forks)
		count_whole(resume, cli);
	return true;
}

bool resume_open(struct resume *resume, struct setup *setup, struct cli *cli, struct err *err)
{
	*resume = (struct resume){0};
	*setup = (struct setup){.arena = ARENA_INIT};
	if (open_parts(resume, setup, cli, err))
		return true;
	resume_close(resume, setup);
	return false;
}

void resume_close(struct resume *resume, struct setup *setup)
{
	setup->plan = NULL; /* again's */
	setup_close(setup);
	again_close(&resume->again);
	fork_close(&resume->fork);
	trace_close(resume->trace);
	*resume = (struct resume){0};
}

bool resume_recorder(const struct resume *resume, struct recorder_options *options, struct recorder **recorder,
	struct err *err)
{
	const struct trace_info *info = trace_info(resume->trace);
	options->capture = options->capture == NULL ? info->capture : options->capture;
	if (resume->forks) {
		options->parent = &resume->fork.parent;
		return options->folder == NULL || recorder_new(recorder, options, err);
	}
	struct recorder_parent parent = {info->parent, info->parent_digest, info->parent_pass};
	options->parent = info->parent == NULL ? NULL : &parent;
	options->folder = trace_folder(resume->trace);
	return recorder_resume(recorder, options, &(struct recorder_start){resume->trace, resume->passes}, err);
}

bool resume_replay(struct resume *resume, struct run *run, const struct probe *probe, bool *more, struct err *err)
{
	return again_replay(&resume->again, run, resume->passes, probe, more, err);
}
