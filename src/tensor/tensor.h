/*
 * tensor.h: a view of numbers with named axes: row-major, contiguous, little-endian; the data are not owned.
 *
 * `axes` has one letter per axis from the project's alphabet: B rows, S positions in this pass, K visible key
 * positions, H hidden, N heads, G key/value heads, D head width, F MLP width, V vocabulary, T tokens of a packed
 * pass. It is written "B,S,H" in traces.
 */
#ifndef TENSOR_TENSOR_H
#define TENSOR_TENSOR_H

#include <stddef.h>
#include <stdint.h>

#include "tensor/dtype.h"

#define TENSOR_MAX_RANK 8

struct tensor {
	enum dtype dtype;
	int rank;
	char axes[TENSOR_MAX_RANK + 1]; /* "BSH"; "" when the axes have no names */
	int64_t shape[TENSOR_MAX_RANK];
	void *data;
};

/* Number of elements; 1 for rank 0. */
int64_t tensor_count(const struct tensor *tensor);
/* Number of bytes of all elements, rounded up to a whole one. */
size_t tensor_bytes(const struct tensor *tensor);
/* Row-major offset, in elements, of an index with `rank` entries. */
int64_t tensor_offset(const struct tensor *tensor, const int64_t *index);
/* The inverse: the index of element `offset`. */
void tensor_index(const struct tensor *tensor, int64_t offset, int64_t *index);
/* Which axis has that letter, or -1. */
int tensor_axis(const struct tensor *tensor, char letter);
/* "B,S,H" into text of at least 2 * TENSOR_MAX_RANK bytes. */
void tensor_axes_text(const struct tensor *tensor, char *text);
/* One element as a double: exact for every type of at most 32 bits. Only whole-byte types but C64. */
double tensor_value(const struct tensor *tensor, int64_t offset);

#endif
