/*
 * gguf_pre.h: how the GGUF vocabularies of the gpt2 kind cut a text into pieces, by the name in "tokenizer.ggml.pre".
 *
 * A file names its pre-tokenizer instead of telling its patterns, so they stand here. A wrong one gives other tokens, and a model that
 * answers a little worse without saying why: an unknown name is refused.
 *
 *     const struct gguf_pre *pre = gguf_pre_find("qwen2");   // NULL: unknown
 *
 * Source: the tokenizer.json files of the models that brought the names; the list of names in src/llama-vocab.cpp of llama.cpp.
 */
#ifndef TEXT_GGUF_PRE_H
#define TEXT_GGUF_PRE_H

#include <stdbool.h>

#include "base/buf.h"

#define GGUF_PRE_PATTERNS 6

struct gguf_pre {
	const char *names;                       /* separated by blanks */
	const char *patterns[GGUF_PRE_PATTERNS]; /* each cuts what the one before it has left; NULL after the last */
	bool ignore_merges;                      /* a piece that is a token is that token */
	bool begins;                             /* the start token stands before a text where the file does not say */
	bool is_text; /* tokens are spelled as text with ▁ for a blank, not in the byte alphabet */
};

/* NULL when the name is not known. */
const struct gguf_pre *gguf_pre_find(const char *name);
/* Appends all names, separated by blanks. */
void gguf_pre_names(struct buf *out);

#endif
