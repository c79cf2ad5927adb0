/*
 * arena.h: memory that is given back all at once.
 *
 * A model, a trace and a pass each own one arena; what they hand out lives exactly as long as they do.
 * Allocation never fails: out of memory ends the program by way of mem_exhausted() (see mem.h), which
 * restores the terminal first. Sizes are checked for overflow.
 *
 *     struct arena arena = ARENA_INIT;
 *     int32_t *tokens = ARENA_ARRAY(&arena, int32_t, n);   // zeroed
 *     arena_free(&arena);
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *first; /* newest block; NULL when empty */
	size_t used;               /* bytes handed out since the last reset, for statistics */
};

#define ARENA_INIT ((struct arena){0})

/* `count` elements of `size` bytes, zeroed; aligned to 64 bytes when they fill 64 or more, else to 16. A count of 0
 * gives a valid pointer. */
void *arena_array(struct arena *arena, size_t count, size_t size);
#define ARENA_ARRAY(arena, type, count) ((type *)arena_array((arena), (size_t)(count), sizeof(type)))
#define ARENA_NEW(arena, type) ARENA_ARRAY(arena, type, 1)

/* The same without zeroing, for large buffers that are written whole. */
void *arena_raw(struct arena *arena, size_t count, size_t size);

/* A terminated copy of `length` bytes. It lives as long as the arena. */
char *arena_strndup(struct arena *arena, const char *bytes, size_t length);
char *arena_strdup(struct arena *arena, const char *text);

/* A formatted, terminated string. It lives as long as the arena. */
char *arena_printf(struct arena *arena, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 2, 3)))
#endif
	;

/* Makes everything handed out invalid, but keeps the largest block for reuse. */
void arena_reset(struct arena *arena);

/* Gives all memory back; the arena is empty and usable again. */
void arena_free(struct arena *arena);

#endif
