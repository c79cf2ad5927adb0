/*
 * decoder.h: from the texts of tokens back to the bytes of a text.
 *
 * A sequence of decoders is flattened into a list of steps, each a list of byte strings in and out; what the last one
 * leaves is joined. Without a decoder the tokens are joined by a space. The result of byte-level tokens need not be
 * UTF-8: it is given as it is.
 *
 *     decoder_run(&decoder, &list, &scratch, &out);
 */
#ifndef TEXT_DECODER_H
#define TEXT_DECODER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

struct decoder_step;

struct decoder {
	struct decoder_step *steps; /* in the order they are applied */
	size_t count;
	bool present;       /* false: join by a space */
	bool byte_level;    /* one of the steps turns characters into bytes */
	bool byte_fallback; /* one of the steps turns runs of tokens such as <0xE4> into text */
};

struct decoder_text {
	const char *bytes;
	size_t length;
};

struct decoder_list {
	struct decoder_text *items;
	size_t count;
};

/* Appends what one token says wherever it stands: what the decoder does to tokens in a row is left out. Fails
 * when the pattern of a Replace step gives up. */
bool decoder_spell(const struct decoder *decoder, struct decoder_text text, struct buf *out, struct err *err);

/* Reads the "decoder" of a tokenizer.json; may be NULL or null. On failure what was read so far still has to be
 * freed. */
bool decoder_load(struct decoder *decoder, const struct json *node, struct err *err);
void decoder_free(struct decoder *decoder);

/* Appends the bytes of a text. Changes the list; uses the arena. False when a pattern gives up. */
bool decoder_run(const struct decoder *decoder, struct decoder_list *list, struct arena *arena, struct buf *out,
	struct err *err);

#endif
