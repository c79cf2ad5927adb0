#include "format/llama2c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/cursor.h"

#define MAGIC 0x616b3432u /* "ak42" */
#define SIZE_MOST ((int64_t)1 << 24)
#define HEAD_0 28
#define HEAD_1 256

static bool is_in_layers(enum llama2c_part part)
{
	return part != LLAMA2C_EMBED && part != LLAMA2C_FINAL_NORM && part != LLAMA2C_HEAD;
}

void llama2c_shape(const struct llama2c *bin, enum llama2c_part part, int64_t *rows, int64_t *columns)
{
	int64_t kv = bin->dim / bin->heads * bin->kv_heads;
	*rows = bin->dim;
	*columns = bin->dim;
	switch (part) {
	case LLAMA2C_EMBED:
	case LLAMA2C_HEAD: *rows = bin->vocabulary; break;
	case LLAMA2C_K:
	case LLAMA2C_V: *rows = kv; break;
	case LLAMA2C_GATE:
	case LLAMA2C_UP: *rows = bin->hidden; break;
	case LLAMA2C_DOWN: *columns = bin->hidden; break;
	case LLAMA2C_Q:
	case LLAMA2C_OUT: break;
	default: *columns = 0;
	}
}

/* Floats of a part in one layer: sizes are below 2^24 each, so the product fits. */
static uint64_t floats_of(const struct llama2c *bin, enum llama2c_part part)
{
	int64_t rows, columns;
	llama2c_shape(bin, part, &rows, &columns);
	return (uint64_t)rows * (uint64_t)(columns > 0 ? columns : 1);
}

uint64_t llama2c_offset(const struct llama2c *bin, enum llama2c_part part, int64_t layer)
{
	return bin->offsets[part] + (uint64_t)layer * floats_of(bin, part) * sizeof(float);
}

/* The order of the parts in each version; version 0 has cosines and sines before the classifier. */
static const enum llama2c_part orders[2][LLAMA2C_PARTS] = {
	{LLAMA2C_EMBED, LLAMA2C_ATTN_NORM, LLAMA2C_Q, LLAMA2C_K, LLAMA2C_V, LLAMA2C_OUT, LLAMA2C_MLP_NORM, LLAMA2C_GATE,
		LLAMA2C_DOWN, LLAMA2C_UP, LLAMA2C_FINAL_NORM, LLAMA2C_HEAD},
	{LLAMA2C_ATTN_NORM, LLAMA2C_MLP_NORM, LLAMA2C_FINAL_NORM, LLAMA2C_EMBED, LLAMA2C_Q, LLAMA2C_K, LLAMA2C_V,
		LLAMA2C_OUT, LLAMA2C_GATE, LLAMA2C_DOWN, LLAMA2C_UP, LLAMA2C_HEAD},
};

/* Where each part lies, and that the file ends with the last: no sum is made before its terms were compared with the file. */
static bool place(struct cursor *c, struct llama2c *bin)
{
	uint64_t at = bin->version == 0 ? HEAD_0 : HEAD_1, size = bin->file.size;
	for (int i = 0; i < LLAMA2C_PARTS; i++) {
		enum llama2c_part part = orders[bin->version][i];
		uint64_t count = floats_of(bin, part), times = is_in_layers(part) ? (uint64_t)bin->layers : 1;
		if (part == LLAMA2C_HEAD && bin->version == 0) /* cosines and sines of all positions: not used */
			at += (uint64_t)bin->context * (uint64_t)(bin->dim / bin->heads / 2) * 2 * sizeof(float);
		bin->offsets[part] = part == LLAMA2C_HEAD && bin->shared ? bin->offsets[LLAMA2C_EMBED] : at;
		if (part == LLAMA2C_HEAD && bin->shared)
			continue;
		if (count > size / sizeof(float) / times)
			return cursor_fail(c, "the sizes ask for more weights than the file has bytes");
		at += count * times * sizeof(float);
		if (at > size)
			return cursor_fail(c, "the sizes ask for more weights than the file has bytes");
	}
	return at == size ||
		cursor_fail(c,
			"the file has %" PRIu64 " bytes, but its sizes give %" PRIu64
			"; is it a checkpoint of llama2.c?",
			size, at);
}

static bool read_sizes(struct cursor *c, struct llama2c *bin)
{
	int64_t *const sizes[] = {&bin->dim, &bin->hidden, &bin->layers, &bin->heads, &bin->kv_heads, &bin->vocabulary,
		&bin->context};
	static const char *const names[] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size",
		"max_seq_len"};
	for (int i = 0; i < 7; i++)
		*sizes[i] = (int32_t)cursor_u32(c, names[i]);
	if (!c->ok)
		return false;
	if (bin->version == 0) {
		bin->shared = bin->vocabulary > 0;
		bin->vocabulary = bin->vocabulary < 0 ? -bin->vocabulary : bin->vocabulary;
	}
	for (int i = 0; i < 7; i++) {
		if (*sizes[i] < 1 || *sizes[i] > SIZE_MOST)
			return cursor_fail(c, "%s is %" PRId64 "; this is no checkpoint of llama2.c", names[i],
				*sizes[i]);
	}
	if (bin->dim % bin->heads != 0 || bin->heads % bin->kv_heads != 0 || bin->dim / bin->heads % 2 != 0)
		return cursor_fail(c,
			"%" PRId64 " heads on %" PRId64 " key/value heads do not share a width of %" PRId64 " evenly",
			bin->heads, bin->kv_heads, bin->dim);
	return true;
}

static bool read_head(struct cursor *c, struct llama2c *bin)
{
	uint32_t first = cursor_u32(c, "the header");
	if (!c->ok || first != MAGIC) {
		c->at = 0;
		return c->ok && read_sizes(c, bin);
	}
	bin->version = (int)cursor_u32(c, "the version");
	if (c->ok && bin->version != 1)
		return cursor_fail(c,
			"this checkpoint of llama2.c has version %d; versions 0 and 1 (float32) can be read",
			bin->version);
	if (!read_sizes(c, bin))
		return false;
	bin->shared = cursor_u8(c, "whether the classifier is shared") != 0;
	return c->ok;
}

bool llama2c_open(struct llama2c *bin, const char *path, struct err *err)
{
	struct cursor *c = MEM_NEW(struct cursor);
	*bin = (struct llama2c){.file = FILE_CLOSED};
	bool ok = file_open(&bin->file, path, err);
	if (ok) {
		cursor_init(c, &bin->file, 0, err);
		ok = read_head(c, bin) && place(c, bin);
	}
	free(c);
	if (!ok)
		llama2c_close(bin);
	return ok;
}

void llama2c_close(struct llama2c *bin)
{
	file_close(&bin->file);
}
