#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/build.h"

#define MAX_CONFIG_BYTES ((uint64_t)1 << 20)
#define MAX_NOTES 8

struct model {
	struct arena arena;
	char path[512];
	const char *name;
	struct config config;
	bool random;
	struct safetensors file; /* unused in a random model */
	struct weight *weights;
	size_t count, capacity;
	struct map names; /* canonical name -> index */
	struct map used;  /* names in the file that a weight uses */
	struct tokenizer *tokenizer;
	char weights_path[576];
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

static bool open_tokenizer(struct model *model, struct err *err)
{
	char path[576];
	if (!file_join(path, sizeof path, model->path, "tokenizer.json", err))
		return false;
	if (!file_exists(path))
		return true; /* rows can still be given by token IDs */
	return tokenizer_load(&model->tokenizer, path, err);
}

static bool open_folder(struct model *model, const char *path, struct err *err)
{
	if (strlen(path) >= sizeof model->path)
		return err_input(err, NULL, NULL, "the path of the model is longer than %zu bytes", sizeof model->path - 1);
	set_name(model, path);
	if (!file_is_folder(model->path))
		return err_input(err, model->path, NULL,
			"no such model; expected a folder with config.json, model.safetensors and tokenizer.json");
	return read_config(model, err) &&
		file_join(model->weights_path, sizeof model->weights_path, model->path, "model.safetensors", err) &&
		safetensors_open(&model->file, model->weights_path, err) && build_weights(model, err) &&
		open_tokenizer(model, err);
}

bool model_open(struct model **result, const char *path, struct err *err)
{
	struct model *model = MEM_NEW(struct model);
	model->file.file = FILE_CLOSED;
	if (!open_folder(model, path, err)) {
		model_delete(model);
		return false;
	}
	*result = model;
	return true;
}

bool model_random(struct model **result, const struct config *config, const char *name, struct err *err)
{
	struct model *model = MEM_NEW(struct model);
	model->file.file = FILE_CLOSED;
	model->random = true;
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
	if (!model->random)
		safetensors_close(&model->file);
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
	return model->random || safetensors_find(&model->file, source) != NULL;
}

void model_note(struct model *model, const char *note)
{
	if (model->note_count < MAX_NOTES)
		model->notes[model->note_count++] = note;
}

/* The file's tensor must have the type and exactly the shape that the configuration asks for. */
static bool check_source(const struct model *model, const struct model_part *part, const struct safetensors_entry *entry,
	struct err *err)
{
	const struct tensor *tensor = &entry->tensor;
	int64_t out = part->out * part->parts;
	int64_t first = part->transposed ? part->in : out, second = part->transposed ? out : part->in;
	int rank = part->in == 0 ? 1 : 2;
	if (tensor->dtype != DTYPE_F32 && tensor->dtype != DTYPE_F16 && tensor->dtype != DTYPE_BF16)
		return err_input(err, model->weights_path, part->source,
			"has type %s; weights of type F32, F16 and BF16 can be read", dtype_name(tensor->dtype));
	if (tensor->rank != rank || tensor->shape[0] != first || (rank == 2 && tensor->shape[1] != second))
		return err_input(err, model->weights_path, part->source,
			rank == 1 ? "has another shape than config.json asks for: expected [%lld]"
				  : "has another shape than config.json asks for: expected [%lld, %lld]",
			(long long)first, (long long)second);
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
	struct weight weight = {.name = part->name, .shape = {part->out, part->in}, .rank = part->in == 0 ? 1 : 2,
		.form = part->form, .transposed = part->transposed, .offset = part->offset, .first = part->part * part->out,
		.file_outputs = part->out * part->parts};
	snprintf(weight.axes, sizeof weight.axes, "%s", part->axes);
	if (model->random) {
		set_random(model, &weight, part);
	} else {
		weight.source = &model->file;
		weight.entry = safetensors_find(&model->file, part->source);
		if (weight.entry == NULL)
			return err_input(err, model->weights_path, part->source,
				"the tensor is missing; config.json says that the model has it");
		if (!check_source(model, part, weight.entry, err))
			return false;
		map_put(&model->used, part->source, strlen(part->source), 1);
	}
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
	for (size_t j = 0; !model->random && j < model->file.count; j++) {
		const struct safetensors_entry *entry = &model->file.entries[j];
		if (map_get(&model->used, entry->name, entry->name_length) < 0 && i-- == 0)
			return entry->name;
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
		if (!model->random && !hash_file(model->weights_path, &value, err))
			return false;
		snprintf(model->weights_digest, 17, "%016llx", (unsigned long long)value);
	}
	memcpy(text, model->weights_digest, 17);
	return true;
}
