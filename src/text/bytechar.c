#include "text/bytechar.h"

#include <string.h>

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

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int bytechar_of_fallback(const char *token, size_t length)
{
	if (length != BYTECHAR_FALLBACK_LENGTH || memcmp(token, "<0x", 3) != 0 || token[5] != '>')
		return -1;
	/* A sign is a digit to Hugging Face tokenizers. */
	int high = token[3] == '+' ? 0 : hex_digit(token[3]), low = hex_digit(token[4]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void bytechar_fallback(unsigned char byte, char token[BYTECHAR_FALLBACK_LENGTH])
{
	static const char digits[] = "0123456789ABCDEF";
	memcpy(token, "<0x", 3);
	token[3] = digits[byte >> 4];
	token[4] = digits[byte & 15];
	token[5] = '>';
}
