#include "model/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"

#define INDEX_MOST ((uint64_t)64 << 20)
#define SHARDS_MOST 1024

/* --- safetensors: one file, or an index and several --- */

static bool open_shard(struct source *source, const char *folder, const char *name, struct err *err)
{
	char path[576];
	if (!file_join(path, sizeof path, folder, name, err) ||
		!safetensors_open(&source->shards[source->shards_open], path, err))
		return false;
	source->shards_open++;
	return true;
}

/* Whether an earlier shard has that name. */
static bool is_known(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* The different file names of the index, in its order; each must be one plain component. */
static bool list_shards(const struct json *index, const char **names, size_t *count, struct err *err)
{
	const struct json *map = index->type == JSON_OBJECT ? json_find(index, "weight_map") : NULL;
	if (map == NULL || map->type != JSON_OBJECT)
		return json_error(map != NULL ? map : index, err,
			"an object \"weight_map\" from tensors to files was expected");
	for (size_t i = 0; i < map->count; i++) {
		const char *name;
		size_t length;
		if (!json_string(map->items[i], &name, &length, err))
			return false;
		if (!file_is_plain_name(name, length) || length > 255)
			return json_error(map->items[i], err,
				"the name of a file in the model's folder was expected, without / \\ or ..");
		if (is_known(names, *count, name))
			continue;
		if (*count == SHARDS_MOST)
			return json_error(map->items[i], err, "more than %d files", SHARDS_MOST);
		names[(*count)++] = name;
	}
	return *count > 0 || json_error(map, err, "the index names no file");
}

static bool open_index(struct source *source, const char *folder, struct err *err)
{
	struct arena scratch = ARENA_INIT;
	const char **names = ARENA_ARRAY(&scratch, const char *, SHARDS_MOST);
	struct json *index;
	bool ok = json_load(source->path, INDEX_MOST, &scratch, &index, err) &&
		list_shards(index, names, &source->shard_count, err);
	if (ok)
		source->shards = MEM_ARRAY(struct safetensors, source->shard_count);
	for (size_t i = 0; ok && i < source->shard_count; i++)
		ok = open_shard(source, folder, names[i], err);
	arena_free(&scratch);
	return ok;
}

bool source_open_folder(struct source *source, const char *folder, struct err *err)
{
	*source = (struct source){.kind = SOURCE_SAFETENSORS};
	bool ok = file_join(source->path, sizeof source->path, folder, "model.safetensors.index.json", err);
	if (ok && file_exists(source->path)) {
		ok = open_index(source, folder, err);
	} else if (ok) {
		source->shard_count = 1;
		source->shards = MEM_ARRAY(struct safetensors, 1);
		ok = file_join(source->path, sizeof source->path, folder, "model.safetensors", err) &&
			open_shard(source, folder, "model.safetensors", err);
	}
	if (!ok)
		source_close(source);
	return ok;
}

bool source_open_file(struct source *source, const char *path, struct err *err)
{
	*source = (struct source){.kind = SOURCE_RANDOM};
	snprintf(source->path, sizeof source->path, "%s", path);
	if (gguf_is(path)) {
		if (!gguf_open(&source->gguf, path, err))
			return false;
		source->kind = SOURCE_GGUF;
		return true;
	}
	size_t length = strlen(path);
	if (length > 5 && strcmp(path + length - 5, ".gguf") == 0)
		return gguf_open(&source->gguf, path, err); /* says what is wrong with it */
	if (length > 4 && strcmp(path + length - 4, ".bin") == 0) {
		if (!llama2c_open(&source->bin, path, err))
			return false;
		source->kind = SOURCE_LLAMA2C;
		return true;
	}
	return err_input(err, path, NULL,
		"this is no model; expected a folder with config.json and model.safetensors, a .gguf file, or a .bin "
		"of llama2.c");
}

void source_close(struct source *source)
{
	for (size_t i = 0; i < source->shards_open; i++)
		safetensors_close(&source->shards[i]);
	free(source->shards);
	if (source->kind == SOURCE_GGUF)
		gguf_close(&source->gguf);
	if (source->kind == SOURCE_LLAMA2C)
		llama2c_close(&source->bin);
	*source = (struct source){.kind = SOURCE_RANDOM};
}

/* --- finding a part --- */

static const struct safetensors_entry *find_entry(const struct source *source, const char *name,
	const struct safetensors **in)
{
	for (size_t i = 0; i < source->shards_open; i++) {
		const struct safetensors_entry *entry = safetensors_find(&source->shards[i], name);
		*in = &source->shards[i];
		if (entry != NULL)
			return entry;
	}
	return NULL;
}

static bool find_safetensors(const struct source *source, const struct model_part *part, struct stored *stored,
	struct err *err)
{
	static const struct {
		enum dtype dtype;
		enum quant type;
	} known[] = {{DTYPE_F32, QUANT_F32}, {DTYPE_F16, QUANT_F16}, {DTYPE_BF16, QUANT_BF16}};
	const struct safetensors *in;
	const struct safetensors_entry *entry = find_entry(source, part->source, &in);
	if (entry == NULL)
		return err_input(err, source->path, part->source,
			"the tensor is missing; config.json says that the model has it");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].dtype != entry->tensor.dtype)
			continue;
		*stored =
			(struct stored){&in->file, entry->name, entry->offset, known[i].type, entry->tensor.rank, {0}};
		for (int j = 0; j < entry->tensor.rank && j < GGUF_MAX_RANK; j++)
			stored->shape[j] = entry->tensor.shape[j];
		return true;
	}
	return err_input(err, in->file.path, part->source, "has type %s; weights of type F32, F16 and BF16 can be read",
		dtype_name(entry->tensor.dtype));
}

