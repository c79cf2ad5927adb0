/* Opening a vocabulary by what its file begins with. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "format/gguf.h"
#include "text/tokenizer.h"

static bool open_gguf(struct tokenizer **out, const char *path, struct err *err)
{
	struct gguf gguf;
	if (!gguf_open(&gguf, path, err))
		return false;
	bool ok = tokenizer_from_gguf(out, &gguf, err);
	gguf_close(&gguf);
	return ok;
}

static bool is_named(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

static bool open_folder(struct tokenizer **out, const char *path, struct err *err)
{
	char folder[512] = ".";
	const char *slash = strrchr(path, '/');
	if (strlen(path) >= sizeof folder)
		return err_input(err, NULL, NULL, "the path of the vocabulary is longer than %zu bytes",
			sizeof folder - 1);
	if (slash != NULL)
		snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return tokenizer_load_folder(out, folder, err);
}

/* Whether the file begins as JSON does; what cannot be read is left to the reader of JSON to tell. */
static bool is_json(const char *path)
{
	struct file file;
	struct err ignored = ERR_INIT;
	char first[64];
	bool found = true;
	if (!file_open(&file, path, &ignored))
		return true;
	size_t length = file.size < sizeof first ? (size_t)file.size : sizeof first;
	if (file_read(&file, 0, length, first, &ignored)) {
		size_t at = 0;
		while (at < length && (first[at] == ' ' || first[at] == '\n' || first[at] == '\r' || first[at] == '\t'))
			at++;
		found = at == length || first[at] == '{';
	}
	file_close(&file);
	return found;
}

bool tokenizer_open(struct tokenizer **out, const char *path, int64_t vocabulary, struct err *err)
{
	if (gguf_is(path))
		return open_gguf(out, path, err);
	if (is_named(path, "vocab.json"))
		return open_folder(out, path, err);
	return is_json(path) ? tokenizer_load(out, path, err) : tokenizer_load_bin(out, path, vocabulary, err);
}
