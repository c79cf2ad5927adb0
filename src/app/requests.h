/*
 * requests.h: what a person asks for, prompts or a batch file, as a batch of token IDs for one model.
 *
 * A batch file (JSON, see docs) is read in two steps: requests_load() reads it and checks all that needs no model;
 * requests_resolve() tokenizes the prompts with the model it names and checks tokens and lengths. Every error of a
 * batch file names the path of the value: rows[2].prompt.
 *
 *     struct requests requests;
 *     if (!requests_load(&requests, "batch.json", &arena, err)) ...
 *     if (!model_open(&model, requests.model, err)) ...
 *     struct batch batch;
 *     if (!requests_resolve(&requests, model, &batch, &arena, err)) ...
 */
#ifndef APP_REQUESTS_H
#define APP_REQUESTS_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/batch.h"
#include "model/model.h"

/* A batch before it is tokenized. Everything lies in the arena it was loaded into. */
struct requests {
	const char *file;     /* the batch file; NULL for prompts of a command line */
	const char *model;    /* a path that model_open() takes */
	struct batch batch;   /* prompts given as text have prompt_length 0 until requests_resolve() */
	size_t *text_lengths; /* [count]: bytes of each request's text */
	bool no_special;      /* the tokenizer adds no token of its own */
};

/* Reads a batch file of at most 64 MiB. Input error naming the path of a bad value;  */
bool requests_load(struct requests *requests, const char *path, struct arena *arena, struct err *err);

/* The same from prompts; rows are called A, B, ..., Z, AA, AB, ... */
void requests_from_texts(struct requests *requests, const char *const *prompts, int count, struct arena *arena);

/* Tokenizes and checks. Input error (usage error for prompts of a command line) for an empty prompt, a token that the
 * model does not have, or one prompt longer than its context. The batch's arrays lie in the arena. */
bool requests_resolve(const struct requests *requests, const struct model *model, struct batch *batch,
	struct arena *arena, struct err *err);

/* A copy of a batch in the arena, texts and all. */
const struct batch *requests_copy(const struct batch *batch, struct arena *arena);

/* The name of row number `i`: "A" ... "Z", "AA" ...; in the arena. */
const char *requests_id(int64_t i, struct arena *arena);

#endif
