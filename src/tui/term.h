/*
 * term.h: a terminal as a thing that shows a grid and gives keys.
 *
 * Two back-ends stand behind it: term_curses.c (a real terminal; the only file that includes ncurses) and
 * term_memory.c (a fixed size and scripted keys, for tests). The loop speaks to this interface only.
 * Invariant: what term_put() was given last is on the screen, whole; nothing else is ever written to it.
 *
 *     struct term *term;
 *     if (!term_curses_new(&term, &options, err)) ...
 *     term_put(term, &grid, NULL);
 *     struct term_event event = term_read(term, 1000);
 *     term_delete(term);                                   // the terminal is as it was
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "draw/grid.h"
#include "draw/theme.h"

/* Keys that are no character; above every code point. */
/* clang-format off */
#define TERM_KEY_LIST(X) \
	X(UP, "Up") \
	X(DOWN, "Down") \
	X(LEFT, "Left") \
	X(RIGHT, "Right") X(HOME, "Home") X(END, "End") X(PAGE_UP, "PgUp") X(PAGE_DOWN, "PgDn") X(INSERT, "Ins") \
		X(DELETE, "Del") X(BACK_TAB, "S-Tab") X(BACKSPACE, "Backspace") X(F1, "F1") X(F2, "F2") X(F3, "F3") \
			X(F4, "F4") X(F5, "F5")
/* clang-format on */

enum term_key {
	TERM_KEY_TAB = 9,
	TERM_KEY_ENTER = 13,
	TERM_KEY_ESCAPE = 27,
	TERM_KEY_FIRST = 0x110000,
#define X(name, text) TERM_KEY_##name,
	TERM_KEY_LIST(X)
#undef X
		TERM_KEY_END_OF_LIST
};

enum term_event_kind {
	TERM_TIMEOUT, /* nothing happened, or the program was woken up */
	TERM_KEY,     /* `key`: a code point, a control code 1..26 (Ctrl-A..Ctrl-Z) or an enum term_key */
	TERM_RESIZE,  /* the size has changed */
	TERM_CLOSED,  /* the terminal is gone, or a signal asks the program to end */
};

struct term_event {
	enum term_event_kind kind;
	uint32_t key;
};

/* Where the terminal's own cursor is shown; NULL instead of one hides it. */
struct term_caret {
	int x, y;
};

struct term;

/* What a back-end does. */
struct term_kind {
	const char *name;
	void (*size)(struct term *term, int *width, int *height);
	void (*put)(struct term *term, const struct grid *grid, const struct term_caret *caret);
	struct term_event (*read)(struct term *term, int milliseconds);
	void (*repaint)(struct term *term);
	void (*suspend)(struct term *term);
	void (*resume)(struct term *term);
	bool (*copy)(struct term *term, const char *text, size_t length);
	void (*theme)(struct term *term, const struct theme *theme);
	void (*delete)(struct term *term);
};

struct term {
	const struct term_kind *kind;
};

/* Columns and lines at the moment; at least 1 × 1. */
void term_size(struct term *term, int *width, int *height);
/* Shows the grid from the left upper corner on; only what differs from the last one is sent. */
void term_put(struct term *term, const struct grid *grid, const struct term_caret *caret);
/* Waits for the next event; -1: without limit. */
struct term_event term_read(struct term *term, int milliseconds);
/* Forgets what is on the screen, so that the next term_put() writes everything. */
void term_repaint(struct term *term);
/* Gives the terminal back to the shell for the time of another program, and takes it again. */
void term_suspend(struct term *term);
void term_resume(struct term *term);
/* Puts text on the person's clipboard by OSC 52; false when the terminal cannot or it is too long. */
bool term_copy(struct term *term, const char *text, size_t length);
void term_set_theme(struct term *term, const struct theme *theme);
/* Restores the terminal and frees. NULL is allowed. */
void term_delete(struct term *term);

/* The name of a key as keymap.def spells it: "x", "Space", "C-l", "PgDn"; into text[16]. */
void term_key_name(uint32_t key, char text[16]);
/* The inverse; 0 when there is no such key. */
uint32_t term_key_parse(const char *name, size_t length);

/* --- a real terminal --- */
struct term_options {
	const struct theme *theme;
	bool colours; /* false: monochrome whatever the terminal can (NO_COLOR, --color never) */
};

/* True when a full screen makes sense: standard input and output are a terminal and TERM is not dumb. */
bool term_is_usable(void);
/* Takes the terminal. Usage error when it is none or TERM is unknown. Signals: SIGINT, SIGTERM and SIGHUP end in
 * TERM_CLOSED; SIGTSTP works as in a shell; a crash restores the terminal first. */
bool term_curses_new(struct term **term, const struct term_options *options, struct err *err);

/* --- a terminal in memory --- */
/* Keys come from `keys`, separated by spaces, by their names ("n n Down : v i e w Enter"); "resize=100x30" changes
 * the size. After the last one comes TERM_CLOSED. */
struct term *term_memory_new(int width, int height, const char *keys);
/* What is on the screen: lines of glyphs, blanks at their ends cut off. */
void term_memory_text(struct term *term, struct buf *out);
/* One letter per cell for its role, in the same form, to show what a golden text cannot. */
void term_memory_styles(struct term *term, struct buf *out);
/* How many times a grid was put. */
int term_memory_frames(struct term *term);
/* The last text that was copied; "" at first. It belongs to the terminal. */
const char *term_memory_copied(struct term *term);

#endif
