/* Any bytes are a lesson or a clean refusal that names a line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/lesson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lesson lesson;
	struct err err = ERR_INIT;
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (lesson_parse(&lesson, "fuzz.md", text, size, &err))
		lesson_free(&lesson);
	else if (err.kind != ERR_INPUT || err.where[0] == '\0')
		abort();
	free(text);
	return 0;
}
