/*
 * buf.h: a growing run of bytes, always terminated by a NUL beyond its length.
 *
 *     struct buf buf = BUF_INIT;
 *     buf_printf(&buf, "%s: %d rows\n", name, rows);
 *     fwrite(buf.data, 1, buf.length, out);
 *     buf_free(&buf);
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *data; /* NULL while nothing was ever added */
	size_t length;
	size_t capacity;
};

#define BUF_INIT ((struct buf){0})

void buf_add(struct buf *buf, const void *bytes, size_t length);
void buf_add_text(struct buf *buf, const char *text);
void buf_add_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 2, 3)))
#endif
	;
void buf_vprintf(struct buf *buf, const char *format, va_list args);

/* Makes room for `more` further bytes without changing the length. */
void buf_reserve(struct buf *buf, size_t more);

/* The text so far, never NULL. */
const char *buf_text(const struct buf *buf);

/* Keeps the memory, forgets the content. */
void buf_clear(struct buf *buf);
void buf_free(struct buf *buf);

#endif
