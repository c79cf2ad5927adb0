#include "base/i18n.h"
#include "view/view.h"

/* How to go on, in the last line. */
static void draw_keys(const struct scene_lesson *lesson, struct grid *grid)
{
	const char *keys = lesson->question[0] != '\0' && !lesson->is_right
		? _("a answer   H hint   > next step")
		: _("> next step   < back   L whole lesson text");
	struct grid last = grid_sub(grid, 0, grid->height - 1, grid->width, 1);
	grid_fill(&last, style_of(STYLE_NORMAL));
	grid_text(&last, grid_at(0, 0, GRID_REST), style_of(STYLE_KEY), keys);
	grid_printf(&last, grid_at(last.width - 8, 0, 8), style_of(STYLE_DIM), "%d/%d", lesson->step + 1,
		lesson->steps);
}

/* The question is what must be seen: when all does not fit, the text is cut, and says so. */
static int count_lines(const struct grid *grid, const char *text)
{
	struct arena arena = ARENA_INIT;
	struct grid scrap = grid_new(&arena, grid->width, 200);
	int lines = scene_draw_text(&scrap, 0, style_of(STYLE_NORMAL), text);
	arena_free(&arena);
	return lines;
}

static void draw_lesson(const struct scene_lesson *lesson, struct grid *grid)
{
	int asked = count_lines(grid, lesson->question) + count_lines(grid, lesson->choices) +
		count_lines(grid, lesson->feedback);
	int room = grid->height - 1 - asked;
	int needed = count_lines(grid, lesson->text) + (lesson->heading[0] != '\0');
	struct grid text = grid_sub(grid, 0, 0, grid->width, room < 1 ? 1 : room);
	int y = scene_draw_text(&text, 0, style_of(STYLE_TITLE), lesson->heading);
	y = scene_draw_text(&text, y, style_of(STYLE_NORMAL), lesson->text);
	if (needed > text.height)
		grid_text_right(&text, grid_at(0, text.height - 1, text.width), style_of(STYLE_DIM),
			_(" … L shows all"));
	/* a blank line where there is room for one */
	y += y < text.height;
	y = scene_draw_text(grid, y, style_with(style_of(STYLE_LABEL), STYLE_STRONG), lesson->question);
	y = scene_draw_text(grid, y, style_of(STYLE_NORMAL), lesson->choices);
	scene_draw_text(grid, y, style_of(lesson->is_right ? STYLE_GOOD : STYLE_WARN), lesson->feedback);
	draw_keys(lesson, grid);
}

bool view_lesson_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	(void)err;
	if (scene->lesson != NULL)
		draw_lesson(scene->lesson, grid);
	else
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("No lesson is under way. Type  :lesson 11-three-requests  to start one; Tab shows them "
			  "all."));
	return true;
}

bool view_lesson_table(const struct scene *scene, struct arena *arena, struct table **table, struct err *err)
{
	(void)scene;
	(void)arena;
	(void)table;
	return err_usage(err, "lesson", _("a lesson is no table; export it as a figure, or see its Markdown file"));
}
