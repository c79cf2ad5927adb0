/*
 * subword.h: the model of a tokenizer, which turns one pre-cut piece into tokens.
 *
 * There is one file per kind (wordlevel.c, bpe.c, unigram.c) and one line per kind in the table of subword.c: a new kind is
 * added there and nowhere else.
 *
 *     struct subword model;
 *     if (!subword_load(&model, node, NULL, &arena, err)) ...
 *     struct subword_output output = SUBWORD_OUTPUT_INIT;
 *     subword_cut(&model, &piece, &output, err);
 */
#ifndef TEXT_SUBWORD_H
#define TEXT_SUBWORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "text/piece.h"
#include "text/tokenizer.h"
#include "text/vocab.h"

struct subword;

/* Tokens under way, and memory that a model may use while it cuts one piece. */
struct subword_output {
	struct tokenizer_token *tokens;
	size_t count, capacity;
	struct arena scratch;
};

#define SUBWORD_OUTPUT_INIT ((struct subword_output){0})

struct subword_kind {
	const char *type; /* in tokenizer.json */
	/* Reads the settings (the vocabulary is read already); `tables` as in subword_load(). */
	bool (*load)(struct subword *model, const struct json *node, const struct vocab_tables *tables,
		struct arena *arena, struct err *err);
	/* Appends the tokens of one piece. */
	bool (*cut)(const struct subword *model, const struct piece *piece, struct subword_output *output,
		struct err *err);
	/* Frees what the arena does not own; may be NULL. */
	void (*unload)(struct subword *model);
	bool needs_tables; /* stands in no tokenizer.json */
};

struct subword {
	const struct subword_kind *kind;
	struct vocab vocab;
	bool has_unknown; /* an unknown token is named */
	int32_t unknown;  /* its ID, or -1 when the vocabulary lacks it */
	void *own;        /* what the kind keeps, in the arena */
};

extern const struct subword_kind wordlevel_kind, bpe_kind, unigram_kind, wordpiece_kind, sentencepiece_kind;

/* Reads the "model" of a tokenizer.json; its vocabulary and merges from `tables` unless those are NULL. On failure there is nothing
 * to free. */
bool subword_load(struct subword *model, const struct json *node, const struct vocab_tables *tables,
	struct arena *arena, struct err *err);
void subword_free(struct subword *model);

/* Appends the tokens of a piece, with the original bytes they stand for. Usage error when the piece holds something
 * that the vocabulary cannot say. */
bool subword_cut(const struct subword *model, const struct piece *piece, struct subword_output *output,
	struct err *err);

void subword_emit(struct subword_output *output, int32_t id, size_t start, size_t end);
void subword_output_free(struct subword_output *output);

/* The usage error that byte `at` of a piece is part of nothing in the vocabulary. Always returns false. */
bool subword_no_token(const struct piece *piece, size_t at, struct err *err);

#endif
