/*
 * i18n.h: sentences for people, translatable. English text is the key; `_("...")` looks it up, `N_("...")`
 * only marks it. i18n_start() is called once by the program: it sets LC_CTYPE from the environment (so that
 * widths are right) and leaves every other category at "C" (so that 0.75 is read as 0.75 everywhere).
 */
#ifndef BASE_I18N_H
#define BASE_I18N_H

#include <libintl.h>

#define _(text) gettext(text)
#define N_(text) text

/* `language` is "en", "zh" or NULL (from LC_ALL, LC_MESSAGES, LANG); `folder` holds <lang>/LC_MESSAGES/
 * rowscope.mo or is NULL. */
void i18n_start(const char *language, const char *folder);
/* "en" or "zh": the language in use. */
const char *i18n_language(void);

#endif
