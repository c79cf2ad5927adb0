#include "base/i18n.h"
#include "view/difference.h"
#include "view/view.h"

bool view_diff_draw(const struct scene *scene, struct grid *grid, struct err *err)
{
	(void)err;
	if (scene->diff == NULL) {
		view_draw_notice(grid, style_of(STYLE_NORMAL),
			_("Nothing was compared yet. Type  :diff TRACE  to put another trace beside this one."));
		return true;
	}
	struct buf text = BUF_INIT;
	struct arena arena = ARENA_INIT;
	difference_text(scene->diff, scene->trace, &text);
	int y = scene_draw_text(grid, 0, style_of(scene->diff->verdict == DIFF_BUG ? STYLE_BAD : STYLE_GOOD),
			buf_text(&text)) +
		1;
	struct grid below = grid_sub(grid, 0, y, grid->width, grid->height);
	if (scene->diff->bad > 0)
		view_draw_table(scene, difference_table(scene->diff, scene->trace, false, &arena), &below);
	arena_free(&arena);
	buf_free(&text);
	return true;
}

bool view_diff_table(const struct scene *scene, struct arena *arena, struct table **table, struct err *err)
{
	static const struct diff nothing = {0};
	(void)err;
	*table = difference_table(scene->diff == NULL ? &nothing : scene->diff, scene->trace, true, arena);
	return true;
}
