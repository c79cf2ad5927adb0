/* Parts of recorded tensors, read in runs that lie together in the file. */
#include <string.h>

#include "trace/slice.h"

/* Bytes read at once where runs are short: what lies between them is read too, which is cheaper than one read each. */
#define WINDOW ((int64_t)16 << 10)

/* A piece of the tensor that is in memory. */
struct window {
	struct trace *trace;
	const struct trace_tensor *tensor;
	int64_t size; /* of an element */
	int64_t first, count;
	char bytes[WINDOW];
};

/* Copies elements [first, first + count), from the window or, when they are many, directly. */
static bool copy_run(struct window *window, int64_t first, int64_t count, char *out, struct err *err)
{
	int64_t fits = WINDOW / window->size;
	if (count > fits)
		return trace_read(window->trace, window->tensor, first, count, out, err);
	if (first < window->first || first + count > window->first + window->count) {
		int64_t left = tensor_count(&window->tensor->tensor) - first;
		window->first = first;
		window->count = left < fits ? left : fits;
		if (!trace_read(window->trace, window->tensor, first, window->count, window->bytes, err))
			return false;
	}
	memcpy(out, window->bytes + (first - window->first) * window->size, (size_t)(count * window->size));
	return true;
}

/* How many elements of the slice lie together: the axes at the end that are taken whole, and the run before them. */
static int64_t run_length(const struct slice *slice, const struct tensor *tensor)
{
	int64_t length = 1;
	for (int i = slice->rank - 1; i >= 0; i--) {
		length *= slice->count[i];
		if (slice->count[i] != tensor->shape[i])
			break;
	}
	return length;
}

bool trace_slice(struct trace *trace, const struct trace_tensor *tensor, const struct slice *slice, struct arena *arena,
	struct tensor *part, struct err *err)
{
	int64_t count = slice_count(slice), size = (int64_t)dtype_size(tensor->tensor.dtype);
	*part = slice_shape(slice, &tensor->tensor);
	char *out = arena_raw(arena, (size_t)count, (size_t)size);
	part->data = out;
	struct window window = {.trace = trace, .tensor = tensor, .size = size};
	int64_t run = run_length(slice, &tensor->tensor);
	for (int64_t done = 0; done < count; done += run) {
		int64_t index[TENSOR_MAX_RANK];
		slice_index(slice, done, index);
		if (!copy_run(&window, tensor_offset(&tensor->tensor, index), run, out + done * size, err))
			return false;
	}
	return true;
}
