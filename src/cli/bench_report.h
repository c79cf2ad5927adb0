/*
 * bench_report.h: what `rowscope bench` has measured, as tables for people and as one JSON document.
 *
 * Speeds are medians; ratios are medians of the ratios of rounds that ran in turns.
 */
#ifndef CLI_BENCH_REPORT_H
#define CLI_BENCH_REPORT_H

#include "app/bench.h"
#include "cli/cli.h"

/* The limits of the machine with that many threads. */
struct bench_limit {
	int threads;
	double peak;      /* GFLOP/s of float32 multiply-adds */
	double bandwidth; /* GB/s of reading memory */
};

/* One matrix product alone: x [rows][in] times w [in][out]. */
struct bench_single {
	const struct bench_limit *limit;
	int64_t rows, in, out;
	double seconds;
};

/* Passes of one load and capture set. */
struct bench_line {
	const struct bench_limit *limit;
	struct bench_load load;
	const char *capture;    /* NULL: nothing is recorded */
	struct bench_time time; /* seconds: of all rounds */
	double products;        /* seconds of the matrix products alone; 0 where unknown */
	double share;           /* of the pass that the products alone take, round by round */
	double ratio;           /* of the time to that without recording, round by round; 0 where unknown */
	double flops, weight_bytes;
};

struct bench_report {
	const char *model, *kernels;
	int64_t parameters;
	double write_speed; /* GB/s; 0: not measured */
	struct bench_limit *limits;
	int limit_count;
	struct bench_single *singles;
	int single_count;
	struct bench_line *lines;
	int line_count;
};

/* Appends the JSON document. */
void bench_report_json(const struct bench_report *report, struct buf *out);
/* Prints the tables on standard output; system error when that cannot be written. */
bool bench_report_print(const struct bench_report *report, struct cli *cli, struct err *err);

#endif
