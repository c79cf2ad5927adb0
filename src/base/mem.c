#include "base/mem.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void exhausted_hook(void);

/* The one mutable global of the library: whoever runs out of memory has no way to be handed a context. */
static _Atomic(exhausted_hook *) on_exhausted;

void mem_on_exhausted(void (*hook)(void))
{
	atomic_store(&on_exhausted, hook);
}

void mem_exhausted(size_t bytes)
{
	exhausted_hook *hook = atomic_exchange(&on_exhausted, NULL);
	if (hook != NULL)
		hook();
	char text[128];
	int length = snprintf(text, sizeof text,
		"rowscope: no memory for %zu more bytes; close other programs or take a smaller model or batch\n",
		bytes);
	ssize_t ignored = write(STDERR_FILENO, text, (size_t)length);
	(void)ignored;
	_exit(4);
}

void *mem_array(size_t count, size_t size)
{
	/* calloc checks the product itself; at least one byte, so that NULL always means exhaustion */
	void *memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
	if (memory == NULL)
		mem_exhausted(count);
	return memory;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	uint64_t bytes;
	if (!mem_mul(count, size, &bytes) || bytes > SIZE_MAX)
		mem_exhausted(SIZE_MAX);
	void *memory = realloc(old, bytes == 0 ? 1 : (size_t)bytes);
	if (memory == NULL)
		mem_exhausted((size_t)bytes);
	return memory;
}

char *mem_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(mem_array(size, 1), text, size);
}

bool mem_add(uint64_t a, uint64_t b, uint64_t *result)
{
	if (a > UINT64_MAX - b)
		return false;
	*result = a + b;
	return true;
}

bool mem_mul(uint64_t a, uint64_t b, uint64_t *result)
{
	if (b != 0 && a > UINT64_MAX / b)
		return false;
	*result = a * b;
	return true;
}
