#include "tui/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "base/mem.h"
#include "base/utf8.h"

static void forget_offers(struct prompt *prompt)
{
	prompt->offer_count = 0;
	prompt->offer_at = -1;
}

void prompt_open(struct prompt *prompt, const char *sign, const char *text)
{
	prompt->is_open = true;
	prompt->sign = sign;
	prompt->history_at = prompt->history_count;
	buf_clear(&prompt->text);
	buf_add_text(&prompt->text, text);
	prompt->caret = prompt->text.length;
	forget_offers(prompt);
}

void prompt_free(struct prompt *prompt)
{
	buf_free(&prompt->text);
	arena_free(&prompt->arena);
	for (int i = 0; i < prompt->history_count; i++)
		free(prompt->history[i]);
	*prompt = PROMPT_INIT;
}

static void remember(struct prompt *prompt)
{
	const char *line = buf_text(&prompt->text);
	int count = prompt->history_count;
	if (line[0] == '\0' || (count > 0 && strcmp(prompt->history[count - 1], line) == 0))
		return;
	if (count == PROMPT_HISTORY) {
		free(prompt->history[0]);
		memmove(prompt->history, prompt->history + 1, (PROMPT_HISTORY - 1) * sizeof prompt->history[0]);
		prompt->history_count--;
	}
	prompt->history[prompt->history_count++] = mem_strdup(line);
}

/* Replaces the bytes from `from` to the caret by a text. */
static void replace(struct prompt *prompt, size_t from, const char *text, size_t length)
{
	struct buf next = BUF_INIT;
	buf_add(&next, buf_text(&prompt->text), from);
	buf_add(&next, text, length);
	buf_add_text(&next, buf_text(&prompt->text) + prompt->caret);
	buf_free(&prompt->text);
	prompt->text = next;
	prompt->caret = from + length;
}

/* The start of the character before the caret. */
static size_t before(const struct prompt *prompt)
{
	size_t at = prompt->caret;
	const char *text = buf_text(&prompt->text);
	while (at > 0 && ((unsigned char)text[--at] & 0xC0) == 0x80) {
	}
	return at;
}

static size_t after(const struct prompt *prompt)
{
	size_t at = prompt->caret;
	const char *text = buf_text(&prompt->text);
	if (at < prompt->text.length)
		at++;
	while (at < prompt->text.length && ((unsigned char)text[at] & 0xC0) == 0x80)
		at++;
	return at;
}

static size_t common_prefix(const struct prompt *prompt)
{
	size_t length = strlen(prompt->offers[0]);
	for (int i = 1; i < prompt->offer_count; i++) {
		size_t same = 0;
		while (same < length && prompt->offers[i][same] == prompt->offers[0][same])
			same++;
		length = same;
	}
	return length;
}

/* The first Tab completes as far as it is certain and shows what could follow; further ones take one after the other. */
static void complete(struct prompt *prompt, struct session *session, int step)
{
	if (strcmp(prompt->sign, ":") != 0)
		return;
	if (prompt->offer_count == 0) {
		arena_reset(&prompt->arena);
		char *typed = arena_strndup(&prompt->arena, buf_text(&prompt->text), prompt->caret);
		prompt->offer_count =
			command_complete(session, typed, &prompt->offer_start, &prompt->offers, &prompt->arena);
		prompt->offer_at = -1;
		if (prompt->offer_count == 0)
			return;
		size_t length = common_prefix(prompt);
		if (length >= prompt->caret - prompt->offer_start)
			replace(prompt, prompt->offer_start, prompt->offers[0], length);
		if (prompt->offer_count == 1) {
			size_t end = prompt->caret;
			if (end > 0 && buf_text(&prompt->text)[end - 1] != '=')
				replace(prompt, end, " ", 1);
			forget_offers(prompt);
		}
		return;
	}
	int count = prompt->offer_count;
	prompt->offer_at =
		prompt->offer_at < 0 ? (step > 0 ? 0 : count - 1) : (prompt->offer_at + step + count) % count;
	const char *word = prompt->offers[prompt->offer_at];
	replace(prompt, prompt->offer_start, word, strlen(word));
}

static void recall(struct prompt *prompt, int step)
{
	int at = prompt->history_at + step;
	if (at < 0 || at > prompt->history_count)
		return;
	prompt->history_at = at;
	buf_clear(&prompt->text);
	buf_add_text(&prompt->text, at < prompt->history_count ? prompt->history[at] : "");
	prompt->caret = prompt->text.length;
}

