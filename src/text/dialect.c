#include "text/dialect.h"

#include <string.h>

#include "text/newer_classes.h"

#define SPACE \
	"\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define NOT_SPACE \
	"\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}" \
	"\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}"
/* unicode_is_word(), as a class */
#define WORD \
	"\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}" \
	"\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{1f169}\\x{1f170}-\\x{1f189}" NEWER_WORDS
#define HEX "0-9A-Fa-f"

/* An escape that PCRE2 reads otherwise. NULL: cannot be said there. */
struct escape {
	char letter;
	const char *outside, *inside; /* of a bracketed class */
};

static const struct escape escapes[] = {
	{'s', "[" SPACE "]", SPACE},
	{'S', "[^" SPACE "]", NOT_SPACE},
	{'w', "[" WORD "]", WORD},
	{'W', "[^" WORD "]", NULL},
	{'h', "[" HEX "]", HEX},
	{'H', "[^" HEX "]", NULL},
	{'d', "\\p{Nd}", "\\p{Nd}"},
	{'D', "\\P{Nd}", "\\P{Nd}"},
	{'v', "\\x{b}", "\\x{b}"},
	{'b', "(?:(?<=[" WORD "])(?![" WORD "])|(?<![" WORD "])(?=[" WORD "]))", "\\x{8}"},
	{'B', "(?:(?<=[" WORD "])(?=[" WORD "])|(?<![" WORD "])(?![" WORD "]))", NULL},
	{'A', "\\A", NULL},
	{'Z', "\\Z", NULL},
	{'z', "\\z", NULL},
	{'n', "\\n", "\\n"},
	{'t', "\\t", "\\t"},
	{'r', "\\r", "\\r"},
	{'f', "\\f", "\\f"},
	{'a', "\\a", "\\a"},
	{'e', "\\e", "\\e"},
};

struct reader {
	const char *text;
	size_t length, at;
	bool in_class;
	struct buf *out;
	struct dialect_problem *problem;
};

static bool refuse(struct reader *reader, size_t offset, const char *what)
{
	*reader->problem = (struct dialect_problem){offset, what};
	return false;
}

static bool sees(const struct reader *reader, const char *text)
{
	size_t length = strlen(text);
	return reader->length - reader->at >= length && memcmp(reader->text + reader->at, text, length) == 0;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* \uHHHH */
static bool unicode_escape(struct reader *reader)
{
	size_t start = reader->at;
	reader->at += 2;
	for (size_t i = 0; i < 4; i++) {
		if (reader->at + i >= reader->length || !is_hex(reader->text[reader->at + i]))
			return refuse(reader, start, "a \\u without four hexadecimal digits");
	}
	buf_add_text(reader->out, "\\x{");
	buf_add(reader->out, reader->text + reader->at, 4);
	buf_add_text(reader->out, "}");
	reader->at += 4;
	return true;
}

/* \p{L} and its like with the characters that PCRE2's tables do not have; false: left to the caller. */
static bool category(struct reader *reader)
{
	static const struct {
		const char *name, *newer;
	} known[] = {{"{L}", NEWER_L}, {"{M}", NEWER_M}, {"{N}", NEWER_N}, {"{P}", NEWER_P}, {"{S}", NEWER_S}};
	bool negated = reader->text[reader->at + 1] == 'P';
	if (negated && reader->in_class)
		return false;
	reader->at += 2;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (!sees(reader, known[i].name))
			continue;
		const char *form = reader->in_class ? "\\p%s%s" : negated ? "[^\\p%s%s]" : "[\\p%s%s]";
		buf_printf(reader->out, form, known[i].name, known[i].newer);
		reader->at += 3;
		return true;
	}
	reader->at -= 2;
	return false;
}

/* \p{...}, \P{...}, \x{...}: the same in PCRE2. */
static bool braced_escape(struct reader *reader)
{
	const char *start = reader->text + reader->at;
	size_t left = reader->length - reader->at;
	const char *end = left > 2 && start[2] == '{' ? memchr(start, '}', left) : NULL;
	if (end == NULL)
		return refuse(reader, reader->at, "an escape without its braces");
	buf_add(reader->out, start, (size_t)(end - start) + 1);
	reader->at += (size_t)(end - start) + 1;
	return true;
}

/* \xHH, of an ASCII character: beyond that it would be a byte, not a character. */
static bool hex_escape(struct reader *reader)
{
	const char *digits = reader->text + reader->at + 2;
	if (reader->length - reader->at < 4 || digits[0] < '0' || digits[0] > '7' || !is_hex(digits[1]))
		return braced_escape(reader);
	buf_printf(reader->out, "\\x{%c%c}", digits[0], digits[1]);
	reader->at += 4;
	return true;
}

