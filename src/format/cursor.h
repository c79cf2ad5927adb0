/*
 * cursor.h: reading little-endian numbers and bytes of a file in order, never past its end.
 *
 * A read that does not fit fails once, with the place and what was expected; after that everything gives zeros and failure, so a
 * caller may read a group of fields and look at `ok` once. Sizes from the file are compared with what is left before anything
 * is allocated.
 *
 *     struct cursor c = cursor_at(&file, 0, err);
 *     uint32_t version = cursor_u32(&c, "the version");
 *     if (!c.ok) return false;
 */
#ifndef FORMAT_CURSOR_H
#define FORMAT_CURSOR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"

#define CURSOR_BUFFER 65536

struct cursor {
	const struct file *file;
	uint64_t at; /* of the next byte */
	struct err *err;
	bool ok;
	uint64_t buffered; /* offset of buffer[0] */
	size_t length;     /* bytes in the buffer */
	unsigned char buffer[CURSOR_BUFFER];
};

/* Starts at an offset; in place, since the buffer is large. Cannot fail: reading does. */
void cursor_init(struct cursor *c, const struct file *file, uint64_t at, struct err *err);

/* Bytes from here to the end of the file. */
uint64_t cursor_left(const struct cursor *c);
/* Fails with a sentence at the current place. Always returns false. */
bool cursor_fail(struct cursor *c, const char *format, ...) ERR_PRINTF(2, 3);

/* `what` names the field for the message: "the version". */
uint8_t cursor_u8(struct cursor *c, const char *what);
uint16_t cursor_u16(struct cursor *c, const char *what);
uint32_t cursor_u32(struct cursor *c, const char *what);
uint64_t cursor_u64(struct cursor *c, const char *what);
float cursor_f32(struct cursor *c, const char *what);
double cursor_f64(struct cursor *c, const char *what);
bool cursor_bytes(struct cursor *c, void *bytes, size_t length, const char *what);
bool cursor_skip(struct cursor *c, uint64_t length, const char *what);

#endif
