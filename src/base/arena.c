#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ALIGN_LARGE 64
#define ALIGN_SMALL 16
#define BLOCK_FIRST ((size_t)4096)
#define BLOCK_MOST ((size_t)1 << 20)

struct arena_block {
	struct arena_block *next; /* older */
	size_t size;              /* of the bytes that follow */
	size_t used;
	unsigned char bytes[];
};

/* Where, in `block`, the next allocation with that alignment starts: alignment is of the address. */
static size_t block_start(const struct arena_block *block, size_t align)
{
	uintptr_t at = (uintptr_t)(block->bytes + block->used);
	return block->used + (size_t)((align - at % align) % align);
}

static struct arena_block *block_add(struct arena *arena, size_t bytes)
{
	size_t size = arena->first == NULL ? BLOCK_FIRST : arena->first->size * 2;
	if (size > BLOCK_MOST)
		size = BLOCK_MOST;
	if (bytes > SIZE_MAX - sizeof(struct arena_block) - ALIGN_LARGE)
		mem_exhausted(bytes);
	if (size < bytes + ALIGN_LARGE)
		size = bytes + ALIGN_LARGE;
	struct arena_block *block = malloc(sizeof *block + size);
	if (block == NULL)
		mem_exhausted(size);
	block->next = arena->first;
	block->size = size;
	block->used = 0;
	arena->first = block;
	return block;
}

static void *take(struct arena *arena, size_t bytes, size_t align)
{
	struct arena_block *block = arena->first;
	size_t start = block == NULL ? 0 : block_start(block, align);
	if (block == NULL || start > block->size || block->size - start < bytes) {
		block = block_add(arena, bytes);
		start = block_start(block, align);
	}
	block->used = start + bytes;
	arena->used += bytes;
	return block->bytes + start;
}

static size_t product(size_t count, size_t size)
{
	uint64_t bytes;
	if (!mem_mul(count, size, &bytes) || bytes > SIZE_MAX)
		mem_exhausted(SIZE_MAX);
	return (size_t)bytes;
}

void *arena_raw(struct arena *arena, size_t count, size_t size)
{
	size_t bytes = product(count, size);
	return take(arena, bytes == 0 ? 1 : bytes, bytes >= ALIGN_LARGE ? ALIGN_LARGE : ALIGN_SMALL);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
	return memset(arena_raw(arena, count, size), 0, count * size);
}

char *arena_strndup(struct arena *arena, const char *bytes, size_t length)
{
	if (length == SIZE_MAX)
		mem_exhausted(length);
	char *copy = take(arena, length + 1, 1);
	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	size_t size = length < 0 ? 1 : (size_t)length + 1;
	char *text = take(arena, size, 1);
	text[0] = '\0';
	vsnprintf(text, size, format, again);
	va_end(again);
	return text;
}

void arena_reset(struct arena *arena)
{
	struct arena_block *largest = arena->first;
	for (struct arena_block *block = largest; block != NULL; block = block->next) {
		if (block->size > largest->size)
			largest = block;
	}
	for (struct arena_block *block = arena->first, *next; block != NULL; block = next) {
		next = block->next;
		if (block != largest)
			free(block);
	}
	if (largest != NULL) {
		largest->next = NULL;
		largest->used = 0;
	}
	*arena = (struct arena){.first = largest};
}

void arena_free(struct arena *arena)
{
	for (struct arena_block *block = arena->first, *next; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	*arena = ARENA_INIT;
}
