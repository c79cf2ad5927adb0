#include "text/bytechar.h"

#include "base/utf8.h"

/* Bytes written as others come in three runs: 00-20, 7F-A0, AD. */
enum { FIRST_RUN = 0x21, SECOND_START = 0x7f, SECOND_END = 0xa1, SECOND_RUN = SECOND_END - SECOND_START, LAST = 0xad };

uint32_t bytechar_of_byte(unsigned char byte)
{
	if (byte < FIRST_RUN)
		return 0x100u + byte;
	if (byte >= SECOND_START && byte < SECOND_END)
		return 0x100u + FIRST_RUN + (uint32_t)(byte - SECOND_START);
	return byte == LAST ? 0x100u + FIRST_RUN + SECOND_RUN : byte;
}

int bytechar_to_byte(uint32_t c)
{
	if (c < 0x100)
		return bytechar_of_byte((unsigned char)c) == c ? (int)c : -1;
	if (c < 0x100 + FIRST_RUN)
		return (int)(c - 0x100);
	if (c < 0x100 + FIRST_RUN + SECOND_RUN)
		return (int)(c - 0x100 - FIRST_RUN + SECOND_START);
	return c == 0x100 + FIRST_RUN + SECOND_RUN ? LAST : -1;
}

bool bytechar_decode(const char *text, size_t length, struct buf *out)
{
	size_t mark = out->length;
	for (size_t at = 0; at < length;) {
		uint32_t c = 0;
		size_t step = utf8_decode(text + at, length - at, &c);
		int byte = step == 0 ? -1 : bytechar_to_byte(c);
		if (byte < 0) {
			if (out->length > mark) {
				out->length = mark;
				out->data[mark] = '\0';
			}
			return false;
		}
		buf_add_char(out, (char)byte);
		at += step;
	}
	return true;
}
