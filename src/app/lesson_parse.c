#include "app/lesson.h"

#include <cmark.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/utf8.h"

/* A lesson under construction. */
struct reading {
	struct lesson *lesson;
	struct buf text; /* of the step so far */
	bool is_open;    /* the step has something in it */
};

bool lesson_error(const struct lesson *lesson, int line, struct err *err, const char *format, ...)
{
	char where[32], message[512];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	snprintf(where, sizeof where, "line %d", line);
	return err_input(err, lesson->file, where, "%s", message);
}

/* Does Chinese (or another wide character) end the text? Then a line break is no blank. */
static bool ends_wide(const struct buf *text)
{
	size_t at = text->length;
	if (at == 0)
		return false;
	while (at > 0 && ((unsigned char)text->data[--at] & 0xC0) == 0x80) {
	}
	uint32_t code = 0;
	return utf8_decode(text->data + at, text->length - at, &code) > 0 && code >= 0x2E80;
}

/* The text of inline nodes: emphasis and links are said by their words. */
static void add_inlines(cmark_node *node, struct buf *text)
{
	for (; node != NULL; node = cmark_node_next(node)) {
		switch (cmark_node_get_type(node)) {
		case CMARK_NODE_TEXT:
		case CMARK_NODE_CODE: buf_add_text(text, cmark_node_get_literal(node)); break;
		case CMARK_NODE_SOFTBREAK:
			if (!ends_wide(text))
				buf_add_char(text, ' ');
			break;
		case CMARK_NODE_LINEBREAK: buf_add_char(text, '\n'); break;
		default: add_inlines(cmark_node_first_child(node), text);
		}
	}
}

#define MAX_DEPTH 16

/* Blocks as lines, each paragraph on one; `lead` stands before the first. */
static void add_block(cmark_node *node, const char *lead, int depth, struct buf *text)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_PARAGRAPH:
	case CMARK_NODE_HEADING:
		buf_add_text(text, lead);
		add_inlines(cmark_node_first_child(node), text);
		buf_add_char(text, '\n');
		return;
	case CMARK_NODE_CODE_BLOCK: buf_add_text(text, cmark_node_get_literal(node)); return;
	case CMARK_NODE_ITEM: lead = "- "; break;
	case CMARK_NODE_BLOCK_QUOTE: lead = "| "; break;
	default: break;
	}
	for (cmark_node *child = cmark_node_first_child(node); child != NULL && depth < MAX_DEPTH;
		child = cmark_node_next(child))
		add_block(child, lead, depth + 1, text);
}

static struct lesson_step *current(struct reading *reading)
{
	return &reading->lesson->steps[reading->lesson->step_count];
}

static void take_text(struct reading *reading)
{
	struct arena *arena = &reading->lesson->arena;
	while (reading->text.length > 0 && reading->text.data[reading->text.length - 1] == '\n')
		reading->text.length--;
	current(reading)->text = arena_strndup(arena, buf_text(&reading->text), reading->text.length);
	buf_clear(&reading->text);
}

/* Closes the step, if anything is in it, and begins the next. */
static bool end_step(struct reading *reading, int line, struct err *err)
{
	if (!reading->is_open)
		return true;
	take_text(reading);
	reading->is_open = false;
	if (++reading->lesson->step_count == LESSON_MAX_STEPS)
		return lesson_error(reading->lesson, line, err, _("a lesson has fewer than %d steps"),
			LESSON_MAX_STEPS);
	current(reading)->title = current(reading)->text = "";
	return true;
}

static bool is_refused(const char *line)
{
	static const char *const refused[] = {"export", "copy", "quit", "close", "lesson", "answer", "hint", "choose"};
	size_t length = strcspn(line, " \t");
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		if (strlen(refused[i]) == length && memcmp(refused[i], line, length) == 0)
			return true;
	return false;
}

static bool add_commands(struct reading *reading, const char *text, int line, struct err *err)
{
	struct lesson_step *step = current(reading);
	struct arena *arena = &reading->lesson->arena;
	if (step->commands == NULL) {
		step->commands = ARENA_ARRAY(arena, const char *, LESSON_MAX_COMMANDS);
		step->command_lines = ARENA_ARRAY(arena, int, LESSON_MAX_COMMANDS);
	}
	for (; text[0] != '\0'; line++) {
		size_t length = strcspn(text, "\n");
		const char *command = arena_strndup(arena, text, length);
		command += strspn(command, " \t");
		text += length + (text[length] == '\n');
		if (command[0] == '\0' || command[0] == '#')
			continue;
		if (is_refused(command))
			return lesson_error(reading->lesson, line, err, _("a lesson may not run `%.40s`"), command);
		if (step->command_count == LESSON_MAX_COMMANDS)
			return lesson_error(reading->lesson, line, err, _("a step has at most %d commands"),
				LESSON_MAX_COMMANDS);
		step->command_lines[step->command_count] = line;
		step->commands[step->command_count++] = command;
	}
	reading->is_open = true;
	return true;
}

static bool is_known_id(const struct lesson *lesson, const char *id)
{
	for (int i = 0; i < lesson->step_count; i++)
		if (lesson->steps[i].check != NULL && strcmp(lesson->steps[i].check->id, id) == 0)
			return true;
	return false;
}

