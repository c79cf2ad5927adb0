#include "view/look.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define LOOK_PIECE 65536 /* elements read at once */

struct look {
	struct trace *trace; /* NULL: nothing is looked at */
	int64_t pass;
	int value;
	struct trace_tensor source;
	struct look_statistics statistics;
	void *data; /* the whole tensor, or room for a piece */
	bool is_resident;
};

struct look *look_new(void)
{
	return MEM_NEW(struct look);
}

void look_delete(struct look *look)
{
	if (look == NULL)
		return;
	free(look->data);
	free(look);
}

void look_forget(struct look *look)
{
	look->trace = NULL;
}

/* A view on `count` elements that lie at `data`, so that tensor_value() can read them. */
static struct tensor piece_of(const struct look *look, void *data, int64_t count)
{
	struct tensor piece = {.dtype = look->source.tensor.dtype, .rank = 1, .data = data};
	piece.shape[0] = count;
	return piece;
}

static void add_value(struct look_statistics *statistics, int64_t at, double value)
{
	struct heat *heat = &statistics->heat;
	if (isfinite(value)) {
		if (statistics->low_at < 0 || value < heat->low)
			statistics->low_at = at;
		if (statistics->high_at < 0 || value > heat->high)
			statistics->high_at = at;
	}
	heat_add(heat, value);
	if (!isfinite(value))
		return;
	/* Welford's running mean and sum of squares: no second pass, no cancellation */
	double before = value - statistics->mean;
	statistics->mean += before / (double)heat->finite;
	statistics->deviation += before * (value - statistics->mean);
}

static bool scan(struct look *look, struct err *err)
{
	struct look_statistics *statistics = &look->statistics;
	*statistics =
		(struct look_statistics){.count = tensor_count(&look->source.tensor), .low_at = -1, .high_at = -1};
	heat_init(&statistics->heat);
	int64_t piece_size = look->is_resident ? statistics->count : LOOK_PIECE;
	for (int64_t first = 0; first < statistics->count; first += piece_size) {
		int64_t left = statistics->count - first;
		int64_t count = left < piece_size ? left : piece_size;
		if (!trace_read(look->trace, &look->source, first, count, look->data, err))
			return false;
		struct tensor piece = piece_of(look, look->data, count);
		for (int64_t i = 0; i < count; i++)
			add_value(statistics, first + i, tensor_value(&piece, i));
	}
	heat_settle(&statistics->heat);
	if (statistics->heat.finite > 0)
		statistics->deviation = sqrt(statistics->deviation / (double)statistics->heat.finite);
	return true;
}

bool look_at(struct look *look, struct trace *trace, int64_t pass, int value, struct err *err)
{
	if (look->trace == trace && look->pass == pass && look->value == value)
		return true;
	look->trace = NULL;
	if (!trace_find(trace, pass, trace_value(trace, value)->name, &look->source, err))
		return false;
	size_t bytes = tensor_bytes(&look->source.tensor);
	look->is_resident = bytes <= LOOK_RESIDENT;
	size_t room = look->is_resident ? bytes : LOOK_PIECE * dtype_size(look->source.tensor.dtype);
	look->data = mem_resize(look->data, room + 1, 1);
	look->trace = trace;
	look->pass = pass;
	look->value = value;
	if (scan(look, err))
		return true;
	look->trace = NULL;
	return false;
}

const struct tensor *look_tensor(const struct look *look)
{
	return &look->source.tensor;
}

const struct look_statistics *look_statistics(const struct look *look)
{
	return &look->statistics;
}

bool look_read(struct look *look, int64_t first, int64_t count, double *values, struct err *err)
{
	for (int64_t done = 0; done < count;) {
		int64_t now = count - done < LOOK_PIECE ? count - done : LOOK_PIECE;
		int64_t skip = look->is_resident ? first + done : 0;
		if (!look->is_resident && !trace_read(look->trace, &look->source, first + done, now, look->data, err))
			return false;
		struct tensor piece = piece_of(look, look->data, skip + now);
		for (int64_t i = 0; i < now; i++)
			values[done + i] = tensor_value(&piece, skip + i);
		done += now;
	}
	return true;
}
