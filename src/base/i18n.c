#include "base/i18n.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

#define CATALOGUE_LIMIT (16 << 20)

/* A catalogue of gettext's binary form (GNU gettext manual, "The Format of GNU MO Files"): two tables of texts, the
 * originals in ascending order. */
struct catalogue {
	struct arena arena;
	const char *bytes; /* NULL: English */
	size_t size;
	uint32_t count, originals, translations;
	bool chinese;
};

/* The one language of the process, as in the C library; see the list in tests/check_names.sh. */
static struct catalogue catalogue;

static uint32_t word_at(size_t offset)
{
	const unsigned char *at = (const unsigned char *)catalogue.bytes + offset;
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Text `i` of a table of a catalogue that is whole. */
static const char *text_at(uint32_t table, uint32_t i)
{
	return catalogue.bytes + word_at((size_t)table + (size_t)i * 8 + 4);
}

/* Does text `i` of a table lie in the file, with a NUL behind it? */
static bool text_fits(uint32_t table, uint32_t i)
{
	size_t place = (size_t)table + (size_t)i * 8;
	uint32_t length = word_at(place), start = word_at(place + 4);
	return start < catalogue.size && length < catalogue.size - start && catalogue.bytes[start + length] == '\0';
}

static bool table_fits(uint32_t table)
{
	return table <= catalogue.size && catalogue.count <= (catalogue.size - table) / 8;
}

/* Looks at the whole file once, so that looking up needs no checks. */
static bool catalogue_is_whole(void)
{
	if (catalogue.size < 20 || word_at(0) != 0x950412de || word_at(4) > 1)
		return false;
	catalogue.count = word_at(8);
	catalogue.originals = word_at(12);
	catalogue.translations = word_at(16);
	if (!table_fits(catalogue.originals) || !table_fits(catalogue.translations))
		return false;
	const char *before = NULL;
	for (uint32_t i = 0; i < catalogue.count; i++) {
		if (!text_fits(catalogue.originals, i) || !text_fits(catalogue.translations, i))
			return false;
		const char *original = text_at(catalogue.originals, i);
		if (before != NULL && strcmp(before, original) >= 0)
			return false;
		before = original;
	}
	return true;
}

static void catalogue_load(const char *folder)
{
	char path[512];
	char *bytes = NULL;
	struct err none = ERR_INIT;
	if (!file_join(path, sizeof path, folder, "zh/LC_MESSAGES/rowscope.mo", &none) ||
		!file_load(path, CATALOGUE_LIMIT, &catalogue.arena, &bytes, &catalogue.size, &none))
		return;
	catalogue.bytes = bytes;
	if (!catalogue_is_whole())
		catalogue.bytes = NULL;
}

/* The language of the environment, by the precedence of POSIX: LC_ALL, LC_MESSAGES, LANG; the first that is set. */
static const char *environment_language(void)
{
	static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value != NULL && value[0] != '\0')
			return strncmp(value, "zh", 2) == 0 ? "zh" : "en";
	}
	return "en";
}

static void set_character_type(void)
{
	static const char *const unicode[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
	setlocale(LC_ALL, "C");
	setlocale(LC_CTYPE, "");
	for (size_t i = 0; i < sizeof unicode / sizeof *unicode; i++)
		if (strcasecmp(nl_langinfo(CODESET), "UTF-8") != 0)
			setlocale(LC_CTYPE, unicode[i]);
}

void i18n_start(const char *language, const char *folder)
{
	if (language == NULL)
		language = environment_language();
	set_character_type();
	arena_free(&catalogue.arena);
	catalogue = (struct catalogue){.arena = ARENA_INIT, .chinese = strcmp(language, "zh") == 0};
	if (catalogue.chinese && folder != NULL)
		catalogue_load(folder);
}

const char *i18n_language(void)
{
	return catalogue.chinese ? "zh" : "en";
}

/* The translation, or NULL. A plural entry is found by its first form. The empty text is the catalogue's header. */
static const char *find(const char *text)
{
	if (catalogue.bytes == NULL || text[0] == '\0')
		return NULL;
	uint32_t low = 0, high = catalogue.count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(text, text_at(catalogue.originals, middle));
		if (order == 0)
			return text_at(catalogue.translations, middle);
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const char *i18n_text(const char *text)
{
	const char *translation = find(text);
	return translation != NULL ? translation : text;
}

const char *i18n_plural(const char *one, const char *many, unsigned long n)
{
	const char *translation = find(one);
	if (translation != NULL)
		return translation;
	return n == 1 ? one : many;
}
