#include "model/find_tokenizer.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "format/gguf.h"
#include "format/llama2c.h"

/* The first of the names that is a file in `folder`. */
static bool find_beside(char *path, size_t size, const char *folder, const char *const *names, struct err *err)
{
	for (; *names != NULL; names++) {
		if (!file_join(path, size, folder, *names, err))
			return false;
		if (file_exists(path))
			return true;
	}
	path[0] = '\0';
	return true;
}

/* The number of tokens of a checkpoint; 0 when the file is none. */
static int64_t checkpoint_vocabulary(const char *path)
{
	struct llama2c bin;
	struct err none = ERR_INIT;
	if (gguf_is(path) || !llama2c_open(&bin, path, &none))
		return 0;
	int64_t vocabulary = bin.vocabulary;
	llama2c_close(&bin);
	return vocabulary;
}

bool find_tokenizer(char *path, size_t size, const char *model, int64_t *vocabulary, struct err *err)
{
	char folder[512] = ".", sized[40];
	*vocabulary = 0;
	if (file_is_folder(model))
		return find_beside(path, size, model, (const char *const[]){"tokenizer.json", "vocab.json", NULL}, err);
	*vocabulary = checkpoint_vocabulary(model);
	if (strlen(model) >= size || strlen(model) >= sizeof folder)
		return err_input(err, NULL, NULL, "the path of the model is longer than %zu bytes", sizeof folder - 1);
	if (*vocabulary == 0) {
		snprintf(path, size, "%s", model);
		return true;
	}
	const char *slash = strrchr(model, '/');
	if (slash != NULL)
		snprintf(folder, sizeof folder, "%.*s", slash == model ? 1 : (int)(slash - model), model);
	snprintf(sized, sizeof sized, "tok%lld.bin", (long long)*vocabulary);
	return find_beside(path, size, folder, (const char *const[]){sized, "tokenizer.bin", NULL}, err);
}
