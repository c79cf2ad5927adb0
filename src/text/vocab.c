#include "text/vocab.h"

#include <stdio.h>
#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
	const struct vocab_entry *left = a, *right = b;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* Sorts by ID; input error for an ID given twice. */
static bool sort_by_id(struct vocab *vocab, const char *where, struct err *err)
{
	if (vocab->count > 0)
		qsort(vocab->entries, vocab->count, sizeof *vocab->entries, by_id);
	for (size_t i = 1; i < vocab->count; i++) {
		if (vocab->entries[i].id == vocab->entries[i - 1].id)
			return err_input(err, NULL, where, "the ID %d is given to two tokens, \"%.60s\" and \"%.60s\"",
				(int)vocab->entries[i].id, vocab->entries[i - 1].text, vocab->entries[i].text);
	}
	return true;
}

/* [[token, score], ...]: the place is the ID; of tokens given twice the last is found, as in Hugging Face tokenizers. */
static bool load_list(struct vocab *vocab, const struct json *list, struct arena *arena, struct err *err)
{
	vocab->ids = MAP_INIT;
	vocab->count = list->count;
	vocab->entries = ARENA_ARRAY(arena, struct vocab_entry, list->count);
	for (size_t i = list->count; i-- > 0;) {
		const struct json *item = list->items[i];
		const char *text;
		size_t length;
		if (item->type != JSON_ARRAY || item->count != 2)
			return json_error(item, err, "a token and its score were expected");
		if (!json_string(item->items[0], &text, &length, err))
			return false;
		vocab->entries[i] = (struct vocab_entry){(int32_t)i, arena_strndup(arena, text, length), length};
		(void)map_put(&vocab->ids, vocab->entries[i].text, length, (int64_t)i);
	}
	return true;
}

bool vocab_load(struct vocab *vocab, const struct json *object, struct arena *arena, struct err *err)
{
	if (object->type == JSON_ARRAY)
		return load_list(vocab, object, arena, err);
	if (object->type != JSON_OBJECT)
		return json_error(object, err, "an object of tokens and their IDs was expected");
	vocab->ids = MAP_INIT;
	vocab->count = object->count;
	vocab->entries = ARENA_ARRAY(arena, struct vocab_entry, object->count);
	for (size_t i = 0; i < object->count; i++) {
		const struct json *item = object->items[i];
		int64_t id;
		if (!json_int(item, 0, VOCAB_MAX_ID, &id, err))
			return false;
		const char *text = arena_strndup(arena, item->key, item->key_length);
		vocab->entries[i] = (struct vocab_entry){(int32_t)id, text, item->key_length};
		if (!map_put(&vocab->ids, text, item->key_length, id))
			return json_error(item, err, "the token is given twice");
	}
	char where[64];
	json_path(object, where, sizeof where);
	return sort_by_id(vocab, where, err);
}

bool vocab_take(struct vocab *vocab, const struct vocab_tables *tables, struct arena *arena, struct err *err)
{
	vocab->ids = MAP_INIT;
	vocab->count = tables->count;
	vocab->entries = ARENA_ARRAY(arena, struct vocab_entry, tables->count);
	for (size_t i = 0; i < tables->count; i++) {
		const struct vocab_entry *token = &tables->tokens[i];
		vocab->entries[i] = *token;
		if (!map_put(&vocab->ids, token->text, token->length, token->id)) {
			char where[48];
			snprintf(where, sizeof where, "token %zu", i);
			return err_input(err, tables->file, where,
				"the token \"%.60s\" is given twice: token %d is the same", token->text,
				(int)vocab_find(vocab, token->text, token->length));
		}
	}
	return sort_by_id(vocab, "vocab", err);
}

void vocab_free(struct vocab *vocab)
{
	map_free(&vocab->ids);
	*vocab = (struct vocab){0};
}

int32_t vocab_find(const struct vocab *vocab, const char *text, size_t length)
{
	return (int32_t)map_get(&vocab->ids, text, length);
}

const struct vocab_entry *vocab_entry(const struct vocab *vocab, int32_t id)
{
	size_t low = 0, high = vocab->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (vocab->entries[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	bool found = low < vocab->count && vocab->entries[low].id == id;
	return found ? &vocab->entries[low] : NULL;
}

int32_t vocab_max_id(const struct vocab *vocab)
{
	return vocab->count == 0 ? -1 : vocab->entries[vocab->count - 1].id;
}
