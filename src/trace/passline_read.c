#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "trace/passline.h"

/* JSON integers are exact up to this size in every reader. */
#define EXACT_MOST ((int64_t)1 << 53)

static bool get_list(const struct json *root, const char *key, int64_t count, const struct json **array,
	struct err *err)
{
	if (!manifest_get_array(root, key, array, err))
		return false;
	if ((int64_t)(*array)->count != count)
		return json_error(*array, err, "%lld entries are expected, one per row, but there are %zu",
			(long long)count, (*array)->count);
	return true;
}

static bool get_sizes(const struct json *root, const char *key, int64_t least, const struct passline *line,
	int64_t *values, struct err *err)
{
	const struct json *array;
	if (!get_list(root, key, line->B, &array, err))
		return false;
	for (int64_t i = 0; i < line->B; i++) {
		if (!json_int(array->items[i], least, INT32_MAX, &values[i], err))
			return false;
	}
	return true;
}

static bool get_flags(const struct json *root, const char *key, const struct passline *line, uint8_t *values,
	struct err *err)
{
	const struct json *array;
	if (!get_list(root, key, line->B, &array, err))
		return false;
	for (int64_t i = 0; i < line->B; i++) {
		bool value;
		if (!json_bool(array->items[i], &value, err))
			return false;
		values[i] = value;
	}
	return true;
}

static bool read_request(const struct json *node, const struct manifest *manifest, int32_t *request, struct err *err)
{
	const char *id;
	if (node == NULL || !manifest_text(node, &id, err))
		return false;
	int64_t found = map_get(&manifest->requests, id, strlen(id));
	if (found < 0)
		return json_error(node, err, "'%s' is no row of this trace", id);
	*request = (int32_t)found;
	return true;
}

/* Rows stand in the order of the batch, which also means that none stands twice. */
static bool read_rows(const struct json *root, const struct manifest *manifest, struct passline *line,
	struct arena *arena, struct err *err)
{
	const struct json *array;
	if (!json_get_int(root, "B", 1, manifest->batch.count, &line->B, err) ||
		!get_list(root, "rows", line->B, &array, err))
		return false;
	int32_t *rows = ARENA_ARRAY(arena, int32_t, line->B);
	line->rows = rows;
	for (int64_t i = 0; i < line->B; i++) {
		if (!read_request(array->items[i], manifest, &rows[i], err))
			return false;
		if (i > 0 && rows[i] <= rows[i - 1])
			return json_error(array->items[i], err, "rows stand in the order of the batch, each once");
	}
	return true;
}

static bool read_next(const struct json *root, const struct manifest *manifest, struct passline *line, int32_t *next,
	struct err *err)
{
	const struct json *array;
	if (!get_list(root, "next", line->B, &array, err))
		return false;
	for (int64_t i = 0; i < line->B; i++) {
		int64_t value;
		if (!json_int(array->items[i], -1, manifest->info.V - 1, &value, err))
			return false;
		next[i] = (int32_t)value;
	}
	return true;
}

static bool read_kind(const struct json *root, struct passline *line, struct err *err)
{
	const char *name;
	if (!json_get_string(root, "kind", &name, err))
		return false;
	for (int i = PASS_PREFILL; i <= PASS_MIXED; i++) {
		if (strcmp(name, pass_kind_name((enum pass_kind)i)) == 0) {
			line->kind = (enum pass_kind)i;
			return true;
		}
	}
	return json_error(json_find(root, "kind"), err, "prefill, decode or mixed is expected, but this is '%s'", name);
}

/* Slots of the cache; absent in traces of the first version of the program. */
static bool read_cache(const struct json *root, struct passline *line, struct err *err)
{
	const struct json *cache = json_find(root, "cache");
	return cache == NULL ||
		(json_get_int(cache, "held", 0, INT32_MAX, &line->cache_held, err) &&
			json_get_int(cache, "used", 0, INT32_MAX, &line->cache_used, err) &&
			json_get_int(cache, "saved", 0, INT32_MAX, &line->cache_saved, err));
}

