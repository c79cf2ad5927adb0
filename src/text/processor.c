#include "text/processor.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/setting.h"
#include "text/unicode.h"

/* ---- loading ---- */

static bool load_byte_level(struct processor_step *step, const struct json *node, struct err *err)
{
	static const char *const known[] = {"type", "add_prefix_space", "trim_offsets", "use_regex", NULL};
	bool use_words;
	return json_only_keys(node, known, err) &&
		setting_bool(node, "add_prefix_space", true, &step->prefix_space, err) &&
		setting_bool(node, "trim_offsets", true, &step->trims, err) &&
		setting_bool(node, "use_regex", true, &use_words, err);
}

/* The IDs that "special_tokens" gives to a name. */
static bool find_ids(const struct json *node, const struct json *name, const struct json **ids, struct err *err)
{
	const struct json *all, *entry, *text;
	if (!setting_need(name, "id", &text, err))
		return false;
	if (text->type != JSON_STRING)
		return json_error(text, err, "the name of a special token was expected");
	if (!setting_need(node, "special_tokens", &all, err))
		return false;
	entry = setting_find(all, text->text);
	if (entry == NULL)
		return json_error(text, err, "the special token \"%s\" is not in special_tokens", text->text);
	if (!setting_need(entry, "ids", ids, err))
		return false;
	return (*ids)->type == JSON_ARRAY || json_error(*ids, err, "a list of IDs was expected");
}

static bool append_ids(const struct json *ids, int32_t *list, size_t *count, size_t room, struct err *err)
{
	if (ids->count > room - *count)
		return json_error(ids, err, "a template of more than %zu tokens is not supported", room);
	for (size_t i = 0; i < ids->count; i++) {
		int64_t id;
		if (!json_int(ids->items[i], 0, VOCAB_MAX_ID, &id, err))
			return false;
		list[(*count)++] = (int32_t)id;
	}
	return true;
}

enum { TEMPLATE_ROOM = 256 };

/* One part of the template: a special token, or the text, which is "A". */
static bool load_part(struct processor_step *step, const struct json *node, const struct json *part, bool *seen_text,
	struct err *err)
{
	const struct json *token = setting_find(part, "SpecialToken"), *text = setting_find(part, "Sequence"), *ids;
	const char *name;
	if (token != NULL) {
		int32_t *list = *seen_text ? step->after : step->before;
		size_t *count = *seen_text ? &step->after_count : &step->before_count;
		return find_ids(node, token, &ids, err) && append_ids(ids, list, count, TEMPLATE_ROOM, err);
	}
	if (text == NULL)
		return json_error(part, err, "a SpecialToken or a Sequence was expected");
	if (!json_get_string(text, "id", &name, err))
		return false;
	if (strcmp(name, "A") != 0 || *seen_text)
		return json_error(part, err, "the template of a single text must hold the Sequence \"A\" exactly once");
	*seen_text = true;
	return true;
}

static bool load_template(struct processor_step *step, const struct json *node, struct arena *arena, struct err *err)
{
	static const char *const known[] = {"type", "single", "pair", "special_tokens", NULL};
	const struct json *single;
	bool seen_text = false;
	if (!json_only_keys(node, known, err) || !setting_need(node, "single", &single, err))
		return false;
	if (single->type != JSON_ARRAY)
		return json_error(single, err, "a list of template parts was expected");
	step->before = ARENA_ARRAY(arena, int32_t, TEMPLATE_ROOM);
	step->after = ARENA_ARRAY(arena, int32_t, TEMPLATE_ROOM);
	for (size_t i = 0; i < single->count; i++) {
		if (!load_part(step, node, single->items[i], &seen_text, err))
			return false;
	}
	if (!seen_text)
		return json_error(single, err,
			"the template of a single text must hold the Sequence \"A\" exactly once");
	return true;
}

/* ["[CLS]", 101]: a token put before the text or after it. */
static bool load_end(const struct json *node, const char *key, struct arena *arena, int32_t **ids, size_t *count,
	struct err *err)
{
	const struct json *pair;
	const char *name;
	size_t length;
	int64_t id;
	if (!setting_need(node, key, &pair, err))
		return false;
	if (pair->type != JSON_ARRAY || pair->count != 2)
		return json_error(pair, err, "a token and its ID were expected");
	if (!json_string(pair->items[0], &name, &length, err) || !json_int(pair->items[1], 0, VOCAB_MAX_ID, &id, err))
		return false;
	*ids = ARENA_NEW(arena, int32_t);
	**ids = (int32_t)id;
	*count = 1;
	return true;
}

static bool load_ends(struct processor_step *step, const struct json *node, struct arena *arena, struct err *err)
{
	return load_end(node, "cls", arena, &step->before, &step->before_count, err) &&
		load_end(node, "sep", arena, &step->after, &step->after_count, err);
}

static bool load_bert(struct processor_step *step, const struct json *node, struct arena *arena, struct err *err)
{
	static const char *const known[] = {"type", "sep", "cls", NULL};
	return json_only_keys(node, known, err) && load_ends(step, node, arena, err);
}

