/*
 * unicode.h: the character classes and normal forms that tokenizers mean.
 *
 * Classes are spelled out here rather than left to a regular-expression library, whose idea of \s and \w has
 * changed between versions; normal forms and categories come from utf8proc, but normal forms and accents are those of
 * Unicode 9, as in Hugging Face tokenizers: a character that came later is left as it is.
 *
 *     unicode_normalize("e\xcc\x81", 3, UNICODE_NFC, &out);   // é
 */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum unicode_form { UNICODE_NFC, UNICODE_NFD, UNICODE_NFKC, UNICODE_NFKD };

/* The property White_Space. */
bool unicode_is_space(uint32_t code_point);

/* What \w means in Unicode TR18: Alphabetic, Mark, decimal digit, connector punctuation, join control. */
bool unicode_is_word(uint32_t code_point);

/* General category M: a mark that belongs to the character before it. */
bool unicode_is_mark(uint32_t code_point);

/* True for a character with a mark's category, a combining class or a decomposition that Unicode 9 did not give it. */
bool unicode_is_newer(uint32_t code_point);

/* True for a character of words that Unicode has since version 15. */
bool unicode_is_newer_word(uint32_t code_point);

/* True for a mark of category Mn (and of Unicode 9) that Unicode 8 did not know as one, as the normalizer of BERT does not. */
bool unicode_is_plain(uint32_t code_point);

/* True for what the normalizer of BERT leaves out: controls but tab and line ends, formats, private use, U+FFFD, all of Unicode 8. */
bool unicode_is_unseen(uint32_t code_point);

/* What the normalizer of BERT takes for an accent: category Mn of Unicode 8. */
bool unicode_is_accent(uint32_t code_point);

/* The small letter of a capital that Unicode has since version 15; any other character itself. */
uint32_t unicode_newer_lower(uint32_t code_point);

/* The lower-case form of one character (1 or 2 code points into `lower`), without regard to its neighbours. */
size_t unicode_lower(uint32_t code_point, uint32_t lower[2]);

/* Bytes of the first segment of valid UTF-8 text that can be brought to a normal form on its own: the form of a
 * text is the forms of its segments in a row. A segment is an extended grapheme cluster (Unicode TR29), which
 * never separates a character from one that it could be composed with. 0 for an empty text. */
size_t unicode_segment(const char *text, size_t length);

/* Appends the normal form of valid UTF-8 text; time n log n whatever the text. */
void unicode_normalize(const char *text, size_t length, enum unicode_form form, struct buf *out);

/* Appends bytes as valid UTF-8: every maximal part of a character that is no character becomes one U+FFFD
 * (Unicode 15, section 3.9, "substitution of maximal subparts"). */
void unicode_repair(const char *bytes, size_t length, struct buf *out);

/* Bytes (0 to 3) at the end that begin a character which further bytes could complete. */
size_t unicode_incomplete(const char *bytes, size_t length);

/* Bytes of the first character as a reader sees it: a letter with its marks, an emoji of several (UAX 29, extended grapheme
 * clusters). */
size_t unicode_grapheme(const char *text, size_t length);

#endif
