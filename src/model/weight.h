/*
 * weight.h: one weight of a model: where it lies in a file, and its only resident copy.
 *
 * Matrices that are multiplied with are packed into panels (tensor/panel.h) and looked up in them too; tables that are
 * only looked up, and vectors, are plain rows. weight_load reads and converts in bounded pieces.
 */
#ifndef MODEL_WEIGHT_H
#define MODEL_WEIGHT_H

#include "base/err.h"
#include "base/file.h"
#include "format/quant.h"
#include "tensor/panel.h"

enum weight_form { WEIGHT_VECTOR, WEIGHT_TABLE, WEIGHT_PANEL };

struct weight {
	const char *name; /* canonical: "layers.0.attn.q.weight" */
	char axes[4];     /* "HH", "VH": [out, in]; P counts positions */
	int64_t shape[2]; /* a vector has shape[0] only */
	int rank;
	enum weight_form form;
	/* where it comes from */
	const struct file *file; /* NULL: drawn at random */
	uint64_t offset_in_file; /* of the tensor's first byte */
	enum quant type;
	int64_t interleaved_heads; /* rows of so many heads have their rotary pairs side by side in the file; 0: no */
	bool transposed;           /* the file has [in, out] */
	float offset;              /* added to a vector's numbers when it is loaded */
	int64_t first;             /* first output of it in the file's matrix (fused q, k, v) */
	int64_t file_outputs;      /* all outputs of the file's matrix */
	uint64_t seed;             /* of a random one */
	float spread;              /* its standard deviation, or its value where it is constant */
	bool constant;
	bool has_special; /* NaN or infinity was seen on loading */
	/* the resident copy; NULL until loaded */
	void *memory;       /* what to free */
	float *data;        /* WEIGHT_VECTOR, WEIGHT_TABLE: row-major */
	struct panel panel; /* WEIGHT_PANEL */
	bool loaded;
};

/* Reads the weight if it is not resident yet. Input error when the file is cut short, system error when it cannot be
 * read. */
bool weight_load(struct weight *weight, struct err *err);
void weight_free(struct weight *weight);

/* One element of a loaded weight; j is 0 for a vector. */
float weight_cell(const struct weight *weight, int64_t i, int64_t j);
/* Row i of a loaded matrix, shape[1] floats. */
void weight_row(const struct weight *weight, int64_t i, float *row);

#endif
