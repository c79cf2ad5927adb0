/* The same model from other formats: every weight, bit for bit; and files that are damaged in every place. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/gguf.h"
#include "format/llama2c.h"
#include "harness.h"
#include "model/model.h"

static struct model *open_model(const char *path)
{
	struct model *model;
	struct err err = ERR_INIT;
	ck_assert_msg(model_open(&model, path, &err), "%s: %s", path, err.message);
	return model;
}

static void same_weight(struct weight *a, struct weight *b)
{
	struct err err = ERR_INIT;
	ck_assert_msg(weight_load(a, &err) && weight_load(b, &err), "%s", err.message);
	ck_assert_int_eq(a->shape[0], b->shape[0]);
	for (int64_t i = 0; i < a->shape[0]; i++) {
		for (int64_t j = 0; j < (a->rank == 2 ? a->shape[1] : 1); j++) {
			float x = weight_cell(a, i, j), y = weight_cell(b, i, j);
			ck_assert_msg(memcmp(&x, &y, sizeof x) == 0, "%s[%d,%d]: %g, not %g", a->name, (int)i, (int)j,
				(double)x, (double)y);
		}
	}
}

static const struct {
	const char *file, *folder;
} pairs[] = {
	{"tests/golden/files/llama.gguf", "tests/golden/families/llama"},
	{"tests/golden/files/qwen3.gguf", "tests/golden/families/qwen3"},
	{"tests/golden/files/gemma2.gguf", "tests/golden/families/gemma2"},
	{"tests/golden/files/gemma.gguf", "tests/golden/families/gemma"},
	{"tests/golden/files/gemma3.gguf", "tests/golden/families/gemma3"},
	{"tests/golden/files/qwen2.gguf", "tests/golden/families/qwen2"},
	{"tests/golden/files/llama3.gguf", "tests/golden/families/llama3"},
	{"tests/golden/files/linear.gguf", "tests/golden/families/linear"},
	{"tests/golden/files/glass.gguf", "tiny_models/glass"},
	{"tests/golden/files/llama_v0.bin", "tests/golden/families/llama"},
	{"tests/golden/files/llama_v1.bin", "tests/golden/families/llama"},
};

#define PAIRS ((int)(sizeof pairs / sizeof *pairs))

/* The files are by tests/golden/make_model_files.py. */
START_TEST(weights_are_the_same_from_every_format)
{
	struct model *file = open_model(pairs[_i].file), *folder = open_model(pairs[_i].folder);
	ck_assert_uint_eq(model_weight_count(file), model_weight_count(folder));
	for (size_t i = 0; i < model_weight_count(folder); i++) {
		struct weight *expected = model_weight_at(folder, i), *got = model_weight(file, expected->name);
		ck_assert_msg(got != NULL, "%s is missing", expected->name);
		same_weight(got, expected);
	}
	ck_assert_ptr_null(model_unused(file, 0));
	model_delete(file);
	model_delete(folder);
}
END_TEST

START_TEST(configurations_are_the_same_from_every_format)
{
	struct model *file = open_model(pairs[_i].file), *folder = open_model(pairs[_i].folder);
	const struct config *a = model_config(file), *b = model_config(folder);
	ck_assert_str_eq(a->family, b->family);
	ck_assert(a->vocabulary == b->vocabulary && a->context == b->context && a->hidden == b->hidden &&
		a->layers == b->layers);
	ck_assert(a->heads == b->heads && a->kv_heads == b->kv_heads && a->head_width == b->head_width &&
		a->mlp == b->mlp);
	ck_assert(a->tied == b->tied && a->qkv_bias == b->qkv_bias && a->qk_norm == b->qk_norm &&
		a->post_norms == b->post_norms);
	ck_assert(a->norm_eps == b->norm_eps && a->activation == b->activation && a->embed_scale == b->embed_scale);
	ck_assert(a->score_cap == b->score_cap && a->logit_cap == b->logit_cap && a->rope.theta == b->rope.theta);
	/* a GGUF file of Qwen2 does not tell its windows */
	ck_assert(strcmp(a->family, "qwen2") == 0 || memcmp(a->windowed, b->windowed, sizeof a->windowed) == 0);
	ck_assert(a->local_rope.theta == b->local_rope.theta &&
		(a->rope.scaling == b->rope.scaling || a->rope.factors != NULL));
	model_delete(file);
	model_delete(folder);
}
END_TEST

/* --- damaged files --- */

struct bytes {
	unsigned char *data;
	size_t length;
	char path[64];
};

static void load(struct bytes *b, const char *path, const char *ending)
{
	FILE *file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	fseek(file, 0, SEEK_END);
	b->length = (size_t)ftell(file);
	rewind(file);
	b->data = mem_array(b->length, 1);
	ck_assert_uint_eq(fread(b->data, 1, b->length, file), b->length);
	fclose(file);
	snprintf(b->path, sizeof b->path, "/tmp/rowscope-test-%d%s", (int)getpid(), ending);
}

static void store(const struct bytes *b, size_t length)
{
	FILE *file = fopen(b->path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(b->data, 1, length, file), length);
	fclose(file);
}

/* Opens whatever is there: true when it was accepted; a refusal must say why. */
static bool opens(const char *path)
{
	struct model *model;
	struct err err = ERR_INIT;
	if (model_open(&model, path, &err)) {
		model_delete(model);
		return true;
	}
	ck_assert(err.message[0] != '\0');
	return false;
}

static const char *const seeds[] = {"tests/golden/files/glass.gguf", "tests/golden/files/llama_v0.bin",
	"tests/golden/files/llama_v1.bin"};

static const char *ending_of(const char *path)
{
	return strrchr(path, '.');
}

/* Cut anywhere at the beginning, and at places further on: never accepted. */
START_TEST(prefixes_are_refused)
{
	struct bytes b;
	load(&b, seeds[_i], ending_of(seeds[_i]));
	for (size_t length = 0; length < b.length; length += length < 300 ? 1 : length < 2500 ? 37 : 9973) {
		store(&b, length);
		ck_assert_msg(!opens(b.path), "%zu bytes of %s", length, seeds[_i]);
	}
	unlink(b.path);
	free(b.data);
}
END_TEST

/* Bits all over the header: refused with a sentence, or a sound file of other content. */
START_TEST(flipped_bits_of_the_header_are_survived)
{
	struct bytes b;
	load(&b, seeds[_i], ending_of(seeds[_i]));
	size_t header = _i == 0 ? 1700 : 256;
	for (size_t bit = 0; bit < header * 8 && bit / 8 < b.length; bit += _i == 0 ? 23 : 5) {
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		store(&b, b.length);
		opens(b.path);
		b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	store(&b, b.length);
	ck_assert(opens(b.path));
	unlink(b.path);
	free(b.data);
}
END_TEST

TEST_PROGRAM("model_files", {
	tcase_add_loop_test(tests, weights_are_the_same_from_every_format, 0, PAIRS);
	tcase_add_loop_test(tests, configurations_are_the_same_from_every_format, 0, PAIRS);
	tcase_add_loop_test(tests, prefixes_are_refused, 0, 3);
	tcase_add_loop_test(tests, flipped_bits_of_the_header_are_survived, 0, 3);
})
