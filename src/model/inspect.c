#include "model/inspect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/gguf.h"
#include "format/quant.h"
#include "format/safetensors.h"
#include "model/source.h"

#define SHOWN_ELEMENTS 8 /* of a list */

/* --- GGUF --- */

struct list_text {
	struct buf *text;
	uint64_t count;
};

static bool add_element(void *self, uint64_t i, const char *bytes, size_t length)
{
	struct list_text *list = self;
	buf_add_text(list->text, i > 0 ? ", \"" : " \"");
	buf_add(list->text, bytes, length);
	buf_add_char(list->text, '"');
	return i + 1 < SHOWN_ELEMENTS;
}

static bool add_list(const struct gguf *gguf, const struct gguf_value *value, struct buf *text, struct err *err)
{
	struct list_text list = {text, value->count};
	bool is_text = value->elements == GGUF_STRING;
	buf_printf(text, "%" PRIu64 " %s", value->count, is_text ? "texts:" : "numbers");
	if (!is_text)
		return true;
	if (!gguf_strings(gguf, value->key, add_element, &list, err))
		return false;
	buf_add_text(text, value->count > SHOWN_ELEMENTS ? ", ..." : "");
	return true;
}

static bool add_value(const struct gguf *gguf, const struct gguf_value *value, struct buf *text, struct err *err)
{
	switch (value->type) {
	case GGUF_STRING: buf_add(text, value->text, value->length); return true;
	case GGUF_ARRAY: return add_list(gguf, value, text, err);
	case GGUF_BOOL: buf_add_text(text, value->integer != 0 ? "true" : "false"); return true;
	case GGUF_F32:
	case GGUF_F64:
		if (isnan(value->real))
			return err_input(err, gguf->file.path, value->key, "a number was expected, this is NaN");
		buf_printf(text, "%.*g", value->type == GGUF_F32 ? 9 : 17, value->real);
		return true;
	default: buf_printf(text, "%" PRId64, value->integer); return true;
	}
}

static bool read_keys(struct inspection *in, const struct gguf *gguf, struct err *err)
{
	struct buf text = BUF_INIT;
	bool ok = true;
	in->keys = ARENA_ARRAY(&in->arena, struct inspection_key, gguf->value_count);
	for (size_t i = 0; ok && i < gguf->value_count; i++) {
		buf_clear(&text);
		ok = add_value(gguf, &gguf->values[i], &text, err);
		in->keys[in->key_count++] = (struct inspection_key){arena_strdup(&in->arena, gguf->values[i].key),
			arena_strndup(&in->arena, buf_text(&text), text.length)};
	}
	buf_free(&text);
	return ok;
}

/* Whether the file holds what a model of a family that can be run is made of. */
static bool may_be_model(const struct gguf *gguf)
{
	const struct gguf_value *name = gguf_value(gguf, "general.architecture");
	if (name == NULL || name->type != GGUF_STRING || !source_knows(name->text) ||
		gguf_tensor(gguf, "token_embd.weight") == NULL)
		return false;
	for (size_t i = 0; i < gguf->tensor_count; i++) {
		enum quant type;
		if (!quant_find(gguf->tensors[i].type, &type))
			return false;
	}
	return true;
}

static void read_vocabulary(struct inspection *in, const struct gguf *gguf)
{
	struct err why = ERR_INIT;
	bool is_there = tokenizer_in_gguf(gguf) || gguf_value(gguf, "tokenizer.ggml.tokens") != NULL;
	if (is_there && !tokenizer_from_gguf(&in->tokenizer, gguf, &why))
		in->tokenizer_problem = arena_printf(&in->arena, "%s: %s", why.where, why.message);
}

static bool read_gguf(struct inspection *in, const char *path, struct err *err)
{
	struct gguf gguf;
	if (!gguf_open(&gguf, path, err))
		return false;
	in->format = arena_printf(&in->arena, "GGUF version %d", (int)gguf.version);
	in->tensors = ARENA_ARRAY(&in->arena, struct inspection_tensor, gguf.tensor_count);
	for (size_t i = 0; i < gguf.tensor_count; i++) {
		const struct gguf_tensor *t = &gguf.tensors[i];
		const char *type = quant_number_name(t->type);
		struct inspection_tensor *out = &in->tensors[in->tensor_count++];
		*out = (struct inspection_tensor){.name = arena_strdup(&in->arena, t->name),
			.type = type != NULL ? type : "?",
			.rank = t->rank,
			.bytes = t->bytes};
		memcpy(out->shape, t->shape, (size_t)t->rank * sizeof *t->shape);
	}
	bool ok = read_keys(in, &gguf, err);
	in->may_be_model = may_be_model(&gguf);
	if (ok)
		read_vocabulary(in, &gguf);
	gguf_close(&gguf);
	return ok;
}

/* --- safetensors --- */

static bool read_safetensors(struct inspection *in, const char *path, struct err *err)
{
	struct safetensors st;
	if (!safetensors_open(&st, path, err))
		return false;
	in->format = "safetensors";
	in->tensors = ARENA_ARRAY(&in->arena, struct inspection_tensor, st.count);
	for (size_t i = 0; i < st.count; i++) {
		const struct tensor *t = &st.entries[i].tensor;
		struct inspection_tensor *out = &in->tensors[in->tensor_count++];
		*out = (struct inspection_tensor){.name = arena_strdup(&in->arena, st.entries[i].name),
			.type = dtype_name(t->dtype),
			.rank = t->rank,
			.bytes = tensor_bytes(t)};
		memcpy(out->shape, t->shape, (size_t)t->rank * sizeof *t->shape);
	}
	in->keys = ARENA_ARRAY(&in->arena, struct inspection_key, st.metadata_count);
	for (size_t i = 0; i < st.metadata_count; i++)
		in->keys[in->key_count++] = (struct inspection_key){arena_strdup(&in->arena, st.metadata[i].key),
			arena_strdup(&in->arena, st.metadata[i].value)};
	safetensors_close(&st);
	return true;
}

/* --- by what the file is --- */

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), size = strlen(ending);
	return length > size && strcmp(path + length - size, ending) == 0;
}

static bool inspect_into(struct inspection *in, const char *path, struct err *err)
{
	if (gguf_is(path) || ends_with(path, ".gguf"))
		return read_gguf(in, path, err);
	if (ends_with(path, ".safetensors"))
		return read_safetensors(in, path, err);
	in->format = ends_with(path, ".json") ? "tokenizer.json" : "tokenizer.bin";
	return tokenizer_open(&in->tokenizer, path, 0, err);
}

bool inspect_file(struct inspection **result, const char *path, struct err *err)
{
	struct inspection *in = MEM_NEW(struct inspection);
	if (inspect_into(in, path, err)) {
		*result = in;
		return true;
	}
	inspect_delete(in);
	return false;
}

void inspect_delete(struct inspection *in)
{
	if (in == NULL)
		return;
	tokenizer_delete(in->tokenizer);
	arena_free(&in->arena);
	free(in);
}
