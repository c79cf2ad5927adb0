#include "cli/resume.h"

#include <string.h>

#include "base/i18n.h"

/* What a run that goes on may be told anew: nothing that would change its bytes. */
static bool check_options(const struct cli *cli, struct err *err)
{
	static const char *const allowed[] = {"resume", "threads", "kernels", "durable", "json", "quiet", "color", "lang", NULL};
	for (int i = 0; i < cli->args.given; i++) {
		bool known = false;
		for (size_t j = 0; allowed[j] != NULL; j++)
			known = known || strcmp(cli->args.names[i], allowed[j]) == 0;
		if (!known)
			return err_usage(err, cli->args.names[i],
				_("with --resume the trace says what is run; only --threads, --kernels and --durable can be given"));
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
			_("the trace was made with \"%.200s\", which is no bundled model; give its folder: rowscope run MODEL --resume DIR"),
			recorded);
	*err = why;
	return false;
}

static bool open_parts(struct resume *resume, struct setup *setup, struct cli *cli, struct err *err)
{
	int64_t threads = 0;
	if (!check_options(cli, err) || !cli_int(&cli->args, "threads", 1, 256, &threads, err) ||
		!trace_open(&resume->trace, cli_value(&cli->args, "resume"), err) ||
		!open_model(&setup->model, cli, trace_info(resume->trace)->model, err) ||
		!again_open(&resume->again, resume->trace, setup->model, err))
		return false;
	setup->batch = resume->again.batch;
	setup->faults = (const char **)(uintptr_t)resume->again.faults;
	setup->fault_count = resume->again.fault_count;
	setup->run = resume->again.run;
	setup->run.threads = (int)threads;
	setup->run.kernels = cli_value(&cli->args, "kernels");
	setup->plan = resume->again.plan;
	resume->passes = trace_whole_passes(resume->trace);
	if (resume->passes < trace_pass_count(resume->trace))
		cli_say(cli, _("the file of pass %lld is damaged or missing; it is made anew, and those behind it"),
			(long long)resume->passes);
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
	trace_close(resume->trace);
	*resume = (struct resume){0};
}

bool resume_recorder(const struct resume *resume, struct recorder_options *options, struct recorder **recorder,
	struct err *err)
{
	options->folder = trace_folder(resume->trace);
	options->capture = trace_info(resume->trace)->capture;
	return recorder_resume(recorder, options, &(struct recorder_start){resume->trace, resume->passes}, err);
}

bool resume_replay(struct resume *resume, struct run *run, const struct probe *probe, bool *more, struct err *err)
{
	return again_replay(&resume->again, run, resume->passes, probe, more, err);
}
