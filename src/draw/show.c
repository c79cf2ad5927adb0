#include "draw/show.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define SHOW_LONGEST_ESCAPE 4 /* bytes of display string per foreign byte: \xff */

void show_foreign(struct buf *out, const char *bytes, size_t length)
{
	uint64_t room;
	if (!mem_mul(length, SHOW_LONGEST_ESCAPE, &room) || !mem_add(room, 8, &room) || room > SIZE_MAX)
		mem_exhausted(length);
	buf_reserve(out, (size_t)room);
	char *end = out->data + out->length;
	utf8_display(bytes, length, end, (size_t)room, -1);
	out->length += strlen(end);
}

void show_text(struct buf *out, const char *text)
{
	show_foreign(out, text, strlen(text));
}
