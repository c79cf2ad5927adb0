#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void buf_reserve(struct buf *buf, size_t more)
{
	if (more > SIZE_MAX / 2 - buf->length - 1)
		mem_exhausted(more);
	size_t needed = buf->length + more + 1;
	if (needed <= buf->capacity)
		return;
	size_t capacity = buf->capacity < 64 ? 64 : buf->capacity * 2;
	if (capacity < needed)
		capacity = needed;
	buf->data = mem_resize(buf->data, capacity, 1);
	buf->capacity = capacity;
	buf->data[buf->length] = '\0';
}

void buf_add(struct buf *buf, const void *bytes, size_t length)
{
	buf_reserve(buf, length);
	if (length > 0)
		memcpy(buf->data + buf->length, bytes, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void buf_add_text(struct buf *buf, const char *text)
{
	buf_add(buf, text, strlen(text));
}

void buf_add_char(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	if (length > 0) {
		buf_reserve(buf, (size_t)length);
		vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
		buf->length += (size_t)length;
	}
	va_end(again);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buf_vprintf(buf, format, args);
	va_end(args);
}

const char *buf_text(const struct buf *buf)
{
	return buf->data == NULL ? "" : buf->data;
}

void buf_clear(struct buf *buf)
{
	buf->length = 0;
	if (buf->data != NULL)
		buf->data[0] = '\0';
}

void buf_free(struct buf *buf)
{
	free(buf->data);
	*buf = BUF_INIT;
}
