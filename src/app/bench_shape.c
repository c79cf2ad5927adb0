#include "app/bench_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"

#define CONTEXT 1024
#define MOST ((int64_t)1 << 20)
#define MOST_LAYERS 1000
#define MOST_SIZES 6

/* A gated MLP of width F has three matrices, GPT-2's two: 3 F / 2 gives the same number of weights. */
static const struct bench_shape shapes[] = {
	{"15M", "llama", 288, 6, 6, 6, 768, 32000},      /* llama2.c's stories15M */
	{"110M", "llama", 768, 12, 12, 12, 2048, 32000}, /* stories110M */
	{"135M", "llama", 576, 30, 9, 3, 1536, 49152},   /* SmolLM2 135M */
	{"gpt2-15M", "gpt2", 288, 6, 6, 6, 1152, 32000},
	{"gpt2-110M", "gpt2", 768, 12, 12, 12, 3072, 32000},
	{"gpt2-135M", "gpt2", 576, 30, 9, 9, 2304, 49152},
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
	if (shape->heads % shape->kv_heads != 0)
		return err_usage(err, "--shape", _("%lld key/value heads do not divide %lld heads evenly"),
			(long long)shape->kv_heads, (long long)shape->heads);
	*config = (struct config){.family = shape->family,
		.vocabulary = shape->vocabulary,
		.context = CONTEXT,
		.hidden = shape->hidden,
		.layers = shape->layers,
		.heads = shape->heads,
		.kv_heads = shape->kv_heads,
		.head_width = shape->hidden / shape->heads,
		.mlp = shape->mlp,
		.norm_eps = 1e-5f,
		.activation = ACTIVATION_GELU_TANH,
		.scale_scores = true,
		.tied = true,
		.bos = -1,
		.pad = -1};
	if (strcmp(shape->family, "llama") != 0)
		return true;
	if (config->head_width % 2 != 0)
		return err_usage(err, "--shape",
			_("heads of width %lld cannot be turned in pairs; an even width was expected"),
			(long long)config->head_width);
	config->activation = ACTIVATION_SILU;
	config->rope.theta = 10000;
	return true;
}

/* "768,12,12,3072,32000" or "576,30,9,3,1536,49152": how many sizes there are, 0 if they are not numbers within bounds. */
static int read_numbers(int64_t sizes[MOST_SIZES], const char *text)
{
	for (int i = 0; i < MOST_SIZES; i++) {
		char *end;
		errno = 0;
		long long number = strtoll(text, &end, 10);
		if (end == text || errno != 0 || number < 1 || number > (i == 1 ? MOST_LAYERS : MOST))
			return 0;
		sizes[i] = number;
		if (*end == '\0')
			return i + 1;
		if (*end != ',')
			return 0;
		text = end + 1;
	}
	return 0;
}

bool bench_shape_read(struct config *config, const char *text, struct err *err)
{
	int64_t n[MOST_SIZES];
	for (size_t i = 0; bench_shape_at(i) != NULL; i++) {
		if (strcmp(shapes[i].name, text) == 0)
			return fill(config, &shapes[i], err);
	}
	switch (read_numbers(n, text)) {
	case 5: return fill(config, &(struct bench_shape){text, "gpt2", n[0], n[1], n[2], n[2], n[3], n[4]}, err);
	case 6: return fill(config, &(struct bench_shape){text, "llama", n[0], n[1], n[2], n[3], n[4], n[5]}, err);
	default:
		return err_usage(err, "--shape",
			_("expected 15M, 110M, 135M, one of these with gpt2- before it, or sizes H,L,N,F,V (GPT-2) or "
			  "H,L,N,G,F,V "
			  "(Llama), got \"%.60s\""),
			text);
	}
}