static bool add_check(struct reading *reading, const char *text, int line, struct err *err)
{
	struct lesson *lesson = reading->lesson;
	struct lesson_check *check = ARENA_NEW(&lesson->arena, struct lesson_check);
	if (!lesson_parse_check(check, lesson, text, line, &lesson->arena, err))
		return false;
	if (is_known_id(lesson, check->id))
		return lesson_error(lesson, line, err, _("another check has the id '%s' already"), check->id);
	current(reading)->check = check;
	reading->is_open = true;
	return end_step(reading, line, err);
}

static bool add_heading(struct reading *reading, cmark_node *node, int line, struct err *err)
{
	struct lesson *lesson = reading->lesson;
	struct buf title = BUF_INIT;
	int level = cmark_node_get_heading_level(node);
	if (level > 2) {
		add_block(node, "", 0, &reading->text);
		reading->is_open = true;
		return true;
	}
	bool ok = end_step(reading, line, err);
	add_inlines(cmark_node_first_child(node), &title);
	const char *copy = arena_strdup(&lesson->arena, buf_text(&title));
	if (ok && level == 1)
		lesson->title = copy;
	else if (ok)
		current(reading)->title = copy;
	buf_free(&title);
	return ok;
}

static bool add_node(struct reading *reading, cmark_node *node, struct err *err)
{
	cmark_node_type type = cmark_node_get_type(node);
	int line = cmark_node_get_start_line(node);
	const char *fence = type == CMARK_NODE_CODE_BLOCK ? cmark_node_get_fence_info(node) : "";
	if (type == CMARK_NODE_HEADING)
		return add_heading(reading, node, line, err);
	if (strcmp(fence, "rowscope") == 0)
		return add_commands(reading, cmark_node_get_literal(node), line + 1, err);
	if (strcmp(fence, "check") == 0)
		return add_check(reading, cmark_node_get_literal(node), line, err);
	if (type == CMARK_NODE_HTML_BLOCK)
		return true; /* speaker notes are comments */
	add_block(node, "", 0, &reading->text);
	reading->is_open = true;
	return true;
}

static const char *id_of(const char *path, struct arena *arena)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	return arena_strndup(arena, name, dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bool read_document(struct lesson *lesson, cmark_node *document, struct err *err)
{
	struct reading reading = {.lesson = lesson};
	bool ok = true;
	for (cmark_node *node = cmark_node_first_child(document); ok && node != NULL; node = cmark_node_next(node))
		ok = add_node(&reading, node, err);
	ok = ok && end_step(&reading, 1, err);
	buf_free(&reading.text);
	if (ok && lesson->title[0] == '\0')
		ok = lesson_error(lesson, 1, err, _("a lesson begins with its title: a line '# Title'"));
	if (ok && lesson->step_count == 0)
		ok = lesson_error(lesson, 1, err,
			_("a lesson has at least one step: a line '## Step' and text below it"));
	return ok;
}

/* The line of a byte, from 1. */
static int line_of(const char *bytes, size_t at)
{
	int line = 1;
	for (size_t i = 0; i < at; i++)
		line += bytes[i] == '\n';
	return line;
}

/* Where a text stops being text: at the first byte that is no UTF-8, or a NUL; `length` when it never does. */
static size_t text_length(const char *bytes, size_t length)
{
	size_t at = 0, step;
	uint32_t code_point;
	while (at < length && bytes[at] != '\0' && (step = utf8_decode(bytes + at, length - at, &code_point)) > 0)
		at += step;
	return at;
}

/* The line is told where the bad byte is, not where the file begins. */
static bool check_text(const struct lesson *lesson, const char *bytes, size_t length, struct err *err)
{
	size_t good = text_length(bytes, length);
	if (good == length)
		return true;
	return lesson_error(lesson, line_of(bytes, good), err,
		bytes[good] == '\0' ? _("the text holds a NUL byte") : _("this is not UTF-8; save the file as UTF-8"));
}

bool lesson_parse(struct lesson *lesson, const char *path, const char *bytes, size_t length, struct err *err)
{
	*lesson = (struct lesson){.title = "", .arena = ARENA_INIT};
	lesson->file = arena_strdup(&lesson->arena, path);
	lesson->id = id_of(path, &lesson->arena);
	lesson->steps = ARENA_ARRAY(&lesson->arena, struct lesson_step, LESSON_MAX_STEPS + 1);
	lesson->steps[0].title = lesson->steps[0].text = "";
	bool ok = length <= LESSON_MAX_FILE ||
		lesson_error(lesson, 1, err, _("a lesson has at most %d bytes"), LESSON_MAX_FILE);
	ok = ok && check_text(lesson, bytes, length, err);
	if (ok) {
		cmark_node *document = cmark_parse_document(bytes, length, CMARK_OPT_DEFAULT);
		ok = read_document(lesson, document, err);
		cmark_node_free(document);
	}
	if (!ok)
		lesson_free(lesson);
	return ok;
}

bool lesson_load(struct lesson *lesson, const char *path, struct err *err)
{
	struct arena arena = ARENA_INIT;
	char *bytes = NULL;
	size_t length = 0;
	bool ok = file_load(path, LESSON_MAX_FILE, &arena, &bytes, &length, err) &&
		lesson_parse(lesson, path, bytes, length, err);
	arena_free(&arena);
	return ok;
}

void lesson_free(struct lesson *lesson)
{
	arena_free(&lesson->arena);
	*lesson = (struct lesson){0};
}
