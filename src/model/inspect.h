/*
 * inspect.h: what a single file holds that is no whole model: keys, tensors and vocabulary of GGUF files without the weights that a model
 * needs, of safetensors files, of vocabularies. For rowscope model, which says what there is and why it cannot be run.
 *
 *     struct inspection *inspection;
 *     if (!inspect_file(&inspection, "vocab.gguf", err)) ...   // damaged, or of no known format
 *     inspect_delete(inspection);
 */
#ifndef MODEL_INSPECT_H
#define MODEL_INSPECT_H

#include "base/arena.h"
#include "base/err.h"
#include "text/tokenizer.h"

#define INSPECT_MAX_RANK 8

struct inspection_key {
	const char *key;
	const char *value; /* as text; of a long list its beginning */
};

struct inspection_tensor {
	const char *name;
	const char *type;
	int rank;
	int64_t shape[INSPECT_MAX_RANK];
	uint64_t bytes;
};

struct inspection {
	struct arena arena; /* of everything below */
	const char *format; /* "GGUF version 3" */
	struct inspection_key *keys;
	size_t key_count;
	struct inspection_tensor *tensors;
	size_t tensor_count;
	struct tokenizer *tokenizer;   /* NULL: none, or none that can be read */
	const char *tokenizer_problem; /* why; NULL: there is none */
	bool may_be_model; /* GGUF with a table of tokens, of a known family: what hinders it is an error of the file */
};

/* Opens the file by what it begins with. Input error when it is damaged, holds a key that is no number where one is meant, or is of no known
 * format. The caller deletes the result. */
bool inspect_file(struct inspection **result, const char *path, struct err *err);
void inspect_delete(struct inspection *inspection); /* NULL is allowed */

#endif
