/*
 * pattern.h: a pattern of a tokenizer file, found in pieces of text.
 *
 * PCRE2 does the searching (UTF, Unicode properties; interpreted, not compiled, so that the steps are counted alike on
 * every machine). A pattern that backtracks without end on some text is stopped by a limit and is an error, never a
 * hang. A pattern is immutable after pattern_new() and may be used by several threads at once.
 *
 *     struct piece_span_list spans = PIECE_SPAN_LIST_INIT;
 *     if (!pattern_find(pattern, &piece, &spans, err)) ...
 */
#ifndef TEXT_PATTERN_H
#define TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "text/piece.h"

struct pattern;

/* Compiles a regular expression in the dialect of tokenizer files, or a text that stands for itself when `literal`.
 * Errors are told at the place of `node`. The caller deletes the pattern. */
bool pattern_new(struct pattern **out, const char *source, size_t length, bool literal, const struct json *node,
	struct err *err);

/* The same from a node {"String": text} or {"Regex": source}. Input error that names the node. */
bool pattern_load(struct pattern **out, const struct json *node, struct err *err);

/* The same for a pattern of our own, written in that dialect. */
bool pattern_builtin(struct pattern **out, const char *source, const struct json *node, struct err *err);

void pattern_delete(struct pattern *pattern);

/* Appends the matches in a piece, and what lies between them, from start to end without a gap. An empty match is
 * reported unless it follows a match directly. Usage error when the pattern gives up on this text. */
bool pattern_find(const struct pattern *pattern, const struct piece *piece, struct piece_span_list *spans,
	struct err *err);

#endif