static bool load_roberta(struct processor_step *step, const struct json *node, struct arena *arena, struct err *err)
{
	static const char *const known[] = {"type", "sep", "cls", "trim_offsets", "add_prefix_space", NULL};
	return json_only_keys(node, known, err) && setting_bool(node, "trim_offsets", true, &step->trims, err) &&
		setting_bool(node, "add_prefix_space", true, &step->prefix_space, err) &&
		load_ends(step, node, arena, err);
}

static bool load_step(struct processor_step *step, const struct json *node, const char *type, struct arena *arena,
	struct err *err)
{
	if (strcmp(type, "ByteLevel") == 0)
		return load_byte_level(step, node, err);
	if (strcmp(type, "TemplateProcessing") == 0)
		return load_template(step, node, arena, err);
	if (strcmp(type, "BertProcessing") == 0)
		return load_bert(step, node, arena, err);
	if (strcmp(type, "RobertaProcessing") == 0)
		return load_roberta(step, node, arena, err);
	return json_error(node, err, "a post-processor of type \"%s\" is not supported", type);
}

static bool load_any(struct processor *processor, const struct json *node, struct arena *arena, struct err *err)
{
	static const char *const known[] = {"type", "processors", NULL};
	const char *type;
	const struct json *list;
	if (!setting_type(node, &type, err))
		return false;
	if (strcmp(type, "Sequence") != 0) {
		processor->steps = mem_resize(processor->steps, processor->count + 1, sizeof *processor->steps);
		struct processor_step *step = &processor->steps[processor->count++];
		*step = (struct processor_step){0};
		return load_step(step, node, type, arena, err);
	}
	if (!json_only_keys(node, known, err) || !setting_need(node, "processors", &list, err))
		return false;
	if (list->type != JSON_ARRAY)
		return json_error(list, err, "a list of post-processors was expected");
	for (size_t i = 0; i < list->count; i++) {
		if (!load_any(processor, list->items[i], arena, err))
			return false;
	}
	return true;
}

bool processor_load(struct processor *processor, const struct json *node, struct arena *arena, struct err *err)
{
	*processor = (struct processor){0};
	return setting_is_absent(node) || load_any(processor, node, arena, err);
}

void processor_free(struct processor *processor)
{
	free(processor->steps);
	*processor = (struct processor){0};
}

/* ---- running ---- */

/* Bytes of white space at the start and at the end of a token. `spelled`: as a vocabulary spells it, where U+0120 is a
 * space of one byte. */
static void count_blanks(const char *text, size_t length, bool spelled, size_t *leading, size_t *trailing)
{
	bool blank_so_far = true;
	*leading = *trailing = 0;
	for (size_t at = 0; at < length;) {
		uint32_t c = 0;
		size_t step = utf8_decode(text + at, length - at, &c);
		bool space = spelled && c == 0x120, blank = space || unicode_is_space(c);
		blank_so_far = blank_so_far && blank;
		*leading += !blank_so_far ? 0 : space ? 1 : step;
		*trailing = !blank ? 0 : *trailing + (space ? 1 : step);
		at += step > 0 ? step : 1;
	}
}

static void trim(const struct processor_step *step, bool first, size_t leading, size_t trailing,
	struct tokenizer_token *token)
{
	if (leading == 1 && step->prefix_space && (first || token->start == 0))
		leading = 0;
	size_t start = token->start + leading;
	token->start = start < token->end ? start : token->end;
	if (trailing <= token->end)
		token->end = token->end - trailing > token->start ? token->end - trailing : token->start;
}

/* By how the vocabulary spells a token; of an added token by the text it was found in, whose space it may have
 * taken. */
static void trim_all(const struct processor_step *step, const struct processor_texts *texts,
	struct subword_output *output)
{
	for (size_t i = 0; i < output->count; i++) {
		struct tokenizer_token *token = &output->tokens[i];
		const struct vocab_entry *entry = vocab_entry(texts->vocab, token->id);
		size_t leading = 0, trailing = 0;
		if (added_by_id(texts->added, token->id) != NULL)
			count_blanks(texts->text + token->start, token->end - token->start, false, &leading, &trailing);
		else if (entry != NULL)
			count_blanks(entry->text, entry->length, true, &leading, &trailing);
		trim(step, i == 0, leading, trailing, token);
	}
}

static void surround(const struct processor_step *step, struct subword_output *output)
{
	size_t count = output->count;
	for (size_t i = 0; i < step->before_count; i++) /* makes room; moved to the front below */
		subword_emit(output, step->before[i], 0, 0);
	if (step->before_count > 0) {
		memmove(output->tokens + step->before_count, output->tokens, count * sizeof *output->tokens);
		for (size_t i = 0; i < step->before_count; i++)
			output->tokens[i] = (struct tokenizer_token){step->before[i], 0, 0};
	}
	for (size_t i = 0; i < step->after_count; i++)
		subword_emit(output, step->after[i], 0, 0);
}

void processor_run(const struct processor *processor, const struct processor_texts *texts, bool special,
	struct subword_output *output)
{
	for (size_t i = 0; i < processor->count; i++) {
		if (processor->steps[i].trims)
			trim_all(&processor->steps[i], texts, output);
		if (special)
			surround(&processor->steps[i], output);
	}
}
