/*
 * stops.h: texts that end a row, looked for in what its tokens say; a text may span tokens.
 *
 *     struct stop_rule rule = stops_rule(model);
 *     run_options.stop = rule;
 */
#ifndef ANALYSIS_STOPS_H
#define ANALYSIS_STOPS_H

#include "base/buf.h"
#include "engine/batch.h"
#include "model/model.h"

/* The rule for a model's tokenizer; it stops nothing when the model has none. The model must outlive it. */
struct stop_rule stops_rule(const struct model *model);

/* Appends the text of the `generated` last of a row's `tokens`, which follow its prompt, control tokens left out, cut before the first of its stop texts. */
void stops_text(const struct model *model, const struct request *request, const int32_t *tokens, int64_t generated,
	struct buf *out);

#endif
