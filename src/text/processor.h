/*
 * processor.h: the last stage of encoding, which adds control tokens around the tokens of a text.
 *
 *     processor_run(&processor, &texts, true, &output);
 */
#ifndef TEXT_PROCESSOR_H
#define TEXT_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "text/added.h"
#include "text/subword.h"

struct processor_step {
	bool trims;              /* ByteLevel, RobertaProcessing: white space is cut from the stretch of a token */
	bool prefix_space;       /* ... but for the space that add_prefix_space may have put in */
	int32_t *before, *after; /* all but ByteLevel: IDs around the text, in the arena */
	size_t before_count, after_count;
};

struct processor {
	struct processor_step *steps; /* in the order they are applied */
	size_t count;
};

/* Reads the "post_processor" of a tokenizer.json; NULL or null gives one that does nothing. The ID lists go to the
 * arena. On failure what was read so far still has to be freed. */
bool processor_load(struct processor *processor, const struct json *node, struct arena *arena, struct err *err);
void processor_free(struct processor *processor);

/* What the tokens of a text are spelled like. */
struct processor_texts {
	const char *text; /* the original text */
	const struct added *added;
	const struct vocab *vocab;
};

/* Changes the tokens of a text; adds tokens only when `special`. Tokens that are put in stand for the empty stretch
 * at 0, as in Hugging Face tokenizers. */
void processor_run(const struct processor *processor, const struct processor_texts *texts, bool special,
	struct subword_output *output);

#endif
