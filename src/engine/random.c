#include "engine/random.h"

#include <string.h>

#define ROUNDS 10

static void multiply(uint32_t a, uint32_t b, uint32_t *high, uint32_t *low)
{
	uint64_t product = (uint64_t)a * b;
	*high = (uint32_t)(product >> 32);
	*low = (uint32_t)product;
}

void random_philox(uint64_t key, const uint32_t counter[4], uint32_t out[4])
{
	uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32), c[4];
	memcpy(c, counter, sizeof c);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t high0, low0, high1, low1;
		multiply(0xD2511F53u, c[0], &high0, &low0);
		multiply(0xCD9E8D57u, c[2], &high1, &low1);
		c[0] = high1 ^ c[1] ^ k0;
		c[1] = low1;
		c[2] = high0 ^ c[3] ^ k1;
		c[3] = low0;
		k0 += 0x9E3779B9u;
		k1 += 0xBB67AE85u;
	}
	memcpy(out, c, sizeof c);
}

float random_unit(uint32_t word)
{
	return (float)(word >> 8) * 0x1p-24f;
}
