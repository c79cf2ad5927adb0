#include "format/safetensors.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/sort.h"

#define LENGTH_BYTES 8
#define HEADER_MOST 100000000u
#define METADATA_KEY "__metadata__"

/* An input error about one tensor; the tensor's name is the place. Always returns false. */
static bool tensor_error(const struct safetensors *st, const struct safetensors_entry *entry, struct err *err,
	const char *format, ...) ERR_PRINTF(4, 5);

static bool tensor_error(const struct safetensors *st, const struct safetensors_entry *entry, struct err *err,
	const char *format, ...)
{
	char message[sizeof err->message], where[sizeof err->where];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	snprintf(where, sizeof where, "tensor '%s'", entry->name);
	return err_input(err, st->file.path, where, "%s", message);
}

/* --- checks in the reference reader's order --- */

static bool check_length(const struct safetensors *st, uint64_t *header, struct err *err)
{
	unsigned char bytes[LENGTH_BYTES];
	const char *path = st->file.path;
	if (st->file.size < LENGTH_BYTES)
		return err_input(err, path, NULL,
			"a safetensors file starts with 8 bytes of header length, but this file has only %" PRIu64,
			st->file.size);
	if (!file_read(&st->file, 0, LENGTH_BYTES, bytes, err))
		return false;
	*header = 0;
	for (int i = LENGTH_BYTES - 1; i >= 0; i--)
		*header = *header << 8 | bytes[i];
	if (*header > HEADER_MOST)
		return err_input(err, path, "byte 0",
			"the header length is %" PRIu64 ", but at most %u are allowed; "
			"this may be no safetensors file",
			*header, HEADER_MOST);
	if (*header > st->file.size - LENGTH_BYTES)
		return err_input(err, path, "byte 0",
			"the header has %" PRIu64 " bytes, but the file ends after %" PRIu64 "; it is cut short",
			*header, st->file.size);
	return true;
}

/* Says that an error of the JSON reader is in the header. */
static bool in_header(struct err *err)
{
	char where[sizeof err->where];
	snprintf(where, sizeof where, "header%s%.200s", err->where[0] == '\0' ? "" : ", ", err->where);
	memcpy(err->where, where, sizeof where);
	return false;
}

static bool read_header(const struct safetensors *st, uint64_t length, struct arena *scratch, struct json **root,
	struct err *err)
{
	char *text = arena_raw(scratch, (size_t)length + 1, 1);
	if (!file_read(&st->file, LENGTH_BYTES, (size_t)length, text, err))
		return false;
	if (!json_parse(text, (size_t)length, st->file.path, scratch, root, err))
		return in_header(err);
	if ((*root)->type == JSON_OBJECT)
		return true;
	json_error(*root, err, "the header must be an object that names the tensors");
	return in_header(err);
}

static bool read_metadata(struct safetensors *st, const struct json *node, struct err *err)
{
	if (node == NULL || node->type == JSON_NULL)
		return true;
	if (node->type != JSON_OBJECT)
		return json_error(node, err, "the metadata must be an object whose values are strings");
	st->metadata = ARENA_ARRAY(&st->arena, struct safetensors_metadata, node->count);
	for (size_t i = 0; i < node->count; i++) {
		const struct json *member = node->items[i];
		const char *text;
		size_t length;
		if (!json_string(member, &text, &length, err))
			return false;
		st->metadata[i].key = arena_strndup(&st->arena, member->key, member->key_length);
		st->metadata[i].value = arena_strndup(&st->arena, text, length);
	}
	st->metadata_count = node->count;
	return true;
}

static bool read_shape(const struct json *node, struct tensor *tensor, struct err *err)
{
	if (node->type != JSON_ARRAY)
		return json_error(node, err, "a shape must be a list of whole numbers");
	if (node->count > TENSOR_MAX_RANK)
		return json_error(node, err, "the shape has %zu axes, but at most %d are supported", node->count,
			TENSOR_MAX_RANK);
	tensor->rank = (int)node->count;
	for (size_t i = 0; i < node->count; i++) {
		if (!json_int(node->items[i], 0, INT64_MAX, &tensor->shape[i], err))
			return false;
	}
	return true;
}

/* The member `key` of a tensor's object, or NULL with the error told. */
static const struct json *field(const struct json *node, const char *key, struct err *err)
{
	const struct json *member = json_find(node, key);
	if (member == NULL)
		json_error(node, err, "a tensor needs dtype, shape and data_offsets, but %s is missing", key);
	return member;
}

