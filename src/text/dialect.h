/*
 * dialect.h: the regular expressions of tokenizer files, said in PCRE2's words.
 *
 * Tokenizer files are written for Oniguruma. PCRE2 agrees with it on most things and differs silently on some:
 * \s, \w, \h, \v, word boundaries, {,n}, inline flags, set operations. This rewrites what can be said otherwise and
 * refuses the rest, so that a pattern which is accepted means the same. Classes are spelled out, so the
 * meaning does not change with PCRE2's version either; the categories L, M, N, P and S get the characters that PCRE2 may not know yet.
 * Source: Oniguruma doc/RE and pcre2pattern(3).
 *
 *     dialect_translate("\\s+(?!\\S)", 8, &out, &problem);
 */
#ifndef TEXT_DIALECT_H
#define TEXT_DIALECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct dialect_problem {
	size_t offset;    /* byte of the pattern */
	const char *what; /* a noun phrase: "a POSIX bracket" */
};

/* Appends the pattern for PCRE2 (UTF, UCP, MULTILINE). False when it holds something that cannot be carried over;
 * *problem says what and where. */
bool dialect_translate(const char *pattern, size_t length, struct buf *out, struct dialect_problem *problem);

#endif
