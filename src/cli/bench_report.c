#include "cli/bench_report.h"

#include "base/i18n.h"
#include "base/json.h"

/* --- figures --- */

/* The least seconds that the machine needs: all multiply-adds at the peak, or all weights read at the bandwidth. */
static double least_seconds(const struct bench_limit *limit, double flops, double weight_bytes)
{
	double computing = flops / (limit->peak * 1e9), reading = weight_bytes / (limit->bandwidth * 1e9);
	return computing > reading ? computing : reading;
}

static double single_flops(const struct bench_single *single)
{
	return 2.0 * (double)single->rows * (double)single->in * (double)single->out;
}

static double single_bytes(const struct bench_single *single)
{
	return 4.0 * (double)single->in * (double)single->out;
}

static double of_limit(const struct bench_line *line)
{
	return least_seconds(line->limit, line->flops, line->weight_bytes) / line->time.seconds;
}

static const char *capture_name(const struct bench_line *line)
{
	return line->capture != NULL ? line->capture : "none";
}

/* --- JSON --- */

static void add_limits(struct json_writer *writer, const struct bench_report *report)
{
	json_key(writer, "limits");
	json_begin_array(writer);
	for (int i = 0; i < report->limit_count; i++) {
		json_begin_object(writer);
		json_put_int(writer, "threads", report->limits[i].threads);
		json_put_double(writer, "gflops", report->limits[i].peak);
		json_put_double(writer, "read_gb_per_s", report->limits[i].bandwidth);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void add_singles(struct json_writer *writer, const struct bench_report *report)
{
	json_key(writer, "products");
	json_begin_array(writer);
	for (int i = 0; i < report->single_count; i++) {
		const struct bench_single *single = &report->singles[i];
		double least = least_seconds(single->limit, single_flops(single), single_bytes(single));
		json_begin_object(writer);
		json_put_int(writer, "M", single->rows);
		json_put_int(writer, "K", single->in);
		json_put_int(writer, "N", single->out);
		json_put_int(writer, "threads", single->limit->threads);
		json_put_double(writer, "seconds", single->seconds);
		json_put_double(writer, "gflops", single_flops(single) / single->seconds * 1e-9);
		json_put_double(writer, "gb_per_s", single_bytes(single) / single->seconds * 1e-9);
		json_put_double(writer, "of_limit", least / single->seconds);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void add_line(struct json_writer *writer, const struct bench_line *line)
{
	json_begin_object(writer);
	json_put_string(writer, "kind", line->load.decode ? "decode" : "prefill");
	json_put_int(writer, "B", line->load.rows);
	json_put_int(writer, "S", line->load.decode ? 1 : line->load.prompt);
	json_put_int(writer, "prompt", line->load.prompt);
	json_put_int(writer, "threads", line->limit->threads);
	json_put_string(writer, "capture", capture_name(line));
	json_put_int(writer, "bytes_per_pass", (int64_t)line->time.bytes);
	json_put_bool(writer, "too_large", line->time.is_too_large);
	if (!line->time.is_too_large) {
		json_put_double(writer, "seconds", line->time.seconds);
		json_put_double(writer, "tokens_per_s", (double)line->time.tokens / line->time.seconds);
		json_put_double(writer, "products_seconds", line->products);
		json_put_double(writer, "products_share", line->share);
		json_put_double(writer, "of_limit", of_limit(line));
		if (line->ratio > 0)
			json_put_double(writer, "ratio_to_none", line->ratio);
	}
	json_end_object(writer);
}

void bench_report_json(const struct bench_report *report, struct buf *out)
{
	struct json_writer writer;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_string(&writer, "model", report->model);
	json_put_int(&writer, "parameters", report->parameters);
	json_put_string(&writer, "kernels", report->kernels);
	if (report->write_speed > 0)
		json_put_double(&writer, "write_gb_per_s", report->write_speed);
	add_limits(&writer, report);
	add_singles(&writer, report);
	json_key(&writer, "passes");
	json_begin_array(&writer);
	for (int i = 0; i < report->line_count; i++)
		add_line(&writer, &report->lines[i]);
	json_end_array(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* --- tables --- */

static int number_column(struct table *table, const char *key, int decimals)
{
	int column = table_add_column(table, key, TABLE_DOUBLE);
	table_label(table, column, key, decimals);
	return column;
}

static struct table *limit_table(const struct bench_report *report, struct arena *arena)
{
	struct table *table = table_new(arena, "limits");
	int threads = table_add_column(table, "threads", TABLE_INT), peak = number_column(table, "GFLOP/s", 1);
	int bandwidth = number_column(table, "read GB/s", 1), speed = number_column(table, "write GB/s", 2);
	for (int i = 0; i < report->limit_count; i++) {
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_int(table, row, threads, report->limits[i].threads);
		table_set_double(table, row, peak, report->limits[i].peak);
		table_set_double(table, row, bandwidth, report->limits[i].bandwidth);
		if (report->write_speed > 0)
			table_set_double(table, row, speed, report->write_speed);
	}
	table_set_title(table, _("limits of this machine"));
	return table;
}

static struct table *single_table(const struct bench_report *report, struct arena *arena)
{
	struct table *table = table_new(arena, "products");
	int rows = table_add_column(table, "M", TABLE_INT), in = table_add_column(table, "K", TABLE_INT);
	int outs = table_add_column(table, "N", TABLE_INT), threads = table_add_column(table, "threads", TABLE_INT);
	int speed = number_column(table, "GFLOP/s", 1), reading = number_column(table, "GB/s", 1);
	int share = number_column(table, "% of limit", 0);
	for (int i = 0; i < report->single_count; i++) {
		const struct bench_single *single = &report->singles[i];
		double least = least_seconds(single->limit, single_flops(single), single_bytes(single));
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_int(table, row, rows, single->rows);
		table_set_int(table, row, in, single->in);
		table_set_int(table, row, outs, single->out);
		table_set_int(table, row, threads, single->limit->threads);
		table_set_double(table, row, speed, single_flops(single) / single->seconds * 1e-9);
		table_set_double(table, row, reading, single_bytes(single) / single->seconds * 1e-9);
		table_set_double(table, row, share, 100 * least / single->seconds);
	}
	table_set_title(table, _("matrix products: x [M][K] times w [K][N]"));
	return table;
}

/* Columns of the table of passes, in their order. */
enum {
	PASS_KIND,
	PASS_S,
	PASS_B,
	PASS_THREADS,
	PASS_CAPTURE,
	PASS_MS,
	PASS_TOKENS,
	PASS_SHARE,
	PASS_LIMIT,
	PASS_RATIO,
	PASS_MB,
	PASS_SPEED
};

static void add_pass_row(struct table *table, const struct bench_line *line)
{
	const struct bench_time *time = &line->time;
	size_t row = table_add_row(table, STYLE_NO_LANE);
	table_set_string(table, row, PASS_KIND, line->load.decode ? "decode" : "prefill");
	table_set_int(table, row, PASS_S, line->load.decode ? 1 : line->load.prompt);
	table_set_int(table, row, PASS_B, line->load.rows);
	table_set_int(table, row, PASS_THREADS, line->limit->threads);
	table_set_string(table, row, PASS_CAPTURE, capture_name(line));
	if (time->bytes > 0)
		table_set_double(table, row, PASS_MB, (double)time->bytes * 1e-6);
	if (time->is_too_large)
		return;
	table_set_double(table, row, PASS_MS, time->seconds * 1e3);
	table_set_double(table, row, PASS_TOKENS, (double)time->tokens / time->seconds);
	table_set_double(table, row, PASS_SHARE, 100 * line->share);
	table_set_double(table, row, PASS_LIMIT, 100 * of_limit(line));
	if (line->ratio > 0)
		table_set_double(table, row, PASS_RATIO, line->ratio);
	if (time->bytes > 0)
		table_set_double(table, row, PASS_SPEED, (double)time->bytes / time->seconds * 1e-9);
}

static struct table *pass_table(const struct bench_report *report, struct arena *arena)
{
	struct table *table = table_new(arena, "passes");
	bool too_large = false;
	table_add_column(table, "pass", TABLE_TEXT);
	table_add_column(table, "S", TABLE_INT);
	table_add_column(table, "B", TABLE_INT);
	table_add_column(table, "threads", TABLE_INT);
	table_add_column(table, "capture", TABLE_TEXT);
	number_column(table, "ms", 3);
	number_column(table, "tokens/s", 1);
	number_column(table, "% products", 0);
	number_column(table, "% of limit", 0);
	number_column(table, "x none", 3);
	number_column(table, "MB/pass", 2);
	number_column(table, "GB/s", 2);
	for (int i = 0; i < report->line_count; i++) {
		add_pass_row(table, &report->lines[i]);
		too_large |= report->lines[i].time.is_too_large;
	}
	table_set_title(table, _("whole passes"));
	if (too_large)
		table_set_caption(table, _("A recording that would take more than 4 GiB is left out."));
	return table;
}

bool bench_report_print(const struct bench_report *report, struct cli *cli, struct err *err)
{
	struct buf out = BUF_INIT;
	buf_printf(&out, _("%s, %lld weights, kernels %s\n\n"), report->model, (long long)report->parameters,
		report->kernels);
	bool ok = cli_print(&out, err) && cli_print_table(cli, limit_table(report, &cli->arena), err);
	buf_clear(&out);
	buf_add_char(&out, '\n');
	ok = ok && cli_print(&out, err) && cli_print_table(cli, single_table(report, &cli->arena), err) &&
		cli_print(&out, err) && cli_print_table(cli, pass_table(report, &cli->arena), err);
	buf_clear(&out);
	buf_add_text(&out,
		_("\n% products: the time of the pass's matrix products alone, of the whole pass. % of "
		  "limit: the time for all\n"
		  "operations at the peak, or for reading all weights, of the time taken; more than 100 "
		  "where weights stay in a cache.\n"));
	ok = ok && cli_print(&out, err);
	buf_free(&out);
	return ok;
}
