/* A model of rowscope's own as the recorder describes it. */
#include <inttypes.h>
#include <stdio.h>

#include "text/tokenizer.h"
#include "trace/recorder.h"

static bool token_bytes(void *self, int32_t token, struct buf *out)
{
	return tokenizer_token_bytes(self, token, out);
}

bool recorder_new(struct recorder **recorder, const struct recorder_options *options, struct err *err)
{
	struct model *model = options->model;
	const struct tokenizer *tokens = model_tokenizer(model);
	char weights[17], tokenizer[17] = "";
	if (!model_weights_digest(model, weights, err))
		return false;
	if (tokens != NULL)
		snprintf(tokenizer, sizeof tokenizer, "%016" PRIx64, tokenizer_digest(tokens));
	struct recorder_model described = {
		.name = model_name(model),
		.config = model_config(model),
		.weights_digest = weights,
		.tokenizer_digest = tokenizer,
		.notes = model_notes(model),
		.self = (void *)(uintptr_t)tokens,
		.token_bytes = tokens != NULL ? token_bytes : NULL,
	};
	return recorder_new_described(recorder, options, &described, err);
}
