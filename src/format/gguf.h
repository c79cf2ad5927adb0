/*
 * gguf.h: a model in one file: keys with values, and tensors with their place. Versions 2 and 3, little-endian.
 *
 * Every rule of the format's reference reader is checked before anything is used: lengths against the file, no key and no tensor twice,
 * products of shapes, whole blocks, offsets without a hole or an overlap, alignment a power of two. Each refusal names the key or
 * tensor and the rule. Values of arrays stay in the file and are read in order when somebody asks, so that opening a file costs its
 * header once, whatever the size of vocabulary and weights.
 *
 *     struct gguf gguf;
 *     if (!gguf_open(&gguf, "model.gguf", err)) return false;
 *     const struct gguf_tensor *t = gguf_tensor(&gguf, "token_embd.weight");
 *     gguf_close(&gguf);
 *
 * Source: docs/gguf.md and src/gguf.cpp of github.com/ggml-org/ggml.
 */
#ifndef FORMAT_GGUF_H
#define FORMAT_GGUF_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/map.h"

#define GGUF_MAX_RANK 4

enum gguf_type {
	GGUF_U8,
	GGUF_I8,
	GGUF_U16,
	GGUF_I16,
	GGUF_U32,
	GGUF_I32,
	GGUF_F32,
	GGUF_BOOL,
	GGUF_STRING,
	GGUF_ARRAY,
	GGUF_U64,
	GGUF_I64,
	GGUF_F64,
	GGUF_TYPES
};

struct gguf_value {
	const char *key; /* terminated, no NUL inside */
	enum gguf_type type;
	int64_t integer;  /* of whole numbers and booleans; an unsigned one above 2^63 - 1 is refused */
	double real;      /* of F32 and F64, and of whole numbers */
	const char *text; /* of strings: raw bytes, terminated */
	size_t length;
	enum gguf_type elements; /* of arrays */
	uint64_t count;
	uint64_t offset; /* of its first element in the file */
};

struct gguf_tensor {
	const char *name;
	int rank;
	int64_t shape[GGUF_MAX_RANK]; /* outermost first, as everywhere here: the file has them the other way round */
	uint32_t type;                /* number of the element type (quant.h) */
	uint64_t offset, bytes;       /* in the file */
};

struct gguf {
	struct file file;
	struct arena arena;
	struct map keys, names; /* -> index */
	struct gguf_value *values;
	size_t value_count;
	struct gguf_tensor *tensors; /* in the order of the file */
	size_t tensor_count;
	uint32_t version;
};

/* Opens and checks. Input error that names the place and the rule; `gguf` is closed then. */
bool gguf_open(struct gguf *gguf, const char *path, struct err *err);
void gguf_close(struct gguf *gguf);
/* True when the file begins like one of this format. */
bool gguf_is(const char *path);

/* NULL when there is none of that name. */
const struct gguf_value *gguf_value(const struct gguf *gguf, const char *key);
const struct gguf_tensor *gguf_tensor(const struct gguf *gguf, const char *name);

/* A value of a kind within bounds; *value stays when the key is absent. Input error naming the key. */
bool gguf_int(const struct gguf *gguf, const char *key, int64_t low, int64_t high, int64_t *value, struct err *err);
bool gguf_float(const struct gguf *gguf, const char *key, double low, double high, float *value, struct err *err);
bool gguf_bool(const struct gguf *gguf, const char *key, bool *value, struct err *err);
/* A string without NUL. *text stays when the key is absent. Input error when the value is no string or holds NUL;
 * the text belongs to the file. */
bool gguf_text(const struct gguf *gguf, const char *key, const char **text, struct err *err);

/* Tells the elements of an array of strings in order; stops when `element` gives false. Input error when the key is no such
 * array. */
bool gguf_strings(const struct gguf *gguf, const char *key,
	bool (*element)(void *self, uint64_t i, const char *bytes, size_t length), void *self, struct err *err);
/* Reads an array of numbers (any whole or F32) as doubles into values[count]; input error unless it has exactly `count`. */
bool gguf_numbers(const struct gguf *gguf, const char *key, uint64_t count, double *values, struct err *err);

#endif
