/*
 * json_scan.h: the strict check that stands before cJSON. Private to base/json*.c.
 *
 * It accepts exactly the texts of RFC 8259 in UTF-8, nested at most JSON_MAX_DEPTH deep, with at
 * most JSON_MAX_VALUES values, whose escapes are whole
 * characters (no lone surrogate). It looks at each byte once and keeps no tree, so its cost is linear and its stack
 * is fixed. Duplicate keys are found later, in the tree.
 *
 *     struct json_scan scan;
 *     if (!json_scan(&scan, bytes, length, "config.json", err)) return false;
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* cJSON 1.7.15 copies a number into 64 bytes and misreads what is longer. */
#define JSON_NUMBER_MOST 60

struct json_scan {
	const char *bytes;
	size_t length;
	size_t at;
	size_t values; /* so far */
	const char *file;
	struct err *err;
	bool has_long_number; /* some number has more than JSON_NUMBER_MOST characters */
};

/* Checks a whole document. Input error with line and byte offset. */
bool json_scan(struct json_scan *scan, const char *bytes, size_t length, const char *file, struct err *err);

/* The byte after the token (string, number or word) that starts at `at` in a document that json_scan accepted;
 * *has_nul tells whether a string has the escape of U+0000. */
size_t json_scan_token_end(const char *bytes, size_t length, size_t at, bool *has_nul);

/* An input error at a byte of the document: fills "line 3, byte 17". Always returns false. */
bool json_scan_error(const struct json_scan *scan, size_t at, const char *format, ...) ERR_PRINTF(3, 4);

#endif
