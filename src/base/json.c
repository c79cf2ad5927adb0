#include "base/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_scan.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/utf8.h"

/* Walks cJSON's tree and the document's bytes side by side: the tree has the values, the bytes have the spelling of
 * numbers and the places. */
struct builder {
	struct arena *arena;
	const struct json_scan *scan;
	size_t at;
	bool keep_duplicates;
};

static int compare_keys(const void *left, const void *right)
{
	const struct json *a = *(const struct json *const *)left, *b = *(const struct json *const *)right;
	size_t length = a->key_length < b->key_length ? a->key_length : b->key_length;
	int order = memcmp(a->key, b->key, length);
	return order != 0 ? order : (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

static bool index_keys(struct builder *builder, struct json *object)
{
	size_t count = object->count;
	object->sorted = ARENA_ARRAY(builder->arena, const struct json *, count);
	for (size_t i = 0; i < count; i++)
		object->sorted[i] = object->items[i];
	sort_stable(object->sorted, count, sizeof *object->sorted, compare_keys);
	for (size_t i = 1; i < count && !builder->keep_duplicates; i++) {
		const struct json *node = object->sorted[i];
		if (compare_keys(&object->sorted[i - 1], &object->sorted[i]) != 0)
			continue;
		char path[128];
		json_path(node, path, sizeof path);
		return json_scan_error(builder->scan, node->offset,
			"the key %s occurs twice in its object; remove one of them", path);
	}
	return true;
}

/* Code unit of the four hexadecimal digits at `at`, which json_scan has seen. */
static uint32_t hex_unit(const char *at)
{
	char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
	return (uint32_t)strtoul(digits, NULL, 16);
}

/* Decodes one escape at `at` into `out`; returns the bytes read. */
static size_t unescape(const char *at, struct buf *out)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	if (at[1] != 'u') {
		const char *letter = strchr(letters, at[1]);
		buf_add_char(out, letter == NULL ? at[1] : meanings[letter - letters]);
		return 2;
	}
	uint32_t code_point = hex_unit(at + 2);
	size_t read = 6;
	if (code_point >= 0xd800 && code_point <= 0xdbff) {
		code_point = 0x10000 + ((code_point - 0xd800) << 10) + (hex_unit(at + 8) - 0xdc00);
		read = 12;
	}
	char bytes[4];
	buf_add(out, bytes, utf8_encode(code_point, bytes));
	return read;
}

/* A string with U+0000 inside, which cJSON's terminated strings cannot tell: decoded from its spelling. */
static const char *text_with_nul(struct arena *arena, const char *from, const char *to, size_t *length)
{
	struct buf out = BUF_INIT;
	while (from < to) {
		if (*from == '\\')
			from += unescape(from, &out);
		else
			buf_add_char(&out, *from++);
	}
	const char *text = arena_strndup(arena, out.data, out.length);
	*length = out.length;
	buf_free(&out);
	return text;
}

/* Takes the string token at the cursor, whose decoded form cJSON has. */
static const char *take_text(struct builder *builder, const char *decoded, size_t *length)
{
	const char *bytes = builder->scan->bytes;
	bool has_nul;
	size_t start = builder->at;
	builder->at = json_scan_token_end(bytes, builder->scan->length, start, &has_nul);
	if (has_nul)
		return text_with_nul(builder->arena, bytes + start + 1, bytes + builder->at - 1, length);
	*length = strlen(decoded);
	return arena_strndup(builder->arena, decoded, *length);
}

static void take_number(struct builder *builder, const cJSON *from, struct json *to)
{
	bool has_nul;
	size_t start = builder->at;
	builder->at = json_scan_token_end(builder->scan->bytes, builder->scan->length, start, &has_nul);
	to->length = builder->at - start;
	to->text = arena_strndup(builder->arena, builder->scan->bytes + start, to->length);
	to->number = to->length > JSON_NUMBER_MOST ? strtod(to->text, NULL) : from->valuedouble;
}

/* Puts the cursor on the next key or value: the grammar was checked, so all between is punctuation. */
static void go_to_token(struct builder *builder)
{
	while (strchr(" \t\r\n,:]}", builder->scan->bytes[builder->at]) != NULL)
		builder->at++;
}

static bool build(struct builder *builder, const cJSON *from, struct json *to);

static bool build_children(struct builder *builder, const cJSON *from, struct json *to)
{
	builder->at++;
	for (const cJSON *child = from->child; child != NULL; child = child->next)
		to->count++;
	to->items = ARENA_ARRAY(builder->arena, struct json *, to->count);
	struct json *nodes = ARENA_ARRAY(builder->arena, struct json, to->count);
	size_t index = 0;
	for (const cJSON *child = from->child; child != NULL; child = child->next, index++) {
		struct json *node = to->items[index] = &nodes[index];
		node->parent = to;
		node->index = index;
		if (to->type == JSON_OBJECT) {
			go_to_token(builder);
			node->key = take_text(builder, child->string, &node->key_length);
		}
		if (!build(builder, child, node))
			return false;
	}
	return to->type == JSON_ARRAY || index_keys(builder, to);
}

/* Fills `to`, whose parent and key are set. Recursion is bounded: json_scan has refused deep nesting. */
static bool build(struct builder *builder, const cJSON *from, struct json *to)
{
	go_to_token(builder);
	to->file = builder->scan->file;
	to->offset = builder->at;
	switch (builder->scan->bytes[builder->at]) {
	case '{':
	case '[':
		to->type = builder->scan->bytes[builder->at] == '{' ? JSON_OBJECT : JSON_ARRAY;
		return build_children(builder, from, to);
	case '"':
		to->type = JSON_STRING;
		to->text = take_text(builder, from->valuestring, &to->length);
		return true;
	case 't':
	case 'f':
	case 'n':
		to->type = cJSON_IsTrue(from) ? JSON_TRUE : cJSON_IsFalse(from) ? JSON_FALSE : JSON_NULL;
		builder->at += to->type == JSON_FALSE ? 5 : 4;
		return true;
	default:
		to->type = JSON_NUMBER;
		take_number(builder, from, to);
		return true;
	}
}

/* The document with every overlong number replaced by 0 and spaces, of the same length; freed with free(). */
static char *without_long_numbers(const struct json_scan *scan)
{
	char *copy = mem_array(scan->length, 1);
	memcpy(copy, scan->bytes, scan->length);
	for (size_t at = 0; at < scan->length;) {
		if (strchr(" \t\r\n,:[]{}", copy[at]) != NULL) {
			at++;
			continue;
		}
		bool has_nul;
		size_t end = json_scan_token_end(copy, scan->length, at, &has_nul);
		if (copy[at] != '"' && end - at > JSON_NUMBER_MOST) {
			memset(copy + at, ' ', end - at);
			copy[at] = '0';
		}
		at = end;
	}
	return copy;
}

static bool parse(struct builder *builder, struct json_scan *scan, struct json **root)
{
	char *copy = scan->has_long_number ? without_long_numbers(scan) : NULL;
	cJSON *tree = cJSON_ParseWithLengthOpts(copy == NULL ? scan->bytes : copy, scan->length, NULL, 0);
	free(copy);
	if (tree == NULL)
		mem_exhausted(scan->length); /* the text is valid: nothing but memory can be missing */
	builder->scan = scan;
	struct json *node = ARENA_NEW(builder->arena, struct json);
	bool ok = build(builder, tree, node);
	cJSON_Delete(tree);
	if (ok)
		*root = node;
	return ok;
}

bool json_parse(const char *bytes, size_t length, const char *file, struct arena *arena, struct json **root,
	struct err *err)
{
	struct json_scan scan;
	struct builder builder = {.arena = arena};
	file = file == NULL ? NULL : arena_strdup(arena, file);
	return json_scan(&scan, bytes, length, file, err) && parse(&builder, &scan, root);
}

bool json_parse_any(const char *bytes, size_t length, struct arena *arena, struct json **root, struct err *err)
{
	struct json_scan scan;
	struct builder builder = {.arena = arena, .keep_duplicates = true};
	return json_scan(&scan, bytes, length, NULL, err) && parse(&builder, &scan, root);
}

bool json_load(const char *path, uint64_t limit, struct arena *arena, struct json **root, struct err *err)
{
	/* the bytes are needed only until the tree stands */
	struct arena bytes = ARENA_INIT;
	char *content;
	size_t length;
	bool ok = file_load(path, limit, &bytes, &content, &length, err) &&
		json_parse(content, length, path, arena, root, err);
	arena_free(&bytes);
	return ok;
}