static bool read_layout(const struct json *root, const struct manifest *manifest, struct passline *line,
	struct arena *arena, struct err *err)
{
	if (!json_get_int(root, "S", 1, INT32_MAX, &line->S, err) ||
		!json_get_int(root, "K", 1, INT32_MAX, &line->K, err) || !read_rows(root, manifest, line, arena, err))
		return false;
	int64_t least = manifest->batch.schedule == SCHEDULE_STATIC ? 0 : 1; /* a finished row stays */
	int64_t *past = ARENA_ARRAY(arena, int64_t, line->B);
	int64_t *fresh = ARENA_ARRAY(arena, int64_t, line->B);
	uint8_t *flags = ARENA_ARRAY(arena, uint8_t, 2 * line->B);
	int32_t *next = ARENA_ARRAY(arena, int32_t, line->B);
	line->past = past;
	line->fresh = fresh;
	line->sampled = flags;
	line->finished = flags + line->B;
	line->next = next;
	return get_sizes(root, "past", 0, line, past, err) && get_sizes(root, "lengths", least, line, fresh, err) &&
		read_cache(root, line, err) && get_flags(root, "sampled", line, flags, err) &&
		get_flags(root, "finished", line, flags + line->B, err) && read_next(root, manifest, line, next, err);
}

static bool read_finish(const struct json *node, enum finish_reason *finish, struct err *err)
{
	const char *name;
	if (!manifest_text(node, &name, err))
		return false;
	*finish = FINISH_NONE;
	for (int i = FINISH_EOS; i <= FINISH_CONTEXT; i++) {
		if (strcmp(name, finish_reason_name((enum finish_reason)i)) == 0)
			*finish = (enum finish_reason)i;
	}
	return true;
}

static bool find_event(const char *name, enum trace_event_kind *kind)
{
	static const char *const names[] = {"starts", "ends", "waits"};
	for (int i = TRACE_STARTS; i <= TRACE_WAITS; i++) {
		if (strcmp(names[i], name) == 0) {
			*kind = (enum trace_event_kind)i;
			return true;
		}
	}
	return false;
}

/* An event that is not known is passed over: later versions may tell more. */
static bool read_events(const struct json *root, const struct manifest *manifest, struct passline *line,
	struct arena *arena, struct err *err)
{
	const struct json *array;
	if (!manifest_get_array(root, "events", &array, err))
		return false;
	struct trace_event *events = ARENA_ARRAY(arena, struct trace_event, array->count);
	line->events = events;
	for (size_t i = 0; i < array->count; i++) {
		struct trace_event *event = &events[line->event_count];
		const struct json *finish = json_find(array->items[i], "finish");
		const char *name;
		if (array->items[i]->type != JSON_OBJECT)
			return json_error(array->items[i], err, "an object is expected here");
		if (!json_get_string(array->items[i], "event", &name, err))
			return false;
		if (!find_event(name, &event->kind))
			continue;
		const struct json *row = json_find(array->items[i], "row");
		if (row == NULL)
			return json_error(array->items[i], err, "the member 'row' is missing");
		if (!read_request(row, manifest, &event->request, err) ||
			(finish != NULL && !read_finish(finish, &event->finish, err)) ||
			(event->kind == TRACE_WAITS &&
				!json_get_int(array->items[i], "places", 1, INT32_MAX, &event->lanes, err)))
			return false;
		line->event_count++;
	}
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const struct json *object, struct passline_text *text, struct arena *arena, struct err *err)
{
	const char *digits;
	const struct json *node = json_find(object, "hex");
	if (node == NULL)
		return json_error(object, err, "a text, or an object with 'hex', is expected here");
	if (!manifest_text(node, &digits, err))
		return false;
	char *bytes = arena_raw(arena, node->length / 2 + 1, 1);
	for (size_t i = 0; i < node->length; i += 2) {
		int high = hex_digit(digits[i]), low = high < 0 ? -1 : hex_digit(digits[i + 1]);
		if (low < 0)
			return json_error(node, err, "pairs of the digits 0-9 and a-f are expected here");
		bytes[i / 2] = (char)(unsigned char)(high * 16 + low);
	}
	text->bytes = bytes;
	text->length = node->length / 2;
	return true;
}

