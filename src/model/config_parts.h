/*
 * config_parts.h: what the readers of the families' configurations share. Internal to model/.
 *
 * A key that is absent or null leaves *value as it is: the standard of the family.
 */
#ifndef MODEL_CONFIG_PARTS_H
#define MODEL_CONFIG_PARTS_H

#include "model/config.h"

#define CONFIG_MAX_SIZE ((int64_t)1 << 24) /* of one dimension: keeps every product of two within 64 bits */

/* The member of that name, NULL when it is absent or null. config_int, _bool and _float: input error for another
 * type or a number out of its bounds. */
const struct json *config_find(const struct json *document, const char *key);
bool config_int(const struct json *document, const char *key, int64_t low, int64_t high, int64_t *value,
	struct err *err);
bool config_bool(const struct json *document, const char *key, bool *value, struct err *err);
bool config_float(const struct json *document, const char *key, double low, double high, float *value, struct err *err);
bool config_activation(const struct json *document, const char *key, enum activation *activation, struct err *err);
/* bos_token_id, pad_token_id and eos_token_id, which is one number, a list, or null. Input error for anything else. */
bool config_special_tokens(struct config *config, const struct json *document, struct err *err);
/* An option whose arithmetic this program does not have must be off. Input error that names it when it is on. */
bool config_refuse(const struct json *document, const char *key, struct err *err);

/* The standards of the Llama-like family that config->family names. */
void config_llama_standards(struct config *config);

/* Readers by group of families: fill what config.json says; input error that names the key. */
bool config_gpt2(struct config *config, const struct json *document, struct err *err);
bool config_llama(struct config *config, const struct json *document, struct err *err);
/* A Gemma 3 of text and pictures: its "text_config". Fails as config_llama does. */
bool config_gemma3(struct config *config, const struct json *document, struct err *err);

#endif
