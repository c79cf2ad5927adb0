#include "tui/term.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/i18n.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tui/restore.h"

/* Waits are cut up, so that a signal which comes just before a read is seen soon. */
#define CURSES_WAIT 250

struct term_curses {
	struct term term;
	SCREEN *screen;
	const struct theme *theme;
	enum theme_depth depth;
	bool is_utf8;
	struct arena arenas[2]; /* of the grid on the screen, and of the next one */
	int current;
	struct grid shown; /* 0 × 0: nothing known */
};

static struct term_curses *curses_of(struct term *term)
{
	return (struct term_curses *)term;
}

/* Only LC_CTYPE is set; a locale that is not UTF-8 is changed for C.UTF-8 where there is one. */
static bool use_utf8(void)
{
	if (setlocale(LC_CTYPE, "") != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return true;
	return setlocale(LC_CTYPE, "C.UTF-8") != NULL || setlocale(LC_CTYPE, "UTF-8") != NULL;
}

static void add_capability(struct buf *out, const char *name)
{
	const char *text = tigetstr(name);
	if (text == NULL || text == (const char *)-1)
		return;
	/* padding such as $<5> is for terminals of old */
	while (text[0] != '\0') {
		size_t plain = strcspn(text, "$");
		buf_add(out, text, plain);
		text += plain;
		if (text[0] == '$')
			text += text[1] == '<' ? strcspn(text, ">") + 1 : 1;
	}
}

/* What undoes the full screen, written by a crash handler. */
static void arm(void)
{
	static const char *const undo[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
	struct buf sequence = BUF_INIT;
	for (size_t i = 0; i < sizeof undo / sizeof undo[0]; i++)
		add_capability(&sequence, undo[i]);
	restore_arm(buf_text(&sequence), sequence.length);
	buf_free(&sequence);
}

static enum theme_depth colour_depth(const struct term_options *options)
{
	if (!options->colours || theme_is_mono(options->theme) || !has_colors())
		return THEME_MONO;
	start_color();
	use_default_colors();
	if (tigetflag("RGB") > 0 && COLORS > 256)
		return THEME_RGB;
	return COLORS >= 256 ? THEME_256 : COLORS >= 8 ? THEME_8 : THEME_MONO;
}

static void curses_size(struct term *term, int *width, int *height)
{
	(void)term;
	getmaxyx(stdscr, *height, *width);
}

/* What stands for a glyph where only ASCII can be shown. */
static wchar_t ascii_of(wchar_t glyph)
{
	static const wchar_t from[] = L"─│┌┐└┘├┤┬┴┼▏▎▍▌▐█▒░▓…·→×√−—“”‘’≤≥";
	static const char to[] = "-|+++++++++||||##:::.*>xV--\"\"''<>";
	if (glyph < 0x80)
		return glyph;
	const wchar_t *at = wcschr(from, glyph);
	return at != NULL ? (wchar_t)to[at - from] : L'?';
}

static void put_cell(struct term_curses *self, int y, int x, const struct grid_cell *cell)
{
	struct theme_paint paint = theme_paint(self->theme, cell->style, self->depth);
	bool is_coloured = self->depth >= THEME_256 && (cell->style.flags & STYLE_RAMP);
	wchar_t text[CCHARW_MAX + 1];
	mbstate_t state = {0};
	const char *glyph = is_coloured ? " " : cell->glyph;
	size_t length = mbsrtowcs(text, &glyph, CCHARW_MAX, &state);
	if (length == (size_t)-1 || length == 0)
		length = 1, text[0] = L'?';
	text[length < CCHARW_MAX ? length : CCHARW_MAX] = L'\0';
	if (!self->is_utf8)
		text[0] = ascii_of(text[0]), text[1] = L'\0';
	attr_t attributes = A_NORMAL;
	attributes |= paint.attributes & THEME_BOLD ? A_BOLD : A_NORMAL;
	attributes |= paint.attributes & THEME_DIM ? A_DIM : A_NORMAL;
	attributes |= paint.attributes & THEME_UNDERLINE ? A_UNDERLINE : A_NORMAL;
	attributes |= paint.attributes & THEME_REVERSE ? A_REVERSE : A_NORMAL;
	int pair = self->depth == THEME_MONO ? 0 : alloc_pair(paint.fg, paint.bg);
	if (pair < 0)
		pair = 0;
	cchar_t wide;
	setcchar(&wide, text, attributes, (short)(pair < 32767 ? pair : 32767), &pair);
	mvadd_wch(y, x, &wide);
	if (!self->is_utf8 && cell->width == 2)
		mvaddch(y, x + 1, ' ');
}

static bool is_same_line(const struct grid *a, const struct grid *b, int y)
{
	for (int x = 0; x < a->width; x++) {
		const struct grid_cell *left = grid_cell(a, x, y), *right = grid_cell(b, x, y);
		if (strcmp(left->glyph, right->glyph) != 0 ||
			memcmp(&left->style, &right->style, sizeof left->style) != 0)
			return false;
	}
	return true;
}

/* Lines that differ are erased and written whole: writing into one half of a wide character shifts the rest of
 * the line on the screen. What really goes out is still only the difference, by curses. */
static void curses_put(struct term *term, const struct grid *grid, const struct term_caret *caret)
{
	struct term_curses *self = curses_of(term);
	int width, height;
	term_size(term, &width, &height);
	self->current = !self->current;
	struct arena *arena = &self->arenas[self->current];
	arena_reset(arena);
	struct grid next = grid_new(arena, width, height);
	grid_blit(&next, 0, 0, grid);
	bool is_known = self->shown.width == width && self->shown.height == height;
	for (int y = 0; y < height; y++) {
		if (is_known && is_same_line(&self->shown, &next, y))
			continue;
		move(y, 0);
		clrtoeol();
		for (int x = 0; x < width; x++)
			if (grid_cell(&next, x, y)->width > 0)
				put_cell(self, y, x, grid_cell(&next, x, y));
	}
	self->shown = next;
	curs_set(caret != NULL);
	if (caret != NULL)
		move(caret->y, caret->x);
	refresh();
}

static const struct {
	wint_t from;
	uint32_t key;
} key_codes[] = {
	{KEY_UP, TERM_KEY_UP},
	{KEY_DOWN, TERM_KEY_DOWN},
	{KEY_LEFT, TERM_KEY_LEFT},
	{KEY_RIGHT, TERM_KEY_RIGHT},
	{KEY_HOME, TERM_KEY_HOME},
	{KEY_END, TERM_KEY_END},
	{KEY_PPAGE, TERM_KEY_PAGE_UP},
	{KEY_NPAGE, TERM_KEY_PAGE_DOWN},
	{KEY_IC, TERM_KEY_INSERT},
	{KEY_DC, TERM_KEY_DELETE},
	{KEY_BTAB, TERM_KEY_BACK_TAB},
	{KEY_BACKSPACE, TERM_KEY_BACKSPACE},
	{KEY_ENTER, TERM_KEY_ENTER},
	{KEY_F(1), TERM_KEY_F1},
	{KEY_F(2), TERM_KEY_F2},
	{KEY_F(3), TERM_KEY_F3},
	{KEY_F(4), TERM_KEY_F4},
	{KEY_F(5), TERM_KEY_F5},
};

static struct term_event key_event(int status, wint_t code)
{
	if (status == KEY_CODE_YES) {
		if (code == KEY_RESIZE)
			return (struct term_event){.kind = TERM_RESIZE};
		for (size_t i = 0; i < sizeof key_codes / sizeof key_codes[0]; i++)
			if (key_codes[i].from == code)
				return (struct term_event){.kind = TERM_KEY, .key = key_codes[i].key};
		return (struct term_event){.kind = TERM_TIMEOUT};
	}
	uint32_t key = code == '\n' ? TERM_KEY_ENTER : code == 127 || code == 8 ? TERM_KEY_BACKSPACE : (uint32_t)code;
	return (struct term_event){.kind = TERM_KEY, .key = key};
}

/* Keys that some terminals send in another way than their description says. */
static uint32_t key_of_sequence(const char *text)
{
	static const struct {
		const char *text;
		uint32_t key;
	} known[] = {{"[H", TERM_KEY_HOME}, {"OH", TERM_KEY_HOME}, {"[1~", TERM_KEY_HOME}, {"[7~", TERM_KEY_HOME},
		{"[F", TERM_KEY_END}, {"OF", TERM_KEY_END}, {"[4~", TERM_KEY_END}, {"[8~", TERM_KEY_END},
		{"[A", TERM_KEY_UP}, {"[B", TERM_KEY_DOWN}, {"[C", TERM_KEY_RIGHT}, {"[D", TERM_KEY_LEFT},
		{"OA", TERM_KEY_UP}, {"OB", TERM_KEY_DOWN}, {"OC", TERM_KEY_RIGHT}, {"OD", TERM_KEY_LEFT}};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].text, text) == 0)
			return known[i].key;
	return 0;
}

