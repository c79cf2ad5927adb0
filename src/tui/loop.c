#include "tui/loop.h"

#include <string.h>

#include "app/command.h"
#include "tui/keymap.h"
#include "tui/prompt.h"
#include "tui/restore.h"
#include "view/screen.h"

struct loop {
	struct term *term;
	struct session *session;
	struct prompt prompt;
	struct arena frame; /* of one picture */
	struct arena help;
	bool is_over;
};

static void draw(struct loop *loop)
{
	int width, height;
	term_size(loop->term, &width, &height);
	arena_reset(&loop->frame);
	struct grid grid = grid_new(&loop->frame, width, height);
	screen_draw(&loop->session->scene, &grid);
	struct term_caret caret = {0, 0};
	if (loop->prompt.is_open)
		prompt_draw(&loop->prompt, &grid, &caret);
	term_put(loop->term, &grid, loop->prompt.is_open ? &caret : NULL);
}

/* Runs a command line and does what it asks for. */
static void run(struct loop *loop, const char *line)
{
	unsigned next = 0;
	session_command(loop->session, line, &next);
	if (next & COMMAND_QUIT)
		loop->is_over = true;
	if (next & COMMAND_THEME)
		term_set_theme(loop->term, theme_find(loop->session->theme));
	if (next & COMMAND_REPAINT)
		term_repaint(loop->term);
	if (loop->session->copy.length > 0) {
		bool ok = term_copy(loop->term, loop->session->copy.data, loop->session->copy.length);
		session_copied(loop->session, ok);
	}
}

static void prompt_entered(struct loop *loop)
{
	struct buf line = BUF_INIT;
	if (strcmp(loop->prompt.sign, "/") == 0)
		buf_add_text(&line, "search ");
	buf_add_text(&line, buf_text(&loop->prompt.text));
	run(loop, buf_text(&line));
	buf_free(&line);
}

static void key(struct loop *loop, uint32_t code)
{
	if (loop->prompt.is_open) {
		if (prompt_key(&loop->prompt, loop->session, code) == PROMPT_ENTERED)
			prompt_entered(loop);
		return;
	}
	const char *line = keymap_line(code, loop->session->scene.focus);
	if (line == NULL)
		return;
	if (line[0] == ':' || line[0] == '/')
		prompt_open(&loop->prompt, line[0] == ':' ? ":" : "/", line + 1);
	else
		run(loop, line);
}

void loop_run(struct term *term, struct session *session)
{
	struct loop loop = {.term = term, .session = session, .prompt = PROMPT_INIT};
	session->scene.help = keymap_help(&loop.help, &session->scene.help_count);
	session->is_asked_to_end = restore_asked_to_end;
	draw(&loop);
	while (!loop.is_over) {
		struct term_event event = term_read(term, -1);
		if (event.kind == TERM_CLOSED)
			break;
		if (event.kind == TERM_RESIZE)
			term_repaint(term);
		if (event.kind == TERM_KEY)
			key(&loop, event.key);
		if (event.kind != TERM_TIMEOUT && !loop.is_over)
			draw(&loop);
	}
	session->is_asked_to_end = NULL;
	session->scene.help = NULL;
	session->scene.help_count = 0;
	prompt_free(&loop.prompt);
	arena_free(&loop.frame);
	arena_free(&loop.help);
}
