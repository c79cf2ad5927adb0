#include "draw/style.h"

const char *style_lane_mark(int row)
{
	static const char *const marks[STYLE_LANES] = {"│", "┃", "║", "┆", "┇", "┊", "┋", "╎"};
	return row < 0 ? " " : marks[row % STYLE_LANES];
}
