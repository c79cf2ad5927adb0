#include "base/json_scan.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

bool json_scan_error(const struct json_scan *scan, size_t at, const char *format, ...)
{
	char message[sizeof scan->err->message], where[64];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	size_t line = 1;
	for (size_t i = 0; i < at && i < scan->length; i++)
		line += scan->bytes[i] == '\n';
	snprintf(where, sizeof where, "line %zu, byte %zu", line, at);
	return err_input(scan->err, scan->file, where, "%s", message);
}

/* The byte at the cursor, or -1 at the end. */
static int peek(const struct json_scan *scan)
{
	return scan->at < scan->length ? (unsigned char)scan->bytes[scan->at] : -1;
}

static void skip_space(struct json_scan *scan)
{
	for (int c = peek(scan); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(scan))
		scan->at++;
}

static bool unexpected(const struct json_scan *scan, const char *expected)
{
	int c = peek(scan);
	if (c < 0)
		return json_scan_error(scan, scan->at,
			"the JSON ends here, but %s is expected; the file may be cut short", expected);
	if (c > 0x20 && c < 0x7f)
		return json_scan_error(scan, scan->at, "this is no valid JSON: %s is expected, not '%c'", expected, c);
	return json_scan_error(scan, scan->at, "this is no valid JSON: %s is expected, not byte 0x%02x", expected,
		(unsigned)c);
}

static int hex_digit(int c)
{
	return c >= '0' && c <= '9'    ? c - '0'
		: c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F' ? c - 'A' + 10
				       : -1;
}

/* The four hexadecimal digits of an escape; the cursor stands on the first. */
static bool scan_hex(struct json_scan *scan, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(peek(scan));
		if (digit < 0)
			return unexpected(scan, "a hexadecimal digit");
		*unit = *unit << 4 | (uint32_t)digit;
		scan->at++;
	}
	return true;
}

/* The cursor stands behind the 'u' of an escape. */
static bool scan_unicode_escape(struct json_scan *scan)
{
	size_t start = scan->at - 2;
	uint32_t high, low;
	if (!scan_hex(scan, &high))
		return false;
	if (high < 0xd800 || high > 0xdfff)
		return true;
	bool pair = high <= 0xdbff && scan->length - scan->at >= 2 && memcmp(scan->bytes + scan->at, "\\u", 2) == 0;
	if (pair) {
		scan->at += 2;
		if (!scan_hex(scan, &low))
			return false;
		pair = low >= 0xdc00 && low <= 0xdfff;
	}
	return pair || json_scan_error(scan, start, "this escape is half a surrogate pair; write the whole character");
}

static bool scan_escape(struct json_scan *scan)
{
	scan->at++;
	int c = peek(scan);
	if (c < 0 || strchr("\"\\/bfnrtu", c) == NULL || c == 0)
		return unexpected(scan, "one of \" / b f n r t u or a second backslash");
	scan->at++;
	return c != 'u' || scan_unicode_escape(scan);
}

/* The cursor stands on the opening quote. */
static bool scan_string(struct json_scan *scan)
{
	scan->at++;
	for (;;) {
		int c = peek(scan);
		if (c == '"') {
			scan->at++;
			return true;
		}
		if (c < 0)
			return unexpected(scan, "the closing quote of a string");
		if (c < 0x20)
			return unexpected(scan, "an escape for a control character inside a string");
		if (c == '\\') {
			if (!scan_escape(scan))
				return false;
			continue;
		}
		uint32_t code_point;
		size_t size = c < 0x80 ? 1 : utf8_decode(scan->bytes + scan->at, scan->length - scan->at, &code_point);
		if (size == 0)
			return json_scan_error(scan, scan->at, "byte 0x%02x is not UTF-8; save the file as UTF-8",
				(unsigned)c);
		scan->at += size;
	}
}

static bool scan_digits(struct json_scan *scan)
{
	int c = peek(scan);
	if (c < '0' || c > '9')
		return unexpected(scan, "a digit");
	for (; c >= '0' && c <= '9'; c = peek(scan))
		scan->at++;
	return true;
}

static bool scan_number(struct json_scan *scan)
{
	size_t start = scan->at;
	if (peek(scan) == '-')
		scan->at++;
	if (peek(scan) == '0')
		scan->at++;
	else if (!scan_digits(scan))
		return false;
	if (peek(scan) == '.') {
		scan->at++;
		if (!scan_digits(scan))
			return false;
	}
	if (peek(scan) == 'e' || peek(scan) == 'E') {
		scan->at++;
		if (peek(scan) == '+' || peek(scan) == '-')
			scan->at++;
		if (!scan_digits(scan))
			return false;
	}
	if (scan->at - start > JSON_NUMBER_MOST)
		scan->has_long_number = true;
	return true;
}

