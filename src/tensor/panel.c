#include "tensor/panel.h"

#include <string.h>

static float *cell(const struct panel *panel, int64_t k, int64_t j)
{
	return panel->data + (j / PANEL_WIDTH * panel->in + k) * PANEL_WIDTH + j % PANEL_WIDTH;
}

size_t panel_floats(int64_t in, int64_t out)
{
	return (size_t)((out + PANEL_WIDTH - 1) / PANEL_WIDTH) * PANEL_WIDTH * (size_t)in;
}

void panel_clear(struct panel *panel)
{
	memset(panel->data, 0, panel_floats(panel->in, panel->out) * sizeof(float));
}

void panel_put_rows(struct panel *panel, int64_t first, int64_t count, const float *rows)
{
	/* One panel at a time, k outside: 16 streams are read and one is written. */
	for (int64_t j = 0; j < count;) {
		int64_t lane = (first + j) % PANEL_WIDTH;
		int64_t width = PANEL_WIDTH - lane < count - j ? PANEL_WIDTH - lane : count - j;
		const float *from = rows + j * panel->in;
		float *to = cell(panel, 0, first + j);
		for (int64_t k = 0; k < panel->in; k++) {
			for (int64_t i = 0; i < width; i++)
				to[k * PANEL_WIDTH + i] = from[i * panel->in + k];
		}
		j += width;
	}
}

void panel_put_cols(struct panel *panel, int64_t first, int64_t count, const float *rows)
{
	for (int64_t k = 0; k < count; k++) {
		const float *from = rows + k * panel->out;
		for (int64_t j = 0; j < panel->out; j += PANEL_WIDTH) {
			int64_t width = panel->out - j < PANEL_WIDTH ? panel->out - j : PANEL_WIDTH;
			memcpy(cell(panel, first + k, j), from + j, (size_t)width * sizeof(float));
		}
	}
}

float panel_cell(const struct panel *panel, int64_t k, int64_t j)
{
	return *cell(panel, k, j);
}

void panel_column(const struct panel *panel, int64_t j, float *column)
{
	const float *from = cell(panel, 0, j);
	for (int64_t k = 0; k < panel->in; k++)
		column[k] = from[k * PANEL_WIDTH];
}
