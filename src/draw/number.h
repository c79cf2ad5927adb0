/*
 * number.h: numbers as text: exact for files, of chosen precision for columns.
 *
 * A shown number is never wrong: what does not fit in a column gets fewer decimals, then an exponent, and at
 * last '#' signs, and a value that is not zero never shows as zero. Every text here is plain ASCII, with '.' as
 * the decimal point whatever the locale. Not-a-number is "nan"; infinities are "inf" and "-inf".
 *
 *     char text[NUMBER_SIZE];
 *     number_fixed(text, 0.8125, 4, 9);   // "0.8125"
 *     number_fixed(text, 1e-20, 4, 9);    // "1.0000e-20" does not fit in 9, so "1.000e-20"
 *     number_exact(text, 0.1f);           // "0.100000001", reads back to the same float
 */
#ifndef DRAW_NUMBER_H
#define DRAW_NUMBER_H

#include <stdint.h>

#define NUMBER_SIZE 400 /* bytes that hold any result: DBL_MAX with its decimals */
#define NUMBER_MAX_DECIMALS 60

/* The decimals that stand for "exact". */
#define NUMBER_EXACT (-1)

/* %.9g: reads back to the same float32. */
void number_exact(char text[NUMBER_SIZE], float value);
/* %.17g: reads back to the same float64. */
void number_exact_double(char text[NUMBER_SIZE], double value);

/* `value` with `decimals` digits after the point (0..NUMBER_MAX_DECIMALS) in at most `columns` columns (below 1:
 * no limit). Not padded. */
void number_fixed(char text[NUMBER_SIZE], double value, int decimals, int columns);

/* The bits of a float32 in hexadecimal: "0x3f500000". */
void number_bits(char text[NUMBER_SIZE], uint32_t bits);

/* "nan", "inf" or "-inf" for a value that is not finite, else NULL. */
const char *number_special(double value);

#endif
