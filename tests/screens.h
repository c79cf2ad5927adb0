/*
 * screens.h: a scripted terminal: keys in, the last screen out, compared with a text in tests/golden.
 *
 * With ROWSCOPE_UPDATE=1 the texts are written anew; look at them before you commit them.
 */
#ifndef SCREENS_H
#define SCREENS_H

#include <string.h>

#include "app/session.h"
#include "harness.h"
#include "tui/loop.h"
#include "view/view.h"

/* Compares a text with a golden file, or writes it. */
static inline void screens_compare(const char *path, const struct buf *text)
{
	if (getenv("ROWSCOPE_UPDATE") != NULL) {
		FILE *out = fopen(path, "wb");
		ck_assert_msg(out != NULL, "%s cannot be written", path);
		fwrite(buf_text(text), 1, text->length, out);
		fclose(out);
		return;
	}
	FILE *in = fopen(path, "rb");
	ck_assert_msg(in != NULL, "%s is missing; ROWSCOPE_UPDATE=1 writes it", path);
	struct buf golden = BUF_INIT;
	char piece[4096];
	for (size_t length; (length = fread(piece, 1, sizeof piece, in)) > 0;)
		buf_add(&golden, piece, length);
	fclose(in);
	size_t at = 0, line = 0;
	while (at < text->length && at < golden.length && golden.data[at] == text->data[at]) {
		at++;
		line = golden.data[at - 1] == '\n' ? at : line;
	}
	ck_assert_msg(at == text->length && at == golden.length, "%s differs:\nwas  %.*s\nnow  %.*s", path,
		(int)strcspn(buf_text(&golden) + line, "\n"), buf_text(&golden) + line,
		(int)strcspn(buf_text(text) + line, "\n"), buf_text(text) + line);
	buf_free(&golden);
}

/* The bundled files of this checkout. */
static inline struct session *screens_session(void)
{
	setenv("ROWSCOPE_DATA", ".", 1);
	return session_new();
}

/* Runs the loop on a terminal in memory until its keys are used up. */
static inline struct term *screens_play(struct session *session, int width, int height, const char *keys)
{
	struct term *term = term_memory_new(width, height, keys);
	loop_run(term, session);
	return term;
}

#endif
