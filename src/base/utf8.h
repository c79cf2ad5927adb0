/*
 * utf8.h: foreign text made safe to show, and its width on a terminal.
 *
 * Everything that others wrote (tokens, names, prompts, file names) reaches a person only through
 * utf8_display(): control and format characters, bidirectional overrides, lone combining marks, newlines,
 * tabs and invalid bytes become a visible escape (\n, \x1b, \u202e), so that no text can move the cursor,
 * hide itself or run over the edge of its cell. Widths are wcwidth's, as ncurses uses.
 *
 *     char shown[256];
 *     int columns = utf8_display(token, length, shown, sizeof shown, -1);
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one code point at bytes[0..length). Returns its bytes (1..4), or 0 when they are not valid UTF-8
 * (overlong, surrogate, above U+10FFFF, cut off) or length is 0. */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *code_point);

/* Writes the UTF-8 form (1..4 bytes, no terminator) of a valid code point and returns its length. */
size_t utf8_encode(uint32_t code_point, char bytes[4]);

bool utf8_is_valid(const char *bytes, size_t length);

/* The display string of foreign bytes into `out` (always terminated). At most `max_columns` columns are used
 * (-1: no limit); a string that is cut, there or by `size`, ends with "…". Returns the columns used. */
int utf8_display(const char *bytes, size_t length, char *out, size_t size, int max_columns);

/* Columns of a display string or of text of our own. */
int utf8_width(const char *text);

/* Bytes of the longest prefix of `text` that fits in `columns`; *used gets its columns. */
size_t utf8_fit(const char *text, int columns, int *used);

#endif
