#include "text/metaspace.h"

#include <string.h>

#include "base/utf8.h"
#include "text/setting.h"

const char *const metaspace_keys[] = {"type", "replacement", "prepend_scheme", "add_prefix_space", "split", "str_rep",
	NULL};

static bool read_scheme(struct metaspace *metaspace, const struct json *node, struct err *err)
{
	static const char *const names[] = {"always", "first", "never"};
	const char *name;
	size_t length;
	bool prefix;
	if (!setting_text(node, "prepend_scheme", &name, &length, err) ||
		!setting_bool(node, "add_prefix_space", true, &prefix, err))
		return false;
	metaspace->scheme = prefix ? METASPACE_ALWAYS : METASPACE_NEVER;
	if (name == NULL)
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0) {
			metaspace->scheme = (enum metaspace_scheme)i;
			return prefix || metaspace->scheme == METASPACE_NEVER ||
				json_error(json_find(node, "add_prefix_space"), err,
					"it contradicts prepend_scheme \"%s\"", name);
		}
	}
	return json_error(json_find(node, "prepend_scheme"), err, "\"always\", \"first\" or \"never\" was expected");
}

bool metaspace_load(struct metaspace *metaspace, const struct json *node, struct err *err)
{
	const struct json *member;
	const char *text;
	uint32_t c;
	if (!setting_need(node, "replacement", &member, err) || !json_string(member, &text, &metaspace->length, err))
		return false;
	if (metaspace->length == 0 || utf8_decode(text, metaspace->length, &c) != metaspace->length)
		return json_error(member, err, "one character was expected");
	memcpy(metaspace->text, text, metaspace->length);
	metaspace->text[metaspace->length] = '\0';
	return read_scheme(metaspace, node, err) && setting_bool(node, "split", true, &metaspace->split, err);
}
