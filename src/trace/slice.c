#include "trace/slice.h"

#include <string.h>

struct slice slice_whole(const struct tensor *tensor)
{
	struct slice slice = {.rank = tensor->rank};
	memcpy(slice.count, tensor->shape, sizeof slice.count);
	return slice;
}

struct tensor slice_shape(const struct slice *slice, const struct tensor *tensor)
{
	struct tensor part = {.dtype = tensor->dtype};
	for (int i = 0; i < slice->rank; i++) {
		if (slice->dropped[i])
			continue;
		part.axes[part.rank] = tensor->axes[i];
		part.shape[part.rank++] = slice->count[i];
	}
	return part;
}

int64_t slice_count(const struct slice *slice)
{
	int64_t count = 1;
	for (int i = 0; i < slice->rank; i++)
		count *= slice->count[i];
	return count;
}

void slice_index(const struct slice *slice, int64_t offset, int64_t *index)
{
	for (int i = slice->rank - 1; i >= 0; i--) {
		index[i] = slice->first[i] + offset % slice->count[i];
		offset /= slice->count[i];
	}
}
