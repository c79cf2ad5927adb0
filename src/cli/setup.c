#include "cli/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/faults.h"
#include "analysis/stops.h"
#include "app/data.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/utf8.h"
#include "model/folder.h"
#include "trace/sampling_keys.h"

#define DEFAULT_MODEL "three-requests"
#define MAX_NEW ((int64_t)1 << 20)

static bool has_file(const char *folder, const char *name)
{
	char path[512];
	struct err none = ERR_INIT;
	return file_join(path, sizeof path, folder, name, &none) && file_exists(path);
}

/* The first option given that says what is run, rather than by how many threads and with which kernels; NULL: none. */
static const char *first_option(const struct cli *cli)
{
	static const struct cli_option options[] = {SETUP_OPTIONS, {0}};
	for (int i = 0; i < cli->args.given; i++) {
		const char *name = cli->args.names[i];
		for (const struct cli_option *option = options; option->name != NULL; option++) {
			if (strcmp(option->name, name) == 0 && strcmp(name, "threads") != 0 &&
				strcmp(name, "kernels") != 0)
				return name;
		}
	}
	return NULL;
}

bool setup_has_options(const struct cli *cli)
{
	return first_option(cli) != NULL;
}

static bool refuse_options(const struct cli *cli, struct err *err)
{
	const char *name = first_option(cli);
	char where[40];
	if (name == NULL)
		return true;
	snprintf(where, sizeof where, "--%s", name);
	return err_usage(err, where,
		_("this says how a batch is run, but a trace has been run already; leave it out, or give "
		  "a model instead of the trace"));
}

bool setup_trace(const struct cli *cli, bool *is_trace, struct err *err)
{
	char path[512];
	struct err none = ERR_INIT;
	*is_trace = false;
	if (cli->args.count == 0 || cli_has(&cli->args, "batch"))
		return true;
	const char *word = cli->args.words[0];
	*is_trace = cli->args.count == 1 && !cli_has(&cli->args, "tokens") && has_file(word, "trace.json");
	if (*is_trace)
		return refuse_options(cli, err);
	if (!data_find_model(path, sizeof path, word, &none) || !file_exists(path))
		return err_input(err, word, NULL,
			_("there is neither a trace nor a model here; give the folder of a trace or of a model, or the "
			  "name of a bundled model"));
	return !file_is_folder(path) || folder_has_config(path, err);
}

bool setup_model(struct model **model, const char *name, struct err *err)
{
	char path[512];
	return data_find_model(path, sizeof path, name, err) && model_open(model, path, err);
}

bool setup_trace_model(struct model **model, const struct cli *cli, const char *recorded_name, struct err *err)
{
	const char *named = cli_value(&cli->args, "model");
	char path[512];
	struct err none = ERR_INIT;
	if (named != NULL)
		return setup_model(model, named, err);
	if (strchr(recorded_name, '/') != NULL || !data_find(path, sizeof path, "tiny_models", recorded_name, &none))
		return err_usage(err, "--model",
			_("the trace was made with \"%.200s\", which is no bundled model; name its folder with "
			  "--model"),
			recorded_name);
	return model_open(model, path, err);
}

/* --- rows of the command line --- */

/* "5 6 7" or "5,6,7" */
static bool read_ids(struct request *request, const char *text, struct arena *arena, struct err *err)
{
	request->prompt = ARENA_ARRAY(arena, int32_t, strlen(text) + 1);
	for (const char *at = text + strspn(text, " ,"); *at != '\0'; at += strspn(at, " ,")) {
		char *end;
		errno = 0;
		long long id = strtoll(at, &end, 10);
		if (end == at || errno != 0 || id < 0 || id > INT32_MAX || (*end != '\0' && strchr(" ,", *end) == NULL))
			return err_usage(err, "--tokens", _("expected token IDs separated by spaces, got \"%.60s\""),
				text);
		request->prompt[request->prompt_length++] = (int32_t)id;
		at = end;
	}
	return request->prompt_length > 0 || err_usage(err, "--tokens", _("a row needs at least one token ID"));
}

/* One prompt per line of standard input; an empty line is no row. */
static bool read_prompts(struct cli *cli, const char ***prompts, int *count, struct err *err)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	int capacity = 0;
	while ((length = getline(&line, &size, stdin)) >= 0) {
		if (length > 0 && line[length - 1] == '\n')
			line[--length] = '\0';
		if (length > 0 && line[length - 1] == '\r')
			line[--length] = '\0';
		if (length == 0)
			continue;
		if (strlen(line) < (size_t)length) {
			free(line);
			return err_usage(err, NULL,
				_("a prompt of standard input holds a NUL byte; text was expected"));
		}
		if (*count == capacity) {
			const char **more = ARENA_ARRAY(&cli->arena, const char *, capacity = capacity * 2 + 16);
			if (*count > 0)
				memcpy(more, *prompts, (size_t)*count * sizeof *more);
			*prompts = more;
		}
		(*prompts)[(*count)++] = arena_strndup(&cli->arena, line, (size_t)length);
	}
	free(line);
	if (ferror(stdin) != 0)
		return err_system(err, NULL, errno, _("standard input cannot be read"));
	return *count > 0 ||
		err_usage(err, NULL,
			_("no prompt was given, and standard input holds none (one per line); "
			  "give prompts behind the model, or rows by --tokens or --batch"));
}

