/* Writing safetensors: header first, then the tensors in order, gathered into large writes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "format/safetensors.h"

#define GATHER ((size_t)1 << 20)
#define HEADER_MOST 100000000u

struct safetensors_writer {
	struct file_writer file;
	struct hash *hash;
	uint64_t *sizes; /* of the items, in bytes */
	size_t count;
	size_t next; /* the item whose data come next */
	size_t gathered;
	char *gather; /* [GATHER] */
};

static bool item_bytes(const struct safetensors_item *item, uint64_t *bytes)
{
	uint64_t bits = (uint64_t)dtype_bits(item->tensor.dtype);
	for (int i = 0; i < item->tensor.rank; i++) {
		if (item->tensor.shape[i] < 0 || !mem_mul(bits, (uint64_t)item->tensor.shape[i], &bits))
			return false;
	}
	*bytes = bits / 8;
	return bits % 8 == 0;
}

static void add_metadata(struct json_writer *json, const struct safetensors_item *items, size_t count,
	const struct safetensors_metadata *metadata)
{
	struct buf key = BUF_INIT;
	json_key(json, "__metadata__");
	json_begin_object(json);
	for (; metadata != NULL && metadata->key != NULL; metadata++) {
		json_key(json, metadata->key);
		json_add_string(json, metadata->value);
	}
	for (size_t i = 0; i < count; i++) {
		char axes[2 * TENSOR_MAX_RANK];
		if (items[i].tensor.axes[0] == '\0')
			continue;
		tensor_axes_text(&items[i].tensor, axes);
		buf_clear(&key);
		buf_printf(&key, "axes.%s", items[i].name);
		json_key(json, buf_text(&key));
		json_add_string(json, axes);
	}
	json_end_object(json);
	buf_free(&key);
}

static void add_item(struct json_writer *json, const struct safetensors_item *item, uint64_t begin, uint64_t bytes)
{
	json_key(json, item->name);
	json_begin_object(json);
	json_key(json, "dtype");
	json_add_string(json, dtype_name(item->tensor.dtype));
	json_key(json, "shape");
	json_begin_array(json);
	for (int i = 0; i < item->tensor.rank; i++)
		json_add_int(json, item->tensor.shape[i]);
	json_end_array(json);
	json_key(json, "data_offsets");
	json_begin_array(json);
	json_add_int(json, (int64_t)begin);
	json_add_int(json, (int64_t)(begin + bytes));
	json_end_array(json);
	json_end_object(json);
}

/* Names that would make a file which our own reader refuses. */
static bool check_names(const char *path, const struct safetensors_item *items, size_t count, struct err *err)
{
	struct map names = MAP_INIT;
	bool ok = true;
	for (size_t i = 0; i < count && ok; i++) {
		const char *name = items[i].name;
		if (strcmp(name, "__metadata__") == 0 || !map_put(&names, name, strlen(name), (int64_t)i))
			ok = err_usage(err, path, "two tensors cannot both be named '%s' in one file; rename one",
				name);
	}
	map_free(&names);
	return ok;
}

static bool count_sizes(struct safetensors_writer *writer, const char *path, const struct safetensors_item *items,
	struct err *err)
{
	uint64_t total = 0;
	for (size_t i = 0; i < writer->count; i++) {
		bool fits = item_bytes(&items[i], &writer->sizes[i]) && mem_add(total, writer->sizes[i], &total) &&
			total <= INT64_MAX;
		if (!fits)
			return err_usage(err, path, "the tensor '%s' is too large for a file; write a part of it",
				items[i].name);
	}
	return true;
}

static bool has_axes(const struct safetensors_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i].tensor.axes[0] != '\0')
			return true;
	}
	return false;
}

