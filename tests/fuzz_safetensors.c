/* Any bytes as a safetensors file: no crash, no leak, no allocation that the file's length does not bear out; and
 * every tensor of a file that is accepted can be read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void read_all(const struct safetensors *st)
{
	for (size_t i = 0; i < st->count; i++) {
		const struct safetensors_entry *entry = &st->entries[i];
		struct err err = ERR_INIT;
		if (dtype_bits(entry->tensor.dtype) % 8 != 0)
			continue;
		void *data = malloc(tensor_bytes(&entry->tensor) + 1);
		if (!safetensors_read(st, entry, 0, tensor_count(&entry->tensor), data, &err))
			abort();
		free(data);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	char path[] = "/tmp/rowscope-fuzz-XXXXXX";
	int descriptor = mkstemp(path);
	if (descriptor < 0 || write(descriptor, bytes, length) != (ssize_t)length)
		abort();
	close(descriptor);
	struct safetensors st;
	struct err err = ERR_INIT;
	if (safetensors_open(&st, path, &err))
		read_all(&st);
	else if (err.kind != ERR_INPUT || err.message[0] == '\0')
		abort();
	safetensors_close(&st);
	unlink(path);
	return 0;
}
