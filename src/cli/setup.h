/*
 * setup.h: what the options of `run` describe, ready to run: model, plan, batch, run options. Shared by every subcommand that
 * runs a batch.
 *
 *     struct setup setup;
 *     if (!setup_open(&setup, cli, err)) return false;
 *     ... run_new(&run, setup.model, setup.plan, &setup.batch, &setup.run, err) ...
 *     setup_close(&setup);
 */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "app/requests.h"
#include "cli/cli.h"
#include "engine/run.h"

/* The options that describe a batch and how it is run, as lines of a subcommand's table. */
#define SETUP_OPTIONS \
	{"batch", 0, N_("FILE"), N_("a batch file (JSON) that names model and rows; no prompts then")}, \
		{"tokens", 0, N_("IDS"), N_("a row by its token IDs: \"5 6 7\"; may be given again")}, \
		{"new", 0, N_("N"), N_("new tokens per row (16)")}, \
		{"max-rows", 0, N_("N"), N_("rows that may take part in a pass at once (all)")}, \
		{"layout", 0, N_("NAME"), N_("left or right: the side of the padding; packed: none (left)")}, \
		{"schedule", 0, N_("NAME"), \
			N_("continuous: rows join and leave; static: all together; chunked (continuous)")}, \
		{"chunk", 0, N_("N"), N_("with chunked: prompt tokens per row and pass (16)")}, \
		{"page-size", 0, N_("N"), N_("slots per block of the key/value cache (contiguous)")}, \
		{"temperature", 0, N_("T"), \
			N_("above 0: draw the next token; below 1 tamer, above 1 wilder (0: the likeliest)")}, \
		{"top-k", 0, N_("K"), N_("draw among the K likeliest")}, \
		{"top-p", 0, N_("P"), N_("draw among the likeliest that make up the probability P")}, \
		{"min-p", 0, N_("P"), N_("draw among tokens at least P times as likely as the likeliest")}, \
		{"repetition-penalty", 0, N_("R"), N_("above 1: tokens of the row become less likely")}, \
		{"presence-penalty", 0, N_("P"), N_("taken off the logit of every token of the row")}, \
		{"frequency-penalty", 0, N_("P"), N_("taken off for every time that the row holds the token")}, \
		{"seed", 0, N_("N"), N_("of the rows' random streams (0)")}, \
		{"stop", 0, N_("TEXT"), N_("ends a row when it has said this; may be given again")}, \
		{"stop-id", 0, N_("ID"), N_("ends a row with this token; may be given again")}, \
		{"tokenizer", 0, N_("FILE"), \
			N_("the vocabulary: tokenizer.json, .gguf or tokenizer.bin (the model's own)")}, \
		{"no-bos", 0, NULL, N_("the tokenizer adds no token of its own to a prompt")}, \
		{"threads", 0, N_("N"), N_("threads (one per processor)")}, \
		{"kernels", 0, N_("SET"), N_("instruction set: scalar, avx2, avx512, neon (the best there is)")}, \
	{ \
		"fault", 0, N_("NAME[,NAME...]"), N_("switch on a bug on purpose; docs/FAULTS.md lists them") \
	}

struct setup {
	struct arena arena;
	struct model *model;
	struct plan *plan;
	struct batch batch;
	struct run_options run;
	const char **faults;
	int fault_count;
};

/* From the words (MODEL PROMPT...) and options of the call. Usage error for options and words that do not fit, input
 * error for model and batch file. */
bool setup_open(struct setup *setup, struct cli *cli, struct err *err);
/* The same for the batch that came with the model, changed as the options say; where it has none, as setup_open(). */
bool setup_open_example(struct setup *setup, struct cli *cli, struct err *err);
void setup_close(struct setup *setup);
/* Whether the call has an option that changes what is run. */
bool setup_has_options(const struct cli *cli);

/* Whether the call is about a recorded trace, its only word, and not about a batch to be run. Input error when that word is
 * neither a trace nor a model, so that nobody waits for prompts to it; usage error when options want to change a trace. */
bool setup_trace(const struct cli *cli, bool *is_trace, struct err *err);
/* A model by bundled name or path. Fails as data_find_model and model_open do; the caller frees it with
 * model_delete. */
bool setup_model(struct model **model, const char *name, struct err *err);
/* The model that a trace was made with: --model, or the bundled one of its name. Usage error that asks for --model
 * when there is none of that name; the caller frees it. */
bool setup_trace_model(struct model **model, const struct cli *cli, const char *recorded_name, struct err *err);

#endif