/* Length and header, padded so that the data start at a multiple of 8. */
static void make_header(const struct safetensors_writer *writer, const struct safetensors_item *items,
	const struct safetensors_metadata *metadata, struct buf *header)
{
	struct json_writer json;
	uint64_t begin = 0;
	buf_add(header, "\0\0\0\0\0\0\0", 8);
	json_writer_init(&json, header, false);
	json_begin_object(&json);
	if (metadata != NULL || has_axes(items, writer->count))
		add_metadata(&json, items, writer->count, metadata);
	for (size_t i = 0; i < writer->count; i++) {
		add_item(&json, &items[i], begin, writer->sizes[i]);
		begin += writer->sizes[i];
	}
	json_end_object(&json);
	while (header->length % 8 != 0)
		buf_add_char(header, ' ');
	for (int i = 0; i < 8; i++)
		header->data[i] = (char)(unsigned char)((header->length - 8) >> (8 * i));
}

static bool flush(struct safetensors_writer *writer, struct err *err)
{
	size_t length = writer->gathered;
	writer->gathered = 0;
	return file_writer_add(&writer->file, writer->gather, length, err);
}

static bool add(struct safetensors_writer *writer, const void *bytes, size_t length, struct err *err)
{
	hash_add(writer->hash, bytes, length);
	if (length > GATHER - writer->gathered && !flush(writer, err))
		return false;
	if (length >= GATHER)
		return file_writer_add(&writer->file, bytes, length, err);
	if (length > 0)
		memcpy(writer->gather + writer->gathered, bytes, length);
	writer->gathered += length;
	return true;
}

static void delete (struct safetensors_writer *writer)
{
	hash_delete(writer->hash);
	free(writer->gather);
	free(writer->sizes);
	free(writer);
}

bool safetensors_writer_open(struct safetensors_writer **result, const char *path, const struct safetensors_item *items,
	size_t count, const struct safetensors_metadata *metadata, struct err *err)
{
	*result = NULL;
	struct safetensors_writer *writer = MEM_NEW(struct safetensors_writer);
	struct buf header = BUF_INIT;
	writer->file.descriptor = -1;
	writer->hash = hash_new();
	writer->gather = mem_resize(NULL, GATHER, 1); /* not cleared: a tiny pass takes less time than that */
	writer->sizes = MEM_ARRAY(uint64_t, count);
	writer->count = count;
	bool ok = check_names(path, items, count, err) && count_sizes(writer, path, items, err);
	if (!ok)
		goto done;
	make_header(writer, items, metadata, &header);
	if (header.length - 8 > HEADER_MOST) {
		ok = err_usage(err, path, "the names and shapes of %zu tensors do not fit the header; write fewer",
			count);
		goto done;
	}
	ok = file_writer_open(&writer->file, path, err) && add(writer, header.data, header.length, err);
done:
	buf_free(&header);
	if (ok)
		*result = writer;
	else
		safetensors_writer_abandon(writer);
	return ok;
}

bool safetensors_writer_add(struct safetensors_writer *writer, const void *data, size_t bytes, struct err *err)
{
	const char *path = writer->file.path;
	if (writer->next == writer->count)
		return err_usage(err, path, "all %zu tensors of this file are written already", writer->count);
	if (writer->sizes[writer->next] != bytes)
		return err_usage(err, path, "tensor %zu of this file has %" PRIu64 " bytes, but %zu were given",
			writer->next, writer->sizes[writer->next], bytes);
	writer->next++;
	return add(writer, data, bytes, err);
}

bool safetensors_writer_finish(struct safetensors_writer *writer, bool sync, uint64_t *bytes, uint64_t *digest,
	struct err *err)
{
	if (writer->next < writer->count) {
		err_usage(err, writer->file.path, "only %zu of the %zu tensors of this file were written", writer->next,
			writer->count);
		safetensors_writer_abandon(writer);
		return false;
	}
	if (!flush(writer, err)) {
		safetensors_writer_abandon(writer);
		return false;
	}
	*bytes = writer->file.written;
	*digest = hash_value(writer->hash);
	bool ok = file_writer_finish(&writer->file, sync, err);
	delete (writer);
	return ok;
}

void safetensors_writer_abandon(struct safetensors_writer *writer)
{
	if (writer == NULL)
		return;
	file_writer_abandon(&writer->file);
	delete (writer);
}
