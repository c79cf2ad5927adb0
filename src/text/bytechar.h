/*
 * bytechar.h: the 256 characters by which byte-level vocabularies write bytes.
 *
 * Printable Latin-1 bytes (21-7E, A1-AC, AE-FF) are written as themselves; the other 68, in ascending order, as
 * U+0100, U+0101, ... So a space is "Ġ" (U+0120) and a newline "Ċ" (U+010A).
 * Source: bytes_to_unicode() of GPT-2's encoder.py.
 */
#ifndef TEXT_BYTECHAR_H
#define TEXT_BYTECHAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The character that stands for a byte. */
uint32_t bytechar_of_byte(unsigned char byte);

/* The byte that a character stands for, or -1. */
int bytechar_to_byte(uint32_t code_point);

/* Appends the bytes that a token's text stands for; false, and nothing appended, when a character is none of the
 * 256. */
bool bytechar_decode(const char *text, size_t length, struct buf *out);

/* The byte that a token of the form <0xE4> stands for (SentencePiece's byte fallback), or -1. */
int bytechar_of_fallback(const char *token, size_t length);

enum { BYTECHAR_FALLBACK_LENGTH = 6 };

/* Writes the token that stands for a byte, "<0xE4>", not terminated. */
void bytechar_fallback(unsigned char byte, char token[BYTECHAR_FALLBACK_LENGTH]);

#endif