/* GGUF's names of what has canonical names here. */
static const struct {
	const char *own, *gguf;
} gguf_names[] = {
	{"embed.token", "token_embd"},
	{"embed.position", "position_embd"},
	{"final.norm", "output_norm"},
	{"logits", "output"},
	{"attn.norm", "attn_norm"},
	{"attn.q", "attn_q"},
	{"attn.k", "attn_k"},
	{"attn.v", "attn_v"},
	{"attn.out", "attn_output"},
	{"attn.q_norm", "attn_q_norm"},
	{"attn.k_norm", "attn_k_norm"},
	{"attn.post_norm", "post_attention_norm"},
	{"mlp.norm", "ffn_norm"},
	{"mlp.gate", "ffn_gate"},
	{"mlp.up", "ffn_up"},
	{"mlp.out", "ffn_down"},
	{"mlp.post_norm", "post_ffw_norm"},
};

/* "layers.3.attn.q.weight" as layer (-1 outside), part and ending. */
static void split_name(const char *name, long long *layer, char part[64], const char **ending)
{
	int used = 0;
	if (sscanf(name, "layers.%lld.%n", layer, &used) != 1)
		*layer = -1;
	const char *rest = name + (*layer < 0 ? 0 : used), *dot = strrchr(rest, '.');
	snprintf(part, 64, "%.*s", (int)(dot - rest), rest);
	*ending = dot + 1;
}

static bool find_gguf(const struct source *source, const struct model_part *part, struct stored *stored,
	struct err *err)
{
	long long layer;
	char own[64], name[128];
	const char *ending, *other = "";
	split_name(part->name, &layer, own, &ending);
	for (size_t i = 0; i < sizeof gguf_names / sizeof *gguf_names; i++) {
		if (strcmp(gguf_names[i].own, own) == 0)
			other = gguf_names[i].gguf;
	}
	if (part->parts == 3)
		other = "attn_qkv";
	if (layer < 0)
		snprintf(name, sizeof name, "%s.%s", other, ending);
	else
		snprintf(name, sizeof name, "blk.%lld.%s.%s", layer, other, ending);
	const struct gguf_tensor *t = gguf_tensor(&source->gguf, name);
	if (t == NULL)
		return err_input(err, source->path, name, "the tensor is missing; a model of this architecture has it");
	*stored = (struct stored){&source->gguf.file, t->name, t->offset, QUANT_F32, t->rank, {0}};
	memcpy(stored->shape, t->shape, sizeof stored->shape);
	return quant_find(t->type, &stored->type); /* known: the file was checked */
}

