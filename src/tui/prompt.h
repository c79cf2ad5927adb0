/*
 * prompt.h: the line at the bottom where a command is typed: editing, completion with Tab, history.
 *
 *     struct prompt prompt = PROMPT_INIT;
 *     prompt_open(&prompt, ":", "export ");
 *     switch (prompt_key(&prompt, session, key)) { case PROMPT_ENTERED: ... buf_text(&prompt.text) ... }
 */
#ifndef TUI_PROMPT_H
#define TUI_PROMPT_H

#include "app/session.h"
#include "base/arena.h"
#include "base/buf.h"
#include "draw/grid.h"
#include "tui/term.h"

#define PROMPT_HISTORY 50

struct prompt {
	bool is_open;
	const char *sign; /* ":" or "/" */
	struct buf text;
	size_t caret; /* bytes before it */
	char *history[PROMPT_HISTORY];
	int history_count, history_at;
	struct arena arena; /* of the completion */
	const char **offers;
	int offer_count, offer_at; /* offer_at -1: none is taken */
	size_t offer_start;
};

#define PROMPT_INIT ((struct prompt){0})

enum prompt_result { PROMPT_GOES_ON, PROMPT_ENTERED, PROMPT_LEFT };

void prompt_open(struct prompt *prompt, const char *sign, const char *text);
/* What a key does; after PROMPT_ENTERED the text stays until the next prompt_open(). */
enum prompt_result prompt_key(struct prompt *prompt, struct session *session, uint32_t key);
/* Draws it over the last line, the offers of the completion above it, and says where the caret is. */
void prompt_draw(const struct prompt *prompt, struct grid *grid, struct term_caret *caret);
void prompt_free(struct prompt *prompt);

#endif
