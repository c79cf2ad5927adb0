/*
 * vocab.h: the tokens of a tokenizer, by text and by ID.
 *
 * IDs come from a file and may be sparse; nothing is allocated by the size of an ID. No two tokens share
 * an ID.
 *
 *     int32_t id = vocab_find(&vocab, "很", 3);
 *     const struct vocab_entry *entry = vocab_entry(&vocab, id);
 */
#ifndef TEXT_VOCAB_H
#define TEXT_VOCAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"

/* IDs are below this, so that an ID and its successor fit in 32 bits. */
#define VOCAB_MAX_ID (INT32_MAX - 1)

struct vocab_entry {
	int32_t id;
	const char *text; /* as the file spells it, terminated; UTF-8 when it comes from JSON */
	size_t length;
};

struct vocab {
	struct map ids;
	struct vocab_entry *entries; /* by ID, ascending */
	size_t count;
};

/* A vocabulary as formats without JSON hold it. Texts need not be UTF-8. */
struct vocab_tables {
	const char *file; /* for messages */
	const struct vocab_entry *tokens;
	size_t count;
	const double *scores;                  /* [count], for IDs that are places; NULL: none */
	const struct vocab_entry (*merges)[2]; /* pairs of texts in order of rank */
	size_t merge_count;
};

/* Reads {token: id}, or [[token, score], ...] with the place as ID; texts are copied to the arena. Input error for an ID given twice or out of range. */
bool vocab_load(struct vocab *vocab, const struct json *object, struct arena *arena, struct err *err);
/* Takes the tokens of tables, whose texts must outlive the vocabulary. Input error for a text or an ID given twice. */
bool vocab_take(struct vocab *vocab, const struct vocab_tables *tables, struct arena *arena, struct err *err);
void vocab_free(struct vocab *vocab);

/* The ID of a token, or -1. */
int32_t vocab_find(const struct vocab *vocab, const char *text, size_t length);

/* The token of an ID, or NULL. */
const struct vocab_entry *vocab_entry(const struct vocab *vocab, int32_t id);

/* The largest ID, or -1 when there is none. */
int32_t vocab_max_id(const struct vocab *vocab);

#endif
