#include "format/cursor.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cursor_init(struct cursor *c, const struct file *file, uint64_t at, struct err *err)
{
	c->file = file;
	c->at = at;
	c->err = err;
	c->ok = true;
	c->buffered = at;
	c->length = 0;
}

uint64_t cursor_left(const struct cursor *c)
{
	return c->at < c->file->size ? c->file->size - c->at : 0;
}

bool cursor_fail(struct cursor *c, const char *format, ...)
{
	char message[400], where[40];
	va_list args;
	if (!c->ok)
		return false;
	c->ok = false;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	snprintf(where, sizeof where, "byte %" PRIu64, c->at);
	return err_input(c->err, c->file->path, where, "%s", message);
}

/* Fills the buffer from the current place on. */
static bool refill(struct cursor *c)
{
	uint64_t left = cursor_left(c);
	c->length = left < CURSOR_BUFFER ? (size_t)left : CURSOR_BUFFER;
	c->buffered = c->at;
	if (file_read(c->file, c->at, c->length, c->buffer, c->err))
		return true;
	c->ok = false;
	return false;
}

bool cursor_bytes(struct cursor *c, void *bytes, size_t length, const char *what)
{
	if (!c->ok)
		return false;
	if (length > cursor_left(c))
		return cursor_fail(c, "%s is cut short: it needs %zu bytes, and the file ends after %" PRIu64, what,
			length, cursor_left(c));
	if (length > CURSOR_BUFFER) {
		c->ok = file_read(c->file, c->at, length, bytes, c->err);
		c->at += length;
		return c->ok;
	}
	if (c->at < c->buffered || c->at + length > c->buffered + c->length) {
		if (!refill(c))
			return false;
	}
	memcpy(bytes, c->buffer + (c->at - c->buffered), length);
	c->at += length;
	return true;
}

bool cursor_skip(struct cursor *c, uint64_t length, const char *what)
{
	if (!c->ok)
		return false;
	if (length > cursor_left(c))
		return cursor_fail(c, "%s is cut short: it needs %" PRIu64 " bytes, and the file ends after %" PRIu64,
			what, length, cursor_left(c));
	c->at += length;
	return true;
}

static uint64_t little_endian(struct cursor *c, size_t length, const char *what)
{
	unsigned char bytes[8] = {0};
	uint64_t value = 0;
	if (!cursor_bytes(c, bytes, length, what))
		return 0;
	for (size_t i = length; i > 0; i--)
		value = value << 8 | bytes[i - 1];
	return value;
}

uint8_t cursor_u8(struct cursor *c, const char *what)
{
	return (uint8_t)little_endian(c, 1, what);
}

uint16_t cursor_u16(struct cursor *c, const char *what)
{
	return (uint16_t)little_endian(c, 2, what);
}

uint32_t cursor_u32(struct cursor *c, const char *what)
{
	return (uint32_t)little_endian(c, 4, what);
}

uint64_t cursor_u64(struct cursor *c, const char *what)
{
	return little_endian(c, 8, what);
}

float cursor_f32(struct cursor *c, const char *what)
{
	uint32_t bits = cursor_u32(c, what);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

double cursor_f64(struct cursor *c, const char *what)
{
	uint64_t bits = cursor_u64(c, what);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}