static bool read_dtype(const struct json *node, enum dtype *dtype, struct err *err)
{
	const char *name;
	size_t length = 0;
	if (!json_string(node, &name, &length, err))
		return false;
	return dtype_parse(name, length, dtype) ||
		json_error(node, err,
			"the type '%.40s' is not known to the safetensors format (as F32, BF16 or I64 are)", name);
}

/* One tensor's object: fields of the right types. The offset is relative to the data; *end is kept for the checks
 * that need the order of all tensors. */
static bool read_entry(struct safetensors *st, const struct json *node, struct safetensors_entry *entry, uint64_t *end,
	struct err *err)
{
	if (node->type != JSON_OBJECT)
		return json_error(node, err, "a tensor must be an object with dtype, shape and data_offsets");
	const struct json *dtype = field(node, "dtype", err), *shape = field(node, "shape", err);
	const struct json *offsets = field(node, "data_offsets", err);
	int64_t begin, stop;
	if (dtype == NULL || shape == NULL || offsets == NULL)
		return false;
	if (!read_dtype(dtype, &entry->tensor.dtype, err) || !read_shape(shape, &entry->tensor, err))
		return false;
	if (offsets->type != JSON_ARRAY || offsets->count != 2)
		return json_error(offsets, err, "data_offsets must be a list of two numbers, begin and end");
	if (!json_int(offsets->items[0], 0, INT64_MAX, &begin, err) ||
		!json_int(offsets->items[1], 0, INT64_MAX, &stop, err))
		return false;
	entry->name = arena_strndup(&st->arena, node->key, node->key_length);
	entry->name_length = node->key_length;
	entry->offset = (uint64_t)begin;
	*end = (uint64_t)stop;
	return true;
}

/* While the header is checked, an entry together with its end. */
struct candidate {
	struct safetensors_entry entry;
	uint64_t end;
};

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->entry.offset != b->entry.offset)
		return a->entry.offset < b->entry.offset ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Bytes of a tensor by its shape and type; false when the product overflows or ends inside a byte. */
static bool count_bytes(const struct tensor *tensor, uint64_t *bytes, const char **problem)
{
	uint64_t count = 1, bits = 0;
	*problem = "the product of its shape does not fit 63 bits";
	for (int i = 0; i < tensor->rank; i++) {
		if (!mem_mul(count, (uint64_t)tensor->shape[i], &count) || count > INT64_MAX)
			return false;
	}
	if (!mem_mul(count, (uint64_t)dtype_bits(tensor->dtype), &bits))
		return false;
	*problem = "its elements end inside a byte";
	*bytes = bits / 8;
	return bits % 8 == 0;
}

/* In order of offset: no hole, no overlap, the size that shape and type ask for. */
static bool check_layout(const struct safetensors *st, const struct candidate *candidates, size_t count, uint64_t *used,
	struct err *err)
{
	*used = 0;
	for (size_t i = 0; i < count; i++) {
		const struct safetensors_entry *entry = &candidates[i].entry;
		uint64_t end = candidates[i].end, bytes = 0;
		const char *problem;
		if (entry->offset != *used)
			return tensor_error(st, entry, err,
				"its data begin at offset %" PRIu64 ", but %s %" PRIu64
				"; tensors must follow each other",
				entry->offset,
				entry->offset > *used ? "there is a hole since" : "the one before it ends at", *used);
		if (end < entry->offset)
			return tensor_error(st, entry, err,
				"its data end at offset %" PRIu64 ", before they begin at %" PRIu64, end,
				entry->offset);
		if (!count_bytes(&entry->tensor, &bytes, &problem))
			return tensor_error(st, entry, err, "%s; the file is damaged or made to deceive", problem);
		if (end - entry->offset != bytes)
			return tensor_error(st, entry, err,
				"its data_offsets span %" PRIu64 " bytes, but its shape and type need %" PRIu64,
				end - entry->offset, bytes);
		*used = end;
	}
	return true;
}

/* "B,S,H" in the metadata names the axes; anything that is not one letter per axis is somebody else's text. */
static void set_axes(struct safetensors *st, const char *name, size_t length, const char *axes)
{
	int64_t index = map_get(&st->names, name, length);
	struct tensor *tensor = index < 0 ? NULL : &st->entries[index].tensor;
	if (tensor == NULL || tensor->rank == 0 || strlen(axes) != (size_t)(2 * tensor->rank - 1))
		return;
	for (int i = 0; i < tensor->rank; i++) {
		bool is_letter = axes[2 * i] >= 'A' && axes[2 * i] <= 'Z';
		if (!is_letter || (i > 0 && axes[2 * i - 1] != ','))
			return;
	}
	for (int i = 0; i < tensor->rank; i++)
		tensor->axes[i] = axes[2 * i];
}

