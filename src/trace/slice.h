/*
 * slice.h: a box cut out of a tensor: for each axis a run of indices; an axis of a single index may be dropped.
 *
 *     struct slice whole = slice_whole(&t.tensor);
 *     whole.first[0] = 2, whole.count[0] = 1, whole.dropped[0] = true;   // row 2
 *     if (!trace_slice(trace, &t, &whole, &arena, &part, err)) return false;   // axes "SH"
 */
#ifndef TRACE_SLICE_H
#define TRACE_SLICE_H

#include "base/arena.h"
#include "trace/trace.h"

struct slice {
	int rank; /* of the tensor it is cut from */
	int64_t first[TENSOR_MAX_RANK];
	int64_t count[TENSOR_MAX_RANK]; /* may be 0 */
	bool dropped[TENSOR_MAX_RANK];  /* count is 1 then */
};

/* The slice that takes everything. */
struct slice slice_whole(const struct tensor *tensor);
/* Type, axes and shape of what the slice of `tensor` is; data NULL. */
struct tensor slice_shape(const struct slice *slice, const struct tensor *tensor);
/* The number of elements of the part; 0 when some axis is empty. */
int64_t slice_count(const struct slice *slice);
/* The index in the whole tensor of element `offset` of the slice. */
void slice_index(const struct slice *slice, int64_t offset, int64_t *index);

/* Reads the part of a recorded tensor by bounded reads; its data lie in the arena. Fails as trace_read does. */
bool trace_slice(struct trace *trace, const struct trace_tensor *tensor, const struct slice *slice, struct arena *arena,
	struct tensor *part, struct err *err);

#endif
