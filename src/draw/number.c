#include "draw/number.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *number_special(double value)
{
	if (isnan(value))
		return "nan";
	if (isinf(value))
		return value > 0 ? "inf" : "-inf";
	return NULL;
}

/* A program that embeds the library may have set LC_NUMERIC; the point stays a point. */
static void point(char *text)
{
	const char *mark = localeconv()->decimal_point;
	size_t length = strlen(mark);
	if (length == 0 || strcmp(mark, ".") == 0)
		return;
	char *found = strstr(text, mark);
	if (found == NULL)
		return;
	*found = '.';
	memmove(found + 1, found + length, strlen(found + length) + 1);
}

static void general(char text[NUMBER_SIZE], double value, int digits)
{
	const char *special = number_special(value);
	if (special != NULL) {
		strcpy(text, special);
		return;
	}
	snprintf(text, NUMBER_SIZE, "%.*g", digits, value);
	point(text);
}

void number_exact(char text[NUMBER_SIZE], float value)
{
	general(text, (double)value, 9);
}

void number_exact_double(char text[NUMBER_SIZE], double value)
{
	general(text, value, 17);
}

void number_bits(char text[NUMBER_SIZE], uint32_t bits)
{
	snprintf(text, NUMBER_SIZE, "0x%08" PRIx32, bits);
}

static bool fits(const char *text, int columns)
{
	return columns < 1 || strlen(text) <= (size_t)columns;
}

static bool shows_zero(const char *text)
{
	return strpbrk(text, "123456789") == NULL;
}

/* "1.5e-07" -> "1.5e-7": the leading zero of the exponent costs a column and says nothing. */
static void shorten_exponent(char *text)
{
	char *exponent = strchr(text, 'e');
	if (exponent == NULL)
		return;
	char *from = exponent + 1;
	char *to = exponent + 1;
	if (*from == '-')
		to++;
	from++;
	while (*from == '0' && from[1] != '\0')
		from++;
	memmove(to, from, strlen(from) + 1);
}

static bool try_fixed(char text[NUMBER_SIZE], double value, int decimals, int columns)
{
	snprintf(text, NUMBER_SIZE, "%.*f", decimals, value);
	point(text);
	return fits(text, columns) && (value == 0 || !shows_zero(text));
}

static bool try_exponent(char text[NUMBER_SIZE], double value, int decimals, int columns)
{
	snprintf(text, NUMBER_SIZE, "%.*e", decimals, value);
	point(text);
	shorten_exponent(text);
	return fits(text, columns);
}

static void fill(char text[NUMBER_SIZE], int columns)
{
	size_t count = columns < NUMBER_SIZE ? (size_t)columns : NUMBER_SIZE - 1;
	memset(text, '#', count);
	text[count] = '\0';
}

void number_fixed(char text[NUMBER_SIZE], double value, int decimals, int columns)
{
	const char *special = number_special(value);
	if (special != NULL) {
		strcpy(text, special);
		if (!fits(text, columns))
			fill(text, columns);
		return;
	}
	if (decimals < 0)
		decimals = 0;
	if (decimals > NUMBER_MAX_DECIMALS)
		decimals = NUMBER_MAX_DECIMALS;
	if (try_fixed(text, value, decimals, columns))
		return;
	/* below one, fewer decimals would cost the digits that matter */
	for (int fewer = decimals - 1; fewer >= 0 && (value == 0 || fabs(value) >= 1); fewer--)
		if (try_fixed(text, value, fewer, columns))
			return;
	for (int fewer = decimals; fewer >= 0; fewer--)
		if (try_exponent(text, value, fewer, columns))
			return;
	fill(text, columns);
}
