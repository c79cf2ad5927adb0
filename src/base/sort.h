/*
 * sort.h: a stable sort that is never quadratic, whatever order a file chose. qsort promises neither.
 *
 *     sort_stable(entries, count, sizeof *entries, compare_offsets);
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/* Sorts `count` items of `size` bytes so that compare(a, b) <= 0 for neighbours; items that compare equal keep their
 * order. Takes memory for half the items while it runs. */
void sort_stable(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));

#endif
