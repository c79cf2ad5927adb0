/*
 * random.h: counter-based random numbers: a draw depends on its key and counter and on nothing before it.
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011 (Philox 4x32-10).
 */
#ifndef ENGINE_RANDOM_H
#define ENGINE_RANDOM_H

#include <stdint.h>

/* Four words for a key and a counter. */
void random_philox(uint64_t key, const uint32_t counter[4], uint32_t out[4]);

/* A word as a float in [0, 1): its upper 24 bits times 2^-24. */
float random_unit(uint32_t word);

#endif
