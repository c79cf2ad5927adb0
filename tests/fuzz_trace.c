/*
 * Any bytes as a trace: up to a zero byte they are trace.json, to the next passes.jsonl, then the file of pass 0. Lists
 * that make sense reach far when a fuzzer starts from the two lists of a real trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/slice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_part(const char *folder, const char *name, const uint8_t *bytes, size_t length)
{
	char path[512];
	struct err err = ERR_INIT;
	if (!file_join(path, sizeof path, folder, name, &err))
		abort();
	unlink(path);
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
		abort();
}

/* Bytes up to the next zero byte, or the end; moves on beyond it. */
static size_t part_length(const uint8_t **data, size_t *size, const uint8_t **part)
{
	const uint8_t *zero = *size > 0 ? memchr(*data, 0, *size) : NULL;
	size_t length = zero != NULL ? (size_t)(zero - *data) : *size;
	size_t skipped = zero != NULL ? length + 1 : length;
	*part = *data;
	*data += skipped;
	*size -= skipped;
	return length;
}

static void use(struct trace *trace)
{
	struct err err = ERR_INIT;
	for (int64_t i = 0; i < trace_pass_count(trace); i++) {
		const struct pass *pass = &trace_pass(trace, i)->layout;
		if (pass->B * pass->S <= 0 || pass->B * pass->K <= 0)
			abort();
	}
	for (int i = 0; i < trace_value_count(trace) && trace_pass_count(trace) > 0; i++) {
		struct trace_tensor found;
		struct arena arena = ARENA_INIT;
		struct tensor part;
		err_clear(&err);
		if (trace_find(trace, 0, trace_value(trace, i)->name, &found, &err) &&
			tensor_count(&found.tensor) < 4096) {
			struct slice whole = slice_whole(&found.tensor);
			(void)trace_slice(trace, &found, &whole, &arena, &part, &err);
		}
		arena_free(&arena);
	}
	err_clear(&err);
	(void)trace_check(trace, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/rowscope-fuzz-XXXXXX";
	const uint8_t *part;
	struct trace *trace;
	struct err err = ERR_INIT;
	if (mkdtemp(folder) == NULL)
		abort();
	size_t length = part_length(&data, &size, &part);
	write_part(folder, "trace.json", part, length);
	length = part_length(&data, &size, &part);
	write_part(folder, "passes.jsonl", part, length);
	write_part(folder, "pass-000000.safetensors", data, size);
	if (trace_open(&trace, folder, &err)) {
		use(trace);
		trace_close(trace);
	} else if (err.kind != ERR_INPUT) {
		abort();
	}
	file_remove_folder(folder);
	return 0;
}
