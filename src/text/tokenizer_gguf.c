/*
 * The vocabulary of a GGUF file: its keys tokenizer.ggml.*.
 *
 * Source: docs/gguf.md of ggml; what is assumed where a file does not say follows llama_vocab::impl::load() of llama.cpp.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/gguf.h"
#include "text/gguf_pre.h"
#include "text/telling.h"

#define KEY(name) "tokenizer.ggml." name

struct reader {
	const struct gguf *gguf;
	struct telling *t;
	struct err *err;
	double *scores, *types; /* by ID; NULL: none */
	bool ok;
};

static bool take_token(void *self, uint64_t i, const char *bytes, size_t length)
{
	struct reader *r = self;
	double type = r->types != NULL ? r->types[i] : TOKEN_NORMAL;
	bool is_known = type >= TOKEN_NORMAL && type <= TOKEN_BYTE;
	telling_add_token(r->t, bytes, length, r->scores != NULL ? r->scores[i] : 0,
		is_known ? (enum token_type)(int)type : TOKEN_NORMAL);
	return true;
}

static bool take_merge(void *self, uint64_t i, const char *bytes, size_t length)
{
	struct reader *r = self;
	(void)i;
	return r->ok = telling_add_merge(r->t, bytes, length, r->err);
}

/* One number per token, where the file has them. */
static bool read_list(const struct reader *r, const char *key, uint64_t count, double **values)
{
	if (gguf_value(r->gguf, key) == NULL)
		return true;
	*values = MEM_ARRAY(double, count);
	return gguf_numbers(r->gguf, key, count, *values, r->err);
}

static bool read_tokens(struct reader *r)
{
	const struct gguf_value *tokens = gguf_value(r->gguf, KEY("tokens"));
	if (tokens == NULL || tokens->type != GGUF_ARRAY || tokens->elements != GGUF_STRING || tokens->count == 0 ||
		tokens->count > VOCAB_MAX_ID)
		return err_input(r->err, r->gguf->file.path, KEY("tokens"), "a list of tokens was expected");
	return read_list(r, KEY("scores"), tokens->count, &r->scores) &&
		read_list(r, KEY("token_type"), tokens->count, &r->types) &&
		gguf_strings(r->gguf, KEY("tokens"), take_token, r, r->err);
}

static bool read_merges(struct reader *r)
{
	if (gguf_value(r->gguf, KEY("merges")) == NULL)
		return err_input(r->err, r->gguf->file.path, KEY("merges"), "a list of merges was expected");
	return gguf_strings(r->gguf, KEY("merges"), take_merge, r, r->err) && r->ok;
}

/* The tokens put before and after a text: `start` and `end` hold what is assumed, -1 for none. */
static bool read_ends(struct reader *r, bool begins, int64_t start, int64_t end)
{
	bool add_start = begins, add_end = false;
	int64_t most = (int64_t)r->t->count - 1;
	if (!gguf_bool(r->gguf, KEY("add_bos_token"), &add_start, r->err) ||
		!gguf_bool(r->gguf, KEY("add_eos_token"), &add_end, r->err) ||
		!gguf_int(r->gguf, KEY("bos_token_id"), 0, most, &start, r->err) ||
		!gguf_int(r->gguf, KEY("eos_token_id"), 0, most, &end, r->err))
		return false;
	telling_add_named(r->t);
	telling_add_ends(r->t, add_start && start <= most ? start : -1, add_end && end <= most ? end : -1);
	return true;
}

static bool find_pre(struct reader *r, const char *name, const struct gguf_pre **pre)
{
	*pre = gguf_pre_find(name);
	if (*pre != NULL)
		return true;
	struct buf names = BUF_INIT;
	gguf_pre_names(&names);
	err_input(r->err, r->gguf->file.path, KEY("pre"),
		"the pre-tokenizer \"%.60s\" is not known, and a guess would cut words wrongly; known are %s", name,
		buf_text(&names));
	buf_free(&names);
	return false;
}

static bool read_bpe(struct reader *r, const char *name)
{
	const struct gguf_pre *pre;
	if (!gguf_text(r->gguf, KEY("pre"), &name, r->err) || !find_pre(r, name, &pre) || !read_merges(r))
		return false;
	telling_add_bpe(r->t, pre, false);
	return read_ends(r, pre->begins, -1, -1);
}

static bool read_sentencepiece(struct reader *r)
{
	int64_t unknown = 0;
	bool prefix = true;
	if (r->scores == NULL)
		return err_input(r->err, r->gguf->file.path, KEY("scores"),
			"a list of one score per token was expected");
	if (!gguf_int(r->gguf, KEY("unknown_token_id"), 0, (int64_t)r->t->count - 1, &unknown, r->err) ||
		!gguf_bool(r->gguf, KEY("add_space_prefix"), &prefix, r->err))
		return false;
	telling_add_sentencepiece(r->t, unknown, true, prefix);
	return read_ends(r, true, 1, 2);
}

static bool read_kind(struct reader *r, const char **note)
{
	const char *kind = NULL;
	if (!gguf_text(r->gguf, KEY("model"), &kind, r->err))
		return false;
	if (kind == NULL)
		return err_input(r->err, r->gguf->file.path, KEY("model"),
			"the file has no vocabulary; give token IDs instead of text");
	if (strcmp(kind, "gpt2") != 0 && strcmp(kind, "llama") != 0 && strcmp(kind, "gemma4") != 0)
		return err_input(r->err, r->gguf->file.path, KEY("model"),
			"vocabularies of the kind \"%.40s\" are not supported; supported are gpt2, llama and gemma4",
			kind);
	if (!read_tokens(r))
		return false;
	if (strcmp(kind, "llama") == 0)
		return read_sentencepiece(r);
	if (strcmp(kind, "gemma4") == 0)
		return read_bpe(r, "gemma4");
	if (gguf_value(r->gguf, KEY("pre")) == NULL)
		*note = "the file does not name its pre-tokenizer: texts are cut as \"default\" says, which may give "
			"other tokens than the "
			"model was trained on";
	return read_bpe(r, "default");
}

bool tokenizer_from_gguf(struct tokenizer **out, const struct gguf *gguf, struct err *err)
{
	struct telling t;
	struct reader r = {.gguf = gguf, .t = &t, .err = err, .ok = true};
	const char *note = NULL;
	telling_init(&t, gguf->file.path);
	bool ok = read_kind(&r, &note);
	free(r.scores);
	free(r.types);
	if (ok)
		return telling_end(&t, out, note, err);
	telling_free(&t);
	return false;
}

bool tokenizer_in_gguf(const struct gguf *gguf)
{
	const struct gguf_value *kind = gguf_value(gguf, KEY("model"));
	return kind != NULL &&
		!(kind->type == GGUF_STRING &&
			(strcmp(kind->text, "no_vocab") == 0 || strcmp(kind->text, "none") == 0));
}
