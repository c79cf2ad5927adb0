#include "base/i18n.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DOMAIN "rowscope"

static bool set_first(int category, const char *const *names)
{
	for (; *names != NULL; names++) {
		if (setlocale(category, *names) != NULL)
			return true;
	}
	return false;
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

void i18n_start(const char *language, const char *folder)
{
	/* gettext translates only outside the locale "C", and needs a locale that exists on this machine */
	static const char *const unicode[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8", NULL};
	if (language == NULL)
		language = environment_language();
	setlocale(LC_ALL, "C");
	setlocale(LC_CTYPE, "");
	if (strcasecmp(nl_langinfo(CODESET), "UTF-8") != 0)
		set_first(LC_CTYPE, unicode);
	set_first(LC_MESSAGES, unicode);
	setenv("LANGUAGE", strcmp(language, "zh") == 0 ? "zh" : "en", 1);
	if (folder != NULL)
		bindtextdomain(DOMAIN, folder);
	bind_textdomain_codeset(DOMAIN, "UTF-8");
	textdomain(DOMAIN);
}

const char *i18n_language(void)
{
	const char *language = getenv("LANGUAGE");
	return language != NULL && strncmp(language, "zh", 2) == 0 ? "zh" : "en";
}