static bool scan_word(struct json_scan *scan, const char *word)
{
	size_t length = strlen(word);
	if (scan->length - scan->at < length || memcmp(scan->bytes + scan->at, word, length) != 0)
		return json_scan_error(scan, scan->at,
			"this is no valid JSON: the only words are true, false and null");
	scan->at += length;
	return true;
}

static bool scan_scalar(struct json_scan *scan)
{
	int c = peek(scan);
	if (c == '"')
		return scan_string(scan);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(scan);
	if (c == 't')
		return scan_word(scan, "true");
	if (c == 'f')
		return scan_word(scan, "false");
	if (c == 'n')
		return scan_word(scan, "null");
	return unexpected(scan, "a value");
}

/* A member's key and colon; leaves the cursor before the value. */
static bool scan_key(struct json_scan *scan)
{
	if (peek(scan) != '"')
		return unexpected(scan, "a key in quotes");
	if (!scan_string(scan))
		return false;
	skip_space(scan);
	if (peek(scan) != ':')
		return unexpected(scan, "a colon after the key");
	scan->at++;
	skip_space(scan);
	return true;
}

/* What closes each container that is open. */
struct open_containers {
	char closing[JSON_MAX_DEPTH];
	int depth;
};

/* The cursor stands before a value. For a container that has something inside, *inside is set and the cursor goes
 * before its first value. */
static bool scan_value_start(struct json_scan *scan, struct open_containers *open, bool *inside)
{
	int c = peek(scan);
	*inside = false;
	if (++scan->values > JSON_MAX_VALUES)
		return json_scan_error(scan, scan->at, "the JSON has more than %d values; this is not supported",
			JSON_MAX_VALUES);
	if (c != '{' && c != '[')
		return scan_scalar(scan);
	if (open->depth == JSON_MAX_DEPTH)
		return json_scan_error(scan, scan->at, "the JSON is nested more than %d deep; this is not supported",
			JSON_MAX_DEPTH);
	char closing = c == '{' ? '}' : ']';
	scan->at++;
	skip_space(scan);
	if (peek(scan) == closing) {
		scan->at++;
		return true;
	}
	*inside = true;
	open->closing[open->depth++] = closing;
	return c == '[' || scan_key(scan);
}

/* The cursor stands behind a value. Closes containers until a comma announces another value (*more) or all is
 * closed. */
static bool scan_value_end(struct json_scan *scan, struct open_containers *open, bool *more)
{
	*more = false;
	for (;;) {
		skip_space(scan);
		if (open->depth == 0)
			return peek(scan) < 0 || unexpected(scan, "the end of the file");
		char closing = open->closing[open->depth - 1];
		int c = peek(scan);
		if (c == ',') {
			scan->at++;
			skip_space(scan);
			*more = true;
			return closing == ']' || scan_key(scan);
		}
		if (c != closing)
			return unexpected(scan, closing == ']' ? "a comma or ]" : "a comma or }");
		scan->at++;
		open->depth--;
	}
}

bool json_scan(struct json_scan *scan, const char *bytes, size_t length, const char *file, struct err *err)
{
	*scan = (struct json_scan){.bytes = bytes, .length = length, .file = file, .err = err};
	struct open_containers open;
	open.depth = 0;
	if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		return json_scan_error(scan, 0,
			"the JSON starts with a byte order mark; save the file as UTF-8 without it");
	skip_space(scan);
	for (bool more = true; more;) {
		bool inside;
		if (!scan_value_start(scan, &open, &inside))
			return false;
		if (!inside && !scan_value_end(scan, &open, &more))
			return false;
	}
	return true;
}

size_t json_scan_token_end(const char *bytes, size_t length, size_t at, bool *has_nul)
{
	*has_nul = false;
	if (bytes[at] == '"') {
		for (at++; bytes[at] != '"'; at++) {
			if (bytes[at] != '\\')
				continue;
			if (length - at > 6 && memcmp(bytes + at, "\\u0000", 6) == 0)
				*has_nul = true;
			at++;
		}
		return at + 1;
	}
	while (at < length && strchr(" \t\r\n,:]}", bytes[at]) == NULL)
		at++;
	return at;
}
