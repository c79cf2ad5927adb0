/* compositions MODEL COUNT [SEED]: a long campaign of random batches; see docs/BENCHMARKS.md for the last results. */
#include <stdlib.h>

#include "compositions.h"

int main(int argc, char **argv)
{
	struct compositions c;
	long count = argc > 2 ? strtol(argv[2], NULL, 10) : 200;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	long bad = 0;
	if (argc < 2 || !compositions_open(&c, argv[1]))
		return 2;
	for (long i = 0; i < count && bad == 0; i++) {
		struct arena arena = ARENA_INIT;
		struct isolation result;
		uint64_t state = seed + (uint64_t)i;
		struct batch batch = composition_batch(model_config(c.model), &state, &arena);
		if (!composition_check(&c, &batch, NULL, seed + (uint64_t)i, &result, &arena) || !result.ok) {
			printf("composition with seed %llu is not isolated\n",
				(unsigned long long)(seed + (uint64_t)i));
			bad++;
		}
		struct leak leak = {0};
		if (bad == 0 && (!composition_again(&c, &batch, seed + (uint64_t)i, &leak) || leak.found)) {
			printf("composition with seed %llu differs when run in another way\n",
				(unsigned long long)(seed + (uint64_t)i));
			bad++;
		}
		arena_free(&arena);
	}
	printf("%s: %ld compositions, %lld numbers compared, %ld with a differing bit\n", argv[1], count,
		(long long)c.values, bad);
	compositions_close(&c);
	return bad == 0 ? 0 : 1;
}
