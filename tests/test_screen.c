/* The terminal program, played with keys in a terminal in memory: what is on the screen at the end. */
#include "screens.h"

#include "app/command.h"
#include "tui/keymap.h"

static const struct {
	const char *name;
	int width, height;
	const char *keys;
} screens[] = {
	{"home-80x24", 80, 24, ""},
	{"home-opens-80x24", 80, 24, "Down Enter n"},
	{"tensor-empty-80x24", 80, 24, "o"},
	{"help-80x24", 80, 24, "?"},
	{"help-scrolled-80x24", 80, 24, "? PgDn PgDn"},
	{"prompt-completes-80x24", 80, 24, ": v Tab Tab"},
	{"unknown-command-80x24", 80, 24, ": x y z Enter"},
	{"too-small-20x5", 20, 5, ""},
	{"start-80x24", 80, 24, "!"},
	{"pass-1-80x24", 80, 24, "! n"},
	{"pass-1-120x40", 120, 40, "! n"},
	{"scores-80x24", 80, 24,
		"! n : g o t o Space l a y e r s . 0 . a t t n . s c o r e s Enter Tab Down Down Right"},
	{"heat-80x24", 80, 24, "! n / r e s i d _ m i d Enter v"},
	{"timeline-80x24", 80, 24, "! T N"},
	{"tokens-80x24", 80, 24, "! t"},
	{"mask-80x24", 80, 24, "! m n"},
	{"cache-80x24", 80, 24, "! n n c"},
	{"logits-80x24", 80, 24, "! n s"},
	{"row-2-80x24", 80, 24, "! n 2 s"},
	{"predict-80x24", 80, 24, "! g n s"},
	{"reveal-80x24", 80, 24, "! g n s g"},
	{"explain-80x24", 80, 24, "! n : e x p l a i n Space l o g i t s [ r o w = A , v o c a b = 5 2 0 ] Enter Down"},
	{"follow-80x24", 80, 24, "! n : e x p l a i n Space l o g i t s [ r o w = A , v o c a b = 5 2 0 ] Enter Enter"},
	{"isolation-80x24", 80, 24, "! i"},
	{"past-the-end-80x24", 80, 24, "! n n c Down Down Down Down Down Down Down Up"},
	{"fewer-rows-80x24", 80, 24, "! n s Down Down n n n"},
	{"home-short-80x12", 80, 12, "Down Down Down"},
	{"short-40x13", 40, 13, "! n : g o t o Space e m b e d Enter"},
	{"logits-40x16", 40, 16, "! n s"},
	{"wide-120x40", 120, 40, "! n i o : g o t o Space l a y e r s . 0 . a t t n . m i x Enter"},
	{"resized-80x24", 40, 10, "! n resize=80x24"},
};

/* "!" at the start of the keys opens the worked example, which has no key of its own. */
static struct term *play(struct session *session, size_t i)
{
	const char *keys = screens[i].keys;
	if (keys[0] == '!') {
		struct err err = ERR_INIT;
		ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
		keys++;
	}
	return screens_play(session, screens[i].width, screens[i].height, keys);
}

START_TEST(shows_what_it_did)
{
	struct session *session = screens_session();
	struct term *term = play(session, (size_t)_i);
	struct buf text = BUF_INIT;
	char path[128];
	term_memory_text(term, &text);
	buf_add_text(&text, "--- styles\n");
	term_memory_styles(term, &text);
	snprintf(path, sizeof path, "tests/golden/screens/%s.txt", screens[_i].name);
	screens_compare(path, &text);
	buf_free(&text);
	term_delete(term);
	session_delete(session);
}
END_TEST

/* Rows that draw, a penalised one, one that has finished: what each step of the sampler did with each row. */
static const struct {
	const char *name, *keys;
} sampled[] = {
	{"sampled-80x24", "s"},
	{"sampled-finished-80x24", "n s"},
	{"sampled-predict-80x24", "g n s"},
};

START_TEST(shows_the_steps_of_the_sampler)
{
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	struct buf text = BUF_INIT;
	char path[128];
	ck_assert_msg(session_open_batch(session, "tests/golden/screens/sampled.json", NULL, &err), "%s", err.message);
	struct term *term = screens_play(session, 80, 24, sampled[_i].keys);
	term_memory_text(term, &text);
	snprintf(path, sizeof path, "tests/golden/screens/%s.txt", sampled[_i].name);
	screens_compare(path, &text);
	buf_free(&text);
	term_delete(term);
	session_delete(session);
}
END_TEST

/* The worked example's own numbers, read off the screen. */
START_TEST(shows_the_worked_example)
{
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
	struct term *term = screens_play(session, 80, 24, "n s");
	struct buf text = BUF_INIT;
	term_memory_text(term, &text);
	ck_assert_ptr_nonnull(strstr(buf_text(&text), ">    520  开心"));
	ck_assert_ptr_nonnull(strstr(buf_text(&text), ">     89  不错"));
	ck_assert_ptr_nonnull(strstr(buf_text(&text), ">     12  你好"));
	buf_free(&text);
	term_delete(term);
	session_delete(session);
}
END_TEST

/* Lines break at spaces and around Chinese characters, but not before a closing mark; nothing is lost. */
START_TEST(text_breaks_where_it_can)
{
	static const struct {
		const char *text, *lines[4];
	} cases[] = {{"one two three four", {"one two", "three four"}},
		{"运算： 到本遍的下一个", {"运算： 到本", "遍的下一个"}}, {"abc到本遍的", {"abc到本遍的"}},
		{"到本遍的下。一", {"到本遍的", "下。一"}}, {"abcdefghijklmn", {"abcdefghijk", "lmn"}},
		{"用`last pass`跑到", {"用`last", "pass`跑到"}}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct arena arena = ARENA_INIT;
		struct grid grid = grid_new(&arena, 11, 4);
		scene_draw_text(&grid, 0, style_of(STYLE_NORMAL), cases[i].text);
		for (int y = 0; y < 4; y++) {
			struct buf line = BUF_INIT;
			for (int x = 0; x < grid.width; x++)
				buf_add_text(&line, grid_cell(&grid, x, y)->glyph);
			while (line.length > 0 && line.data[line.length - 1] == ' ')
				line.data[--line.length] = '\0';
			ck_assert_str_eq(buf_text(&line), cases[i].lines[y] != NULL ? cases[i].lines[y] : "");
			buf_free(&line);
		}
		arena_free(&arena);
	}
}
END_TEST

START_TEST(every_key_names_a_command)
{
	ck_assert_msg(keymap_check() == NULL, "keymap.def: %s", keymap_check());
}
END_TEST

START_TEST(the_page_of_commands_is_the_list)
{
	struct buf text = BUF_INIT;
	keymap_markdown(&text);
	screens_compare("docs/COMMANDS.md", &text);
	buf_free(&text);
}
END_TEST

TEST_PROGRAM("screen", {
	tcase_add_loop_test(tests, shows_what_it_did, 0, (int)(sizeof screens / sizeof screens[0]));
	tcase_add_loop_test(tests, shows_the_steps_of_the_sampler, 0, (int)(sizeof sampled / sizeof sampled[0]));
	tcase_add_test(tests, shows_the_worked_example);
	tcase_add_test(tests, text_breaks_where_it_can);
	tcase_add_test(tests, every_key_names_a_command);
	tcase_add_test(tests, the_page_of_commands_is_the_list);
})
