/*
 * pretokenizer.h: the stage of a tokenizer that cuts text into the pieces within which tokens are formed.
 *
 * A sequence is flattened into a list of steps. Most kinds are a pattern with a behavior; ByteLevel also rewrites
 * every byte as one of 256 characters (bytechar.h). New kinds are lines of the table in pretokenizer.c.
 *
 *     pretokenizer_run(&pretokenizer, &pieces, &scratch, err);
 */
#ifndef TEXT_PRETOKENIZER_H
#define TEXT_PRETOKENIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "text/piece.h"

struct pretokenizer_step;

struct pretokenizer {
	struct pretokenizer_step *steps; /* in the order they are applied */
	size_t count;
};

/* Reads the "pre_tokenizer" of a tokenizer.json; NULL or null gives one that does nothing. On failure what was read
 * so far still has to be freed. */
bool pretokenizer_load(struct pretokenizer *pretokenizer, const struct json *node, struct err *err);
void pretokenizer_free(struct pretokenizer *pretokenizer);

/* Replaces the pieces of text in the list by smaller ones; pieces that are added tokens stay. New bytes belong to
 * the arena. Usage error when a pattern gives up on the text. */
bool pretokenizer_run(const struct pretokenizer *pretokenizer, struct piece_list *pieces, struct arena *arena,
	struct err *err);

#endif