/* Keys are token IDs as they are written, without sign or leading zeros. */
static bool read_token_key(const struct json *node, const struct manifest *manifest, int32_t *token, struct err *err)
{
	int64_t value = 0;
	bool good = node->key_length > 0 && node->key_length <= 10 && (node->key[0] != '0' || node->key_length == 1);
	for (size_t i = 0; good && i < node->key_length; i++) {
		good = node->key[i] >= '0' && node->key[i] <= '9';
		value = value * 10 + (node->key[i] - '0');
	}
	if (!good || value >= manifest->info.V)
		return json_error(node, err, "the key is no token ID below %lld", (long long)manifest->info.V);
	*token = (int32_t)value;
	return true;
}

static bool read_texts(const struct json *root, const struct manifest *manifest, struct passline *line,
	struct arena *arena, struct err *err)
{
	const struct json *object = json_find(root, "texts");
	if (object == NULL || object->type != JSON_OBJECT)
		return json_error(object == NULL ? root : object, err, "'texts' is expected to be an object");
	struct passline_text *texts = ARENA_ARRAY(arena, struct passline_text, object->count);
	line->texts = texts;
	line->text_count = object->count;
	for (size_t i = 0; i < object->count; i++) {
		const struct json *node = object->items[i];
		if (!read_token_key(node, manifest, &texts[i].token, err))
			return false;
		if (node->type == JSON_STRING) {
			texts[i].bytes = arena_strndup(arena, node->text, node->length);
			texts[i].length = node->length;
		} else if (!read_hex(node, &texts[i], arena, err)) {
			return false;
		}
	}
	return true;
}

static bool read_digest(const struct json *root, uint64_t *digest, struct err *err)
{
	const char *text;
	if (!json_get_string(root, "digest", &text, err))
		return false;
	*digest = 0;
	for (int i = 0; i < 16; i++) {
		int digit = hex_digit(text[i]);
		if (digit < 0)
			return json_error(json_find(root, "digest"), err, "16 digits of 0-9 and a-f are expected here");
		*digest = *digest << 4 | (uint64_t)digit;
	}
	return text[16] == '\0' || json_error(json_find(root, "digest"), err, "the digest has more than 16 digits");
}

static bool read_file(const struct json *root, struct passline *line, struct arena *arena, struct err *err)
{
	const char *name;
	int64_t bytes;
	if (!json_get_string(root, "file", &name, err) || !json_get_int(root, "bytes", 0, EXACT_MOST, &bytes, err))
		return false;
	if (!file_is_plain_name(name, strlen(name)))
		return json_error(json_find(root, "file"), err, "a plain file name inside the trace is expected");
	line->file = arena_strdup(arena, name);
	line->bytes = (uint64_t)bytes;
	return read_digest(root, &line->digest, err);
}

bool passline_read(struct passline *line, const char *text, size_t length, const struct manifest *manifest,
	struct arena *arena, struct err *err)
{
	struct arena scratch = ARENA_INIT;
	struct json *root;
	*line = (struct passline){0};
	bool ok = json_parse(text, length, NULL, &scratch, &root, err);
	if (ok && root->type != JSON_OBJECT)
		ok = json_error(root, err, "an object is expected here");
	ok = ok && json_get_int(root, "index", 0, INT32_MAX, &line->index, err) && read_kind(root, line, err) &&
		read_layout(root, manifest, line, arena, err) && read_events(root, manifest, line, arena, err) &&
		read_file(root, line, arena, err) && read_texts(root, manifest, line, arena, err);
	arena_free(&scratch);
	return ok;
}
