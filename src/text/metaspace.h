/*
 * metaspace.h: the settings that the pre-tokenizer and the decoder "Metaspace" share: how a blank is spelled in the vocabulary, and where
 * one is put in front of a text. Internal to text/.
 *
 *     struct metaspace metaspace;
 *     if (!metaspace_load(&metaspace, node, err)) ...
 */
#ifndef TEXT_METASPACE_H
#define TEXT_METASPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

enum metaspace_scheme { METASPACE_ALWAYS, METASPACE_FIRST, METASPACE_NEVER };

struct metaspace {
	char text[5]; /* the replacement: one character, "▁" */
	size_t length;
	enum metaspace_scheme scheme; /* a blank in front of every stretch of text, of the first one, of none */
	bool split;                   /* cut before every replacement */
};

extern const char *const metaspace_keys[];

/* Reads them; older files say add_prefix_space. Input error naming what is wrong. */
bool metaspace_load(struct metaspace *metaspace, const struct json *node, struct err *err);

#endif
