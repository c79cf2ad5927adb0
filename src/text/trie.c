#include "text/trie.h"

#include <stdlib.h>

#include "base/mem.h"

static uint32_t add_node(struct trie *trie, unsigned char byte)
{
	if (trie->count == trie->capacity) {
		trie->capacity = trie->capacity == 0 ? 64 : trie->capacity * 2;
		trie->nodes = mem_resize(trie->nodes, trie->capacity, sizeof *trie->nodes);
	}
	trie->nodes[trie->count] = (struct trie_node){.byte = byte, .value = TRIE_NONE};
	return (uint32_t)trie->count++;
}

void trie_add(struct trie *trie, const char *text, size_t length, int32_t value)
{
	if (trie->count == 0)
		add_node(trie, 0);
	uint32_t node = TRIE_ROOT;
	for (size_t i = 0; i < length; i++) {
		if (trie_step(trie, &node, text[i]))
			continue;
		uint32_t child = add_node(trie, (unsigned char)text[i]);
		trie->nodes[child].sibling = trie->nodes[node].child;
		trie->nodes[node].child = child;
		node = child;
	}
	if (trie->nodes[node].value == TRIE_NONE)
		trie->nodes[node].value = value;
}

void trie_free(struct trie *trie)
{
	free(trie->nodes);
	*trie = TRIE_INIT;
}

bool trie_step(const struct trie *trie, uint32_t *node, char byte)
{
	if (trie->count == 0)
		return false;
	uint32_t child = trie->nodes[*node].child;
	while (child != 0 && trie->nodes[child].byte != (unsigned char)byte)
		child = trie->nodes[child].sibling;
	if (child == 0)
		return false;
	*node = child;
	return true;
}

int32_t trie_value(const struct trie *trie, uint32_t node)
{
	return trie->count == 0 ? TRIE_NONE : trie->nodes[node].value;
}
