/*
 * report.h: what a run did, gathered while it runs, as the document of the contract or as text for people.
 *
 *     struct report *report = report_new(model);
 *     struct probe probe = report_probe(report);
 *     ... run_step(run, &probe, &more, err) ...
 *     report_json(report, run, trace_folder_or_NULL, &out);
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "base/buf.h"
#include "engine/run.h"

struct report;

struct report *report_new(const struct model *model);
void report_delete(struct report *report);
struct probe report_probe(struct report *report);

/* Appends { "trace", "model", "rows", "passes" }. */
void report_json(const struct report *report, const struct run *run, const char *trace, struct buf *out);
/* Appends one line per pass, then one per row: its text, and how it ended. */
void report_text(const struct report *report, const struct run *run, struct buf *out);

#endif
