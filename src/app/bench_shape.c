#include "app/bench_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

#define CONTEXT 1024
#define MOST ((int64_t)1 << 20)
#define MOST_LAYERS 1000

/* A gated MLP of width W has three matrices, GPT-2's two: F = 3 W / 2 gives the same number of weights. */
static const struct bench_shape shapes[] = {
	{"15M", 288, 6, 6, 1152, 32000},    /* llama2.c's stories15M: W = 768 */
	{"110M", 768, 12, 12, 3072, 32000}, /* stories110M: W = 2048 */
	{"135M", 576, 30, 9, 2304, 49152},  /* SmolLM2 135M: W = 1536 */
};

const struct bench_shape *bench_shape_at(size_t i)
{
	return i < sizeof shapes / sizeof *shapes ? &shapes[i] : NULL;
}

static bool fill(struct config *config, const struct bench_shape *shape, struct err *err)
{
	if (shape->hidden % shape->heads != 0)
		return err_usage(err, "--shape", _("%lld heads do not divide the width %lld evenly"),
			(long long)shape->heads, (long long)shape->hidden);
	*config = (struct config){.family = "gpt2",
		.vocabulary = shape->vocabulary,
		.context = CONTEXT,
		.hidden = shape->hidden,
		.layers = shape->layers,
		.heads = shape->heads,
		.kv_heads = shape->heads,
		.head_width = shape->hidden / shape->heads,
		.mlp = shape->mlp,
		.norm_eps = 1e-5f,
		.activation = ACTIVATION_GELU_TANH,
		.scale_scores = true,
		.tied = true,
		.bos = -1,
		.pad = -1};
	return true;
}

/* "768,12,12,3072,32000" */
static bool read_numbers(struct bench_shape *shape, const char *text)
{
	int64_t *const sizes[] = {&shape->hidden, &shape->layers, &shape->heads, &shape->mlp, &shape->vocabulary};
	for (int i = 0; i < 5; i++) {
		char *end;
		errno = 0;
		long long number = strtoll(text, &end, 10);
		if (end == text || errno != 0 || number < 1 || number > (i == 1 ? MOST_LAYERS : MOST) ||
			*end != (i < 4 ? ',' : '\0'))
			return false;
		*sizes[i] = number;
		text = end + 1;
	}
	return true;
}

bool bench_shape_read(struct config *config, const char *text, struct err *err)
{
	struct bench_shape numbers = {.name = text};
	for (size_t i = 0; bench_shape_at(i) != NULL; i++) {
		if (strcmp(shapes[i].name, text) == 0)
			return fill(config, &shapes[i], err);
	}
	if (read_numbers(&numbers, text))
		return fill(config, &numbers, err);
	return err_usage(err, "--shape", _("expected 15M, 110M, 135M or five sizes H,L,N,F,V, got \"%.60s\""), text);
}
