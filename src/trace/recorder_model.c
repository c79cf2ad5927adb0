/* A model of rowscope's own as the recorder describes it. */
#include <inttypes.h>
#include <stdio.h>

#include "text/tokenizer.h"
#include "trace/recorder.h"

static bool token_bytes(void *self, int32_t token, struct buf *out)
{
	return tokenizer_token_bytes(self, token, out);
}

/* `weights` and `tokenizer` hold the digests, and must outlive the description. */
static bool describe(struct recorder_model *described, struct model *model, char weights[17], char tokenizer[17],
	struct err *err)
{
	const struct tokenizer *tokens = model_tokenizer(model);
	tokenizer[0] = '\0';
	if (!model_weights_digest(model, weights, err))
		return false;
	if (tokens != NULL)
		snprintf(tokenizer, 17, "%016" PRIx64, tokenizer_digest(tokens));
	*described = (struct recorder_model){
		.name = model_name(model),
		.config = model_config(model),
		.weights_digest = weights,
		.tokenizer_digest = tokenizer,
		.notes = model_notes(model),
		.self = (void *)(uintptr_t)tokens,
		.token_bytes = tokens != NULL ? token_bytes : NULL,
	};
	return true;
}

bool recorder_new(struct recorder **recorder, const struct recorder_options *options, struct err *err)
{
	char weights[17], tokenizer[17];
	struct recorder_model described;
	return describe(&described, options->model, weights, tokenizer, err) &&
		recorder_new_described(recorder, options, &described, err);
}

bool recorder_resume(struct recorder **recorder, const struct recorder_options *options,
	const struct recorder_start *start, struct err *err)
{
	char weights[17], tokenizer[17];
	struct recorder_model described;
	return describe(&described, options->model, weights, tokenizer, err) &&
		recorder_resume_described(recorder, options, &described, start, err);
}
