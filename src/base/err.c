#include "base/err.h"

#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"

/* A text that the end of its field cuts inside a character loses that character's first bytes too, so that the cut
 * never looks like an invalid byte of the file. */
static void trim_cut_character(char *text, size_t length)
{
	size_t start = length;
	while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	uint32_t code_point;
	if (start > 0 && (unsigned char)text[start - 1] >= 0xc0 &&
		utf8_decode(text + start - 1, length - start + 1, &code_point) == 0)
		text[start - 1] = '\0';
}

static void set_text(char *field, size_t size, const char *text)
{
	if (text == NULL)
		text = "";
	int length = snprintf(field, size, "%s", text);
	if (length >= (int)size)
		trim_cut_character(field, size - 1);
}

static bool set(struct err *err, enum err_kind kind, const char *format, va_list args)
{
	if (err->kind != ERR_NONE)
		return false;
	err->kind = kind;
	err->file[0] = err->where[0] = '\0';
	err->is_taken = false;
	int length = vsnprintf(err->message, sizeof err->message, format, args);
	if (length >= (int)sizeof err->message)
		trim_cut_character(err->message, sizeof err->message - 1);
	return true;
}

bool err_usage(struct err *err, const char *where, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (set(err, ERR_USAGE, format, args))
		set_text(err->where, sizeof err->where, where);
	va_end(args);
	return false;
}

bool err_taken(struct err *err, const char *path, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (set(err, ERR_USAGE, format, args)) {
		set_text(err->where, sizeof err->where, path);
		err->is_taken = true;
	}
	va_end(args);
	return false;
}

bool err_input(struct err *err, const char *file, const char *where, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (set(err, ERR_INPUT, format, args)) {
		set_text(err->file, sizeof err->file, file);
		set_text(err->where, sizeof err->where, where);
	}
	va_end(args);
	return false;
}

bool err_system(struct err *err, const char *file, int number, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (set(err, ERR_SYSTEM, format, args)) {
		set_text(err->file, sizeof err->file, file);
		size_t length = strlen(err->message);
		if (number != 0)
			snprintf(err->message + length, sizeof err->message - length, ": %s", strerror(number));
	}
	va_end(args);
	return false;
}

void err_in_file(struct err *err, const char *file)
{
	if (err->kind != ERR_NONE && err->file[0] == '\0')
		set_text(err->file, sizeof err->file, file);
}

void err_hint(struct err *err, const char *hint)
{
	size_t length = strlen(err->message);
	if (err->kind == ERR_NONE)
		return;
	if (snprintf(err->message + length, sizeof err->message - length, "; %s", hint) >=
		(int)(sizeof err->message - length))
		trim_cut_character(err->message, sizeof err->message - 1);
}

void err_clear(struct err *err)
{
	err->is_taken = false;
	err->kind = ERR_NONE;
	err->message[0] = err->file[0] = err->where[0] = '\0';
}

int err_exit_status(const struct err *err)
{
	return (int)err->kind;
}

/* Appends `part` made visible, then `after`. */
static void append(char *text, size_t size, const char *part, const char *after)
{
	size_t length = strlen(text);
	utf8_display(part, strlen(part), text + length, size - length, -1);
	length += strlen(text + length);
	snprintf(text + length, size - length, "%s", after);
}

void err_text(const struct err *err, char *text, size_t size)
{
	if (size == 0)
		return;
	text[0] = '\0';
	if (err->file[0] != '\0')
		append(text, size, err->file, ": ");
	if (err->where[0] != '\0')
		append(text, size, err->where, ": ");
	append(text, size, err->message, "");
}

void err_print(const struct err *err, FILE *out)
{
	/* every byte of the three fields may become an escape of four characters */
	char text[4 * (sizeof err->message + sizeof err->file + sizeof err->where)];
	err_text(err, text, sizeof text);
	fprintf(out, "%s\n", text);
}
