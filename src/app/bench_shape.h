/*
 * bench_shape.h: sizes of models to measure with random weights, by name or by number.
 *
 *     struct config config;
 *     if (!bench_shape_read(&config, "110M", err)) return false;
 *     if (!bench_shape_read(&config, "768,12,12,3072,32000", err)) return false;   // H,L,N,F,V
 */
#ifndef APP_BENCH_SHAPE_H
#define APP_BENCH_SHAPE_H

#include <stddef.h>

#include "base/err.h"
#include "model/config.h"

/* A named shape: a GPT-2 model with as many weights per layer as the gated model of that name has. */
struct bench_shape {
	const char *name;
	int64_t hidden, layers, heads, mlp, vocabulary;
};

/* Number i = 0, 1, ...; NULL after the last. */
const struct bench_shape *bench_shape_at(size_t i);

/* Fills a configuration of the GPT-2 family, context 1024, from a name or "H,L,N,F,V". Usage error for anything else. */
bool bench_shape_read(struct config *config, const char *text, struct err *err);

#endif
