#include "trace/nearest.h"

#include <string.h>

#define LENGTH_MOST 96

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Distance between two strings of at most LENGTH_MOST bytes: three rows of the table are alive at a time. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LENGTH_MOST + 1];
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t replaced = before[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(replaced, least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], earlier[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
	size_t length = strlen(name);
	if (length == 0 || length > LENGTH_MOST)
		return NULL;
	const char *best = NULL;
	size_t best_distance = length / 3 + 2;
	for (size_t i = 0; i < count; i++) {
		size_t other = strlen(names[i]);
		if (other > LENGTH_MOST || other + best_distance <= length || length + best_distance <= other)
			continue;
		size_t found = distance(name, length, names[i], other);
		if (found < best_distance) {
			best = names[i];
			best_distance = found;
		}
	}
	return best;
}
