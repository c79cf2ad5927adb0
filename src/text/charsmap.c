#include "text/charsmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

struct charsmap {
	uint32_t *units;
	size_t unit_count;
	char *texts; /* each ends with NUL */
	size_t text_length;
};

static int digit_value(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c != '\0' ? strchr(digits, c) : NULL;
	return found != NULL ? (int)(found - digits) : -1;
}

/* Base64 (RFC 4648, section 4); false when it is something else. */
static bool decode_base64(const char *text, size_t length, unsigned char *out, size_t *count)
{
	*count = 0;
	if (length % 4 != 0)
		return false;
	for (size_t i = 0; i < length; i += 4) {
		uint32_t bits = 0;
		int digits = 0;
		for (; digits < 4 && digit_value(text[i + (size_t)digits]) >= 0; digits++)
			bits |= (uint32_t)digit_value(text[i + (size_t)digits]) << (18 - 6 * digits);
		bool is_end =
			i + 4 == length && digits >= 2 && memcmp(text + i + digits, "==", (size_t)(4 - digits)) == 0;
		if (digits < 4 && !is_end)
			return false;
		for (int byte = 0; byte < digits - 1; byte++)
			out[(*count)++] = (unsigned char)(bits >> (16 - 8 * byte));
	}
	return true;
}

static uint32_t unit_at(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static struct charsmap *read_map(const unsigned char *bytes, size_t count)
{
	size_t size = count < 4 ? 0 : unit_at(bytes);
	if (count < 4 || size % 4 != 0 || size > count - 4)
		return NULL;
	struct charsmap *map = MEM_NEW(struct charsmap);
	map->unit_count = size / 4;
	map->units = MEM_ARRAY(uint32_t, map->unit_count);
	for (size_t i = 0; i < map->unit_count; i++)
		map->units[i] = unit_at(bytes + 4 + 4 * i);
	map->text_length = count - 4 - size;
	map->texts = MEM_ARRAY(char, map->text_length + 1);
	memcpy(map->texts, bytes + 4 + size, map->text_length);
	return map;
}

bool charsmap_load(struct charsmap **map, const struct json *node, struct err *err)
{
	const char *text;
	size_t length, count;
	if (!json_string(node, &text, &length, err))
		return false;
	unsigned char *bytes = MEM_ARRAY(unsigned char, length + 1);
	*map = decode_base64(text, length, bytes, &count) ? read_map(bytes, count) : NULL;
	free(bytes);
	return *map != NULL || json_error(node, err, "a normalization map of SentencePiece in base64 was expected");
}

void charsmap_delete(struct charsmap *map)
{
	if (map == NULL)
		return;
	free(map->units);
	free(map->texts);
	free(map);
}

/* The bits of a unit: its byte and whether it is a value; how far on its children lie; whether one of them is a value. */
static uint32_t label(uint32_t unit)
{
	return unit & 0x800000ff;
}

static uint32_t offset(uint32_t unit)
{
	return unit >> 10 << ((unit & 0x200) >> 6);
}

static bool has_value(uint32_t unit)
{
	return (unit >> 8 & 1) != 0;
}

static const char *text_at(const struct charsmap *map, size_t at, size_t *length)
{
	if (at > map->text_length)
		return NULL;
	*length = strlen(map->texts + at);
	return utf8_is_valid(map->texts + at, *length) ? map->texts + at : NULL;
}

const char *charsmap_find(const struct charsmap *map, const char *text, size_t length, size_t *found)
{
	size_t node = map->unit_count > 0 ? offset(map->units[0]) : 0;
	for (size_t i = 0; i < length && text[i] != '\0'; i++) {
		node ^= (unsigned char)text[i];
		if (node >= map->unit_count || label(map->units[node]) != (unsigned char)text[i])
			return NULL;
		uint32_t unit = map->units[node];
		node ^= offset(unit);
		if (has_value(unit))
			return node < map->unit_count ? text_at(map, map->units[node] & 0x7fffffff, found) : NULL;
	}
	return NULL;
}
