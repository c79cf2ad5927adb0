/*
 * i18n.h: sentences for people, translatable. English text is the key; `_("...")` looks it up, `N_("...")`
 * only marks it. i18n_start() is called once by the program: it sets LC_CTYPE from the environment (so that
 * widths are right) and leaves every other category at "C" (so that 0.75 is read as 0.75 everywhere).
 *
 * Catalogues are those of gettext (xgettext, msgmerge and msgfmt make them), but they are read here and not by the C
 * library, which translates nothing where no locale but C.UTF-8 is installed, as in a container.
 *
 *     i18n_start("zh", "share/rowscope/locale");
 *     puts(_("isolation ok"));
 *     printf(P_("%d row\n", "%d rows\n", (unsigned long)n), n);
 */
#ifndef BASE_I18N_H
#define BASE_I18N_H

#define _(text) i18n_text(text)
#define N_(text) text
#define P_(one, many, n) i18n_plural((one), (many), (n))

#if defined(__GNUC__)
#define I18N_FORMAT(at) __attribute__((format_arg(at)))
#else
#define I18N_FORMAT(at)
#endif

/* `language` is "en", "zh" or NULL (from LC_ALL, LC_MESSAGES, LANG); `folder` holds <lang>/LC_MESSAGES/
 * rowscope.mo or is NULL. A catalogue that is missing or damaged leaves English. Not to be called while other
 * threads translate. */
void i18n_start(const char *language, const char *folder);
/* "en" or "zh": the language in use. Constant text. */
const char *i18n_language(void);

/* The translation of a text, or the text itself. Lives until the next i18n_start. */
const char *i18n_text(const char *text) I18N_FORMAT(1);
/* The same for a sentence about `n` things: `one` is its English form for 1. Chinese has one form. */
const char *i18n_plural(const char *one, const char *many, unsigned long n) I18N_FORMAT(1) I18N_FORMAT(2);

#endif
