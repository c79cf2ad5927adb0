/*
 * view.h: views, each a small file behind one contract, in one list (view.def).
 *
 * A view turns what an analysis or the trace says into a grid, and where the content is tabular into a table, so that
 * both can be exported. A view draws into the whole of the grid it is given and never knows of keys or terminals. When
 * there is nothing to show it says what to do next.
 *
 *     const struct view *view = view_find("timeline");
 *     if (!view->draw(scene, &grid, err)) view_draw_error(&grid, err);
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "draw/grid.h"
#include "draw/table.h"
#include "view/scene.h"

/* What Up and Down move over in a view without a cursor of its own. */
enum view_scroll {
	VIEW_LINES,         /* lines of text, however many */
	VIEW_ITEMS,         /* things to open */
	VIEW_ROWS_OF_PASS,  /* rows that take part */
	VIEW_ROWS_OF_BATCH, /* all rows */
};

struct view {
	const char *name;
	const char *help; /* translatable: what it shows */
	enum view_scroll scroll;
	/* Draws the view into the grid. */
	bool (*draw)(const struct scene *scene, struct grid *grid, struct err *err);
	/* Makes a table in the arena; usage error where the view is not tabular. */
	bool (*table)(const struct scene *scene, struct arena *arena, struct table **table, struct err *err);
};

int view_count(void);
const struct view *view_at(int i);
/* The view of that name, or NULL. */
const struct view *view_find(const char *name);

/* The last value of scene.scroll at which the scene's view still shows something. */
int64_t view_last_scroll(const struct scene *scene);
/* scene.scroll, or that last value when it is smaller: rows come and go between two passes. */
int64_t view_first(const struct scene *scene);

/* Draws a view and, when it fails, the reason in its place. */
void view_draw(const struct view *view, const struct scene *scene, struct grid *grid);
/* A heading at the top, on as many lines as it needs; returns what is left of the grid. */
struct grid view_draw_heading(struct grid *grid, struct style style, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 3, 4)))
#endif
	;
/* A sentence in the middle of an empty view. */
void view_draw_notice(struct grid *grid, struct style style, const char *sentence);
/* Says in the last line how many rows are below it; nothing for 0. */
void view_draw_more(struct grid *grid, int64_t rows);
/* Draws a table from the scene's first line on; for views that are nothing but a table. */
void view_draw_table(const struct scene *scene, const struct table *table, struct grid *grid);

/* Every view's own two functions; view.c makes the list of them. */
#define VIEW(name, scroll, help) \
	bool view_##name##_draw(const struct scene *scene, struct grid *grid, struct err *err); \
	bool view_##name##_table(const struct scene *scene, struct arena *arena, struct table **table, struct err *err);
#include "view/view.def"
#undef VIEW

#endif
