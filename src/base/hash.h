/*
 * hash.h: XXH3-64 of bytes (the digests of traces and models; by libxxhash) and 64-bit FNV-1a of a row ID
 * (the row's part of the random counter; see the contract).
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct hash; /* a running XXH3-64 */

struct hash *hash_new(void);
void hash_add(struct hash *hash, const void *bytes, size_t length);
uint64_t hash_value(const struct hash *hash);
void hash_delete(struct hash *hash);

uint64_t hash_bytes(const void *bytes, size_t length);
/* XXH3-64 of a file's whole content. */
bool hash_file(const char *path, uint64_t *value, struct err *err);

/* FNV-1a, 64 bits (offset 0xcbf29ce484222325, prime 0x100000001b3). */
uint64_t hash_fnv1a(const void *bytes, size_t length);

#endif
