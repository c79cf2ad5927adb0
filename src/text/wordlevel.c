/* The WordLevel model: a piece is one token, or the unknown token. */
#include "text/setting.h"
#include "text/subword.h"

static bool load(struct subword *model, const struct json *node, const struct vocab_tables *tables, struct arena *arena,
	struct err *err)
{
	static const char *const known[] = {"type", "vocab", "unk_token", NULL};
	(void)model;
	(void)tables;
	(void)arena;
	return json_only_keys(node, known, err);
}

static bool cut(const struct subword *model, const struct piece *piece, struct subword_output *output, struct err *err)
{
	int32_t id = vocab_find(&model->vocab, piece->bytes, piece->length);
	if (id < 0)
		id = model->unknown;
	if (id < 0)
		return subword_no_token(piece, 0, err);
	struct piece_origin stretch = piece_stretch(piece, 0, piece->length);
	subword_emit(output, id, stretch.start, stretch.end);
	return true;
}

const struct subword_kind wordlevel_kind = {.type = "WordLevel", .load = load, .cut = cut};
