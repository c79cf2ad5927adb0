/*
 * trie.h: texts by their bytes, to find those that a longer text begins with.
 *
 *     struct trie trie = TRIE_INIT;
 *     trie_add(&trie, "ab", 2, 7);
 *     uint32_t node = TRIE_ROOT;
 *     for (size_t i = 0; i < length && trie_step(&trie, &node, text[i]); i++)
 *         if (trie_value(&trie, node) >= 0) ...   // text[0..i] is in it
 *     trie_free(&trie);
 */
#ifndef TEXT_TRIE_H
#define TEXT_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRIE_ROOT 0
#define TRIE_NONE (-1)

struct trie_node {
	uint32_t child, sibling; /* first child, next of the same parent; 0: none, since the root is nobody's child */
	int32_t value;           /* of the text that ends here, or TRIE_NONE */
	unsigned char byte;
};

struct trie {
	struct trie_node *nodes;
	size_t count, capacity;
};

#define TRIE_INIT ((struct trie){0})

/* Of two equal texts the first keeps its value (which is not negative). */
void trie_add(struct trie *trie, const char *text, size_t length, int32_t value);
void trie_free(struct trie *trie);

/* Goes one byte down; false, and *node as it was, when no text goes on so. */
bool trie_step(const struct trie *trie, uint32_t *node, char byte);
/* The value of the text that ends at a node, or TRIE_NONE. */
int32_t trie_value(const struct trie *trie, uint32_t node);

#endif
