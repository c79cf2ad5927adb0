#include "text/setting.h"

bool setting_is_absent(const struct json *node)
{
	return node == NULL || node->type == JSON_NULL;
}

const struct json *setting_find(const struct json *node, const char *key)
{
	const struct json *member = json_find(node, key);
	return setting_is_absent(member) ? NULL : member;
}

bool setting_need(const struct json *node, const char *key, const struct json **member, struct err *err)
{
	*member = setting_find(node, key);
	if (*member == NULL)
		return json_error(node, err, "the member \"%s\" is missing", key);
	return true;
}

bool setting_bool(const struct json *node, const char *key, bool otherwise, bool *value, struct err *err)
{
	const struct json *member = setting_find(node, key);
	*value = otherwise;
	return member == NULL || json_bool(member, value, err);
}

bool setting_text(const struct json *node, const char *key, const char **text, size_t *length, struct err *err)
{
	const struct json *member = setting_find(node, key);
	*text = NULL;
	*length = 0;
	return member == NULL || json_string(member, text, length, err);
}

bool setting_type(const struct json *node, const char **type, struct err *err)
{
	if (node->type != JSON_OBJECT)
		return json_error(node, err, "an object with a \"type\" was expected");
	return json_get_string(node, "type", type, err);
}
