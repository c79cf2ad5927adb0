/*
 * export_golden.h: compares what a writer gives with the file of that name in tests/golden/export. With
 * ROWSCOPE_WRITE_GOLDEN set the expected files are written anew, to be looked at by hand.
 */
#ifndef EXPORT_GOLDEN_H
#define EXPORT_GOLDEN_H

#include "harness.h"

#include <string.h>

#include "base/file.h"
#include "export/export.h"

static inline void check_golden(const char *name, const struct buf *out)
{
	struct err err = ERR_INIT;
	struct arena arena = ARENA_INIT;
	char *path = arena_printf(&arena, "tests/golden/export/%s", name);
	char *expected;
	size_t length;
	if (getenv("ROWSCOPE_WRITE_GOLDEN") != NULL)
		ck_assert(file_save(path, out->data, out->length, true, &err));
	ck_assert_msg(file_load(path, 1 << 20, &arena, &expected, &length, &err), "%s", err.message);
	ck_assert_msg(length == out->length && memcmp(expected, out->data, length) == 0, "%s differs:\n%s", name,
		buf_text(out));
	arena_free(&arena);
}

static inline void check_table(const struct table *table, const char *format, const char *golden)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	ck_assert(export_table(export_find(format), table, NULL, &out, &err));
	check_golden(golden, &out);
	buf_free(&out);
}

#endif
