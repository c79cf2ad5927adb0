#include "text/piece.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Room for one more element in a growing array. */
static void *grow(void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	*capacity = *capacity == 0 ? 16 : *capacity * 2;
	return mem_resize(items, *capacity, size);
}

struct piece piece_of_text(const char *text, size_t length, struct arena *arena)
{
	struct piece_origin *origin = arena_raw(arena, length, sizeof *origin);
	for (size_t i = 0; i < length; i++)
		origin[i] = (struct piece_origin){(uint32_t)i, (uint32_t)i + 1};
	return (struct piece){text, length, origin, PIECE_IS_TEXT};
}

struct piece piece_part(const struct piece *piece, size_t start, size_t end)
{
	return (struct piece){piece->bytes + start, end - start, piece->origin + start, PIECE_IS_TEXT};
}

struct piece_origin piece_stretch(const struct piece *piece, size_t start, size_t end)
{
	if (start == end)
		return (struct piece_origin){0, 0};
	return (struct piece_origin){piece->origin[start].start, piece->origin[end - 1].end};
}

void piece_add(struct piece_list *list, struct piece piece)
{
	list->items = grow(list->items, list->count, &list->capacity, sizeof piece);
	list->items[list->count++] = piece;
}

void piece_list_free(struct piece_list *list)
{
	free(list->items);
	*list = PIECE_LIST_INIT;
}

void piece_span_add(struct piece_span_list *list, size_t start, size_t end, bool is_match)
{
	list->items = grow(list->items, list->count, &list->capacity, sizeof *list->items);
	list->items[list->count++] = (struct piece_span){start, end, is_match};
}

void piece_span_list_free(struct piece_span_list *list)
{
	free(list->items);
	*list = PIECE_SPAN_LIST_INIT;
}

/* Joins every match to the span before it, unless that is a match too. */
static void merge_with_previous(struct piece_span_list *spans)
{
	size_t kept = 0;
	bool after_match = false;
	for (size_t i = 0; i < spans->count; i++) {
		struct piece_span span = spans->items[i];
		if (span.is_match && !after_match && kept > 0)
			spans->items[kept - 1].end = span.end;
		else
			spans->items[kept++] = span;
		after_match = span.is_match;
	}
	spans->count = kept;
}

/* Joins every match to the span after it, unless that is a match too: the same seen from the end. */
static void merge_with_next(struct piece_span_list *spans)
{
	size_t kept = spans->count;
	bool before_match = false;
	for (size_t i = spans->count; i-- > 0;) {
		struct piece_span span = spans->items[i];
		if (span.is_match && !before_match && kept < spans->count)
			spans->items[kept].start = span.start;
		else
			spans->items[--kept] = span;
		before_match = span.is_match;
	}
	spans->count -= kept;
	memmove(spans->items, spans->items + kept, spans->count * sizeof *spans->items);
}

/* Joins neighbours of the same kind. */
static void merge_alike(struct piece_span_list *spans)
{
	size_t kept = 0;
	for (size_t i = 0; i < spans->count; i++) {
		struct piece_span span = spans->items[i];
		if (kept > 0 && spans->items[kept - 1].is_match == span.is_match)
			spans->items[kept - 1].end = span.end;
		else
			spans->items[kept++] = span;
	}
	spans->count = kept;
}

void piece_cut(const struct piece *piece, struct piece_span_list *spans, enum piece_behavior behavior,
	struct piece_list *out)
{
	if (spans->count == 0)
		return;
	if (behavior == PIECE_MERGED_WITH_PREVIOUS)
		merge_with_previous(spans);
	else if (behavior == PIECE_MERGED_WITH_NEXT)
		merge_with_next(spans);
	else if (behavior == PIECE_CONTIGUOUS)
		merge_alike(spans);
	for (size_t i = 0; i < spans->count; i++) {
		const struct piece_span *span = &spans->items[i];
		if (span->start < span->end && !(behavior == PIECE_REMOVED && span->is_match))
			piece_add(out, piece_part(piece, span->start, span->end));
	}
}

static void reserve(struct piece_builder *builder, size_t more)
{
	if (builder->capacity - builder->length >= more)
		return;
	builder->capacity = (builder->length + more) * 2;
	builder->bytes = mem_resize(builder->bytes, builder->capacity, 1);
	builder->origin = mem_resize(builder->origin, builder->capacity, sizeof *builder->origin);
}

void piece_build(struct piece_builder *builder, const char *bytes, size_t length, struct piece_origin origin)
{
	if (length == 0)
		return;
	reserve(builder, length);
	memcpy(builder->bytes + builder->length, bytes, length);
	for (size_t i = 0; i < length; i++)
		builder->origin[builder->length + i] = origin;
	builder->length += length;
}

void piece_build_part(struct piece_builder *builder, const struct piece *piece, size_t start, size_t end)
{
	if (start == end)
		return;
	reserve(builder, end - start);
	memcpy(builder->bytes + builder->length, piece->bytes + start, end - start);
	memcpy(builder->origin + builder->length, piece->origin + start, (end - start) * sizeof *piece->origin);
	builder->length += end - start;
}

struct piece piece_built(struct piece_builder *builder, struct arena *arena)
{
	size_t length = builder->length;
	char *bytes = arena_raw(arena, length, 1);
	struct piece_origin *origin = arena_raw(arena, length, sizeof *origin);
	if (length > 0) {
		memcpy(bytes, builder->bytes, length);
		memcpy(origin, builder->origin, length * sizeof *origin);
	}
	free(builder->bytes);
	free(builder->origin);
	*builder = PIECE_BUILDER_INIT;
	return (struct piece){bytes, length, origin, PIECE_IS_TEXT};
}
