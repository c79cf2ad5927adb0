#include "tui/term.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void term_size(struct term *term, int *width, int *height)
{
	term->kind->size(term, width, height);
	*width = *width < 1 ? 1 : *width;
	*height = *height < 1 ? 1 : *height;
}

void term_put(struct term *term, const struct grid *grid, const struct term_caret *caret)
{
	term->kind->put(term, grid, caret);
}

struct term_event term_read(struct term *term, int milliseconds)
{
	return term->kind->read(term, milliseconds);
}

void term_repaint(struct term *term)
{
	term->kind->repaint(term);
}

void term_suspend(struct term *term)
{
	term->kind->suspend(term);
}

void term_resume(struct term *term)
{
	term->kind->resume(term);
}

bool term_copy(struct term *term, const char *text, size_t length)
{
	return term->kind->copy(term, text, length);
}

void term_set_theme(struct term *term, const struct theme *theme)
{
	term->kind->theme(term, theme);
}

void term_delete(struct term *term)
{
	if (term != NULL)
		term->kind->delete (term);
}

static const struct {
	uint32_t key;
	const char *name;
} named[] = {
#define X(name, text) {TERM_KEY_##name, text},
	TERM_KEY_LIST(X)
#undef X
		{TERM_KEY_TAB, "Tab"},
	{TERM_KEY_ENTER, "Enter"},
	{TERM_KEY_ESCAPE, "Esc"},
	{' ', "Space"},
};

#define NAMED_COUNT (sizeof named / sizeof named[0])

void term_key_name(uint32_t key, char text[16])
{
	text[0] = '\0';
	for (size_t i = 0; i < NAMED_COUNT; i++) {
		if (named[i].key == key) {
			snprintf(text, 16, "%s", named[i].name);
			return;
		}
	}
	if (key >= 1 && key <= 26) {
		snprintf(text, 16, "C-%c", (char)('a' + (int)key - 1));
	} else if (key > ' ' && key < TERM_KEY_FIRST) {
		text[utf8_encode(key, text)] = '\0';
	}
}

uint32_t term_key_parse(const char *name, size_t length)
{
	for (size_t i = 0; i < NAMED_COUNT; i++)
		if (strlen(named[i].name) == length && memcmp(named[i].name, name, length) == 0)
			return named[i].key;
	if (length == 3 && name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z')
		return (uint32_t)(name[2] - 'a' + 1);
	uint32_t key = 0;
	size_t used = utf8_decode(name, length, &key);
	return used > 0 && used == length && key > ' ' ? key : 0;
}