/* After an Esc: alone it is the key; a sequence that curses did not know is taken whole, so that its letters do not
 * run commands. */
static struct term_event escape_event(void)
{
	char text[32];
	size_t length = 0;
	wint_t code = 0;
	timeout(0);
	while (length < sizeof text - 1 && get_wch(&code) == OK) {
		text[length++] = code < 0x80 ? (char)code : '?';
		bool is_begun = length == 1 && (code == '[' || code == 'O');
		if (!is_begun && (length == 1 || (code >= 0x40 && code <= 0x7E)))
			break;
	}
	text[length] = '\0';
	if (length == 0)
		return (struct term_event){.kind = TERM_KEY, .key = TERM_KEY_ESCAPE};
	uint32_t key = key_of_sequence(text);
	return (struct term_event){.kind = key != 0 ? TERM_KEY : TERM_TIMEOUT, .key = key};
}

/* The other end of the terminal is gone: a read would fail again and again. */
static bool is_closed(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

static struct term_event curses_read(struct term *term, int milliseconds)
{
	(void)term;
	for (int waited = 0; milliseconds < 0 || waited <= milliseconds; waited += CURSES_WAIT) {
		if (restore_asked_to_end() || is_closed())
			return (struct term_event){.kind = TERM_CLOSED};
		wint_t code = 0;
		timeout(milliseconds >= 0 && milliseconds < CURSES_WAIT ? milliseconds : CURSES_WAIT);
		int status = get_wch(&code);
		if (status == OK && code == TERM_KEY_ESCAPE)
			return escape_event();
		if (status != ERR)
			return key_event(status, code);
	}
	return (struct term_event){.kind = TERM_TIMEOUT};
}

static void curses_repaint(struct term *term)
{
	curses_of(term)->shown = (struct grid){0};
	clearok(stdscr, TRUE);
}

static void curses_suspend(struct term *term)
{
	(void)term;
	def_prog_mode();
	endwin();
}

static void curses_resume(struct term *term)
{
	reset_prog_mode();
	curses_repaint(term);
	refresh();
}

static void add_base64(struct buf *out, const unsigned char *bytes, size_t length)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
			(left > 2 ? bytes[i + 2] : 0);
		buf_add_char(out, digits[group >> 18]);
		buf_add_char(out, digits[group >> 12 & 63]);
		buf_add_char(out, left > 1 ? digits[group >> 6 & 63] : '=');
		buf_add_char(out, left > 2 ? digits[group & 63] : '=');
	}
}