/* Prompts of the words, or of standard input for "-" or a pipe. */
static bool gather_prompts(struct cli *cli, bool has_tokens, const char ***prompts, int *count, struct err *err)
{
	const struct cli_args *args = &cli->args;
	bool dash = args->count == 2 && strcmp(args->words[1], "-") == 0;
	*prompts = args->words + 1;
	*count = args->count > 1 ? args->count - 1 : 0;
	if (!dash && (*count > 0 || has_tokens))
		return true;
	if (!dash && isatty(STDIN_FILENO) != 0)
		return err_usage(err, NULL,
			_("no prompt was given; give at least one behind the model, as in  rowscope run "
			  "tiny-stories \"Once upon a time\", or rows by --tokens or --batch"));
	*count = 0;
	return read_prompts(cli, prompts, count, err);
}

/* Before any prompt is waited for. */
static bool find_model(const struct cli *cli, char *path, size_t size, struct err *err)
{
	const char *name = cli->args.count > 0 ? cli->args.words[0] : DEFAULT_MODEL;
	if (!data_find_model(path, size, name, err))
		return false;
	return file_exists(path) ||
		err_input(err, name, NULL, _("there is no such file or folder; give the folder of a model"));
}

static bool rows_from_words(struct cli *cli, struct requests *requests, struct err *err)
{
	const char **prompts, **ids;
	int count, id_count;
	int64_t new_tokens = BATCH_DEFAULT_NEW_TOKENS;
	char path[512];
	ids = cli_values(&cli->args, "tokens", &cli->arena, &id_count);
	if (!find_model(cli, path, sizeof path, err) || !gather_prompts(cli, id_count > 0, &prompts, &count, err))
		return false;
	const char **rows = ARENA_ARRAY(&cli->arena, const char *, count + id_count);
	for (int i = 0; i < count + id_count; i++)
		rows[i] = i < count ? prompts[i] : "";
	requests_from_texts(requests, rows, count + id_count, &cli->arena);
	for (int i = 0; i < id_count; i++) {
		requests->batch.requests[count + i].text = NULL;
		if (!read_ids(&requests->batch.requests[count + i], ids[i], &cli->arena, err))
			return false;
	}
	if (!cli_int(&cli->args, "new", 1, MAX_NEW, &new_tokens, err))
		return false;
	for (int64_t i = 0; i < requests->batch.count; i++)
		requests->batch.requests[i].max_new_tokens = new_tokens;
	requests->model = arena_strdup(&cli->arena, path);
	return true;
}

static bool rows_from_file(struct cli *cli, struct requests *requests, const char *file, struct err *err)
{
	int64_t new_tokens = 0;
	if (cli_has(&cli->args, "tokens"))
		return err_usage(err, "--tokens", _("with --batch the file names the rows"));
	if (!requests_load(requests, file, &cli->arena, err) ||
		!cli_int(&cli->args, "new", 1, MAX_NEW, &new_tokens, err))
		return false;
	for (int64_t i = 0; new_tokens > 0 && i < requests->batch.count; i++)
		requests->batch.requests[i].max_new_tokens = new_tokens;
	return true;
}

/* --- options --- */

/* How the batch is laid out and scheduled: what the options say, else what the batch file says. */
static bool read_way(struct batch *batch, const struct cli *cli, struct err *err)
{
	const char *layout = cli_value(&cli->args, "layout"), *schedule = cli_value(&cli->args, "schedule");
	if ((layout != NULL && !layout_find(layout, &batch->layout, err)) ||
		(schedule != NULL && !schedule_find(schedule, &batch->schedule, err)))
		return false;
	if (cli_has(&cli->args, "chunk") && batch->schedule != SCHEDULE_CHUNKED)
		return err_usage(err, "--chunk", _("this goes with --schedule chunked"));
	return cli_int(&cli->args, "chunk", 1, INT32_MAX, &batch->chunk, err) &&
		cli_int(&cli->args, "page-size", 1, INT32_MAX, &batch->page_size, err) &&
		cli_int(&cli->args, "max-rows", 1, INT32_MAX, &batch->max_rows, err);
}

