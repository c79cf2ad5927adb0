/*
 * llama2c.h: checkpoints of llama2.c, versions 0 and 1: sizes, then float32 matrices in a fixed order.
 *
 * Version 0 has no magic number: a file is one only when its size is exactly what its seven sizes ask for.
 *
 *     struct llama2c bin;
 *     if (!llama2c_open(&bin, "stories260K.bin", err)) return false;
 *     uint64_t offset = llama2c_offset(&bin, LLAMA2C_Q, layer);   // of float32 [dim, dim]
 *
 * Source: export.py and run.c of github.com/karpathy/llama2.c.
 */
#ifndef FORMAT_LLAMA2C_H
#define FORMAT_LLAMA2C_H

#include "base/err.h"
#include "base/file.h"

enum llama2c_part {
	LLAMA2C_EMBED,
	LLAMA2C_ATTN_NORM,
	LLAMA2C_Q,
	LLAMA2C_K,
	LLAMA2C_V,
	LLAMA2C_OUT,
	LLAMA2C_MLP_NORM,
	LLAMA2C_GATE,
	LLAMA2C_DOWN,
	LLAMA2C_UP,
	LLAMA2C_FINAL_NORM,
	LLAMA2C_HEAD,
	LLAMA2C_PARTS
};

struct llama2c {
	struct file file;
	int version;
	int64_t dim, hidden, layers, heads, kv_heads, vocabulary, context;
	bool shared; /* the classifier is the embedding */
	uint64_t offsets[LLAMA2C_PARTS];
};

/* Input error saying what does not fit; the file is closed then. */
bool llama2c_open(struct llama2c *bin, const char *path, struct err *err);
void llama2c_close(struct llama2c *bin);

/* Shape [rows, columns] of a part in one layer; columns is 0 for a vector. */
void llama2c_shape(const struct llama2c *bin, enum llama2c_part part, int64_t *rows, int64_t *columns);
/* Byte of a part of a layer (0 for what is outside the layers). */
uint64_t llama2c_offset(const struct llama2c *bin, enum llama2c_part part, int64_t layer);

#endif
