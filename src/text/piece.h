/*
 * piece.h: a stretch of text on its way to becoming tokens.
 *
 * The stages of a tokenizer cut text into pieces and change their bytes. Every byte of a piece knows the bytes of
 * the original text that it stands for, so that a token can say where it comes from however much the text was
 * changed on the way. A byte that was kept stands for itself; the bytes of something replaced all stand for the
 * whole of what was replaced; bytes that were put in stand for an empty stretch. A piece is a view: it owns nothing.
 *
 *     struct piece_list pieces = PIECE_LIST_INIT;
 *     piece_add(&pieces, piece_of_text(text, length, &scratch));
 *     piece_list_free(&pieces);
 */
#ifndef TEXT_PIECE_H
#define TEXT_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A half-open stretch of the original text, in bytes. */
struct piece_origin {
	uint32_t start, end;
};

enum { PIECE_IS_TEXT = -1 };

struct piece {
	const char *bytes;                 /* valid UTF-8, not terminated */
	size_t length;                     /* bytes */
	const struct piece_origin *origin; /* one per byte */
	int32_t id;                        /* of an added token that was found; PIECE_IS_TEXT otherwise */
};

struct piece_list {
	struct piece *items;
	size_t count, capacity;
};

#define PIECE_LIST_INIT ((struct piece_list){0})

/* What becomes of the matches of a pattern, in the words of Hugging Face tokenizers. Cutting "a--b" at "-":
 * a b | a - - b | a- - b | a - -b | a -- b. */
enum piece_behavior {
	PIECE_REMOVED,
	PIECE_ISOLATED,
	PIECE_MERGED_WITH_PREVIOUS,
	PIECE_MERGED_WITH_NEXT,
	PIECE_CONTIGUOUS,
};

/* One stretch of a piece, in bytes of the piece; the stretches of a piece follow each other without a gap. */
struct piece_span {
	size_t start, end;
	bool is_match;
};

struct piece_span_list {
	struct piece_span *items;
	size_t count, capacity;
};

#define PIECE_SPAN_LIST_INIT ((struct piece_span_list){0})

/* A whole text, each byte standing for itself; the caller's bytes must outlive the piece. */
struct piece piece_of_text(const char *text, size_t length, struct arena *arena);

/* Bytes [start, end) of a piece, as a piece of text. */
struct piece piece_part(const struct piece *piece, size_t start, size_t end);

/* The original bytes that [start, end) of a piece stand for. */
struct piece_origin piece_stretch(const struct piece *piece, size_t start, size_t end);

void piece_add(struct piece_list *list, struct piece piece);
void piece_list_free(struct piece_list *list);

void piece_span_add(struct piece_span_list *list, size_t start, size_t end, bool is_match);
void piece_span_list_free(struct piece_span_list *list);

/* Appends the pieces that `behavior` makes of the spans; empty ones are left out. Changes the spans. */
void piece_cut(const struct piece *piece, struct piece_span_list *spans, enum piece_behavior behavior,
	struct piece_list *out);

/* --- building the bytes of a changed piece --- */
struct piece_builder {
	char *bytes;
	struct piece_origin *origin;
	size_t length, capacity;
};

#define PIECE_BUILDER_INIT ((struct piece_builder){0})

/* Appends bytes that all stand for the same stretch. */
void piece_build(struct piece_builder *builder, const char *bytes, size_t length, struct piece_origin origin);
/* Appends bytes [start, end) of a piece unchanged. */
void piece_build_part(struct piece_builder *builder, const struct piece *piece, size_t start, size_t end);
/* The piece of text that was built, moved into the arena; frees the builder. */
struct piece piece_built(struct piece_builder *builder, struct arena *arena);

#endif
