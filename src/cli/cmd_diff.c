/* rowscope diff: where two traces part first, how far, and whether rounding can be the cause. */
#include "base/i18n.h"
#include "cli/commands.h"
#include "cli/difference.h"

const struct cli_option cmd_diff_options[] = {
	{"all", 'a', NULL, N_("list equal tensors too")},
	{0},
};

static bool print_difference(struct cli *cli, const struct diff *diff, const struct trace *a, struct err *err)
{
	struct buf out = BUF_INIT;
	bool all = cli_has(&cli->args, "all"), ok = true;
	if (cli->json) {
		difference_json(diff, a, &out);
	} else {
		if (all || diff->bad > 0)
			ok = cli_print_table(cli, difference_table(diff, a, all, &cli->arena), err);
		buf_add_text(&out, all || diff->bad > 0 ? "\n" : "");
		difference_text(diff, a, &out);
	}
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	return ok;
}

bool cmd_diff(struct cli *cli, struct err *err)
{
	struct trace *a = NULL, *b = NULL;
	struct diff diff;
	bool ok = cli_words(cli, 2, 2, err) && trace_open(&a, cli->args.words[0], err) &&
		trace_open(&b, cli->args.words[1], err) && trace_check(a, err) && trace_check(b, err) &&
		diff_traces(&diff, a, b, &cli->arena, err) && print_difference(cli, &diff, a, err);
	if (ok && !diff.equal)
		cli->status = CLI_STATUS_FOUND;
	trace_close(b);
	trace_close(a);
	return ok;
}
