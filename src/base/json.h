/*
 * json.h: JSON read strictly into an immutable tree, and written as a stream.
 *
 * cJSON does the parsing; a check of our own stands before it (UTF-8, the grammar of RFC 8259, no duplicate
 * keys, nesting at most JSON_MAX_DEPTH, at most JSON_MAX_VALUES values), so that what cJSON forgives is refused here. The tree lives in the
 * caller's arena. Numbers keep their spelling, so that "4.0" and "1e3" are not integers. Object keys are
 * looked up exactly, by a sorted index.
 * The typed getters name the place of a failure by its path, as in rows[2].sampling.top_p.
 *
 *     struct json *doc;
 *     if (!json_parse(bytes, length, "config.json", &arena, &doc, err)) return false;
 *     int64_t heads;
 *     if (!json_get_int(doc, "n_head", 1, 1 << 16, &heads, err)) return false;
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define JSON_MAX_DEPTH 500
/* A value takes about 200 bytes while a document is read, so a file of zeros cannot take all memory. The largest
 * tokenizers in use have two million. */
#define JSON_MAX_VALUES 4000000

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_type type;
	const char *key; /* of an object's member, terminated; NULL otherwise */
	size_t key_length;
	const char *text; /* of a string (terminated, may hold NUL bytes); of a number, its spelling */
	size_t length;
	double number;
	const struct json *parent; /* NULL at the root */
	size_t index;              /* place among the parent's children */
	size_t offset;             /* byte in the document where the value starts */
	struct json **items;       /* children of an array or object, in the order of the file */
	size_t count;
	const struct json **sorted; /* an object's children by key */
	const char *file;           /* of the document, for messages */
};

/* Parses a whole document; `file` is named in messages. Input error with the byte offset and line. */
bool json_parse(const char *bytes, size_t length, const char *file, struct arena *arena, struct json **root,
	struct err *err);
/* The same for any text that RFC 8259 allows: an object may hold a key twice (json_find then gives either). For
 * conformance tests; rowscope's own readers refuse what two programs may read in two ways. */
bool json_parse_any(const char *bytes, size_t length, struct arena *arena, struct json **root, struct err *err);
/* Reads and parses a file of at most `limit` bytes. Fails as file_load and json_parse do. */
bool json_load(const char *path, uint64_t limit, struct arena *arena, struct json **root, struct err *err);

/* The member of that exact name, or NULL (also when `object` is no object). */
const struct json *json_find(const struct json *object, const char *key);

/* The path of a node: "rows[2].sampling.top_p"; "" for the root. Keys with other characters than letters, digits,
 * _ and - are quoted: ["a.b"].shape[1]. A path longer than `size` loses its beginning. */
void json_path(const struct json *node, char *path, size_t size);

/* An input error at the place of `node`. Always returns false. */
bool json_error(const struct json *node, struct err *err, const char *format, ...) ERR_PRINTF(3, 4);

/* Conversions of one node; input error naming its path when the type or range is wrong. An integer is one
 * written without '.', 'e' or '-0', within [low, high]. */
bool json_int(const struct json *node, int64_t low, int64_t high, int64_t *value, struct err *err);
bool json_number(const struct json *node, double low, double high, double *value, struct err *err);
bool json_bool(const struct json *node, bool *value, struct err *err);
bool json_string(const struct json *node, const char **text, size_t *length, struct err *err);

/* The same for a required member of an object. Input error that names the path when it is missing or of another
 * type. */
bool json_get_int(const struct json *object, const char *key, int64_t low, int64_t high, int64_t *value,
	struct err *err);
bool json_get_number(const struct json *object, const char *key, double low, double high, double *value,
	struct err *err);
bool json_get_bool(const struct json *object, const char *key, bool *value, struct err *err);
/* Refuses a string that holds U+0000, since *text is terminated. */
bool json_get_string(const struct json *object, const char *key, const char **text, struct err *err);

/* Input error naming the first member of `object` that is not in the NULL-terminated list `known`. */
bool json_only_keys(const struct json *object, const char *const *known, struct err *err);

/* --- writing: commas, nesting and escapes are kept right by the writer; indentation is the caller's choice --- */
struct json_writer {
	struct buf *out;
	int depth;
	bool pretty; /* newline and two spaces per level for objects; arrays stay on one line */
	bool after_key;
	bool has_item[JSON_MAX_DEPTH];
	bool is_object[JSON_MAX_DEPTH];
};

void json_writer_init(struct json_writer *writer, struct buf *out, bool pretty);
void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
/* Text is escaped; bytes that are not UTF-8 become U+FFFD. */
void json_add_string(struct json_writer *writer, const char *text);
void json_add_bytes(struct json_writer *writer, const char *text, size_t length);
void json_add_int(struct json_writer *writer, int64_t value);
void json_add_bool(struct json_writer *writer, bool value);
/* %.9g for float32 (round-trips), %.17g for double; null when not finite. */
void json_add_float(struct json_writer *writer, float value);
void json_add_double(struct json_writer *writer, double value);
void json_add_null(struct json_writer *writer);
/* A value that is JSON already, written as it stands. */
void json_add_raw(struct json_writer *writer, const char *json);

/* A whole member of the object under way: key and value. A NULL text is null. */
void json_put_string(struct json_writer *writer, const char *key, const char *text);
void json_put_int(struct json_writer *writer, const char *key, int64_t value);
void json_put_bool(struct json_writer *writer, const char *key, bool value);
void json_put_double(struct json_writer *writer, const char *key, double value);
/* A list of numbers. */
void json_put_ints(struct json_writer *writer, const char *key, const int64_t *values, int64_t count);
void json_put_int32s(struct json_writer *writer, const char *key, const int32_t *values, int64_t count);

#endif
