/*
 * find_tokenizer.h: where the vocabulary of a model lies.
 *
 *     char path[576];
 *     int64_t vocabulary;
 *     if (!find_tokenizer(path, sizeof path, "stories15M.bin", &vocabulary, err)) ...   // ./tok32000.bin, or else ./tokenizer.bin
 */
#ifndef MODEL_FIND_TOKENIZER_H
#define MODEL_FIND_TOKENIZER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The file to give to tokenizer_open(): tokenizer.json of a folder or else its vocab.json, what lies beside a checkpoint of llama2.c, any other file itself.
 * "" when there is none. *vocabulary is how many tokens it must hold; 0 when that is not known. Input error when a path is too long. */
bool find_tokenizer(char *path, size_t size, const char *model, int64_t *vocabulary, struct err *err);

#endif
