/*
 * look.h: one recorded tensor as a person looks at it: its numbers at random, and statistics over the whole of it.
 *
 * A tensor of at most LOOK_RESIDENT bytes is kept; of a larger one the pieces that are shown are read when needed, so that
 * the viewer stays small. Statistics come from one pass over all of it, whatever part is shown.
 *
 *     struct look *look = look_new();
 *     if (!look_at(look, trace, 1, value, err)) ...
 *     double numbers[8];
 *     if (!look_read(look, first, 8, numbers, err)) ...
 */
#ifndef VIEW_LOOK_H
#define VIEW_LOOK_H

#include "draw/heat.h"
#include "trace/trace.h"

#define LOOK_RESIDENT (8 << 20)

struct look_statistics {
	struct heat heat; /* the scale; counts of what is not finite */
	int64_t count;
	int64_t low_at,
		high_at;  /* offsets of the smallest and the largest finite value, the first of equals; -1: none */
	double mean;      /* of the finite values */
	double deviation; /* their standard deviation */
};

struct look;

struct look *look_new(void);
void look_delete(struct look *look);
/* Forgets everything: another trace is open. */
void look_forget(struct look *look);

/* Turns to a tensor; does nothing when it is the one looked at. Input error as trace_find. */
bool look_at(struct look *look, struct trace *trace, int64_t pass, int value, struct err *err);
const struct tensor *look_tensor(const struct look *look); /* shape, axes, type; data may be NULL */
const struct look_statistics *look_statistics(const struct look *look);
/* `count` elements from `first` on, row-major. Fails as trace_read does. */
bool look_read(struct look *look, int64_t first, int64_t count, double *values, struct err *err);

#endif
