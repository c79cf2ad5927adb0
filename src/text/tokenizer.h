/*
 * tokenizer.h: text to token IDs and back, as a model's own tokenizer does it.
 *
 * A tokenizer is read from a Hugging Face tokenizer.json and gives the IDs that Hugging Face tokenizers gives, from a GGUF file and gives
 * those of llama.cpp, or from a tokenizer.bin and gives those of llama2.c. Text
 * goes through five stages: control and other added tokens are found (added.h), the rest is normalized
 * (normalizer.h), cut into pieces (pretokenizer.h), each piece becomes tokens (subword.h), control tokens are put
 * around them (processor.h). Each token knows the bytes of the text that it stands for. A stage that is not
 * supported is an input error naming its type and place, never passed over. The file's "truncation" and "padding" are
 * matters of a batch and are not applied here.
 *
 * What a letter, a digit or a mark is comes from the Unicode tables of PCRE2 and utf8proc, with what Hugging Face tokenizers knows
 * from tables of other years (unicode_newer.c, newer_classes.h).
 *
 * A tokenizer never changes after it is loaded and may be used by several threads at once.
 *
 *     struct tokenizer *tokenizer;
 *     struct tokenizer_list tokens;
 *     if (!tokenizer_load(&tokenizer, "tokenizer.json", &err)) ...
 *     if (!tokenizer_encode(tokenizer, (struct tokenizer_text){text, length, true}, &arena, &tokens, &err)) ...
 *     tokenizer_delete(tokenizer);
 */
#ifndef TEXT_TOKENIZER_H
#define TEXT_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct tokenizer;

struct tokenizer_token {
	int32_t id;
	size_t start, end; /* bytes of the text, half-open; equal for a token that was put in */
};

struct tokenizer_list {
	struct tokenizer_token *items;
	size_t count;
};

/* A text to encode. */
struct tokenizer_text {
	const char *bytes;
	size_t length;
	bool special; /* find the control tokens that the text spells, and add the tokenizer's own (BOS where the model has
	               * it); otherwise the text is only text */
};

/* The longest text that is encoded, in bytes. */
#define TOKENIZER_MAX_TEXT ((size_t)1 << 30)

/* Reads a tokenizer.json. Input error when it is bad or needs something that is not supported. The caller deletes the
 * tokenizer. */
bool tokenizer_load(struct tokenizer **out, const char *path, struct err *err);
/* The same from the bytes of a tokenizer.json; `name` is the file that errors name. */
bool tokenizer_parse(struct tokenizer **out, const char *bytes, size_t length, const char *name, struct err *err);

struct gguf;
/* The vocabulary that a GGUF file holds, of the kinds gpt2, llama and gemma4, whatever its architecture. Input error naming a kind or a
 * pre-tokenizer that is not known. The file may be closed afterwards. */
bool tokenizer_from_gguf(struct tokenizer **out, const struct gguf *gguf, struct err *err);
/* Whether a GGUF file holds a vocabulary: it names its kind, and not as none. */
bool tokenizer_in_gguf(const struct gguf *gguf);
/* A tokenizer.bin of llama2.c. The file does not say how many tokens it has: all that it holds are read, and must be `vocabulary` of them
 * unless that is 0. */
bool tokenizer_load_bin(struct tokenizer **out, const char *path, int64_t vocabulary, struct err *err);
/* A folder's vocab.json and merges.txt, with what its tokenizer_config.json and special_tokens_map.json say of control tokens, if there are
 * such. Input error naming a class of tokenizer whose words are not known. */
bool tokenizer_load_folder(struct tokenizer **out, const char *folder, struct err *err);
/* Opens any of these (a folder by its vocab.json) by what the file begins with; `vocabulary` as above. Input error
 * for a file of none of these formats. */
bool tokenizer_open(struct tokenizer **out, const char *path, int64_t vocabulary, struct err *err);
/* What a reader should know of how the file was understood, in one sentence; NULL: nothing. */
const char *tokenizer_note(const struct tokenizer *tokenizer);

void tokenizer_delete(struct tokenizer *tokenizer);

/* The tokens of a text in UTF-8; the list's items are in the arena. Usage error when the text is not UTF-8, or cannot
 * be said in the model's vocabulary: `where` names the byte. */
bool tokenizer_encode(const struct tokenizer *tokenizer, struct tokenizer_text text, struct arena *arena,
	struct tokenizer_list *tokens, struct err *err);

/* Appends the text of tokens, always valid UTF-8: bytes that form no character become U+FFFD. Control tokens are left
 * out when `skip_special`, IDs that are no token always. Hugging Face's decode() without its cleaning up of spaces.
 * False when a pattern of the decoder gave up; then what was appended is the tokens' bytes in a row. */
bool tokenizer_decode(const struct tokenizer *tokenizer, const int32_t *ids, size_t count, bool skip_special,
	struct buf *out);

/* The same for what `count` tokens add to the text of the `before` tokens in front of them: a blank that a vocabulary puts before a
 * text is not lost, as it would be by decoding them alone. `ids` holds all of them. */
void tokenizer_decode_after(const struct tokenizer *tokenizer, const int32_t *ids, size_t before, size_t count,
	bool skip_special, struct buf *out);

/* Appends the very bytes that one token stands for: for the byte-level token "Ġthe" the four bytes " the", which for
 * other tokens need not be UTF-8; for a control token its name. False when the ID is no token. */
bool tokenizer_token_bytes(const struct tokenizer *tokenizer, int32_t id, struct buf *out);

/* Appends the token as the file spells it: "Ġthe". False when the ID is no token. */
bool tokenizer_token_spelling(const struct tokenizer *tokenizer, int32_t id, struct buf *out);

/* The largest ID + 1; IDs below it may be missing. */
int64_t tokenizer_vocab_size(const struct tokenizer *tokenizer);

/* The ID of the token with this spelling, or -1. */
int32_t tokenizer_find(const struct tokenizer *tokenizer, const char *spelling);

/* True for a control token, such as <s> or <|endoftext|>. */
bool tokenizer_is_special(const struct tokenizer *tokenizer, int32_t id);

/* XXH3-64 of the tokenizer.json that it was read from; of other formats, of all tokens and merges. */
uint64_t tokenizer_digest(const struct tokenizer *tokenizer);

/* "word level", "byte-level BPE", "BPE", "SentencePiece BPE" or "Unigram". Constant text. */
const char *tokenizer_kind(const struct tokenizer *tokenizer);

/* --- text that appears token by token ---
 *
 * A stream gives the text of a growing list of tokens in parts that, put together, are what tokenizer_decode() gives
 * for all of them. A part never ends within a character: bytes that later tokens may complete are held back.
 *
 *     struct tokenizer_stream *stream = tokenizer_stream_new(tokenizer, true);
 *     tokenizer_stream_add(stream, id, &part);   // for each token
 *     tokenizer_stream_finish(stream, &part);    // what was held back
 *     tokenizer_stream_delete(stream);
 */
struct tokenizer_stream;

/* The tokenizer must outlive the stream. The caller frees the stream with tokenizer_stream_delete. */
struct tokenizer_stream *tokenizer_stream_new(const struct tokenizer *tokenizer, bool skip_special);
/* Appends the text that this token makes certain; may be nothing. */
void tokenizer_stream_add(struct tokenizer_stream *stream, int32_t id, struct buf *out);
/* Appends what was held back, as U+FFFD, and makes the stream ready for another text. */
void tokenizer_stream_finish(struct tokenizer_stream *stream, struct buf *out);
void tokenizer_stream_delete(struct tokenizer_stream *stream);

#endif
