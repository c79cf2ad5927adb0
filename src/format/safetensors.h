/*
 * safetensors.h: named tensors in one file: 8 bytes of header length, a JSON header, the data.
 *
 * The reader checks every rule of the format's reference reader before anything is used (header size, types,
 * products of shapes, no hole, no overlap, no bytes left over) and refuses duplicate names; each refusal
 * names the tensor and the rule. Nothing is mapped: a tensor is read on demand. The writer is told all shapes
 * first, writes the header, then takes the data in that order, so that a pass streams to disk.
 *
 *     struct safetensors st;
 *     if (!safetensors_open(&st, "pass-000000.safetensors", err)) return false;
 *     const struct safetensors_entry *entry = safetensors_find(&st, "logits");
 *     if (entry != NULL && !safetensors_read(&st, entry, 0, V, row, err)) ...  // logits of the first row
 *     safetensors_close(&st);
 *
 * Source: github.com/huggingface/safetensors, README and tensor.rs.
 */
#ifndef FORMAT_SAFETENSORS_H
#define FORMAT_SAFETENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "tensor/tensor.h"

struct safetensors_entry {
	const char *name;
	size_t name_length;
	struct tensor tensor; /* shape and type; axes from the metadata "axes.<name>"; data is NULL */
	uint64_t offset;      /* of its first byte in the file */
};

struct safetensors_metadata {
	const char *key;
	const char *value;
};

struct safetensors {
	struct file file;
	struct arena arena;
	struct map names;                  /* name -> index in entries */
	struct safetensors_entry *entries; /* in order of offset */
	size_t count;
	struct safetensors_metadata *metadata;
	size_t metadata_count;
};

/* Opens and checks the header; time and memory do not depend on the size of the data. Input error that names the
 * tensor and the rule; `st` is closed then. The strings of entries and metadata live until safetensors_close. */
bool safetensors_open(struct safetensors *st, const char *path, struct err *err);
void safetensors_close(struct safetensors *st);

/* The entry of that name, or NULL. */
const struct safetensors_entry *safetensors_find(const struct safetensors *st, const char *name);
/* The metadata value of that key, or NULL. */
const char *safetensors_metadata(const struct safetensors *st, const char *key);

/* Reads `count` elements from element `first` on, as they are in the file, into `data` (count * size bytes). Input
 * error when the file is cut short, system error when it cannot be read. */
bool safetensors_read(const struct safetensors *st, const struct safetensors_entry *entry, int64_t first, int64_t count,
	void *data, struct err *err);

/* --- writing --- */
struct safetensors_writer; /* a file under way */

struct safetensors_item {
	const char *name;
	struct tensor tensor; /* type, shape and axes; data unused */
};

/* Starts a file: writes the header for `items` in this order (offsets follow it), with "axes.<name>" metadata for
 * items that have axes, and the `metadata` pairs before: a list ended by a pair whose key is NULL, or NULL. Small
 * additions are gathered into writes of a megabyte. Usage error for two items of one name or sizes that overflow;
 * else fails as file_writer_open does; *writer is NULL then. The caller finishes or abandons the writer. */
bool safetensors_writer_open(struct safetensors_writer **writer, const char *path, const struct safetensors_item *items,
	size_t count, const struct safetensors_metadata *metadata, struct err *err);
/* Adds the data of the next item in order; `bytes` must be its size. System error when the file cannot be written. */
bool safetensors_writer_add(struct safetensors_writer *writer, const void *data, size_t bytes, struct err *err);
/* Renames into place (synced first when `sync`) and frees the writer; gives the file's size and XXH3-64. Input
 * for a manifest. On failure the temporary file is gone. */
bool safetensors_writer_finish(struct safetensors_writer *writer, bool sync, uint64_t *bytes, uint64_t *digest,
	struct err *err);
/* Removes the temporary file and frees the writer. NULL is allowed. */
void safetensors_writer_abandon(struct safetensors_writer *writer);

#endif
