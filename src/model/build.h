/*
 * build.h: how a family says which weights it has and where they lie. Internal to model/.
 *
 * A family file calls model_add for every weight in the order of use; where the file's tensor is missing, has another
 * shape or a type that cannot be read, the error names it.
 */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "model/model.h"

/* One weight: its canonical name and axes, and the tensor of the file that holds it. */
struct model_part {
	const char *name;   /* canonical */
	const char *source; /* name in the file */
	const char *axes;   /* "HH": [out, in]; "H": a vector */
	int64_t out, in;    /* in is 0 for a vector */
	enum weight_form form;
	bool transposed;      /* the file has [in, out] */
	float offset;         /* added to every number when it is loaded from a Hugging Face file */
	int64_t rotary_heads; /* heads whose numbers are turned in pairs; 0: none */
	int64_t part, parts;  /* this is part number `part` of `parts` equal parts of the outputs; 0, 1: all of it */
	float constant; /* of a random model: a norm's gain; 0 draws at random (matrices) or gives zeros (vectors) */
};

bool model_add(struct model *model, const struct model_part *part, struct err *err);
/* A formatted name in the model's arena. */
const char *model_printf(struct model *model, const char *format, ...) ERR_PRINTF(2, 3);
/* The tensor of that name is in the file (always true for a random model). */
bool model_has(const struct model *model, const char *source);
/* The weights come from one file that has its own configuration (GGUF, llama2.c). */
bool model_is_file(const struct model *model);
/* Queries and keys have their rotary pairs side by side in the file. */
bool model_is_interleaved(const struct model *model);
void model_note(struct model *model, const char *note);

/* The weights of a group of families, under their canonical names. Input error when a tensor is missing or has
 * another shape. */
bool model_gpt2(struct model *model, struct err *err);
bool model_llama(struct model *model, struct err *err);

#endif
