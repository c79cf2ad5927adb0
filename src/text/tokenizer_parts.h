/*
 * tokenizer_parts.h: the inside of a tokenizer, for the files of this folder that load it and run it. Everybody else
 * uses tokenizer.h.
 */
#ifndef TEXT_TOKENIZER_PARTS_H
#define TEXT_TOKENIZER_PARTS_H

#include "text/added.h"
#include "text/decoder.h"
#include "text/normalizer.h"
#include "text/pretokenizer.h"
#include "text/processor.h"
#include "text/subword.h"
#include "text/tokenizer.h"

struct tokenizer {
	struct arena arena; /* texts and IDs of everything below */
	struct added added;
	struct normalizer normalizer;
	struct pretokenizer pretokenizer;
	struct subword model;
	struct processor processor;
	struct decoder decoder;
	uint64_t digest;
	const char *note; /* tokenizer_note(); may be NULL */
};

/* A tokenizer.json, or one without vocabulary and merges. */
struct tokenizer_json {
	const char *bytes;
	size_t length;
	const char *name; /* the file that errors name */
};

/* Builds a tokenizer in `tokenizer`, which is zeroed but for what its arena holds, from JSON and, unless NULL, tables whose texts are in that
 * arena. Takes over `tokenizer`: on failure it is deleted. */
bool tokenizer_assemble(struct tokenizer **out, struct tokenizer *tokenizer, struct tokenizer_json json,
	const struct vocab_tables *tables, struct err *err);

/* Appends the text of tokens before it is made valid UTF-8. */
bool tokenizer_decode_bytes(const struct tokenizer *tokenizer, const int32_t *ids, size_t count, bool skip_special,
	struct buf *out);

#endif
