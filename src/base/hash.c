#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/mem.h"

#define CHUNK ((size_t)1 << 20)

struct hash {
	XXH3_state_t *state;
};

struct hash *hash_new(void)
{
	struct hash *hash = MEM_NEW(struct hash);
	hash->state = XXH3_createState();
	if (hash->state == NULL)
		mem_exhausted(sizeof *hash);
	XXH3_64bits_reset(hash->state);
	return hash;
}

void hash_add(struct hash *hash, const void *bytes, size_t length)
{
	if (length > 0)
		XXH3_64bits_update(hash->state, bytes, length);
}

uint64_t hash_value(const struct hash *hash)
{
	return XXH3_64bits_digest(hash->state);
}

void hash_delete(struct hash *hash)
{
	if (hash == NULL)
		return;
	XXH3_freeState(hash->state);
	free(hash);
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
	return XXH3_64bits(bytes, length);
}

bool hash_file(const char *path, uint64_t *value, struct err *err)
{
	struct file file;
	if (!file_open(&file, path, err))
		return false;
	struct hash *hash = hash_new();
	char *chunk = mem_array(CHUNK, 1);
	bool ok = true;
	for (uint64_t at = 0; ok && at < file.size;) {
		size_t length = file.size - at < CHUNK ? (size_t)(file.size - at) : CHUNK;
		ok = file_read(&file, at, length, chunk, err);
		if (ok)
			hash_add(hash, chunk, length);
		at += length;
	}
	if (ok)
		*value = hash_value(hash);
	free(chunk);
	hash_delete(hash);
	file_close(&file);
	return ok;
}

uint64_t hash_fnv1a(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t value = 0xcbf29ce484222325u;
	for (size_t i = 0; i < length; i++)
		value = (value ^ at[i]) * 0x100000001b3u;
	return value;
}

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

uint64_t hash_keyed(const uint64_t key[2], const void *bytes, size_t length)
{
	uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du, key[0] ^ 0x6c7967656e657261u,
		key[1] ^ 0x7465646279746573u};
	const unsigned char *at = bytes;
	uint64_t word = 0;
	for (size_t i = 0; i < length; i++) {
		word |= (uint64_t)at[i] << (8 * (i % 8));
		if (i % 8 == 7) {
			sip_word(v, word);
			word = 0;
		}
	}
	sip_word(v, word | (uint64_t)length << 56);
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
