#include "trace/sampling_keys.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* 1e-6, with room for the nearest float, which is written as 9.99999997e-07. */
#define LEAST 9.9999999e-7

/*
 * A setting: a float, or a whole number. Temperature may be 0 besides, which is greedy; between 0 and its least, logits divided
 * by it could leave the range of a float, and their differences would be NaN.
 */
static const struct setting {
	const char *key;
	bool is_whole;
	double low, high;
	size_t offset;
} settings[] = {
	{"temperature", false, LEAST, 100, offsetof(struct sampling, temperature)},
	{"top_k", true, 0, INT32_MAX, offsetof(struct sampling, top_k)},
	{"top_p", false, LEAST, 1, offsetof(struct sampling, top_p)},
	{"min_p", false, 0, 1, offsetof(struct sampling, min_p)},
	{"repetition_penalty", false, 1e-3, 100, offsetof(struct sampling, repetition_penalty)},
	{"presence_penalty", false, -100, 100, offsetof(struct sampling, presence_penalty)},
	{"frequency_penalty", false, -100, 100, offsetof(struct sampling, frequency_penalty)},
	{"seed", true, 0, 9007199254740992.0, offsetof(struct sampling, seed)},
};

#define SETTING_COUNT (sizeof settings / sizeof *settings)

const char *sampling_key(size_t i)
{
	return i < SETTING_COUNT ? settings[i].key : NULL;
}

static bool is_temperature(const struct setting *setting)
{
	return setting->offset == offsetof(struct sampling, temperature);
}

static void put(struct sampling *sampling, const struct setting *setting, double value)
{
	void *field = (char *)sampling + setting->offset;
	if (setting->is_whole)
		*(int64_t *)field = (int64_t)value; /* the seed is unsigned of the same size, and within 2^53 */
	else
		*(float *)field = (float)value;
}

static double get(const struct sampling *sampling, const struct setting *setting)
{
	const void *field = (const char *)sampling + setting->offset;
	return setting->is_whole ? (double)*(const int64_t *)field : (double)*(const float *)field;
}

bool sampling_read(const struct json *object, struct sampling *sampling, struct err *err)
{
	const char *known[SETTING_COUNT + 1] = {0};
	for (size_t i = 0; i < SETTING_COUNT; i++)
		known[i] = settings[i].key;
	if (object->type != JSON_OBJECT)
		return json_error(object, err, "an object is expected here");
	if (!json_only_keys(object, known, err))
		return false;
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		const struct json *node = json_find(object, settings[i].key);
		int64_t whole = 0;
		double value = 0;
		if (node == NULL)
			continue;
		if (is_temperature(&settings[i]) && node->type == JSON_NUMBER && node->number == 0)
			value = 0;
		else if (settings[i].is_whole
				? !json_int(node, (int64_t)settings[i].low, (int64_t)settings[i].high, &whole, err)
				: !json_number(node, settings[i].low, settings[i].high, &value, err))
			return false;
		put(sampling, &settings[i], settings[i].is_whole ? (double)whole : value);
	}
	return true;
}

/* A whole number is digits and nothing else: 1e3, 0x10 and 9007199254740993, which a double rounds, are none. */
static bool parse(const struct setting *setting, const char *text, double *value)
{
	char *end;
	size_t digits = strspn(text, "0123456789");
	if (text[0] == '\0' || text[0] == ' ' || (setting->is_whole && (text[digits] != '\0' || digits > 16)))
		return false;
	errno = 0;
	if (setting->is_whole) {
		long long whole = strtoll(text, &end, 10);
		*value = (double)whole;
		return errno == 0 && whole <= (long long)setting->high;
	}
	*value = strtod(text, &end);
	if (*end != '\0' || errno != 0 || !isfinite(*value))
		return false;
	return (*value >= setting->low && *value <= setting->high) || (is_temperature(setting) && *value == 0);
}

bool sampling_set(struct sampling *sampling, const char *key, const char *text, const char *where, struct err *err)
{
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		double value;
		if (strcmp(settings[i].key, key) != 0)
			continue;
		if (!parse(&settings[i], text, &value))
			return err_usage(err, where, "expected %sa %snumber from %.7g to %.16g, got \"%.60s\"",
				is_temperature(&settings[i]) ? "0 (greedy) or " : "",
				settings[i].is_whole ? "whole " : "", settings[i].low, settings[i].high, text);
		put(sampling, &settings[i], value);
		return true;
	}
	return err_usage(err, where, "there is no setting \"%.60s\" of the sampler", key);
}

void sampling_write(struct json_writer *writer, const struct sampling *sampling)
{
	json_begin_object(writer);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		double value = get(sampling, &settings[i]);
		if (value == 0)
			continue;
		json_key(writer, settings[i].key);
		if (settings[i].is_whole)
			json_add_int(writer, (int64_t)value);
		else
			json_add_float(writer, (float)value);
	}
	json_end_object(writer);
}
