/*
 * hash.h: the three hashes: XXH3-64 (the digests of traces and models; by libxxhash), 64-bit FNV-1a of a row ID (the
 * row's part of the random counter; see the contract), SipHash for tables. All give the same value on every machine.
 *
 *     uint64_t digest;
 *     if (!hash_file("pass-000000.safetensors", &digest, err)) return false;
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct hash; /* a running XXH3-64 */

/* A running hash of the bytes added so far; hash_value may be asked at any time. The caller deletes it. */
struct hash *hash_new(void);
void hash_add(struct hash *hash, const void *bytes, size_t length);
uint64_t hash_value(const struct hash *hash);
void hash_delete(struct hash *hash);

uint64_t hash_bytes(const void *bytes, size_t length);
/* XXH3-64 of a file's whole content; fails as file_open and file_read do. */
bool hash_file(const char *path, uint64_t *value, struct err *err);

/* FNV-1a, 64 bits (offset 0xcbf29ce484222325, prime 0x100000001b3). */
uint64_t hash_fnv1a(const void *bytes, size_t length);

/* SipHash-2-4 (Aumasson and Bernstein, 2012): with a secret key nobody can choose strings that collide, so tables
 * over foreign strings stay fast. */
uint64_t hash_keyed(const uint64_t key[2], const void *bytes, size_t length);

#endif
