#include "text/subword.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/setting.h"

static const struct subword_kind *const kinds[] = {&wordlevel_kind, &bpe_kind, &unigram_kind, &wordpiece_kind,
	&sentencepiece_kind};

static const struct subword_kind *find_kind(const char *type, bool from_tables)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(kinds[i]->type, type) == 0 && (from_tables || !kinds[i]->needs_tables))
			return kinds[i];
	}
	return NULL;
}

/* Older files do not name the type: merges make it BPE. */
static bool read_kind(struct subword *model, const struct json *node, bool from_tables, struct err *err)
{
	const char *type = setting_find(node, "merges") != NULL ? "BPE" : "";
	if (node->type != JSON_OBJECT)
		return json_error(node, err, "an object with a \"type\" was expected");
	if ((json_find(node, "type") != NULL || type[0] == '\0') && !setting_type(node, &type, err))
		return false;
	model->kind = find_kind(type, from_tables);
	if (model->kind == NULL)
		return json_error(node, err,
			"a tokenizer model of type \"%s\" is not supported; rowscope reads WordLevel, "
			"BPE, Unigram and WordPiece",
			type);
	return true;
}

static bool read_unknown(struct subword *model, const struct json *node, struct err *err)
{
	const char *text;
	size_t length;
	if (!setting_text(node, "unk_token", &text, &length, err))
		return false;
	model->has_unknown = text != NULL;
	model->unknown = text == NULL ? -1 : vocab_find(&model->vocab, text, length);
	return true;
}

static bool read_vocab(struct subword *model, const struct json *node, const struct vocab_tables *tables,
	struct arena *arena, struct err *err)
{
	const struct json *tokens;
	if (tables != NULL)
		return vocab_take(&model->vocab, tables, arena, err);
	return setting_need(node, "vocab", &tokens, err) && vocab_load(&model->vocab, tokens, arena, err);
}

bool subword_load(struct subword *model, const struct json *node, const struct vocab_tables *tables,
	struct arena *arena, struct err *err)
{
	*model = (struct subword){.unknown = -1};
	if (read_kind(model, node, tables != NULL, err) && read_vocab(model, node, tables, arena, err) &&
		read_unknown(model, node, err) && model->kind->load(model, node, tables, arena, err))
		return true;
	subword_free(model);
	return false;
}

void subword_free(struct subword *model)
{
	if (model->kind != NULL && model->kind->unload != NULL)
		model->kind->unload(model);
	vocab_free(&model->vocab);
	*model = (struct subword){0};
}

bool subword_cut(const struct subword *model, const struct piece *piece, struct subword_output *output, struct err *err)
{
	return piece->length == 0 || model->kind->cut(model, piece, output, err);
}

void subword_emit(struct subword_output *output, int32_t id, size_t start, size_t end)
{
	if (output->count == output->capacity) {
		output->capacity = output->capacity == 0 ? 64 : output->capacity * 2;
		output->tokens = mem_resize(output->tokens, output->capacity, sizeof *output->tokens);
	}
	output->tokens[output->count++] = (struct tokenizer_token){id, start, end};
}

void subword_output_free(struct subword_output *output)
{
	free(output->tokens);
	arena_free(&output->scratch);
	*output = SUBWORD_OUTPUT_INIT;
}

bool subword_no_token(const struct piece *piece, size_t at, struct err *err)
{
	char where[64];
	(void)snprintf(where, sizeof where, "byte %zu", (size_t)piece->origin[at].start);
	return err_usage(err, where,
		"the text holds something that is not in the model's vocabulary, and the model has no unknown token; "
		"use other words");
}
