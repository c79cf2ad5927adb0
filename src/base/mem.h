/*
 * mem.h: heap memory that does not fail, and arithmetic on sizes that does not wrap.
 *
 * When memory runs out there is nothing sensible to go on with: mem_exhausted() runs the hook that the
 * terminal program has set (to restore the terminal), says so in one sentence and ends with status 4.
 * Sizes that come from a file are compared with the file's real length before they reach these functions.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for `count` elements of `size` bytes; freed with free(). Never NULL. */
void *mem_array(size_t count, size_t size);
#define MEM_ARRAY(type, count) ((type *)mem_array((size_t)(count), sizeof(type)))
#define MEM_NEW(type) MEM_ARRAY(type, 1)

/* Resizes to `count` elements; new bytes are not zeroed. Never NULL. */
void *mem_resize(void *old, size_t count, size_t size);

/* A heap copy of a text; freed with free(). */
char *mem_strdup(const char *text);

/* Called before the program ends for want of memory: restores the terminal. NULL removes it. */
void mem_on_exhausted(void (*hook)(void));
_Noreturn void mem_exhausted(size_t bytes);

/* *result = a + b or a * b; false (and *result untouched) when it does not fit. */
bool mem_add(uint64_t a, uint64_t b, uint64_t *result);
bool mem_mul(uint64_t a, uint64_t b, uint64_t *result);

#endif
