/* rowscope export: a tensor, a part of one, a weight or a whole view, written to a file for somebody else's program. */
#include <string.h>

#include "app/command.h"
#include "app/session.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/pick.h"
#include "draw/show.h"
#include "export/export.h"
#include "view/view.h"

const struct cli_option cmd_export_options[] = {
	{"output", 'o', N_("FILE"), N_("the file to write; its ending says the format")},
	{"format", 0, N_("NAME"), N_("text, csv, json, markdown, latex, svg, pdf or png")},
	{"heat", 0, NULL, N_("a heat map; its scale is that of the whole tensor")},
	{"view", 0, N_("NAME"),
		N_("a view of the terminal program instead of the numbers: timeline, mask, cache, logits, ...")},
	{"table", 0, NULL, N_("with --view: the numbers of the view, not its picture")},
	{"theme", 0, N_("NAME"), N_("colours: light, dark, projector or mono (light)")},
	{"all", 'a', NULL, N_("every row and column of a large tensor; csv and json are always whole")},
	{"names", 0, N_("WHOSE"), N_("transformerlens: title the tensor with TransformerLens' name for it")},
	{"force", 'f', NULL, N_("replace a file that is there")},
	{"model", 'm', N_("MODEL"), N_("the model of a trace that was made with no bundled one")},
	{0},
};

/* What is written where. */
struct target {
	const char *path;
	const struct export_format *format;
	struct export_options options;
};

static bool read_target(struct target *target, struct cli *cli, struct err *err)
{
	const char *theme = cli_value(&cli->args, "theme");
	*target = (struct target){.path = cli_value(&cli->args, "output")};
	if (target->path == NULL)
		return err_usage(err, "--output", _("name the file to write, as in  -o logits.csv"));
	target->options.theme = theme_find(theme != NULL ? theme : "light");
	if (target->options.theme == NULL)
		return err_usage(err, "--theme", _("expected light, dark, projector or mono, got \"%.60s\""), theme);
	return export_choose(&target->format, cli_value(&cli->args, "format"), target->path, err);
}

/* Machines get every number; people get what fits a page, unless they ask for all. */
static bool is_whole(const struct target *target, const struct cli *cli)
{
	return cli_has(&cli->args, "all") || strcmp(target->format->name, "csv") == 0 ||
		strcmp(target->format->name, "json") == 0;
}

static bool write_numbers(const struct target *target, struct cli *cli, const struct pick *pick, struct buf *out,
	struct err *err)
{
	bool heat = cli_has(&cli->args, "heat");
	struct numbers numbers = pick_numbers(pick, &cli->arena, heat);
	struct export_options options = target->options;
	struct heat scale;
	options.title = numbers.title;
	if (is_whole(target, cli))
		numbers.most_columns = numbers.most_rows = 0;
	if (!heat)
		return export_table(target->format, numbers_table(&numbers, &cli->arena), &options, out, err);
	if (!pick_scale(pick, &cli->arena, &scale, err))
		return false;
	struct grid grid = numbers_heat(&numbers, &scale, &cli->arena);
	return export_grid(target->format, &grid, &options, out, err);
}

static bool write_pick(const struct target *target, struct cli *cli, struct buf *out, struct err *err)
{
	struct pick pick;
	if (cli_has(&cli->args, "table"))
		return err_usage(err, "--table", _("this belongs to --view; numbers are a table anyway"));
	bool hooks;
	if (!cli_names(&cli->args, &hooks, err) || !pick_open(&pick, cli, err))
		return false;
	if (hooks)
		pick_rename(&pick, &cli->arena);
	bool ok = write_numbers(target, cli, &pick, out, err);
	pick_close(&pick);
	return ok;
}

/* A view of the trace at the place that the selector names, as the terminal program would show it. */
static bool write_view(const struct target *target, struct cli *cli, struct buf *out, struct err *err)
{
	const char *place = cli_join(cli, 1);
	unsigned next = 0;
	if (cli_has(&cli->args, "heat") || cli_has(&cli->args, "all") || cli_has(&cli->args, "names"))
		return err_usage(err, "--view", _("a view is shown as it is; leave out --heat, --all and --names"));
	if (!cli_words(cli, 1, -1, err))
		return false;
	struct session *session = session_new();
	bool ok = session_open_trace(session, cli->args.words[0], cli_value(&cli->args, "model"), err) &&
		session_run(session, arena_printf(&cli->arena, "set theme %s", theme_name(target->options.theme)),
			&next, err) &&
		(place[0] == '\0' || session_run(session, arena_printf(&cli->arena, "goto %s", place), &next, err)) &&
		session_run(session, arena_printf(&cli->arena, "view %s", cli_value(&cli->args, "view")), &next, err) &&
		command_write_view(session, target->format, cli_has(&cli->args, "table") ? "table" : NULL, out, err);
	session_delete(session);
	return ok;
}

static bool say_written(const struct target *target, struct cli *cli, size_t bytes, struct err *err)
{
	struct buf out = BUF_INIT;
	struct json_writer writer;
	bool ok = true;
	if (cli->json) {
		json_writer_init(&writer, &out, false);
		json_begin_object(&writer);
		json_put_string(&writer, "file", target->path);
		json_put_string(&writer, "format", target->format->name);
		json_put_int(&writer, "bytes", (int64_t)bytes);
		json_end_object(&writer);
		buf_add_char(&out, '\n');
		ok = cli_print(&out, err);
	} else {
		show_text(&out, target->path);
		cli_say(cli, _("wrote %s, %zu bytes"), buf_text(&out), bytes);
	}
	buf_free(&out);
	return ok;
}

bool cmd_export(struct cli *cli, struct err *err)
{
	struct target target;
	struct buf out = BUF_INIT;
	bool ok = read_target(&target, cli, err) &&
		(cli_has(&cli->args, "view") ? write_view(&target, cli, &out, err)
					     : write_pick(&target, cli, &out, err)) &&
		export_save(target.path, &out, cli_has(&cli->args, "force"), err) &&
		say_written(&target, cli, out.length, err);
	buf_free(&out);
	return ok;
}
