#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define ELLIPSIS_BYTES 3
#define MARKS_MOST 4   /* per base: more would climb over the lines above */
#define ESCAPE_MOST 10 /* \U0010ffff */

size_t utf8_decode(const char *bytes, size_t length, uint32_t *code_point)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *at = (const unsigned char *)bytes;
	if (length == 0)
		return 0;
	if (at[0] < 0x80) {
		*code_point = at[0];
		return 1;
	}
	size_t size = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	if (at[0] < 0xc2 || at[0] > 0xf4 || size > length)
		return 0;
	uint32_t value = at[0] & (0x7fu >> size);
	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (at[i] & 0x3f);
	}
	if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code_point = value;
	return size;
}

size_t utf8_encode(uint32_t code_point, char bytes[4])
{
	if (code_point < 0x80) {
		bytes[0] = (char)code_point;
		return 1;
	}
	size_t size = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
	for (size_t i = size - 1; i > 0; i--) {
		bytes[i] = (char)(0x80 | (code_point & 0x3f));
		code_point >>= 6;
	}
	bytes[0] = (char)((0xf00u >> size & 0xf0) | code_point);
	return size;
}

bool utf8_is_valid(const char *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		uint32_t code_point;
		size_t size = utf8_decode(bytes + at, length - at, &code_point);
		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

/* Columns as the terminal library will count them, or < 0 for what no terminal should be sent. */
static int columns_of(uint32_t code_point)
{
	if (code_point >= 0x20 && code_point < 0x7f)
		return 1;
	/* wcwidth knows only ASCII outside a Unicode locale (a test program, a tool that never calls i18n_start) */
	if (MB_CUR_MAX > 1)
		return wcwidth((wchar_t)code_point);
	return utf8proc_charwidth((utf8proc_int32_t)code_point);
}

enum kind { KIND_PLAIN, KIND_MARK, KIND_ESCAPE };

static enum kind kind_of(uint32_t code_point)
{
	/* variation selectors make some terminals draw two columns where wcwidth counted one */
	if ((code_point >= 0xfe00 && code_point <= 0xfe0f) || (code_point >= 0xe0100 && code_point <= 0xe01ef))
		return KIND_ESCAPE;
	switch (utf8proc_category((utf8proc_int32_t)code_point)) {
	case UTF8PROC_CATEGORY_CC:
	case UTF8PROC_CATEGORY_CF:
	case UTF8PROC_CATEGORY_CS:
	case UTF8PROC_CATEGORY_CO:
	case UTF8PROC_CATEGORY_CN:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP: return KIND_ESCAPE;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME: return columns_of(code_point) < 0 ? KIND_ESCAPE : KIND_MARK;
	default: break;
	}
	int columns = columns_of(code_point);
	return columns < 0 ? KIND_ESCAPE : columns == 0 ? KIND_MARK : KIND_PLAIN;
}

/* The escape of a code point that is not to be shown; returns its length, which is its columns. */
static size_t escape(uint32_t code_point, char text[ESCAPE_MOST + 1])
{
	const char *format = code_point < 0x80 ? "\\x%02x" : code_point < 0x10000 ? "\\u%04x" : "\\U%08x";
	switch (code_point) {
	case '\n': return (size_t)snprintf(text, ESCAPE_MOST + 1, "\\n");
	case '\r': return (size_t)snprintf(text, ESCAPE_MOST + 1, "\\r");
	case '\t': return (size_t)snprintf(text, ESCAPE_MOST + 1, "\\t");
	default: return (size_t)snprintf(text, ESCAPE_MOST + 1, format, (unsigned)code_point);
	}
}

/* One step of the display: what the next bytes become. */
struct piece {
	char text[ESCAPE_MOST + 1];
	size_t length;
	int columns;
	size_t taken; /* bytes of the input */
};

struct display {
	int marks; /* on the present base; MARKS_MOST when there is no base to carry one */
	char *out;
	size_t length, size;
	int columns, most;  /* most < 0: no limit */
	size_t safe_length; /* the latest place where an ellipsis still fits */
	int safe_columns;
	bool has_safe;
};

static struct piece next_piece(struct display *display, const char *bytes, size_t length)
{
	struct piece piece = {.taken = 1};
	uint32_t code_point;
	size_t size = utf8_decode(bytes, length, &code_point);
	enum kind kind = size == 0 ? KIND_ESCAPE : kind_of(code_point);
	if (kind == KIND_MARK && display->marks >= MARKS_MOST)
		kind = KIND_ESCAPE;
	if (size == 0) {
		piece.length = (size_t)snprintf(piece.text, sizeof piece.text, "\\x%02x", (unsigned char)bytes[0]);
	} else if (kind == KIND_ESCAPE) {
		piece.length = escape(code_point, piece.text);
		piece.taken = size;
	} else {
		piece.length = piece.taken = size;
		memcpy(piece.text, bytes, size);
		piece.columns = columns_of(code_point);
	}
	if (size == 1 && code_point == '\\') {
		memcpy(piece.text, "\\\\", 2); /* so that no text can forge an escape */
		piece.length = 2;
		kind = KIND_ESCAPE;
	}
	if (kind == KIND_ESCAPE)
		piece.columns = (int)piece.length;
	/* a mark would be drawn on the last letter of an escape, and on a space it would look like a character */
	bool is_base = kind == KIND_PLAIN && code_point != ' ';
	display->marks = kind == KIND_MARK ? display->marks + 1 : is_base ? 0 : MARKS_MOST;
	return piece;
}

static bool display_add(struct display *display, const struct piece *piece)
{
	if (piece->length >= display->size - display->length)
		return false;
	if (display->most >= 0 && piece->columns > display->most - display->columns)
		return false;
	memcpy(display->out + display->length, piece->text, piece->length);
	display->length += piece->length;
	display->columns += piece->columns;
	return true;
}

static void note_safe_place(struct display *display)
{
	if (display->length + ELLIPSIS_BYTES < display->size &&
		(display->most < 0 || display->columns < display->most)) {
		display->safe_length = display->length;
		display->safe_columns = display->columns;
		display->has_safe = true;
	}
}

static void cut(struct display *display)
{
	display->length = display->has_safe ? display->safe_length : 0;
	display->columns = display->has_safe ? display->safe_columns : 0;
	if (!display->has_safe)
		return;
	memcpy(display->out + display->length, ELLIPSIS, ELLIPSIS_BYTES);
	display->length += ELLIPSIS_BYTES;
	display->columns += 1;
}

int utf8_display(const char *bytes, size_t length, char *out, size_t size, int max_columns)
{
	if (size == 0)
		return 0;
	struct display display = {.marks = MARKS_MOST, .out = out, .size = size, .most = max_columns};
	for (size_t at = 0; at < length;) {
		note_safe_place(&display);
		struct piece piece = next_piece(&display, bytes + at, length - at);
		if (!display_add(&display, &piece)) {
			cut(&display);
			break;
		}
		at += piece.taken;
	}
	out[display.length] = '\0';
	return display.columns;
}

size_t utf8_fit(const char *text, int columns, int *used)
{
	size_t at = 0;
	*used = 0;
	for (size_t length = strlen(text); at < length;) {
		uint32_t code_point;
		size_t size = utf8_decode(text + at, length - at, &code_point);
		int wide = size == 0 ? 1 : columns_of(code_point);
		if (wide < 0)
			wide = 0;
		if (wide > columns - *used)
			break;
		*used += wide;
		at += size == 0 ? 1 : size;
	}
	return at;
}

int utf8_width(const char *text)
{
	int used;
	utf8_fit(text, INT32_MAX, &used);
	return used;
}
