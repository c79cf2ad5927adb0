/* Any text as a selector, fitted to a tensor: never a crash, and what comes out lies inside the tensor. */
#include <stdlib.h>
#include <string.h>

#include "trace/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct tensor tensor = {.dtype = DTYPE_F32, .rank = 4, .axes = "BNSK", .shape = {3, 2, 4, 5}};
	static const char *const ids[] = {"A", "B", "7"};
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct selector selector;
	struct slice selection;
	const char *text = arena_strndup(&arena, (const char *)data, size);
	if (selector_parse(&selector, text, &arena, &err) &&
		selector_resolve(&selector, &tensor, ids, &selection, &err)) {
		for (int i = 0; i < selection.rank; i++) {
			if (selection.first[i] < 0 || selection.count[i] < 0 ||
				selection.first[i] + selection.count[i] > tensor.shape[i])
				abort();
		}
	} else if (err.kind != ERR_USAGE) {
		abort();
	}
	arena_free(&arena);
	return 0;
}
