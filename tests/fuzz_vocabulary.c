/* Any bytes as a GGUF file or a tokenizer.bin, opened for its vocabulary: no crash, no leak; what is accepted encodes a text with
 * offsets in it and decodes to UTF-8. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char text[] = "Ab  1 \n'll </think><s> \xe5\xa4\xa9 \xf0\x9f\x98\x80.";

static void use(const struct tokenizer *tokenizer)
{
	struct arena arena = ARENA_INIT;
	struct tokenizer_list tokens;
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	if (tokenizer_encode(tokenizer, (struct tokenizer_text){text, sizeof text - 1, true}, &arena, &tokens, &err)) {
		int32_t *ids = ARENA_ARRAY(&arena, int32_t, tokens.count);
		for (size_t i = 0; i < tokens.count; i++) {
			ids[i] = tokens.items[i].id;
			if (tokens.items[i].start > tokens.items[i].end || tokens.items[i].end > sizeof text - 1)
				abort();
		}
		tokenizer_decode(tokenizer, ids, tokens.count, false, &out);
		tokenizer_decode_after(tokenizer, ids, tokens.count / 2, tokens.count - tokens.count / 2, true, &out);
	} else if (err.kind != ERR_USAGE) {
		abort();
	}
	if (!utf8_is_valid(buf_text(&out), out.length))
		abort();
	buf_free(&out);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char path[] = "/tmp/rowscope-fuzz-XXXXXX";
	int descriptor = mkstemp(path);
	struct tokenizer *tokenizer;
	struct err err = ERR_INIT;
	if (descriptor < 0 || write(descriptor, bytes, length) != (ssize_t)length)
		abort();
	close(descriptor);
	if (tokenizer_open(&tokenizer, path, 0, &err)) {
		use(tokenizer);
		tokenizer_delete(tokenizer);
	} else if (err.kind != ERR_INPUT || err.message[0] == '\0') {
		abort();
	}
	unlink(path);
	return 0;
}
