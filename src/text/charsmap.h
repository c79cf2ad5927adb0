/*
 * charsmap.h: SentencePiece's compiled normalization, the "precompiled_charsmap" of the normalizer "Precompiled": a double array (Aoe 1989,
 * as darts-clone lays it out) from texts to offsets, and the texts to put there instead. Every index is checked; a damaged map replaces
 * nothing.
 *
 *     struct charsmap *map;
 *     if (!charsmap_load(&map, node, err)) ...   // the node is a string in base64
 *     const char *text = charsmap_find(map, "ﬁ", 3, &length);   // "fi"
 */
#ifndef TEXT_CHARSMAP_H
#define TEXT_CHARSMAP_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

struct charsmap;

/* Input error when it is not base64 or not a map. The caller deletes it. */
bool charsmap_load(struct charsmap **map, const struct json *node, struct err *err);
void charsmap_delete(struct charsmap *map);

/* What stands for the shortest beginning of the text that the map holds, and so for all of it, as in Hugging Face tokenizers; NULL: nothing.
 * It belongs to the map and is UTF-8. */
const char *charsmap_find(const struct charsmap *map, const char *text, size_t length, size_t *found);

#endif
