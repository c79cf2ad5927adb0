/*
 * telling.h: vocabularies of other formats, told as a tokenizer.json would tell them and read by the same code.
 *
 * Tokens, scores and merges are given as arrays; everything else (added tokens, patterns, what is done before and after) is
 * written as JSON, so that there is one way to set a tokenizer up. Internal to text/.
 *
 *     struct telling t;
 *     telling_init(&t, "tok512.bin");
 *     telling_add_token(&t, bytes, length, score, TOKEN_NORMAL);
 *     ... t.writer: "model", "normalizer", ...
 *     ok = telling_end(&t, &tokenizer, note, err);   // frees t
 */
#ifndef TEXT_TELLING_H
#define TEXT_TELLING_H

#include "base/json.h"
#include "text/gguf_pre.h"
#include "text/tokenizer_parts.h"

/* As GGUF numbers them. */
enum token_type { TOKEN_NORMAL = 1, TOKEN_UNKNOWN, TOKEN_CONTROL, TOKEN_USER, TOKEN_UNUSED, TOKEN_BYTE };

struct telling {
	struct tokenizer *tokenizer; /* whose arena holds the texts */
	struct json_writer writer;   /* of the object */
	struct buf text;
	const char *file;
	struct vocab_entry *tokens;
	double *scores;
	uint8_t *types;
	size_t count, capacity;
	struct vocab_entry (*merges)[2];
	size_t merge_count, merge_capacity;
};

void telling_init(struct telling *t, const char *file);
/* Frees one that telling_end() was not called for. */
void telling_free(struct telling *t);

/* Appends the next token, whose ID is its place unless the caller changes it; an empty one gets a name of its own. */
struct vocab_entry *telling_add_token(struct telling *t, const char *bytes, size_t length, double score,
	enum token_type type);
/* Appends a merge, "a b". Input error when it is not two texts with one space between. */
bool telling_add_merge(struct telling *t, const char *bytes, size_t length, struct err *err);

/* A stage of steps: the key, and the list's key and its JSON as it stands. */
void telling_add_steps(struct telling *t, const char *key, const char *list, const char *steps);
/* The model SentencePiece with blanks spelled ▁ (`marked`) or as they are, one of them put before a text (`prefix`). */
void telling_add_sentencepiece(struct telling *t, int64_t unknown, bool marked, bool prefix);
/* The model BPE over bytes or, if `pre` says so, text, with the patterns of `pre`; `prefix`: GPT-2's patterns, and a blank is put
 * before a text. */
void telling_add_bpe(struct telling *t, const struct gguf_pre *pre, bool prefix);
/* The tokens that are found in a text by name, as their types say. */
void telling_add_named(struct telling *t);
/* The tokens put before and after a text; -1: none. */
void telling_add_ends(struct telling *t, int64_t start, int64_t end);

/* Builds the tokenizer and frees the telling. `note` is constant text or NULL. */
bool telling_end(struct telling *t, struct tokenizer **out, const char *note, struct err *err);

#endif
