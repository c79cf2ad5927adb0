#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct order {
	size_t size;
	int (*compare)(const void *a, const void *b);
	char *spare;
};

/* Top-down merge sort: the left half moves to the spare room and is merged back. */
static void merge_sort(const struct order *order, char *items, size_t count)
{
	if (count < 2)
		return;
	size_t size = order->size, half = count / 2;
	merge_sort(order, items, half);
	merge_sort(order, items + half * size, count - half);
	const char *right = items + half * size, *right_end = items + count * size;
	if (order->compare(right - size, right) <= 0)
		return;
	memcpy(order->spare, items, half * size);
	const char *left = order->spare, *left_end = order->spare + half * size;
	for (char *to = items; left < left_end; to += size) {
		bool from_right = right < right_end && order->compare(right, left) < 0;
		const char **from = from_right ? &right : &left;
		memcpy(to, *from, size);
		*from += size;
	}
}

void sort_stable(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
	struct order order = {.size = size, .compare = compare, .spare = mem_array(count / 2 + 1, size)};
	merge_sort(&order, items, count);
	free(order.spare);
}
