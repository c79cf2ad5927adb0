#include "format/gguf.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/cursor.h"
#include "format/quant.h"

#define STRING_MOST ((uint64_t)1 << 30)
#define NAME_MOST 63
#define KEY_MOST 65535
#define DEFAULT_ALIGNMENT 32

/* Bytes of an element; 0 for strings and arrays. */
static const uint64_t sizes[GGUF_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

bool gguf_is(const char *path)
{
	struct file file;
	struct err none = ERR_INIT;
	char magic[4] = "";
	if (!file_open(&file, path, &none))
		return false;
	bool is = file.size >= sizeof magic && file_read(&file, 0, sizeof magic, magic, &none) &&
		memcmp(magic, "GGUF", 4) == 0;
	file_close(&file);
	return is;
}

/* --- reading one thing after the other --- */

/* A string into the arena; its length is compared with the file before anything is allocated. */
static const char *read_string(struct cursor *c, struct arena *arena, const char *what, uint64_t most, size_t *length)
{
	uint64_t size = cursor_u64(c, what);
	if (!c->ok)
		return "";
	if (size > most || size > cursor_left(c)) {
		cursor_fail(c,
			"%s has %" PRIu64 " bytes; at most %" PRIu64 " are allowed, and the file ends after %" PRIu64,
			what, size, most, cursor_left(c));
		return "";
	}
	char *text = arena_raw(arena, (size_t)size + 1, 1);
	if (!cursor_bytes(c, text, (size_t)size, what))
		return "";
	text[size] = '\0';
	*length = (size_t)size;
	return text;
}

static bool is_name(const char *text, size_t length)
{
	return length > 0 && strlen(text) == length;
}

static void read_integer(struct cursor *c, struct gguf_value *value)
{
	uint64_t bits = 0;
	switch (sizes[value->type]) {
	case 1: bits = cursor_u8(c, value->key); break;
	case 2: bits = cursor_u16(c, value->key); break;
	case 4: bits = cursor_u32(c, value->key); break;
	default: bits = cursor_u64(c, value->key); break;
	}
	switch (value->type) {
	case GGUF_I8: value->integer = (int8_t)bits; break;
	case GGUF_I16: value->integer = (int16_t)bits; break;
	case GGUF_I32: value->integer = (int32_t)bits; break;
	case GGUF_I64: value->integer = (int64_t)bits; break;
	default:
		if (bits > INT64_MAX)
			cursor_fail(c, "the value of '%s' is %" PRIu64 ", which is too large", value->key, bits);
		value->integer = (int64_t)bits;
	}
	if (value->type == GGUF_BOOL && bits > 1)
		cursor_fail(c, "the boolean '%s' is %" PRIu64 "; 0 or 1 is expected", value->key, bits);
	value->real = (double)value->integer;
}

/* Strings of an array are stepped over one by one: each must lie in the file. */
static void skip_strings(struct cursor *c, const struct gguf_value *value)
{
	for (uint64_t i = 0; c->ok && i < value->count; i++) {
		uint64_t length = cursor_u64(c, value->key);
		if (c->ok && length > STRING_MOST)
			cursor_fail(c, "string %" PRIu64 " of '%s' has %" PRIu64 " bytes", i, value->key, length);
		cursor_skip(c, length, value->key);
	}
}

static void read_array(struct cursor *c, struct gguf_value *value)
{
	uint32_t elements = cursor_u32(c, value->key);
	value->count = cursor_u64(c, value->key);
	value->offset = c->at;
	if (!c->ok)
		return;
	if (elements >= GGUF_TYPES || elements == GGUF_ARRAY) {
		cursor_fail(c, "the array '%s' has elements of type %" PRIu32 "; 0 to 12 without 9 are allowed",
			value->key, elements);
		return;
	}
	value->elements = (enum gguf_type)elements;
	uint64_t least = value->elements == GGUF_STRING ? 8 : sizes[elements];
	if (value->count > cursor_left(c) / least) {
		cursor_fail(c, "the array '%s' has %" PRIu64 " elements, more than the file can hold", value->key,
			value->count);
		return;
	}
	if (value->elements == GGUF_STRING)
		skip_strings(c, value);
	else
		cursor_skip(c, value->count * least, value->key);
}

static void read_value(struct cursor *c, struct gguf *gguf, struct gguf_value *value)
{
	size_t length = 0;
	value->key = read_string(c, &gguf->arena, "a key", KEY_MOST, &length);
	if (c->ok && !is_name(value->key, length))
		cursor_fail(c, "a key is empty or holds a NUL");
	uint32_t type = cursor_u32(c, "the type of a value");
	if (c->ok && type >= GGUF_TYPES)
		cursor_fail(c, "the value of '%s' has type %" PRIu32 "; 0 to 12 are known", value->key, type);
	if (!c->ok)
		return;
	value->type = (enum gguf_type)type;
	if (value->type == GGUF_STRING)
		value->text = read_string(c, &gguf->arena, value->key, STRING_MOST, &value->length);
	else if (value->type == GGUF_ARRAY)
		read_array(c, value);
	else if (value->type == GGUF_F32)
		value->real = (double)cursor_f32(c, value->key);
	else if (value->type == GGUF_F64)
		value->real = cursor_f64(c, value->key);
	else
		read_integer(c, value);
}

/* Room for one more element of an array in the arena. */
static void *grown(struct arena *arena, void *old, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return old;
	*capacity = *capacity == 0 ? 64 : *capacity * 2;
	void *new = arena_array(arena, *capacity, size);
	if (count > 0)
		memcpy(new, old, count * size);
	return new;
}

/* --- tensors --- */

/* The product of the shape and its bytes, each step within 63 bits. */
static bool size_tensor(struct cursor *c, struct gguf_tensor *t)
{
	enum quant type;
	uint64_t count = 1;
	for (int i = 0; i < t->rank; i++) {
		uint64_t size = (uint64_t)t->shape[i];
		if (size != 0 && count > (uint64_t)INT64_MAX / size)
			return cursor_fail(c, "the shape of tensor '%s' is too large: its product does not fit 63 bits",
				t->name);
		count *= size;
	}
	if (!quant_find(t->type, &type)) {
		const char *name = quant_number_name(t->type);
		return cursor_fail(c, "tensor '%s' has type %" PRIu32 "%s%s%s, which is not supported", t->name,
			t->type, name != NULL ? " (" : "", name != NULL ? name : "", name != NULL ? ")" : "");
	}
	uint64_t values = (uint64_t)quant_values(type), bytes = (uint64_t)quant_bytes(type);
	if ((uint64_t)t->shape[t->rank - 1] % values != 0)
		return cursor_fail(c,
			"the rows of tensor '%s' have %" PRId64 " numbers; %s needs a multiple of %" PRIu64, t->name,
			t->shape[t->rank - 1], quant_name(type), values);
	if (count / values > (uint64_t)INT64_MAX / bytes)
		return cursor_fail(c, "the size of tensor '%s' does not fit 63 bits", t->name);
	t->bytes = count / values * bytes;
	return true;
}

static void read_tensor(struct cursor *c, struct gguf *gguf, struct gguf_tensor *t)
{
	size_t length = 0;
	t->name = read_string(c, &gguf->arena, "the name of a tensor", NAME_MOST, &length);
	if (c->ok && !is_name(t->name, length))
		cursor_fail(c, "the name of a tensor is empty or holds a NUL");
	uint32_t rank = cursor_u32(c, "the rank of a tensor");
	if (c->ok && (rank < 1 || rank > GGUF_MAX_RANK))
		cursor_fail(c, "tensor '%s' has %" PRIu32 " dimensions; 1 to %d are allowed", t->name, rank,
			GGUF_MAX_RANK);
	if (!c->ok)
		return;
	t->rank = (int)rank;
	for (int i = t->rank - 1; i >= 0; i--) {
		uint64_t size = cursor_u64(c, "a dimension");
		if (c->ok && (size == 0 || size > INT64_MAX))
			cursor_fail(c, "a dimension of tensor '%s' is %" PRIu64, t->name, size);
		t->shape[i] = (int64_t)size;
	}
	t->type = cursor_u32(c, "the type of a tensor");
	t->offset = cursor_u64(c, "the offset of a tensor");
	if (c->ok)
		size_tensor(c, t);
}

static bool align(uint64_t *at, uint64_t alignment)
{
	uint64_t rest = *at % alignment;
	if (rest != 0 && *at > UINT64_MAX - (alignment - rest))
		return false;
	*at += rest != 0 ? alignment - rest : 0;
	return true;
}

/* Tensors lie one behind the other, each at the next aligned place, and the last one ends in the file. */
static bool place_tensors(struct cursor *c, struct gguf *gguf, uint64_t alignment)
{
	uint64_t data = c->at, next = 0;
	if (!align(&data, alignment) || (gguf->tensor_count > 0 && data > gguf->file.size))
		return cursor_fail(c, "the file ends before the data of its tensors");
	for (size_t i = 0; i < gguf->tensor_count; i++) {
		struct gguf_tensor *t = &gguf->tensors[i];
		if (t->offset != next)
			return cursor_fail(c,
				"tensor '%s' is at offset %" PRIu64 " of the data; the next free place is %" PRIu64,
				t->name, t->offset, next);
		if (t->bytes > gguf->file.size - data || t->offset > gguf->file.size - data - t->bytes)
			return cursor_fail(c,
				"tensor '%s' ends at byte %" PRIu64 " of the data, behind the end of the file", t->name,
				t->offset + t->bytes);
		t->offset += data;
		next += t->bytes;
		if (!align(&next, alignment))
			return cursor_fail(c, "the sizes of the tensors add up to more than 64 bits");
	}
	if (gguf->tensor_count > 0 && gguf->file.size > data && gguf->file.size - data > next)
		return cursor_fail(c, "there are %" PRIu64 " bytes behind the last tensor that belong to nothing",
			gguf->file.size - data - next);
	return true;
}

/* --- opening --- */

static bool read_values(struct cursor *c, struct gguf *gguf, uint64_t count)
{
	size_t capacity = 0;
	for (uint64_t i = 0; c->ok && i < count; i++) {
		gguf->values = grown(&gguf->arena, gguf->values, gguf->value_count, &capacity, sizeof *gguf->values);
		struct gguf_value *value = &gguf->values[gguf->value_count];
		*value = (struct gguf_value){0};
		read_value(c, gguf, value);
		if (c->ok && !map_put(&gguf->keys, value->key, strlen(value->key), (int64_t)gguf->value_count))
			cursor_fail(c, "the key '%s' is there twice", value->key);
		gguf->value_count++;
	}
	return c->ok;
}

static bool read_tensors(struct cursor *c, struct gguf *gguf, uint64_t count)
{
	size_t capacity = 0;
	for (uint64_t i = 0; c->ok && i < count; i++) {
		gguf->tensors =
			grown(&gguf->arena, gguf->tensors, gguf->tensor_count, &capacity, sizeof *gguf->tensors);
		struct gguf_tensor *t = &gguf->tensors[gguf->tensor_count];
		*t = (struct gguf_tensor){0};
		read_tensor(c, gguf, t);
		if (c->ok && !map_put(&gguf->names, t->name, strlen(t->name), (int64_t)gguf->tensor_count))
			cursor_fail(c, "the tensor '%s' is there twice", t->name);
		gguf->tensor_count++;
	}
	return c->ok;
}

static bool read_head(struct cursor *c, struct gguf *gguf, uint64_t *tensors, uint64_t *values)
{
	char magic[4];
	if (!cursor_bytes(c, magic, sizeof magic, "the file"))
		return false;
	if (memcmp(magic, "GGUF", sizeof magic) != 0)
		return cursor_fail(c, "this is no GGUF file: it does not begin with GGUF");
	gguf->version = cursor_u32(c, "the version");
	if (c->ok && (gguf->version & 0xffff) == 0)
		return cursor_fail(c, "the file is big-endian, which is not supported; convert it to little-endian");
	if (c->ok && (gguf->version < 2 || gguf->version > 3))
		return cursor_fail(c, "the file has version %" PRIu32 "; versions 2 and 3 can be read", gguf->version);
	*tensors = cursor_u64(c, "the number of tensors");
	*values = cursor_u64(c, "the number of keys");
	/* the shortest tensor takes 33 bytes, the shortest key 14 */
	if (c->ok && (*tensors > cursor_left(c) / 33 || *values > cursor_left(c) / 14))
		return cursor_fail(c, "%" PRIu64 " tensors and %" PRIu64 " keys are more than the file can hold",
			*tensors, *values);
	return c->ok;
}

static bool read_alignment(struct cursor *c, const struct gguf *gguf, uint64_t *alignment)
{
	const struct gguf_value *value = gguf_value(gguf, "general.alignment");
	*alignment = DEFAULT_ALIGNMENT;
	if (value == NULL)
		return true;
	if (value->type != GGUF_U32)
		return cursor_fail(c, "general.alignment must be an unsigned 32-bit number");
	*alignment = (uint64_t)value->integer;
	return (*alignment > 0 && (*alignment & (*alignment - 1)) == 0) ||
		cursor_fail(c, "general.alignment is %" PRIu64 "; a power of two is expected", *alignment);
}

bool gguf_open(struct gguf *gguf, const char *path, struct err *err)
{
	struct cursor *c = MEM_NEW(struct cursor);
	uint64_t tensors = 0, values = 0, alignment = 0;
	*gguf = (struct gguf){.file = FILE_CLOSED, .keys = MAP_INIT, .names = MAP_INIT};
	bool ok = file_open(&gguf->file, path, err);
	if (ok) {
		cursor_init(c, &gguf->file, 0, err);
		ok = read_head(c, gguf, &tensors, &values) && read_values(c, gguf, values) &&
			read_alignment(c, gguf, &alignment) && read_tensors(c, gguf, tensors) &&
			place_tensors(c, gguf, alignment);
	}
	free(c);
	if (!ok)
		gguf_close(gguf);
	return ok;
}

void gguf_close(struct gguf *gguf)
{
	file_close(&gguf->file);
	map_free(&gguf->keys);
	map_free(&gguf->names);
	arena_free(&gguf->arena);
	*gguf = (struct gguf){.file = FILE_CLOSED, .keys = MAP_INIT, .names = MAP_INIT};
}

/* --- asking --- */

const struct gguf_value *gguf_value(const struct gguf *gguf, const char *key)
{
	int64_t at = map_get(&gguf->keys, key, strlen(key));
	return at < 0 ? NULL : &gguf->values[at];
}

const struct gguf_tensor *gguf_tensor(const struct gguf *gguf, const char *name)
{
	int64_t at = map_get(&gguf->names, name, strlen(name));
	return at < 0 ? NULL : &gguf->tensors[at];
}

static bool wrong(const struct gguf *gguf, const char *key, const char *expected, struct err *err)
{
	return err_input(err, gguf->file.path, key, "%s was expected", expected);
}

static bool is_whole(enum gguf_type type)
{
	return type != GGUF_F32 && type != GGUF_F64 && type != GGUF_STRING && type != GGUF_ARRAY && type != GGUF_BOOL;
}

bool gguf_int(const struct gguf *gguf, const char *key, int64_t low, int64_t high, int64_t *value, struct err *err)
{
	const struct gguf_value *found = gguf_value(gguf, key);
	if (found == NULL)
		return true;
	if (!is_whole(found->type))
		return wrong(gguf, key, "a whole number", err);
	if (found->integer < low || found->integer > high)
		return err_input(err, gguf->file.path, key,
			"a whole number from %" PRId64 " to %" PRId64 " was expected, got %" PRId64, low, high,
			found->integer);
	*value = found->integer;
	return true;
}

bool gguf_float(const struct gguf *gguf, const char *key, double low, double high, float *value, struct err *err)
{
	const struct gguf_value *found = gguf_value(gguf, key);
	if (found == NULL)
		return true;
	if (found->type != GGUF_F32 && found->type != GGUF_F64)
		return wrong(gguf, key, "a number with a point", err);
	if (!(found->real >= low && found->real <= high))
		return err_input(err, gguf->file.path, key, "a number from %g to %g was expected, got %g", low, high,
			found->real);
	*value = (float)found->real;
	return true;
}

bool gguf_bool(const struct gguf *gguf, const char *key, bool *value, struct err *err)
{
	const struct gguf_value *found = gguf_value(gguf, key);
	if (found == NULL)
		return true;
	if (found->type != GGUF_BOOL)
		return wrong(gguf, key, "a boolean", err);
	*value = found->integer != 0;
	return true;
}

bool gguf_text(const struct gguf *gguf, const char *key, const char **text, struct err *err)
{
	const struct gguf_value *found = gguf_value(gguf, key);
	if (found == NULL)
		return true;
	if (found->type != GGUF_STRING || strlen(found->text) != found->length)
		return wrong(gguf, key, "a text without NUL", err);
	*text = found->text;
	return true;
}

bool gguf_strings(const struct gguf *gguf, const char *key,
	bool (*element)(void *self, uint64_t i, const char *bytes, size_t length), void *self, struct err *err)
{
	const struct gguf_value *found = gguf_value(gguf, key);
	if (found == NULL || found->type != GGUF_ARRAY || found->elements != GGUF_STRING)
		return wrong(gguf, key, "a list of strings", err);
	struct cursor *c = MEM_NEW(struct cursor);
	struct arena scratch = ARENA_INIT;
	cursor_init(c, &gguf->file, found->offset, err);
	for (uint64_t i = 0; c->ok && i < found->count; i++) {
		size_t length = 0;
		arena_reset(&scratch);
		const char *text = read_string(c, &scratch, key, STRING_MOST, &length);
		if (c->ok && !element(self, i, text, length))
			break;
	}
	bool ok = c->ok;
	arena_free(&scratch);
	free(c);
	return ok;
}

static double read_number(struct cursor *c, enum gguf_type type, const char *key)
{
	struct gguf_value value = {.key = key, .type = type};
	if (type == GGUF_F32)
		return (double)cursor_f32(c, key);
	if (type == GGUF_F64)
		return cursor_f64(c, key);
	read_integer(c, &value);
	return value.real;
}

bool gguf_numbers(const struct gguf *gguf, const char *key, uint64_t count, double *values, struct err *err)
{
	const struct gguf_value *found = gguf_value(gguf, key);
	if (found == NULL || found->type != GGUF_ARRAY || found->elements == GGUF_STRING)
		return wrong(gguf, key, "a list of numbers", err);
	if (found->count != count)
		return err_input(err, gguf->file.path, key, "%" PRIu64 " numbers were expected, got %" PRIu64, count,
			found->count);
	struct cursor *c = MEM_NEW(struct cursor);
	cursor_init(c, &gguf->file, found->offset, err);
	for (uint64_t i = 0; c->ok && i < count; i++)
		values[i] = read_number(c, found->elements, key);
	bool ok = c->ok;
	free(c);
	return ok;
}
