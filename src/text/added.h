/*
 * added.h: the added tokens of a tokenizer, which are found in the text before anything else is done to it.
 *
 * They are matched in two passes, as in Hugging Face tokenizers: those that are not normalized in the raw text,
 * the others in the normalized text. Of the tokens that match at the leftmost place the longest wins.
 *
 *     added_find(&added, &added.raw, &piece, true, &pieces);
 */
#ifndef TEXT_ADDED_H
#define TEXT_ADDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "text/normalizer.h"
#include "text/piece.h"
#include "text/trie.h"
#include "text/vocab.h"

/* The longest added token, in bytes: the search takes at most this many steps per byte of text. */
#define ADDED_MAX_LENGTH 4096

struct added_token {
	int32_t id;
	const char *content; /* terminated */
	size_t length;
	const char *found; /* what is searched for: the content, normalized if `normalized` */
	size_t found_length;
	bool special;                 /* a control token: parsed and shown only where asked for */
	bool normalized;              /* found in normalized text */
	bool single_word;             /* not where a word character is next to it */
	bool strip_left, strip_right; /* takes the white space beside it with it */
};

struct added {
	struct added_token *tokens; /* by ID, ascending */
	size_t count;
	struct map by_content;   /* content -> index */
	struct trie raw, normal; /* of each pass: text -> index */
};

/* Reads "added_tokens" (NULL: none). A token that the vocabulary has too must have the same ID there. On failure what
 * was read still has to be freed. */
bool added_load(struct added *added, const struct json *list, const struct vocab *vocab,
	const struct normalizer *normalizer, struct arena *arena, struct err *err);
void added_free(struct added *added);

/* The token of that ID or content, or NULL. */
const struct added_token *added_by_id(const struct added *added, int32_t id);
const struct added_token *added_by_content(const struct added *added, const char *content, size_t length);

/* Cuts a piece at the tokens of one pass: appends pieces of text, and pieces with the ID of a token. Control tokens
 * stay text unless `special`. */
void added_find(const struct added *added, const struct trie *trie, const struct piece *piece, bool special,
	struct piece_list *out);

#endif
