#include "draw/colour.h"

#include <math.h>

#include "draw/style.h"

static const uint32_t colour_viridis[STYLE_HEAT_LEVELS] = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
	0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568, 0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};
static const uint32_t colour_cividis[STYLE_HEAT_LEVELS] = {0x00224e, 0x002e6c, 0x1e3a6f, 0x35456c, 0x47516c, 0x575d6d,
	0x666970, 0x757575, 0x848279, 0x948e77, 0xa59c74, 0xb7a96e, 0xc8b866, 0xdbc75a, 0xeed649, 0xfee838};
static const uint32_t colour_puor[STYLE_SIGNED_LEVELS] = {0x2d004b, 0x491c77, 0x674897, 0x877bb1, 0xaba3cd, 0xc8c6e0,
	0xe1e2ee, 0xf7f7f7, 0xfce7c9, 0xfecf92, 0xf9b058, 0xe48a1f, 0xc66a0c, 0xa45007, 0x7f3b08};
static const uint8_t colour_viridis_256[STYLE_HEAT_LEVELS / 2] = {53, 90, 60, 30, 36, 42, 184, 226};
static const uint8_t colour_cividis_256[STYLE_HEAT_LEVELS / 2] = {235, 24, 242, 244, 246, 144, 185, 227};
static const uint8_t colour_puor_256[STYLE_SIGNED_LEVELS] = {53, 53, 97, 103, 146, 189, 254, 231, 223, 222, 215, 172,
	130, 130, 130};

static int clamp(int value, int count)
{
	if (value < 0)
		return 0;
	return value < count ? value : count - 1;
}

uint32_t colour_ramp_rgb(enum colour_ramp ramp, int level)
{
	if (ramp == COLOUR_PUOR)
		return colour_puor[clamp(level, STYLE_SIGNED_LEVELS)];
	level = clamp(level, STYLE_HEAT_LEVELS);
	return ramp == COLOUR_VIRIDIS ? colour_viridis[level] : colour_cividis[level];
}

int colour_ramp_256(enum colour_ramp ramp, int level)
{
	if (ramp == COLOUR_PUOR)
		return colour_puor_256[clamp(level, STYLE_SIGNED_LEVELS)];
	level = clamp(level, STYLE_HEAT_LEVELS) / 2;
	return ramp == COLOUR_VIRIDIS ? colour_viridis_256[level] : colour_cividis_256[level];
}

static int channel(uint32_t rgb, int which)
{
	return (int)(rgb >> (16 - 8 * which) & 0xff);
}

uint32_t colour_of_256(int index)
{
	static const uint8_t steps[6] = {0, 95, 135, 175, 215, 255};
	if (index >= 232) {
		uint32_t grey = (uint32_t)(8 + 10 * (clamp(index, 256) - 232));
		return grey << 16 | grey << 8 | grey;
	}
	int cube = clamp(index - 16, 216);
	return (uint32_t)steps[cube / 36] << 16 | (uint32_t)steps[cube / 6 % 6] << 8 | steps[cube % 6];
}

int colour_256(uint32_t rgb)
{
	int best = 16;
	int least = INT32_MAX;
	for (int i = 16; i < 256; i++) {
		uint32_t other = colour_of_256(i);
		int distance = 0;
		for (int c = 0; c < 3; c++) {
			int difference = channel(rgb, c) - channel(other, c);
			distance += difference * difference;
		}
		if (distance < least) {
			least = distance;
			best = i;
		}
	}
	return best;
}

int colour_8(uint32_t rgb)
{
	/* red, yellow, green, cyan, cyan for blue, magenta: one per sixth of the circle, centred on it */
	static const int sixths[6] = {1, 3, 2, 6, 6, 5};
	int r = channel(rgb, 0);
	int g = channel(rgb, 1);
	int b = channel(rgb, 2);
	int high = r > g ? (r > b ? r : b) : (g > b ? g : b);
	int low = r < g ? (r < b ? r : b) : (g < b ? g : b);
	int chroma = high - low;
	if (chroma * 4 <= high)
		return -1;
	double hue;
	if (high == r)
		hue = (double)(g - b) / chroma;
	else if (high == g)
		hue = 2 + (double)(b - r) / chroma;
	else
		hue = 4 + (double)(r - g) / chroma;
	return sixths[((int)lround(hue) + 6) % 6];
}

/* Relative luminance of WCAG 2.1, from sRGB. */
static double luminance(uint32_t rgb)
{
	static const double weights[3] = {0.2126, 0.7152, 0.0722};
	double sum = 0;
	for (int c = 0; c < 3; c++) {
		double value = channel(rgb, c) / 255.0;
		sum += weights[c] * (value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
	}
	return sum;
}

double colour_contrast(uint32_t a, uint32_t b)
{
	double la = luminance(a);
	double lb = luminance(b);
	return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

uint32_t colour_on(uint32_t background)
{
	const uint32_t white = 0xffffff;
	return colour_contrast(white, background) > colour_contrast(0, background) ? white : 0;
}

uint32_t colour_mix(uint32_t a, uint32_t b, double share)
{
	uint32_t mixed = 0;
	for (int c = 0; c < 3; c++) {
		double value = channel(a, c) + share * (channel(b, c) - channel(a, c));
		mixed = mixed << 8 | (uint32_t)lround(fmin(fmax(value, 0), 255));
	}
	return mixed;
}
