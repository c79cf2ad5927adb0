/* Any bytes as JSON: no crash, no leak; and what is accepted is written and read back to the same tree. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void write_tree(struct json_writer *writer, const struct json *node)
{
	switch (node->type) {
	case JSON_NULL: json_add_null(writer); return;
	case JSON_FALSE:
	case JSON_TRUE: json_add_bool(writer, node->type == JSON_TRUE); return;
	case JSON_NUMBER: json_add_double(writer, node->number); return;
	case JSON_STRING: json_add_bytes(writer, node->text, node->length); return;
	case JSON_ARRAY: json_begin_array(writer); break;
	case JSON_OBJECT: json_begin_object(writer); break;
	}
	for (size_t i = 0; i < node->count; i++) {
		if (node->type == JSON_OBJECT)
			json_key(writer, node->items[i]->key);
		write_tree(writer, node->items[i]);
	}
	(node->type == JSON_ARRAY ? json_end_array : json_end_object)(writer);
}

/* Every getter on every node: they must say something or give something. */
static void ask(const struct json *node)
{
	struct err err = ERR_INIT;
	int64_t integer;
	double number;
	const char *text;
	char path[64];
	json_int(node, INT64_MIN, INT64_MAX, &integer, &err);
	json_number(node, -1e300, 1e300, &number, &err);
	json_get_string(node, "a", &text, &err);
	json_path(node, path, sizeof path);
	for (size_t i = 0; i < node->count; i++) {
		/* keys that U+0000 cuts short are found under another name or not at all */
		const struct json *child = node->items[i];
		if (node->type == JSON_OBJECT && strlen(child->key) == child->key_length &&
			json_find(node, child->key) != child)
			abort();
		ask(child);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct arena arena = ARENA_INIT;
	struct err err = ERR_INIT;
	struct json *root, *again;
	if (json_parse((const char *)bytes, length, "fuzz", &arena, &root, &err)) {
		struct buf out = BUF_INIT;
		struct json_writer writer;
		ask(root);
		json_writer_init(&writer, &out, length % 2 == 0);
		write_tree(&writer, root);
		if (!json_parse_any(out.data, out.length, &arena, &again, &err) || again->count != root->count)
			abort();
		buf_free(&out);
	} else if (err.kind != ERR_INPUT || err.message[0] == '\0') {
		abort();
	}
	arena_free(&arena);
	return 0;
}