static bool escape(struct reader *reader)
{
	size_t start = reader->at;
	if (start + 1 >= reader->length)
		return refuse(reader, start, "a backslash at the end");
	char letter = reader->text[start + 1];
	if (letter == 'u')
		return unicode_escape(reader);
	if (letter == 'x')
		return hex_escape(reader);
	if (letter == 'p' || letter == 'P')
		return category(reader) || braced_escape(reader);
	if (is_digit(letter) && (letter == '0' || reader->in_class))
		return refuse(reader, start, "an octal escape");
	if (!is_letter(letter)) {
		buf_add(reader->out, reader->text + start, 2);
		reader->at += 2;
		return true;
	}
	for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
		const char *meaning = reader->in_class ? escapes[i].inside : escapes[i].outside;
		if (escapes[i].letter != letter || meaning == NULL)
			continue;
		buf_add_text(reader->out, meaning);
		reader->at += 2;
		return true;
	}
	return refuse(reader, start, "an escape that is not supported there");
}

/* The first characters of a class: '[', '^', and a ']' that is meant as itself. */
static void open_class(struct reader *reader)
{
	reader->in_class = true;
	buf_add_char(reader->out, '[');
	reader->at++;
	if (sees(reader, "^")) {
		buf_add_char(reader->out, '^');
		reader->at++;
	}
	if (sees(reader, "]")) {
		buf_add_text(reader->out, "\\]");
		reader->at++;
	}
}

static bool class_character(struct reader *reader)
{
	if (sees(reader, "[:"))
		return refuse(reader, reader->at, "a POSIX bracket");
	if (sees(reader, "["))
		return refuse(reader, reader->at, "a class inside a class");
	if (sees(reader, "&&"))
		return refuse(reader, reader->at, "an intersection of classes");
	if (sees(reader, "]"))
		reader->in_class = false;
	buf_add_char(reader->out, reader->text[reader->at++]);
	return true;
}

/* "(?": look-around, atomic and named groups, comments, and the flags i and -i. */
static bool group(struct reader *reader)
{
	static const char *const known[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?#"};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (!sees(reader, known[i]))
			continue;
		buf_add_text(reader->out, known[i]);
		reader->at += strlen(known[i]);
		return true;
	}
	if (sees(reader, "(?<") && reader->at + 3 < reader->length && is_letter(reader->text[reader->at + 3])) {
		buf_add_text(reader->out, "(?<");
		reader->at += 3;
		return true;
	}
	size_t end = reader->at + 2;
	while (end < reader->length && (reader->text[end] == 'i' || reader->text[end] == '-'))
		end++;
	if (end == reader->at + 2 || end >= reader->length || (reader->text[end] != ':' && reader->text[end] != ')'))
		return refuse(reader, reader->at, "a kind of group that is not supported");
	buf_add(reader->out, reader->text + reader->at, end + 1 - reader->at);
	reader->at = end + 1;
	return true;
}

/* Bytes of the interval {n}, {n,}, {n,m} or {,m} here; 0 when the brace is only a brace. */
static size_t interval(const struct reader *reader)
{
	size_t at = reader->at + 1, digits = 0, commas = 0;
	for (; at < reader->length && (is_digit(reader->text[at]) || reader->text[at] == ','); at++) {
		if (reader->text[at] == ',')
			commas++;
		else
			digits++;
	}
	bool closed = at < reader->length && reader->text[at] == '}';
	return closed && digits > 0 && commas <= 1 ? at + 1 - reader->at : 0;
}

static bool brace(struct reader *reader)
{
	size_t length = interval(reader);
	if (length == 0) {
		buf_add_text(reader->out, "\\{");
		reader->at++;
		return true;
	}
	const char *text = reader->text + reader->at;
	buf_add_text(reader->out, text[1] == ',' ? "{0" : "{");
	buf_add(reader->out, text + 1, length - 1);
	bool fixed = memchr(text, ',', length) == NULL;
	reader->at += length;
	if (sees(reader, "+") || (fixed && sees(reader, "?")))
		return refuse(reader, reader->at, "a quantifier after an interval");
	return true;
}

static bool step(struct reader *reader)
{
	char c = reader->text[reader->at];
	if (c == '\\')
		return escape(reader);
	if (reader->in_class)
		return class_character(reader);
	if (c == '[') {
		open_class(reader);
		return true;
	}
	if (sees(reader, "(*"))
		return refuse(reader, reader->at, "a control verb");
	if (sees(reader, "(?"))
		return group(reader);
	if (c == '{')
		return brace(reader);
	buf_add_char(reader->out, c);
	reader->at++;
	return true;
}

bool dialect_translate(const char *pattern, size_t length, struct buf *out, struct dialect_problem *problem)
{
	struct reader reader = {pattern, length, 0, false, out, problem};
	while (reader.at < length) {
		if (!step(&reader))
			return false;
	}
	return true;
}