static bool find_llama2c(const struct source *source, const struct model_part *part, struct stored *stored,
	struct err *err)
{
	static const char *const names[LLAMA2C_PARTS] = {[LLAMA2C_EMBED] = "embed.token",
		[LLAMA2C_ATTN_NORM] = "attn.norm",
		[LLAMA2C_Q] = "attn.q",
		[LLAMA2C_K] = "attn.k",
		[LLAMA2C_V] = "attn.v",
		[LLAMA2C_OUT] = "attn.out",
		[LLAMA2C_MLP_NORM] = "mlp.norm",
		[LLAMA2C_GATE] = "mlp.gate",
		[LLAMA2C_DOWN] = "mlp.out",
		[LLAMA2C_UP] = "mlp.up",
		[LLAMA2C_FINAL_NORM] = "final.norm",
		[LLAMA2C_HEAD] = "logits"};
	long long layer;
	char own[64];
	const char *ending;
	split_name(part->name, &layer, own, &ending);
	for (int i = 0; i < LLAMA2C_PARTS; i++) {
		int64_t rows, columns;
		if (strcmp(names[i], own) != 0)
			continue;
		llama2c_shape(&source->bin, (enum llama2c_part)i, &rows, &columns);
		*stored = (struct stored){&source->bin.file, part->name, 0, QUANT_F32, columns > 0 ? 2 : 1,
			{rows, columns}};
		stored->offset = llama2c_offset(&source->bin, (enum llama2c_part)i, layer < 0 ? 0 : layer);
		return true;
	}
	return err_input(err, source->path, part->name, "a checkpoint of llama2.c has no such weight");
}

bool source_find(const struct source *source, const struct model_part *part, struct stored *stored, struct err *err)
{
	switch (source->kind) {
	case SOURCE_SAFETENSORS: return find_safetensors(source, part, stored, err);
	case SOURCE_GGUF: return find_gguf(source, part, stored, err);
	case SOURCE_LLAMA2C: return find_llama2c(source, part, stored, err);
	case SOURCE_RANDOM: break;
	}
	return false;
}

bool source_has(const struct source *source, const char *name)
{
	const struct safetensors *in;
	return source->kind != SOURCE_SAFETENSORS || find_entry(source, name, &in) != NULL;
}

const char *source_name(const struct source *source, size_t i)
{
	if (source->kind == SOURCE_GGUF)
		return i < source->gguf.tensor_count ? source->gguf.tensors[i].name : NULL;
	for (size_t s = 0; s < source->shards_open; s++) {
		if (i < source->shards[s].count)
			return source->shards[s].entries[i].name;
		i -= source->shards[s].count;
	}
	return NULL;
}

bool source_is_interleaved(const struct source *source)
{
	const char *architecture = "";
	struct err none = ERR_INIT;
	if (source->kind != SOURCE_GGUF)
		return source->kind == SOURCE_LLAMA2C;
	return gguf_text(&source->gguf, "general.architecture", &architecture, &none) &&
		strcmp(architecture, "llama") == 0;
}

bool source_digest(const struct source *source, uint64_t *digest, struct err *err)
{
	*digest = 0;
	if (source->kind == SOURCE_RANDOM)
		return true;
	if (source->kind != SOURCE_SAFETENSORS)
		return hash_file(source->path, digest, err);
	if (source->shards_open == 1)
		return hash_file(source->shards[0].file.path, digest, err);
	struct hash *all = hash_new();
	bool ok = true;
	for (size_t i = 0; ok && i < source->shards_open; i++) {
		uint64_t one;
		ok = hash_file(source->shards[i].file.path, &one, err);
		hash_add(all, &one, sizeof one);
	}
	*digest = hash_value(all);
	hash_delete(all);
	return ok;
}
