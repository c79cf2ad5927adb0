/*
 * source.h: where the weights of a model lie: one safetensors file or several with an index, a GGUF file, a llama2.c checkpoint, or
 * nowhere (drawn at random). Internal to model/.
 *
 * All formats come down to a file, an offset, an element type and a shape, outermost axis first. Families ask by the names of
 * Hugging Face files (safetensors) or by canonical names (the others).
 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include "format/gguf.h"
#include "format/llama2c.h"
#include "format/quant.h"
#include "format/safetensors.h"
#include "model/build.h"

#define SOURCE_ROPE_FACTORS "rope_freqs.weight" /* GGUF's tensor of factors that rotary frequencies are divided by */

enum source_kind { SOURCE_RANDOM, SOURCE_SAFETENSORS, SOURCE_GGUF, SOURCE_LLAMA2C };

struct source {
	enum source_kind kind;
	struct safetensors *shards; /* [shard_count] */
	size_t shard_count, shards_open;
	struct gguf gguf;
	struct llama2c bin;
	char path[576]; /* the weights file, or the index of several */
};

/* A tensor in a file. */
struct stored {
	const struct file *file;
	const char *name; /* in the file */
	uint64_t offset;
	enum quant type;
	int rank;
	int64_t shape[GGUF_MAX_RANK];
};

/* Opens model.safetensors or model.safetensors.index.json in a folder. Input error for a file that is missing or
 * damaged; nothing is open then. */
bool source_open_folder(struct source *source, const char *folder, struct err *err);
/* Opens a file of any other format, by what it begins with. Input error for a damaged file or one of no known
 * format. */
bool source_open_file(struct source *source, const char *path, struct err *err);
void source_close(struct source *source);

/* The tensor that holds a part. Input error naming what is missing or has a type that cannot be read. */
bool source_find(const struct source *source, const struct model_part *part, struct stored *stored, struct err *err);
/* The tensor of that name is in a safetensors file; true for other formats. */
bool source_has(const struct source *source, const char *name);
/* Name number i of the tensors in the file(s); NULL after the last, and for formats that name none. */
const char *source_name(const struct source *source, size_t i);
/* XXH3-64 over the file, or over the digests of several. System error when it cannot be read. */
bool source_digest(const struct source *source, uint64_t *digest, struct err *err);
/* Whether a GGUF file of that "general.architecture" can be run. */
bool source_knows(const char *architecture);
/* True where queries and keys have their rotary pairs side by side in the file: they are brought to half-split order. */
bool source_is_interleaved(const struct source *source);

/* The configuration that the file itself gives (GGUF, llama2.c); arrays live in the arena. Input error that names
 * the key. */
bool source_config(const struct source *source, struct config *config, struct arena *arena, struct err *err);

#endif
