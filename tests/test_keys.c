/* Random keys, command lines and sizes: the program goes on, and what it promises about the place still holds. */
#include "screens.h"

#include "app/command.h"
#include "view/screen.h"

struct dice {
	uint64_t state;
};

/* SplitMix64: the same keys on every machine. */
static uint64_t roll(struct dice *dice, uint64_t sides)
{
	uint64_t z = dice->state += UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (z ^ z >> 31) % sides;
}

/* Keys that leave the program, write files, or run the proofs (which take their time) are left out. */
static void random_keys(struct dice *dice, int count, struct buf *keys)
{
	static const char *const names[] = {"Up", "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End", "Space", "b",
		"n", "p", "N", "P", "1", "2", "3", "9", "0", "Tab", "S-Tab", "o", "T", "t", "m", "c", "s", "e", "Enter",
		"v", "g", "+", "-", "u", "'", "\"", "y", "*", "?", "C-l", "Esc", "x", "Esc", "/", "a", "t", "Enter",
		":", "Tab", "Tab", "Enter", "Backspace", "中", "é", "Esc", "Esc"};
	for (int i = 0; i < count; i++) {
		if (roll(dice, 25) == 0)
			buf_printf(keys, "resize=%dx%d ", (int)roll(dice, 160) + 1, (int)roll(dice, 60) + 1);
		else
			buf_printf(keys, "%s ", names[roll(dice, sizeof names / sizeof names[0])]);
	}
}

static void check_place(const struct scene *scene)
{
	if (!scene_has_pass(scene))
		return;
	int64_t shape[TENSOR_MAX_RANK];
	ck_assert_int_lt(scene->pass, trace_pass_count(scene->trace));
	ck_assert_int_lt(scene->value, trace_value_count(scene->trace));
	int rank = scene_shape(scene, scene->pass, scene->value, shape);
	for (int i = 0; i < rank; i++) {
		ck_assert_int_ge(scene->index[i], 0);
		ck_assert_int_lt(scene->index[i], shape[i]);
	}
}

START_TEST(random_keys_change_nothing_that_is_promised)
{
	struct dice dice = {.state = (uint64_t)_i};
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	struct buf keys = BUF_INIT;
	ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
	random_keys(&dice, 400, &keys);
	term_delete(screens_play(session, 80, 24, buf_text(&keys)));
	check_place(&session->scene);
	buf_free(&keys);
	session_delete(session);
}
END_TEST

/* Every command, with arguments that fit, that nearly fit, and that do not. */
START_TEST(commands_take_any_arguments)
{
	static const char *const words[] = {"", "0", "1", "-1", "99999999999999999999", "all", "row=A", "pos=0",
		"head=99", "on", "logits", "logits[row=A]", "pass=1", "pass=-1", "pass=7 tokens",
		"layers.0.attn.q[0,0,0,0]", "[", "\"", "weights.x", "next_tokens[row=A]", "tokens[9]", "page", "none",
		"heat", "precision 3", "中文", "\x1b[2J"};
	struct dice dice = {.state = 1000 + (uint64_t)_i};
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
	for (int i = 0; i < command_count(); i++) {
		const char *name = command_item(i)->name;
		if (strcmp(name, "export") == 0 || strcmp(name, "open") == 0)
			continue;
		char line[256];
		unsigned next = 0;
		snprintf(line, sizeof line, "%s %s %s", name, words[roll(&dice, sizeof words / sizeof words[0])],
			words[roll(&dice, sizeof words / sizeof words[0])]);
		session_command(session, line, &next);
		check_place(&session->scene);
		struct arena arena = ARENA_INIT;
		struct grid grid = grid_new(&arena, 80, 24);
		screen_draw(&session->scene, &grid);
		arena_free(&arena);
	}
	session_delete(session);
}
END_TEST

/* Every view at every small size: nothing is written outside the grid, nothing divides by its width. */
START_TEST(views_fit_any_size)
{
	struct session *session = screens_session();
	struct err err = ERR_INIT;
	ck_assert_msg(session_open_example(session, "three-requests", &err), "%s", err.message);
	for (int v = 0; v < view_count(); v++) {
		session->scene.view = view_at(v);
		for (int width = 1; width < 140; width += width < 40 ? 1 : 13) {
			for (int height = 1; height < 40; height += 3) {
				struct arena arena = ARENA_INIT;
				struct grid grid = grid_new(&arena, width, height);
				screen_draw(&session->scene, &grid);
				view_draw(view_at(v), &session->scene, &grid);
				arena_free(&arena);
			}
		}
	}
	session_delete(session);
}
END_TEST

TEST_PROGRAM("keys", {
	tcase_add_loop_test(tests, random_keys_change_nothing_that_is_promised, 0, 12);
	tcase_add_loop_test(tests, commands_take_any_arguments, 0, 12);
	tcase_add_test(tests, views_fit_any_size);
})