static void delete_at_caret(struct prompt *prompt)
{
	size_t from = prompt->caret;
	prompt->caret = after(prompt);
	replace(prompt, from, "", 0);
}

/* Keys that move and edit; characters are put in. */
static void edit(struct prompt *prompt, uint32_t key)
{
	char bytes[4];
	switch (key) {
	case TERM_KEY_LEFT: prompt->caret = before(prompt); break;
	case TERM_KEY_RIGHT: prompt->caret = after(prompt); break;
	case TERM_KEY_HOME:
	case 1: prompt->caret = 0; break;
	case TERM_KEY_END:
	case 5: prompt->caret = prompt->text.length; break;
	case TERM_KEY_BACKSPACE: replace(prompt, before(prompt), "", 0); break;
	case TERM_KEY_DELETE:
	case 4: delete_at_caret(prompt); break;
	case 21: replace(prompt, 0, "", 0); break;
	case TERM_KEY_UP: recall(prompt, -1); break;
	case TERM_KEY_DOWN: recall(prompt, 1); break;
	default:
		if (key >= ' ' && key < TERM_KEY_FIRST)
			replace(prompt, prompt->caret, bytes, utf8_encode(key, bytes));
	}
}

enum prompt_result prompt_key(struct prompt *prompt, struct session *session, uint32_t key)
{
	if (key == TERM_KEY_TAB || key == TERM_KEY_BACK_TAB) {
		complete(prompt, session, key == TERM_KEY_TAB ? 1 : -1);
		return PROMPT_GOES_ON;
	}
	forget_offers(prompt);
	if (key == TERM_KEY_ENTER) {
		prompt->is_open = false;
		remember(prompt);
		return PROMPT_ENTERED;
	}
	bool erases_nothing = key == TERM_KEY_BACKSPACE && prompt->text.length == 0;
	if (key == TERM_KEY_ESCAPE || key == 3 || key == 7 || erases_nothing) {
		prompt->is_open = false;
		return PROMPT_LEFT;
	}
	edit(prompt, key);
	return PROMPT_GOES_ON;
}

/* The offers in as few lines as they need above the prompt, at most half of the screen. */
static void draw_offers(const struct prompt *prompt, struct grid *grid)
{
	int widest = 8;
	for (int i = 0; i < prompt->offer_count; i++) {
		int width = utf8_width(prompt->offers[i]) + 2;
		widest = width > widest && width <= grid->width ? width : widest;
	}
	int per_line = grid->width / widest > 0 ? grid->width / widest : 1;
	int lines = (prompt->offer_count + per_line - 1) / per_line;
	lines = lines > grid->height / 2 ? grid->height / 2 : lines;
	int top = grid->height - 1 - lines;
	struct grid box = grid_sub(grid, 0, top, grid->width, lines);
	grid_fill(&box, style_of(STYLE_BAR));
	int skip = prompt->offer_at >= lines * per_line ? prompt->offer_at / per_line - lines + 1 : 0;
	for (int i = skip * per_line; i < prompt->offer_count && i / per_line - skip < lines; i++) {
		struct style style = style_with(style_of(STYLE_BAR), i == prompt->offer_at ? STYLE_CURSOR : 0);
		struct grid_span at = grid_at(i % per_line * widest, i / per_line - skip, widest - 1);
		grid_foreign(&box, at, style, prompt->offers[i], strlen(prompt->offers[i]));
	}
}

void prompt_draw(const struct prompt *prompt, struct grid *grid, struct term_caret *caret)
{
	if (grid->height < 1)
		return;
	struct grid line = grid_sub(grid, 0, grid->height - 1, grid->width, 1);
	grid_fill(&line, style_of(STYLE_NORMAL));
	grid_text(&line, grid_at(0, 0, 1), style_of(STYLE_KEY), prompt->sign);
	char *head = mem_strdup(buf_text(&prompt->text));
	head[prompt->caret] = '\0';
	int columns = utf8_width(head);
	/* a long line is shown from where the caret is in sight */
	size_t skip = 0;
	int used = 0;
	while (columns - used > grid->width - 3 && head[skip] != '\0') {
		int one = 0;
		size_t bytes = utf8_fit(head + skip, 2, &one);
		skip += bytes > 0 ? bytes : 1;
		used += one;
	}
	const char *shown = buf_text(&prompt->text) + skip;
	grid_text(&line, grid_at(1, 0, GRID_REST), style_of(STYLE_NORMAL), shown);
	*caret = (struct term_caret){1 + columns - used, grid->height - 1};
	free(head);
	if (prompt->offer_count > 1)
		draw_offers(prompt, grid);
}
