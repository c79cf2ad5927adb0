/* rowscope bench: tokens per second against rows, threads and recording, beside the limits of the machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/bench_shape.h"
#include "base/i18n.h"
#include "cli/bench_report.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "cli/stop.h"
#include "tensor/limits.h"

const struct cli_option cmd_bench_options[] = {
	{"shape", 0, N_("NAME"),
		N_("random weights: 15M, 110M, 135M (Llama), gpt2-15M, gpt2-110M, gpt2-135M, or sizes H,L,N,G,F,V "
		   "(Llama) or H,L,N,F,V (GPT-2) (15M)")},
	{"batch-sizes", 0, N_("N,..."), N_("numbers of rows (1,2,4,8)")},
	{"threads", 0, N_("N,..."), N_("numbers of threads (1 and one per processor)")},
	{"capture", 0, N_("SET,..."), N_("what is recorded: none, io, all (none,io,all)")},
	{"prefill", 0, N_("S,..."), N_("lengths of prompts, 0 for none (128,512)")},
	{"decode", 0, N_("N"), N_("decode passes per round, 0 for none (32)")},
	{"repeat", 0, N_("N"), N_("rounds; medians are taken (3)")},
	{"kernels", 0, N_("SET"), N_("instruction set: scalar, avx2, avx512, neon (the best there is)")},
	{"quick", 0, NULL, N_("a first impression: 1 and 8 rows, 128 tokens, 12 passes, 1 round")},
	{0},
};

#define MOST_SIZES 16
#define MOST_REPEATS 100
#define DECODE_PROMPT 8
/* Operations that a round of prompts does at least, so that short passes are taken often. */
#define ROUND_FLOPS 2e10
#define MOST_ROUND_PASSES 50

struct sizes {
	int64_t all[MOST_SIZES];
	int count;
};

struct settings {
	struct sizes rows, threads, prefill;
	const char *captures[MOST_SIZES]; /* NULL: none */
	int capture_count;
	int64_t decode, repeat;
};

/* What is under way. */
struct measuring {
	struct settings settings;
	struct model *model;
	struct bench *bench;
	struct bench_report report;
	struct cli *cli;
};

/* --- options --- */

/* "1,2,4" */
static bool read_sizes(struct sizes *sizes, const struct cli *cli, const char *name, int64_t low, int64_t high,
	struct err *err)
{
	const char *text = cli_value(&cli->args, name), *at = text;
	char where[32];
	if (text == NULL)
		return true;
	snprintf(where, sizeof where, "--%s", name);
	for (sizes->count = 0; sizes->count < MOST_SIZES; at++) {
		char *end;
		errno = 0;
		long long number = strtoll(at, &end, 10);
		if (end == at || errno != 0 || number < low || number > high || (*end != ',' && *end != '\0'))
			return err_usage(err, where,
				_("expected whole numbers from %lld to %lld with commas between, got \"%.60s\""),
				(long long)low, (long long)high, text);
		sizes->all[sizes->count++] = number;
		at = end;
		if (*at == '\0')
			return true;
	}
	return err_usage(err, where, _("at most %d numbers can be given"), MOST_SIZES);
}

