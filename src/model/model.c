#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/build.h"
#include "model/find_tokenizer.h"
#include "model/folder.h"
#include "model/source.h"

#define MAX_CONFIG_BYTES ((uint64_t)1 << 20)
#define MAX_NOTES 8

struct model {
	struct arena arena;
	char path[512];
	const char *name;
	struct config config;
	struct source source;
	struct weight *weights;
	size_t count, capacity;
	struct map names; /* canonical name -> index */
	struct map used;  /* names in the file that a weight uses */
	struct tokenizer *tokenizer;
	char weights_digest[17]; /* "" until asked for */
	const char *notes[MAX_NOTES + 1];
	int note_count;
};

static const struct {
	const char *name;
	bool (*build)(struct model *model, struct err *err);
} groups[] = {
	{"gpt2", model_gpt2},
	{"llama", model_llama},
};

static bool build_weights(struct model *model, struct err *err)
{
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (strcmp(groups[i].name, config_group(&model->config)) == 0)
			return groups[i].build(model, err);
	}
	return err_input(err, model->path, "model_type", "no weights are known for the family \"%s\"",
		model->config.family);
}

/* --- opening --- */

static void set_name(struct model *model, const char *path)
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	snprintf(model->path, sizeof model->path, "%.*s", (int)length, path);
	const char *slash = strrchr(model->path, '/');
	model->name = slash != NULL && slash[1] != '\0' ? slash + 1 : model->path;
}

static bool read_config(struct model *model, struct err *err)
{
	char path[576];
	struct json *document;
	return file_join(path, sizeof path, model->path, "config.json", err) &&
		json_load(path, MAX_CONFIG_BYTES, &model->arena, &document, err) &&
		config_read(&model->config, document, err);
}

/* The vocabulary named, or the model's own; there may be none, which leaves token IDs to give rows by. */
static bool open_tokenizer(struct model *model, const char *named, struct err *err)
{
	char path[576];
	int64_t vocabulary = model->config.vocabulary;
	const char *file = named != NULL ? named : path;
	bool ok;
	if (named == NULL && model->source.kind == SOURCE_GGUF) {
		if (!tokenizer_in_gguf(&model->source.gguf))
			return true;
		ok = tokenizer_from_gguf(&model->tokenizer, &model->source.gguf, err);
	} else {
		if (named == NULL && !find_tokenizer(path, sizeof path, model->path, &vocabulary, err))
			return false;
		if (file[0] == '\0')
			return true;
		ok = tokenizer_open(&model->tokenizer, file, vocabulary, err);
	}
	if (ok && tokenizer_note(model->tokenizer) != NULL)
		model_note(model, tokenizer_note(model->tokenizer));
	return ok;
}

static bool open_folder(struct model *model, struct err *err)
{
	return folder_has_config(model->path, err) && read_config(model, err) &&
		source_open_folder(&model->source, model->path, err);
}

/* One file that holds everything, or weights alone with the rest beside them. */
static bool open_file(struct model *model, struct err *err)
{
	if (!source_open_file(&model->source, model->path, err) ||
		!source_config(&model->source, &model->config, &model->arena, err))
		return false;
	if (model->config.rope.factors != NULL) {
		map_put(&model->used, SOURCE_ROPE_FACTORS, strlen(SOURCE_ROPE_FACTORS), 1);
		model_note(model,
			"rotary frequencies are divided by the factors that the file holds (rope_freqs.weight)");
	}
	return true;
}

bool model_open(struct model **result, const char *path, struct err *err)
{
	return model_open_with(result, path, NULL, err);
}

bool model_open_with(struct model **result, const char *path, const char *tokenizer, struct err *err)
{
	struct model *model = MEM_NEW(struct model);
	bool ok = strlen(path) < sizeof model->path ||
		err_input(err, NULL, NULL, "the path of the model is longer than %zu bytes", sizeof model->path - 1);
	if (ok)
		set_name(model, path);
	if (ok && !file_is_folder(model->path) && !file_exists(model->path))
		ok = err_input(err, model->path, NULL,
			"no such model; expected a folder with config.json, model.safetensors and "
			"tokenizer.json, a .gguf file, or a .bin of llama2.c");
	ok = ok && (file_is_folder(model->path) ? open_folder(model, err) : open_file(model, err)) &&
		build_weights(model, err) && open_tokenizer(model, tokenizer, err);
	if (!ok) {
		model_delete(model);
		return false;
	}
	*result = model;
	return true;
}

bool model_random(struct model **result, const struct config *config, const char *name, struct err *err)
{
	struct model *model = MEM_NEW(struct model);
	model->config = *config;
	model->name = arena_strdup(&model->arena, name);
	if (!build_weights(model, err)) {
		model_delete(model);
		return false;
	}
	*result = model;
	return true;
}

void model_delete(struct model *model)
{
	if (model == NULL)
		return;
	for (size_t i = 0; i < model->count; i++)
		weight_free(&model->weights[i]);
	free(model->weights);
	tokenizer_delete(model->tokenizer);
	source_close(&model->source);
	map_free(&model->names);
	map_free(&model->used);
	arena_free(&model->arena);
	free(model);
}