static void keep_entries(struct safetensors *st, const struct candidate *candidates, size_t count, uint64_t data)
{
	st->entries = ARENA_ARRAY(&st->arena, struct safetensors_entry, count);
	st->count = count;
	for (size_t i = 0; i < count; i++) {
		st->entries[i] = candidates[i].entry;
		st->entries[i].offset += data;
		map_put(&st->names, st->entries[i].name, st->entries[i].name_length, (int64_t)i);
	}
	for (size_t i = 0; i < st->metadata_count; i++) {
		const char *key = st->metadata[i].key;
		if (strncmp(key, "axes.", 5) == 0)
			set_axes(st, key + 5, strlen(key + 5), st->metadata[i].value);
	}
}

static bool read_entries(struct safetensors *st, const struct json *root, uint64_t data, struct arena *scratch,
	struct err *err)
{
	struct candidate *candidates = ARENA_ARRAY(scratch, struct candidate, root->count);
	size_t count = 0;
	for (size_t i = 0; i < root->count; i++) {
		const struct json *node = root->items[i];
		if (strcmp(node->key, METADATA_KEY) == 0 && node->key_length == strlen(METADATA_KEY))
			continue;
		struct candidate *candidate = &candidates[count++];
		if (!read_entry(st, node, &candidate->entry, &candidate->end, err))
			return in_header(err);
	}
	uint64_t used;
	sort_stable(candidates, count, sizeof *candidates, compare_candidates);
	if (!check_layout(st, candidates, count, &used, err))
		return false;
	if (used != st->file.size - data)
		return err_input(err, st->file.path, NULL,
			"the tensors take %" PRIu64 " bytes, but the file has %" PRIu64 " behind its header; it is %s",
			used, st->file.size - data,
			used > st->file.size - data ? "cut short" : "longer than its header says");
	keep_entries(st, candidates, count, data);
	return true;
}

bool safetensors_open(struct safetensors *st, const char *path, struct err *err)
{
	*st = (struct safetensors){.file = FILE_CLOSED};
	struct arena scratch = ARENA_INIT;
	struct json *root = NULL;
	uint64_t length = 0;
	bool ok = file_open(&st->file, path, err) && check_length(st, &length, err) &&
		read_header(st, length, &scratch, &root, err);
	if (ok && !read_metadata(st, json_find(root, METADATA_KEY), err))
		ok = in_header(err);
	ok = ok && read_entries(st, root, LENGTH_BYTES + length, &scratch, err);
	arena_free(&scratch);
	if (!ok)
		safetensors_close(st);
	return ok;
}

void safetensors_close(struct safetensors *st)
{
	file_close(&st->file);
	map_free(&st->names);
	arena_free(&st->arena);
	*st = (struct safetensors){.file = FILE_CLOSED};
}

const struct safetensors_entry *safetensors_find(const struct safetensors *st, const char *name)
{
	int64_t index = map_get(&st->names, name, strlen(name));
	return index < 0 ? NULL : &st->entries[index];
}

const char *safetensors_metadata(const struct safetensors *st, const char *key)
{
	for (size_t i = 0; i < st->metadata_count; i++) {
		if (strcmp(st->metadata[i].key, key) == 0)
			return st->metadata[i].value;
	}
	return NULL;
}

bool safetensors_read(const struct safetensors *st, const struct safetensors_entry *entry, int64_t first, int64_t count,
	void *data, struct err *err)
{
	int64_t total = tensor_count(&entry->tensor);
	if (dtype_bits(entry->tensor.dtype) % 8 != 0)
		return tensor_error(st, entry, err,
			"its type %s has elements smaller than a byte, which cannot be read",
			dtype_name(entry->tensor.dtype));
	if (first < 0 || count < 0 || first > total || count > total - first)
		return tensor_error(st, entry, err,
			"%" PRId64 " elements from element %" PRId64 " on are asked for, but it has %" PRId64, count,
			first, total);
	size_t size = dtype_size(entry->tensor.dtype);
	return file_read(&st->file, entry->offset + (uint64_t)first * size, (size_t)count * size, data, err);
}
