#include "tui/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

struct term_memory {
	struct term term;
	int width, height, frames;
	char *keys;
	const char *next;
	struct arena arena; /* of the grid on the screen */
	struct grid shown;
	struct buf copied;
};

static struct term_memory *memory_of(struct term *term)
{
	return (struct term_memory *)term;
}

static void memory_size(struct term *term, int *width, int *height)
{
	*width = memory_of(term)->width;
	*height = memory_of(term)->height;
}

static void memory_put(struct term *term, const struct grid *grid, const struct term_caret *caret)
{
	struct term_memory *memory = memory_of(term);
	(void)caret;
	arena_reset(&memory->arena);
	memory->shown = grid_new(&memory->arena, memory->width, memory->height);
	grid_blit(&memory->shown, 0, 0, grid);
	memory->frames++;
}

static struct term_event memory_read(struct term *term, int milliseconds)
{
	struct term_memory *memory = memory_of(term);
	(void)milliseconds;
	memory->next += strspn(memory->next, " \n\t");
	size_t length = strcspn(memory->next, " \n\t");
	if (length == 0)
		return (struct term_event){.kind = TERM_CLOSED};
	const char *word = memory->next;
	memory->next += length;
	int width, height;
	if (sscanf(word, "resize=%dx%d", &width, &height) == 2) {
		memory->width = width;
		memory->height = height;
		return (struct term_event){.kind = TERM_RESIZE};
	}
	uint32_t key = term_key_parse(word, length);
	return (struct term_event){.kind = key != 0 ? TERM_KEY : TERM_TIMEOUT, .key = key};
}

static void memory_nothing(struct term *term)
{
	(void)term;
}

static bool memory_copy(struct term *term, const char *text, size_t length)
{
	struct term_memory *memory = memory_of(term);
	buf_clear(&memory->copied);
	buf_add(&memory->copied, text, length);
	return true;
}

static void memory_theme(struct term *term, const struct theme *theme)
{
	(void)term;
	(void)theme;
}

static void memory_delete(struct term *term)
{
	struct term_memory *memory = memory_of(term);
	arena_free(&memory->arena);
	buf_free(&memory->copied);
	free(memory->keys);
	free(memory);
}

static const struct term_kind memory_kind = {
	.name = "memory",
	.size = memory_size,
	.put = memory_put,
	.read = memory_read,
	.repaint = memory_nothing,
	.suspend = memory_nothing,
	.resume = memory_nothing,
	.copy = memory_copy,
	.theme = memory_theme,
	.delete = memory_delete,
};

struct term *term_memory_new(int width, int height, const char *keys)
{
	struct term_memory *memory = MEM_NEW(struct term_memory);
	memory->term.kind = &memory_kind;
	memory->width = width;
	memory->height = height;
	memory->keys = mem_strdup(keys);
	memory->next = memory->keys;
	memory->shown = grid_new(&memory->arena, width, height);
	return &memory->term;
}

static void add_line(struct buf *out, const char *line, size_t length)
{
	while (length > 0 && line[length - 1] == ' ')
		length--;
	buf_add(out, line, length);
	buf_add_char(out, '\n');
}

void term_memory_text(struct term *term, struct buf *out)
{
	struct term_memory *memory = memory_of(term);
	struct buf line = BUF_INIT;
	for (int y = 0; y < memory->shown.height; y++) {
		buf_clear(&line);
		for (int x = 0; x < memory->shown.width; x++)
			buf_add_text(&line, grid_cell(&memory->shown, x, y)->glyph);
		add_line(out, buf_text(&line), line.length);
	}
	buf_free(&line);
}

/* In the order of enum style_role. */
static const char role_letters[] = ".TldbFBkgbwphWLHSmn";

static char style_letter(struct style style)
{
	if (style.flags & STYLE_CURSOR)
		return '#';
	if (style.flags & STYLE_FAINT)
		return '-';
	if (style.role == STYLE_LANE)
		return (char)('0' + style.level);
	return style.role < sizeof role_letters - 1 ? role_letters[style.role] : '?';
}

void term_memory_styles(struct term *term, struct buf *out)
{
	struct term_memory *memory = memory_of(term);
	for (int y = 0; y < memory->shown.height; y++) {
		for (int x = 0; x < memory->shown.width; x++)
			buf_add_char(out, style_letter(grid_cell(&memory->shown, x, y)->style));
		buf_add_char(out, '\n');
	}
}

int term_memory_frames(struct term *term)
{
	return memory_of(term)->frames;
}

const char *term_memory_copied(struct term *term)
{
	return buf_text(&memory_of(term)->copied);
}
