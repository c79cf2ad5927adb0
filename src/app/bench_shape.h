/*
 * bench_shape.h: sizes of models to measure with random weights, by name or by number.
 *
 *     struct config config;
 *     if (!bench_shape_read(&config, "110M", err)) return false;
 *     if (!bench_shape_read(&config, "768,12,12,3072,32000", err)) return false;    // GPT-2: H,L,N,F,V
 *     if (!bench_shape_read(&config, "576,30,9,3,1536,49152", err)) return false;   // Llama: H,L,N,G,F,V
 */
#ifndef APP_BENCH_SHAPE_H
#define APP_BENCH_SHAPE_H

#include <stddef.h>

#include "base/err.h"
#include "model/config.h"

struct bench_shape {
	const char *name;
	const char *family; /* "llama": rotary positions, RMSNorm, a gated MLP; or "gpt2", where G = N */
	int64_t hidden, layers, heads, kv_heads, mlp, vocabulary;
};

/* The named shape number i = 0, 1, ...; NULL after the last. */
const struct bench_shape *bench_shape_at(size_t i);

/* Fills a configuration with context 1024 and tied tables from a name, five sizes H,L,N,F,V (GPT-2) or six H,L,N,G,F,V
 * (Llama). Usage error for anything else. */
bool bench_shape_read(struct config *config, const char *text, struct err *err);

#endif