static bool read_captures(struct settings *settings, struct cli *cli, struct err *err)
{
	const char *text = cli_value(&cli->args, "capture");
	static const char *const known[] = {"none", "io", "all"};
	if (text == NULL)
		text = "none,io,all";
	while (settings->capture_count < MOST_SIZES) {
		size_t length = strcspn(text, ",");
		const char *name = arena_strndup(&cli->arena, text, length);
		bool is_known = false;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			is_known = is_known || strcmp(name, known[i]) == 0;
		if (!is_known)
			return err_usage(err, "--capture",
				_("expected none, io, all or several of them with commas between, got \"%.60s\""),
				name);
		settings->captures[settings->capture_count++] = strcmp(name, "none") == 0 ? NULL : name;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
	return err_usage(err, "--capture", _("at most %d sets can be given"), MOST_SIZES);
}

static void set_defaults(struct settings *settings, bool quick)
{
	int processors = pool_processors();
	settings->rows = quick ? (struct sizes){{1, 8}, 2} : (struct sizes){{1, 2, 4, 8}, 4};
	settings->threads = processors > 1 ? (struct sizes){{1, processors}, 2} : (struct sizes){{1}, 1};
	settings->prefill = quick ? (struct sizes){{128}, 1} : (struct sizes){{128, 512}, 2};
	settings->decode = quick ? 12 : 32;
	settings->repeat = quick ? 1 : 3;
}

static bool read_settings(struct settings *settings, struct cli *cli, struct err *err)
{
	set_defaults(settings, cli_has(&cli->args, "quick"));
	return read_sizes(&settings->rows, cli, "batch-sizes", 1, 4096, err) &&
		read_sizes(&settings->threads, cli, "threads", 1, POOL_MAX_THREADS, err) &&
		read_sizes(&settings->prefill, cli, "prefill", 0, 1 << 20, err) &&
		cli_int(&cli->args, "decode", 0, 1 << 20, &settings->decode, err) &&
		cli_int(&cli->args, "repeat", 1, MOST_REPEATS, &settings->repeat, err) &&
		read_captures(settings, cli, err);
}

/* Lengths that were asked for and do not fit are wrong use; those of the default are left out. */
static bool check_lengths(const struct measuring *m, struct err *err)
{
	const struct sizes *prefill = &m->settings.prefill;
	int64_t context = model_config(m->model)->context;
	for (int i = 0; cli_has(&m->cli->args, "prefill") && i < prefill->count; i++) {
		if (prefill->all[i] > context)
			return err_usage(err, "--prefill",
				_("a prompt of %lld tokens does not fit the model's context of %lld"),
				(long long)prefill->all[i], (long long)context);
	}
	return true;
}

static bool open_model(struct measuring *m, struct err *err)
{
	const struct cli_args *args = &m->cli->args;
	const char *shape = cli_value(args, "shape");
	struct config config;
	if (!cli_words(m->cli, 0, 1, err))
		return false;
	if (args->count == 1 && shape != NULL)
		return err_usage(err, "--shape", _("name a model or a shape, not both"));
	m->report.model = args->count == 1 ? args->words[0] : shape != NULL ? shape : "15M";
	if (args->count == 1)
		return setup_model(&m->model, args->words[0], err);
	return bench_shape_read(&config, m->report.model, err) &&
		model_random(&m->model, &config, m->report.model, err);
}

/* --- measuring --- */

/* What is under way, where somebody watches. */
static void say_progress(const struct measuring *m, const char *what, int64_t rows, int threads)
{
	if (isatty(STDERR_FILENO) != 0)
		cli_say(m->cli, _("%s, %lld rows, %d threads"), what, (long long)rows, threads);
}

/* Of what is measured when the model itself does not matter: the shapes of docs/BENCHMARKS.md. */
static const int64_t products[][3] = {
	{1, 576, 1536},
	{8, 576, 1536},
	{128, 576, 1536},
	{1, 768, 3072},
	{8, 768, 3072},
	{512, 768, 3072},
};

#define PRODUCTS (int)(sizeof products / sizeof *products)

static bool measure_machine(struct measuring *m, struct err *err)
{
	struct bench_report *report = &m->report;
	const struct sizes *threads = &m->settings.threads;
	report->limits = ARENA_ARRAY(&m->cli->arena, struct bench_limit, threads->count);
	report->singles = ARENA_ARRAY(&m->cli->arena, struct bench_single, threads->count * PRODUCTS);
	for (int i = 0; i < threads->count && !stop_wanted(); i++) {
		struct bench_limit *limit = &report->limits[report->limit_count++];
		const struct kernels *kernels = bench_kernels(m->bench);
		struct pool *pool;
		say_progress(m, _("limits"), 0, (int)threads->all[i]);
		if (!pool_new(&pool, (int)threads->all[i], err))
			return false;
		*limit = (struct bench_limit){.threads = (int)threads->all[i],
			.peak = limits_fma_peak(kernels, pool),
			.bandwidth = limits_read_bandwidth(pool)};
		for (int j = 0; j < PRODUCTS && !stop_wanted(); j++)
			report->singles[report->single_count++] = (struct bench_single){.limit = limit,
				.rows = products[j][0],
				.in = products[j][1],
				.out = products[j][2],
				.seconds =
					bench_product(kernels, products[j][0], products[j][1], products[j][2], pool)};
		pool_delete(pool);
	}
	return true;
}

/* Rounds of one load: seconds[set][round], the set behind the captures being the products alone. */
struct rounds {
	double seconds[MOST_SIZES + 1][MOST_REPEATS];
	struct bench_time times[MOST_SIZES + 1];
	int count;
};

static bool run_rounds(struct measuring *m, const struct bench_load *load, struct rounds *rounds, struct err *err)
{
	const struct settings *settings = &m->settings;
	for (rounds->count = 0; rounds->count < settings->repeat && !stop_wanted(); rounds->count++) {
		for (int set = 0; set <= settings->capture_count; set++) {
			bool ok = set < settings->capture_count
				? bench_passes(m->bench, load, settings->captures[set], &rounds->times[set], err)
				: bench_products(m->bench, load, &rounds->times[set], err);
			if (!ok)
				return false;
			rounds->seconds[set][rounds->count] = rounds->times[set].seconds;
		}
	}
	return true;
}

/* The median over the rounds of one set's time by another's. */
static double ratio(const struct rounds *rounds, int above, int below)
{
	double ratios[MOST_REPEATS];
	for (int i = 0; i < rounds->count; i++)
		ratios[i] = rounds->seconds[above][i] / rounds->seconds[below][i];
	return bench_median(ratios, rounds->count);
}

static void add_lines(struct measuring *m, const struct bench_load *load, struct rounds *rounds,
	const struct bench_limit *limit)
{
	const struct settings *settings = &m->settings;
	int plain = -1;
	for (int set = 0; set < settings->capture_count; set++)
		plain = settings->captures[set] == NULL ? set : plain;
	for (int set = 0; set < settings->capture_count; set++) {
		struct bench_line *line = &m->report.lines[m->report.line_count++];
		*line = (struct bench_line){.limit = limit,
			.load = *load,
			.capture = settings->captures[set],
			.time = rounds->times[set]};
		bench_cost(m->bench, load, &line->flops, &line->weight_bytes);
		if (line->time.is_too_large)
			continue;
		line->share = ratio(rounds, settings->capture_count, set);
		line->ratio = plain >= 0 && set != plain ? ratio(rounds, set, plain) : 0;
	}
	for (int set = 0; set < settings->capture_count; set++) { /* sorts, so after the ratios */
		struct bench_line *line = &m->report.lines[m->report.line_count - settings->capture_count + set];
		line->time.seconds = bench_median(rounds->seconds[set], rounds->count);
		line->products = set == 0 ? bench_median(rounds->seconds[settings->capture_count], rounds->count)
					  : line[-1].products;
	}
}

static bool measure_load(struct measuring *m, struct bench_load *load, const struct bench_limit *limit, struct err *err)
{
	struct rounds *rounds;
	load->passes = bench_most_passes(m->bench, load);
	if (load->passes == 0 || stop_wanted())
		return true; /* longer than the model's context */
	say_progress(m, load->decode ? _("decode") : _("prefill"), load->rows, load->threads);
	rounds = ARENA_NEW(&m->cli->arena, struct rounds);
	if (!run_rounds(m, load, rounds, err))
		return false;
	if (rounds->count > 0)
		add_lines(m, load, rounds, limit);
	return true;
}

/* As many as make a round long enough to be measured. */
static int64_t passes_of(const struct measuring *m, const struct bench_load *load)
{
	double flops, weight_bytes;
	bench_cost(m->bench, load, &flops, &weight_bytes);
	double passes = ROUND_FLOPS / (flops > 1 ? flops : 1);
	return passes < 2 ? 2 : passes > MOST_ROUND_PASSES ? MOST_ROUND_PASSES : (int64_t)passes;
}

static bool measure_rows(struct measuring *m, int64_t rows, const struct bench_limit *limit, struct err *err)
{
	const struct settings *settings = &m->settings;
	int64_t context = model_config(m->model)->context;
	for (int i = 0; i < settings->prefill.count; i++) {
		struct bench_load load = {.rows = rows, .prompt = settings->prefill.all[i], .threads = limit->threads};
		load.passes = passes_of(m, &load);
		if (load.prompt > 0 && !measure_load(m, &load, limit, err))
			return false;
	}
	struct bench_load load = {.decode = true,
		.rows = rows,
		.passes = settings->decode,
		.threads = limit->threads,
		.prompt = context / 2 < DECODE_PROMPT ? context / 2 : DECODE_PROMPT};
	return measure_load(m, &load, limit, err);
}

static bool measure(struct measuring *m, struct err *err)
{
	const struct settings *settings = &m->settings;
	bool ok = measure_machine(m, err);
	m->report.lines = ARENA_ARRAY(&m->cli->arena, struct bench_line,
		settings->rows.count * settings->threads.count * (settings->prefill.count + 1) *
			settings->capture_count);
	for (int i = 0; ok && i < m->report.limit_count; i++) {
		for (int j = 0; ok && j < settings->rows.count && !stop_wanted(); j++)
			ok = measure_rows(m, settings->rows.all[j], &m->report.limits[i], err);
	}
	return ok;
}

static bool records(const struct settings *settings)
{
	for (int set = 0; set < settings->capture_count; set++) {
		if (settings->captures[set] != NULL)
			return true;
	}
	return false;
}

bool cmd_bench(struct cli *cli, struct err *err)
{
	struct measuring m = {.cli = cli};
	struct buf out = BUF_INIT;
	double write_speed = 0;
	stop_watch();
	bool ok = read_settings(&m.settings, cli, err) && open_model(&m, err) && check_lengths(&m, err) &&
		bench_new(&m.bench, m.model, cli_value(&cli->args, "kernels"), err) &&
		(!records(&m.settings) || bench_write_speed(&write_speed, err));
	if (ok) {
		m.report.kernels = bench_kernels(m.bench)->name;
		m.report.parameters = model_parameters(m.model);
		m.report.write_speed = write_speed * 1e-9;
		ok = measure(&m, err);
	}
	if (ok && cli->json)
		bench_report_json(&m.report, &out);
	ok = ok && (cli->json ? cli_print(&out, err) : bench_report_print(&m.report, cli, err));
	if (ok && stop_wanted())
		cli->status = CLI_STATUS_INTERRUPTED;
	buf_free(&out);
	bench_delete(m.bench);
	model_delete(m.model);
	return ok;
}
