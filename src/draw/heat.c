#include "draw/heat.h"

#include <math.h>
#include <stdio.h>

static const char heat_ramp[] = " .:-=+*#%@";
#define HEAT_RAMP_STEPS ((int)sizeof heat_ramp - 1)

void heat_init(struct heat *heat)
{
	*heat = (struct heat){0};
}

void heat_add(struct heat *heat, double value)
{
	if (isnan(value)) {
		heat->nan++;
		return;
	}
	if (isinf(value)) {
		if (value > 0)
			heat->plus_inf++;
		else
			heat->minus_inf++;
		return;
	}
	if (heat->finite == 0 || value < heat->low)
		heat->low = value;
	if (heat->finite == 0 || value > heat->high)
		heat->high = value;
	heat->finite++;
}

void heat_settle(struct heat *heat)
{
	heat->is_signed = heat->low < 0 && heat->high > 0;
}

void heat_scan(struct heat *heat, const struct tensor *tensor)
{
	heat_init(heat);
	int64_t count = tensor_count(tensor);
	for (int64_t i = 0; i < count; i++)
		heat_add(heat, tensor_value(tensor, i));
	heat_settle(heat);
}

static int clamp(int level, int levels)
{
	if (level < 0)
		return 0;
	return level < levels ? level : levels - 1;
}

int heat_level(const struct heat *heat, double value)
{
	if (heat->is_signed) {
		const int zero = STYLE_SIGNED_LEVELS / 2;
		double extent = fmax(fabs(heat->low), fabs(heat->high));
		if (extent == 0)
			return zero;
		double share = fmin(fmax(value / extent, -1), 1);
		return clamp(zero + (int)lround(share * zero), STYLE_SIGNED_LEVELS);
	}
	/* halves, so that the extent of two huge values does not overflow */
	double extent = heat->high / 2 - heat->low / 2;
	if (!(extent > 0))
		return STYLE_HEAT_LEVELS / 2;
	double share = fmin(fmax((value / 2 - heat->low / 2) / extent, 0), 1);
	return clamp((int)(share * STYLE_HEAT_LEVELS), STYLE_HEAT_LEVELS);
}

static struct heat_cell special_cell(double value)
{
	struct heat_cell cell = {.style = style_of(STYLE_NONFINITE)};
	const char *glyph = "??";
	if (isinf(value))
		glyph = value > 0 ? "+∞" : "-∞";
	if (isinf(value) && value < 0)
		cell.style = style_of(STYLE_MASKED);
	snprintf(cell.glyph, sizeof cell.glyph, "%s", glyph);
	return cell;
}

struct heat_cell heat_cell(const struct heat *heat, double value)
{
	if (!isfinite(value))
		return special_cell(value);
	int level = heat_level(heat, value);
	struct heat_cell cell = {.style = {.level = (uint8_t)level, .flags = STYLE_RAMP}};
	if (heat->is_signed) {
		const int zero = STYLE_SIGNED_LEVELS / 2;
		int strength = level < zero ? zero - level : level - zero;
		cell.style.role = STYLE_SIGNED;
		cell.glyph[0] = "- +"[(level > zero) - (level < zero) + 1];
		cell.glyph[1] = heat_ramp[strength * (HEAT_RAMP_STEPS - 1) / zero];
	} else {
		cell.style.role = STYLE_HEAT;
		cell.glyph[0] = heat_ramp[level * HEAT_RAMP_STEPS / STYLE_HEAT_LEVELS];
		cell.glyph[1] = cell.glyph[0];
	}
	return cell;
}