/* Sampling and stops of the command line go for every row, over what a batch file says. */
static bool read_choice(struct setup *setup, struct cli *cli, struct err *err)
{
	struct batch *batch = &setup->batch;
	for (size_t i = 0; sampling_key(i) != NULL; i++) {
		char name[32], where[40];
		snprintf(name, sizeof name, "%s", sampling_key(i));
		for (char *at = name; *at != '\0'; at++)
			*at = *at == '_' ? '-' : *at;
		snprintf(where, sizeof where, "--%s", name);
		const char *text = cli_value(&cli->args, name);
		for (int64_t r = 0; text != NULL && r < batch->count; r++) {
			if (!sampling_set(&batch->requests[r].sampling, sampling_key(i), text, where, err))
				return false;
		}
	}
	return true;
}

static bool read_stops(struct setup *setup, struct cli *cli, struct err *err)
{
	int texts, count;
	const char **stops = cli_values(&cli->args, "stop", &cli->arena, &texts);
	const char **ids = cli_values(&cli->args, "stop-id", &cli->arena, &count);
	int32_t *tokens = ARENA_ARRAY(&cli->arena, int32_t, count);
	for (int i = 0; i < count; i++) {
		char *end;
		long id = strtol(ids[i], &end, 10);
		if (ids[i][0] == '\0' || *end != '\0' || id < 0 || id >= model_config(setup->model)->vocabulary)
			return err_usage(err, "--stop-id", _("expected a token ID from 0 to %lld, got \"%.60s\""),
				(long long)model_config(setup->model)->vocabulary - 1, ids[i]);
		tokens[i] = (int32_t)id;
	}
	for (int i = 0; i < texts; i++) {
		if (stops[i][0] == '\0')
			return err_usage(err, "--stop", _("expected a text of at least one character"));
	}
	for (int64_t r = 0; r < setup->batch.count; r++) {
		struct request *request = &setup->batch.requests[r];
		if (texts > 0)
			request->stops = stops, request->stop_count = texts;
		if (count > 0)
			request->stop_ids = tokens, request->stop_id_count = count;
	}
	setup->run.stop = stops_rule(setup->model);
	return true;
}

static void split_faults(struct setup *setup, struct cli *cli)
{
	int given;
	const char **values = cli_values(&cli->args, "fault", &cli->arena, &given);
	size_t most = 1;
	for (int i = 0; i < given; i++)
		most += strlen(values[i]);
	setup->faults = ARENA_ARRAY(&cli->arena, const char *, most);
	for (int i = 0; i < given; i++) {
		for (const char *at = values[i]; *at != '\0';) {
			size_t length = strcspn(at, ",");
			if (length > 0)
				setup->faults[setup->fault_count++] = arena_strndup(&cli->arena, at, length);
			at += length + (at[length] == ',');
		}
	}
}

static bool read_options(struct setup *setup, struct cli *cli, struct err *err)
{
	int64_t threads = 0;
	if (!read_way(&setup->batch, cli, err) || !read_choice(setup, cli, err) || !read_stops(setup, cli, err) ||
		!cli_int(&cli->args, "threads", 1, 256, &threads, err))
		return false;
	setup->run.threads = (int)threads;
	setup->run.kernels = cli_value(&cli->args, "kernels");
	split_faults(setup, cli);
	return true;
}

static bool open_rows(struct setup *setup, struct cli *cli, const char *file, struct err *err)
{
	struct requests requests = {0};
	*setup = (struct setup){.arena = ARENA_INIT};
	bool ok = (file != NULL ? rows_from_file(cli, &requests, file, err) : rows_from_words(cli, &requests, err)) &&
		model_open_with(&setup->model, requests.model, cli_value(&cli->args, "tokenizer"), err);
	requests.no_special = cli_has(&cli->args, "no-bos");
	ok = ok && requests_resolve(&requests, setup->model, &setup->batch, &cli->arena, err) &&
		read_options(setup, cli, err) &&
		plan_build(&setup->plan, setup->model, batch_way(&setup->batch), &setup->arena, err) &&
		faults_apply(setup->faults, (size_t)setup->fault_count, setup->plan, &setup->run, err);
	if (!ok)
		setup_close(setup);
	return ok;
}

bool setup_open(struct setup *setup, struct cli *cli, struct err *err)
{
	const char *file = cli_value(&cli->args, "batch");
	if (file != NULL && cli->args.count > 0)
		return err_usage(err, cli->args.words[0],
			_("with --batch the file names model and prompts; leave the words out"));
	return open_rows(setup, cli, file, err);
}

bool setup_open_example(struct setup *setup, struct cli *cli, struct err *err)
{
	char path[512], file[512];
	if (!find_model(cli, path, sizeof path, err) || !file_join(file, sizeof file, path, "batch.json", err))
		return false;
	return open_rows(setup, cli, file_exists(file) ? file : NULL, err);
}

void setup_close(struct setup *setup)
{
	plan_free(setup->plan);
	model_delete(setup->model);
	arena_free(&setup->arena);
	*setup = (struct setup){0};
}
