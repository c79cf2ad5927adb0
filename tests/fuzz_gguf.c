/* Any bytes as a GGUF file and as a checkpoint of llama2.c: no crash, no leak, no allocation that the file's length does not bear out; what
 * is accepted lies in the file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/gguf.h"
#include "format/llama2c.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static bool step(void *self, uint64_t i, const char *bytes, size_t length)
{
	(void)self, (void)i;
	return bytes[length] == '\0';
}

static void check_gguf(const struct gguf *gguf)
{
	for (size_t i = 0; i < gguf->tensor_count; i++) {
		const struct gguf_tensor *t = &gguf->tensors[i];
		if (t->offset > gguf->file.size || t->bytes > gguf->file.size - t->offset)
			abort();
	}
	for (size_t i = 0; i < gguf->value_count; i++) {
		struct err err = ERR_INIT;
		if (gguf->values[i].type == GGUF_ARRAY && gguf->values[i].elements == GGUF_STRING &&
			!gguf_strings(gguf, gguf->values[i].key, step, NULL, &err))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char path[] = "/tmp/rowscope-fuzz-XXXXXX";
	int descriptor = mkstemp(path);
	if (descriptor < 0 || write(descriptor, bytes, length) != (ssize_t)length)
		abort();
	close(descriptor);
	struct gguf gguf;
	struct llama2c bin;
	struct err err = ERR_INIT, other = ERR_INIT;
	if (gguf_open(&gguf, path, &err))
		check_gguf(&gguf);
	else if (err.kind != ERR_INPUT || err.message[0] == '\0')
		abort();
	gguf_close(&gguf);
	if (llama2c_open(&bin, path, &other)) {
		if (llama2c_offset(&bin, LLAMA2C_FINAL_NORM, 0) > length)
			abort();
		llama2c_close(&bin);
	}
	unlink(path);
	return 0;
}
