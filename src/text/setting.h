/*
 * setting.h: reading the settings of one stage of a tokenizer.json.
 *
 * A stage is an object with a "type" and settings of its own. A setting that is absent or null has its default;
 * one of the wrong type, and any setting that the stage does not know, is an input error naming its path: what
 * would change the tokens is never passed over in silence.
 *
 *     bool invert;
 *     if (!setting_bool(node, "invert", false, &invert, err)) return false;
 */
#ifndef TEXT_SETTING_H
#define TEXT_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

/* The member `key` of the object `node`, or NULL when it is absent or null. */
const struct json *setting_find(const struct json *node, const char *key);

/* The required member `key`; input error when it is absent or null. */
bool setting_need(const struct json *node, const char *key, const struct json **member, struct err *err);

/* A true or false, or `otherwise` when absent. */
bool setting_bool(const struct json *node, const char *key, bool otherwise, bool *value, struct err *err);

/* A text, or NULL with length 0 when absent. It belongs to the document. Input error when it is no text. */
bool setting_text(const struct json *node, const char *key, const char **text, size_t *length, struct err *err);

/* The "type" of a stage; input error when `node` is no object or has none. */
bool setting_type(const struct json *node, const char **type, struct err *err);

/* True when `node` is absent (NULL) or null: a stage that does nothing. */
bool setting_is_absent(const struct json *node);

#endif
