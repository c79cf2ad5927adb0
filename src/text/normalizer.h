/*
 * normalizer.h: the first stage of a tokenizer, which changes text before it is cut.
 *
 * A sequence of normalizers is flattened into a list of steps. Each step keeps track of the original bytes: what it
 * leaves alone stands for itself, what it changes stands for what it replaced. New kinds are lines of the table in
 * normalizer.c.
 *
 *     struct piece piece = piece_of_text(text, length, &scratch);
 *     normalizer_run(&normalizer, &piece, &scratch, err);
 */
#ifndef TEXT_NORMALIZER_H
#define TEXT_NORMALIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "text/piece.h"

struct normalizer_step;

struct normalizer {
	struct normalizer_step *steps; /* in the order they are applied */
	size_t count;
};

/* Reads the "normalizer" of a tokenizer.json; NULL or null gives one that does nothing. On failure what was read so
 * far still has to be freed. */
bool normalizer_load(struct normalizer *normalizer, const struct json *node, struct err *err);
void normalizer_free(struct normalizer *normalizer);

/* Changes a piece; its new bytes belong to the arena. Usage error when a pattern gives up on the text. */
bool normalizer_run(const struct normalizer *normalizer, struct piece *piece, struct arena *arena, struct err *err);

#endif
