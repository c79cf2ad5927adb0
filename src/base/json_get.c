/* Looking things up in a JSON tree, and converting them with errors that name their path. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

static int compare_key(const char *key, size_t length, const struct json *node)
{
	size_t common = length < node->key_length ? length : node->key_length;
	int order = memcmp(key, node->key, common);
	return order != 0 ? order : (length > node->key_length) - (length < node->key_length);
}

const struct json *json_find(const struct json *object, const char *key)
{
	if (object == NULL || object->type != JSON_OBJECT)
		return NULL;
	size_t length = strlen(key), low = 0, high = object->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_key(key, length, object->sorted[middle]);
		if (order == 0)
			return object->sorted[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* --- paths --- */

static bool is_simple_key(const struct json *node)
{
	for (size_t i = 0; i < node->key_length; i++) {
		unsigned char c = (unsigned char)node->key[i];
		if (!(c >= 0x80 || c == '_' || c == '-' || (c >= '0' && c <= '9') ||
			    ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')))
			return false;
	}
	return node->key_length > 0;
}

/* One step of a path: [2], .name or ["odd name"]; returns its length, or 0 when it does not fit. */
static size_t step_text(const struct json *node, char *text, size_t size)
{
	int length;
	if (node->key == NULL)
		length = snprintf(text, size, "[%zu]", node->index);
	else if (is_simple_key(node))
		length = snprintf(text, size, ".%s", node->key);
	else
		length = snprintf(text, size, "[\"%s\"]", node->key);
	return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

void json_path(const struct json *node, char *path, size_t size)
{
	static const char cut[] = "\xe2\x80\xa6";
	char step[256];
	if (size == 0)
		return;
	size_t start = size - 1; /* the path is written from its end, so that the end is what is kept */
	path[start] = '\0';
	for (; node->parent != NULL; node = node->parent) {
		size_t length = step_text(node, step, sizeof step);
		size_t room = node->parent->parent == NULL ? 0 : sizeof cut - 1;
		if (length == 0 || start < length + room) {
			if (start >= sizeof cut - 1)
				start -= sizeof cut - 1, memcpy(path + start, cut, sizeof cut - 1);
			break;
		}
		start -= length;
		memcpy(path + start, step, length);
	}
	if (path[start] == '.')
		start++;
	memmove(path, path + start, size - start);
}

bool json_error(const struct json *node, struct err *err, const char *format, ...)
{
	char message[sizeof err->message], path[sizeof err->where];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	json_path(node, path, sizeof path);
	return err_input(err, node->file, path, "%s", message);
}

/* --- conversions --- */

#define SHOWN_MOST 40

/* What a node is, for "…, but it is …". */
static void describe(const struct json *node, char *text, size_t size)
{
	static const char *const names[] = {"null", "false", "true", "a number", "a string", "a list", "an object"};
	if (node->type == JSON_NUMBER)
		snprintf(text, size, "%.*s%s", SHOWN_MOST, node->text, node->length > SHOWN_MOST ? "…" : "");
	else
		snprintf(text, size, "%s", names[node->type]);
}

/* The value of a number written as an integer; false when it is not one or does not fit. */
static bool parse_int(const struct json *node, int64_t *value)
{
	bool negative = node->text[0] == '-';
	uint64_t magnitude = 0, most = (uint64_t)INT64_MAX + (negative ? 1 : 0);
	for (size_t i = negative ? 1 : 0; i < node->length; i++) {
		char c = node->text[i];
		if (c < '0' || c > '9')
			return false;
		uint64_t digit = (uint64_t)(c - '0');
		if (magnitude > (most - digit) / 10)
			return false;
		magnitude = magnitude * 10 + digit;
	}
	if (negative && magnitude == 0)
		return false;
	*value = negative ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
	return true;
}

bool json_int(const struct json *node, int64_t low, int64_t high, int64_t *value, struct err *err)
{
	int64_t parsed;
	if (node->type == JSON_NUMBER && parse_int(node, &parsed) && parsed >= low && parsed <= high) {
		*value = parsed;
		return true;
	}
	char is[64];
	describe(node, is, sizeof is);
	if (low == INT64_MIN && high == INT64_MAX)
		return json_error(node, err, "this must be a whole number, but it is %s", is);
	return json_error(node, err, "this must be a whole number from %" PRId64 " to %" PRId64 ", but it is %s", low,
		high, is);
}

bool json_number(const struct json *node, double low, double high, double *value, struct err *err)
{
	/* written so that a number too large for a double, which reads as infinity, is refused with any bounds */
	if (node->type == JSON_NUMBER && isfinite(node->number) && node->number >= low && node->number <= high) {
		*value = node->number;
		return true;
	}
	char is[64];
	describe(node, is, sizeof is);
	return json_error(node, err, "this must be a number from %g to %g, but it is %s", low, high, is);
}

bool json_bool(const struct json *node, bool *value, struct err *err)
{
	if (node->type == JSON_TRUE || node->type == JSON_FALSE) {
		*value = node->type == JSON_TRUE;
		return true;
	}
	char is[64];
	describe(node, is, sizeof is);
	return json_error(node, err, "this must be true or false, but it is %s", is);
}

bool json_string(const struct json *node, const char **text, size_t *length, struct err *err)
{
	if (node->type == JSON_STRING) {
		*text = node->text;
		*length = node->length;
		return true;
	}
	char is[64];
	describe(node, is, sizeof is);
	return json_error(node, err, "this must be a string, but it is %s", is);
}

/* The member, or NULL with the error told. */
static const struct json *get(const struct json *object, const char *key, struct err *err)
{
	const struct json *member = json_find(object, key);
	char is[64];
	describe(object, is, sizeof is);
	if (object->type != JSON_OBJECT)
		json_error(object, err, "this must be an object with the key '%s', but it is %s", key, is);
	else if (member == NULL)
		json_error(object, err, "the key '%s' is missing; add it", key);
	return member;
}

bool json_get_int(const struct json *object, const char *key, int64_t low, int64_t high, int64_t *value,
	struct err *err)
{
	const struct json *member = get(object, key, err);
	return member != NULL && json_int(member, low, high, value, err);
}

bool json_get_number(const struct json *object, const char *key, double low, double high, double *value,
	struct err *err)
{
	const struct json *member = get(object, key, err);
	return member != NULL && json_number(member, low, high, value, err);
}

bool json_get_bool(const struct json *object, const char *key, bool *value, struct err *err)
{
	const struct json *member = get(object, key, err);
	return member != NULL && json_bool(member, value, err);
}

bool json_get_string(const struct json *object, const char *key, const char **text, struct err *err)
{
	const struct json *member = get(object, key, err);
	const char *found;
	size_t length = 0;
	if (member == NULL || !json_string(member, &found, &length, err))
		return false;
	if (strlen(member->text) != length)
		return json_error(member, err, "this string must not hold the character U+0000");
	*text = member->text;
	return true;
}

bool json_only_keys(const struct json *object, const char *const *known, struct err *err)
{
	for (size_t i = 0; i < object->count; i++) {
		const struct json *member = object->items[i];
		const char *const *name = known;
		while (*name != NULL && compare_key(*name, strlen(*name), member) != 0)
			name++;
		if (*name != NULL)
			continue;
		struct buf list = BUF_INIT;
		for (name = known; *name != NULL; name++)
			buf_printf(&list, "%s%s", name == known ? "" : ", ", *name);
		json_error(member, err, "this key is not known; the known keys here are %s", buf_text(&list));
		buf_free(&list);
		return false;
	}
	return true;
}