#define OSC52_MAX 74994 /* bytes that terminals take in one go, before base64 makes 100 kB of them */

static bool curses_copy(struct term *term, const char *text, size_t length)
{
	(void)term;
	if (length > OSC52_MAX)
		return false;
	struct buf sequence = BUF_INIT;
	buf_add_text(&sequence, "\033]52;c;");
	add_base64(&sequence, (const unsigned char *)text, length);
	buf_add_text(&sequence, "\a");
	ssize_t written = write(STDOUT_FILENO, sequence.data, sequence.length);
	bool ok = written == (ssize_t)sequence.length;
	buf_free(&sequence);
	return ok;
}

static void curses_theme(struct term *term, const struct theme *theme)
{
	curses_of(term)->theme = theme;
	curses_repaint(term);
}

static void curses_delete(struct term *term)
{
	struct term_curses *self = curses_of(term);
	endwin();
	restore_disarm();
	delscreen(self->screen);
	arena_free(&self->arenas[0]);
	arena_free(&self->arenas[1]);
	free(self);
}

static const struct term_kind curses_kind = {
	.name = "curses",
	.size = curses_size,
	.put = curses_put,
	.read = curses_read,
	.repaint = curses_repaint,
	.suspend = curses_suspend,
	.resume = curses_resume,
	.copy = curses_copy,
	.theme = curses_theme,
	.delete = curses_delete,
};

bool term_is_usable(void)
{
	const char *name = getenv("TERM");
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name != NULL && name[0] != '\0' &&
		strcmp(name, "dumb") != 0;
}

bool term_curses_new(struct term **term, const struct term_options *options, struct err *err)
{
	bool is_utf8 = use_utf8();
	set_escdelay(25);
	restore_remember();
	SCREEN *screen = newterm(NULL, stdout, stdin);
	if (screen == NULL)
		return err_usage(err, "TERM",
			_("the terminal type '%s' is unknown here; set TERM to one that is known, such as "
			  "xterm-256color, or use `rowscope show` and `rowscope lesson --plain`, which need none"),
			getenv("TERM") != NULL ? getenv("TERM") : "");
	struct term_curses *self = MEM_NEW(struct term_curses);
	self->term.kind = &curses_kind;
	self->screen = screen;
	self->theme = options->theme;
	self->is_utf8 = is_utf8;
	arm();
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	self->depth = colour_depth(options);
	*term = &self->term;
	return true;
}