/* --- building --- */

const char *model_printf(struct model *model, const char *format, ...)
{
	char text[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return arena_strdup(&model->arena, text);
}

bool model_has(const struct model *model, const char *source)
{
	return source_has(&model->source, source);
}

bool model_is_file(const struct model *model)
{
	return model->source.kind == SOURCE_GGUF || model->source.kind == SOURCE_LLAMA2C;
}

bool model_is_interleaved(const struct model *model)
{
	return source_is_interleaved(&model->source);
}

void model_note(struct model *model, const char *note)
{
	if (model->note_count < MAX_NOTES)
		model->notes[model->note_count++] = note;
}

/* The file's tensor must have exactly the shape that the configuration asks for. */
static bool check_shape(const struct model *model, const struct model_part *part, const struct stored *stored,
	bool transposed, struct err *err)
{
	int64_t out = part->out * part->parts;
	int64_t first = transposed ? part->in : out, second = transposed ? out : part->in;
	int rank = part->in == 0 ? 1 : 2;
	if (stored->rank == rank && stored->shape[0] == first && (rank == 1 || stored->shape[1] == second))
		return true;
	return err_input(err, model->source.path, stored->name,
		rank == 1 ? "has another shape than the configuration asks for: expected [%lld]"
			  : "has another shape than the configuration asks for: expected [%lld, %lld]",
		(long long)first, (long long)second);
}

/* Where the weight lies, and what has to be done to it on loading. */
static bool set_stored(struct model *model, struct weight *weight, const struct model_part *part, struct err *err)
{
	struct stored stored;
	bool is_hugging_face = model->source.kind == SOURCE_SAFETENSORS;
	weight->transposed = part->transposed && is_hugging_face;
	weight->offset = is_hugging_face ? part->offset : 0;
	weight->interleaved_heads = model_is_interleaved(model) ? part->rotary_heads : 0;
	if (!source_find(&model->source, part, &stored, err) ||
		!check_shape(model, part, &stored, weight->transposed, err))
		return false;
	weight->file = stored.file;
	weight->offset_in_file = stored.offset;
	weight->type = stored.type;
	map_put(&model->used, stored.name, strlen(stored.name), 1);
	return true;
}

static void set_random(const struct model *model, struct weight *weight, const struct model_part *part)
{
	weight->seed = hash_fnv1a(part->name, strlen(part->name));
	weight->spread = part->constant;
	weight->constant = part->constant != 0 || part->in == 0;
	if (!weight->constant)
		weight->spread = 0.02f;
	(void)model;
}

bool model_add(struct model *model, const struct model_part *part, struct err *err)
{
	struct weight weight = {.name = part->name,
		.shape = {part->out, part->in},
		.rank = part->in == 0 ? 1 : 2,
		.form = part->form,
		.first = part->part * part->out,
		.file_outputs = part->out * part->parts};
	snprintf(weight.axes, sizeof weight.axes, "%s", part->axes);
	if (model->source.kind == SOURCE_RANDOM)
		set_random(model, &weight, part);
	else if (!set_stored(model, &weight, part, err))
		return false;
	if (model->count == model->capacity) {
		model->capacity = model->capacity == 0 ? 64 : model->capacity * 2;
		model->weights = mem_resize(model->weights, model->capacity, sizeof *model->weights);
	}
	map_put(&model->names, part->name, strlen(part->name), (int64_t)model->count);
	model->weights[model->count++] = weight;
	return true;
}

/* --- asking --- */

const char *model_name(const struct model *model)
{
	return model->name;
}

const char *model_path(const struct model *model)
{
	return model->path;
}

const struct config *model_config(const struct model *model)
{
	return &model->config;
}

const struct tokenizer *model_tokenizer(const struct model *model)
{
	return model->tokenizer;
}

struct weight *model_weight(struct model *model, const char *name)
{
	int64_t i = map_get(&model->names, name, strlen(name));
	return i < 0 ? NULL : &model->weights[i];
}

size_t model_weight_count(const struct model *model)
{
	return model->count;
}

struct weight *model_weight_at(const struct model *model, size_t i)
{
	return &model->weights[i];
}

int64_t model_parameters(const struct model *model)
{
	int64_t sum = 0;
	for (size_t i = 0; i < model->count; i++)
		sum += model->weights[i].shape[0] * (model->weights[i].rank == 2 ? model->weights[i].shape[1] : 1);
	return sum;
}

const char *model_unused(const struct model *model, size_t i)
{
	const char *name;
	for (size_t j = 0; (name = source_name(&model->source, j)) != NULL; j++) {
		if (map_get(&model->used, name, strlen(name)) < 0 && i-- == 0)
			return name;
	}
	return NULL;
}

const char *const *model_notes(const struct model *model)
{
	return model->notes;
}

bool model_weights_digest(struct model *model, char text[17], struct err *err)
{
	uint64_t value = 0;
	if (model->weights_digest[0] == '\0') {
		if (!source_digest(&model->source, &value, err))
			return false;
		snprintf(model->weights_digest, 17, "%016llx", (unsigned long long)value);
	}
	memcpy(text, model->weights_digest, 17);
	return true;
}
