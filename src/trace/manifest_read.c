#include <string.h>

#include "trace/manifest.h"
#include "trace/sampling_keys.h"

#define AXIS_LETTERS "BSTKHNGDFV"

bool manifest_text(const struct json *node, const char **text, struct err *err)
{
	size_t length;
	if (!json_string(node, text, &length, err))
		return false;
	if (strlen(*text) != length)
		return json_error(node, err, "this text holds a NUL character, which no name may");
	return true;
}

/* A required member of an object that was seen to be one. */
static const struct json *member(const struct json *object, const char *key, struct err *err)
{
	const struct json *node = json_find(object, key);
	if (node == NULL)
		json_error(object, err, "the member '%s' is missing; is this trace whole?", key);
	return node;
}

bool manifest_get_array(const struct json *object, const char *key, const struct json **array, struct err *err)
{
	*array = member(object, key, err);
	if (*array == NULL)
		return false;
	return (*array)->type == JSON_ARRAY || json_error(*array, err, "a list is expected here");
}

static bool get_object(const struct json *object, const char *key, const struct json **value, struct err *err)
{
	*value = member(object, key, err);
	if (*value == NULL)
		return false;
	return (*value)->type == JSON_OBJECT || json_error(*value, err, "an object is expected here");
}

/* A list of texts, NULL-terminated, in the arena. */
static bool get_texts(const struct json *object, const char *key, struct arena *arena, const char *const **texts,
	struct err *err)
{
	const struct json *array;
	if (!manifest_get_array(object, key, &array, err))
		return false;
	const char **list = ARENA_ARRAY(arena, const char *, array->count + 1);
	for (size_t i = 0; i < array->count; i++) {
		if (!manifest_text(array->items[i], &list[i], err))
			return false;
	}
	*texts = list;
	return true;
}

/* A token ID of a vocabulary of `vocabulary` entries. */
static bool read_token(const struct json *node, int64_t vocabulary, int32_t *token, struct err *err)
{
	int64_t value;
	if (!json_int(node, 0, vocabulary - 1, &value, err))
		return false;
	*token = (int32_t)value;
	return true;
}

/* A token ID or null. */
static bool get_special(const struct json *object, const char *key, int64_t vocabulary, int32_t *token, struct err *err)
{
	const struct json *node = member(object, key, err);
	*token = -1;
	return node != NULL && (node->type == JSON_NULL || read_token(node, vocabulary, token, err));
}

static bool get_size(const struct json *object, const char *key, int64_t *value, struct err *err)
{
	return json_get_int(object, key, 1, INT32_MAX, value, err);
}

static bool get_activation(const struct json *object, enum activation *activation, struct err *err)
{
	const char *name;
	if (!json_get_string(object, "activation", &name, err))
		return false;
	for (int i = ACTIVATION_GELU_TANH; i <= ACTIVATION_SILU; i++) {
		if (strcmp(name, activation_name((enum activation)i)) == 0) {
			*activation = (enum activation)i;
			return true;
		}
	}
	return json_error(json_find(object, "activation"), err, "'%s' is no activation that this version knows", name);
}

static bool read_end_tokens(const struct json *object, struct config *config, struct err *err)
{
	const struct json *array;
	if (!manifest_get_array(object, "end_tokens", &array, err))
		return false;
	if (array->count > CONFIG_MAX_END_TOKENS)
		return json_error(array, err, "%zu end tokens are listed, at most %d are supported", array->count,
			CONFIG_MAX_END_TOKENS);
	config->end_token_count = (int)array->count;
	for (size_t i = 0; i < array->count; i++) {
		if (!read_token(array->items[i], config->vocabulary, &config->end_tokens[i], err))
			return false;
	}
	return true;
}

static bool read_config(const struct json *object, struct config *config, struct err *err)
{
	double eps;
	const struct json *norm_eps = member(object, "norm_eps", err);
	if (norm_eps == NULL || !json_number(norm_eps, 0.0, 1e30, &eps, err))
		return false;
	config->norm_eps = (float)eps;
	return get_size(object, "vocabulary", &config->vocabulary, err) &&
		get_size(object, "context", &config->context, err) &&
		get_size(object, "hidden", &config->hidden, err) && get_size(object, "layers", &config->layers, err) &&
		get_size(object, "heads", &config->heads, err) &&
		get_size(object, "kv_heads", &config->kv_heads, err) &&
		get_size(object, "head_width", &config->head_width, err) &&
		get_size(object, "mlp", &config->mlp, err) && get_activation(object, &config->activation, err) &&
		json_get_bool(object, "scale_by_layer", &config->scale_by_layer, err) &&
		json_get_bool(object, "scale_scores", &config->scale_scores, err) &&
		json_get_bool(object, "tied", &config->tied, err) &&
		get_special(object, "bos", config->vocabulary, &config->bos, err) &&
		get_special(object, "pad", config->vocabulary, &config->pad, err) &&
		read_end_tokens(object, config, err);
}

static bool read_model(const struct json *root, struct trace_info *info, struct arena *arena, struct err *err)
{
	const struct json *model, *config;
	if (!get_object(root, "model", &model, err) || !get_object(model, "config", &config, err) ||
		!json_get_string(model, "name", &info->model, err) ||
		!json_get_string(model, "family", &info->family, err) ||
		!json_get_string(model, "tokenizer_digest", &info->tokenizer_digest, err) ||
		!json_get_string(model, "weights_digest", &info->weights_digest, err) ||
		!get_texts(model, "notes", arena, &info->notes, err) || !read_config(config, &info->config, err))
		return false;
	info->config.family = info->family;
	info->H = info->config.hidden;
	info->N = info->config.heads;
	info->G = info->config.kv_heads;
	info->D = info->config.head_width;
	info->F = info->config.mlp;
	info->V = info->config.vocabulary;
	info->L = info->config.layers;
	info->pad_token = info->config.pad;
	return true;
}

static bool read_prompt(const struct json *object, int64_t vocabulary, struct request *request, struct arena *arena,
	struct err *err)
{
	const struct json *tokens;
	if (!manifest_get_array(object, "tokens", &tokens, err))
		return false;
	if (tokens->count == 0)
		return json_error(tokens, err, "a row needs at least one token");
	request->prompt_length = (int64_t)tokens->count;
	request->prompt = ARENA_ARRAY(arena, int32_t, tokens->count);
	for (size_t i = 0; i < tokens->count; i++) {
		if (!read_token(tokens->items[i], vocabulary, &request->prompt[i], err))
			return false;
	}
	return true;
}

/* What chooses the row's tokens and ends it; absent for a greedy row. */
static bool read_choice(const struct json *object, int64_t vocabulary, struct request *request, struct arena *arena,
	struct err *err)
{
	const struct json *sampling = json_find(object, "sampling"), *ids = json_find(object, "stop_ids");
	if (sampling != NULL && !sampling_read(sampling, &request->sampling, err))
		return false;
	if (json_find(object, "stop") != NULL) {
		if (!get_texts(object, "stop", arena, &request->stops, err))
			return false;
		while (request->stops[request->stop_count] != NULL)
			request->stop_count++;
	}
	if (ids == NULL)
		return true;
	if (ids->type != JSON_ARRAY)
		return json_error(ids, err, "a list of token IDs is expected here");
	int32_t *list = ARENA_ARRAY(arena, int32_t, ids->count);
	request->stop_ids = list;
	for (; (size_t)request->stop_id_count < ids->count; request->stop_id_count++) {
		if (!read_token(ids->items[request->stop_id_count], vocabulary, &list[request->stop_id_count], err))
			return false;
	}
	return true;
}

/* One of a fork's changes: behind the prompt, and not before the change before it. */
static bool read_edit(const struct json *object, int64_t vocabulary, struct request *request, struct edit *edit,
	struct err *err)
{
	int64_t first =
		request->edit_count > 0 ? request->edits[request->edit_count - 1].position : request->prompt_length;
	if (object->type != JSON_OBJECT)
		return json_error(object, err, "an object is expected here");
	if (!json_get_int(object, "position", first, INT32_MAX, &edit->position, err))
		return false;
	const struct json *token = json_find(object, "token"), *sampling = json_find(object, "sampling");
	if ((token == NULL) == (sampling == NULL))
		return json_error(object, err, "either \"token\" or \"sampling\" is expected here");
	edit->token = -1;
	return token != NULL ? read_token(token, vocabulary, &edit->token, err)
			     : sampling_read(sampling, &edit->sampling, err);
}

static bool read_edits(const struct json *object, int64_t vocabulary, struct request *request, struct arena *arena,
	struct err *err)
{
	const struct json *array = json_find(object, "edits");
	if (array == NULL)
		return true;
	if (array->type != JSON_ARRAY)
		return json_error(array, err, "a list is expected here");
	struct edit *edits = ARENA_ARRAY(arena, struct edit, array->count);
	request->edits = edits;
	for (; (size_t)request->edit_count < array->count; request->edit_count++) {
		if (!read_edit(array->items[request->edit_count], vocabulary, request, &edits[request->edit_count],
			    err))
			return false;
	}
	return true;
}

static bool read_row(const struct json *object, struct manifest *manifest, int64_t i, struct arena *arena,
	struct err *err)
{
	struct request *request = &manifest->batch.requests[i];
	if (object->type != JSON_OBJECT)
		return json_error(object, err, "an object is expected here");
	if (!json_get_string(object, "id", &request->id, err))
		return false;
	if (request->id[0] == '\0' || !map_put(&manifest->requests, request->id, strlen(request->id), i))
		return json_error(json_find(object, "id"), err, "each row needs an ID of its own");
	const struct json *prompt = json_find(object, "prompt");
	return (prompt == NULL || manifest_text(prompt, &request->text, err)) &&
		read_prompt(object, manifest->info.V, request, arena, err) &&
		get_size(object, "max_new_tokens", &request->max_new_tokens, err) &&
		json_get_int(object, "arrives", 0, INT32_MAX, &request->arrives, err) &&
		read_choice(object, manifest->info.V, request, arena, err) &&
		read_edits(object, manifest->info.V, request, arena, err);
}

static bool read_rows(const struct json *root, struct manifest *manifest, struct arena *arena, struct err *err)
{
	const struct json *rows;
	if (!manifest_get_array(root, "rows", &rows, err))
		return false;
	if (rows->count == 0 || rows->count > INT32_MAX)
		return json_error(rows, err, "a batch has at least one row");
	manifest->batch.count = manifest->info.B = (int64_t)rows->count;
	manifest->batch.requests = ARENA_ARRAY(arena, struct request, rows->count);
	for (size_t i = 0; i < rows->count; i++) {
		if (!read_row(rows->items[i], manifest, (int64_t)i, arena, err))
			return false;
	}
	return json_get_int(root, "max_rows", 1, INT32_MAX, &manifest->batch.max_rows, err);
}

/* "B,S,H" into letters. A value that is never recorded may have others than those whose sizes are known. */
static bool read_axes(const struct json *object, struct trace_value *value, struct err *err)
{
	const char *text;
	if (!json_get_string(object, "axes", &text, err))
		return false;
	int rank = 0;
	for (; text[0] != '\0'; text += text[1] == ',' ? 2 : 1) {
		bool known = value->is_state || strchr(AXIS_LETTERS, text[0]) != NULL;
		bool joined = text[1] == '\0' || (text[1] == ',' && text[2] != '\0');
		if (!known || !joined || rank == TENSOR_MAX_RANK)
			return json_error(json_find(object, "axes"), err,
				"at most %d letters of " AXIS_LETTERS " are expected, as in \"B,S,H\"",
				TENSOR_MAX_RANK);
		value->axes[rank++] = text[0];
	}
	return true;
}

static bool read_value(const struct json *object, struct trace_value *value, struct err *err)
{
	const char *dtype;
	if (object->type != JSON_OBJECT)
		return json_error(object, err, "an object is expected here");
	const struct json *state = json_find(object, "state");
	if (state != NULL && !json_bool(state, &value->is_state, err))
		return false;
	if (!value->is_state && !json_get_bool(object, "captured", &value->captured, err))
		return false;
	if (!json_get_string(object, "name", &value->name, err) || !json_get_string(object, "dtype", &dtype, err) ||
		!read_axes(object, value, err))
		return false;
	if (!dtype_parse(dtype, strlen(dtype), &value->dtype) || dtype_bits(value->dtype) % 8 != 0)
		return json_error(json_find(object, "dtype"), err, "'%s' is no type that a trace can hold", dtype);
	return true;
}

static bool read_outputs(const struct json *outputs, struct manifest *manifest, int op, const char **names,
	struct err *err)
{
	for (size_t i = 0; i < outputs->count; i++) {
		struct trace_value *value = &manifest->values[manifest->value_count];
		value->op = op;
		if (!read_value(outputs->items[i], value, err))
			return false;
		names[i] = value->name;
		if (!map_put(&manifest->names, value->name, strlen(value->name), manifest->value_count))
			return json_error(outputs->items[i], err, "the name '%s' is used twice", value->name);
		manifest->value_count++;
	}
	return true;
}

static bool read_op(const struct json *object, struct manifest *manifest, int index, struct arena *arena,
	struct err *err)
{
	struct trace_op *op = &manifest->ops[index];
	int64_t layer = -1;
	const struct json *outputs, *number = json_find(object, "layer");
	if (number != NULL && !json_int(number, 0, manifest->info.L - 1, &layer, err))
		return false;
	op->layer = (int)layer;
	if (!json_get_string(object, "name", &op->name, err) || !json_get_string(object, "kind", &op->kind, err) ||
		!get_texts(object, "inputs", arena, &op->inputs, err) ||
		!get_texts(object, "weights", arena, &op->weights, err) ||
		!manifest_get_array(object, "outputs", &outputs, err))
		return false;
	const char **names = ARENA_ARRAY(arena, const char *, outputs->count + 1);
	op->outputs = names;
	return read_outputs(outputs, manifest, index, names, err);
}

/* Room for the values of all operations, whose number is bounded by the size of the document. */
static bool count_values(const struct json *ops, struct manifest *manifest, struct arena *arena, struct err *err)
{
	size_t count = 0;
	for (size_t i = 0; i < ops->count; i++) {
		const struct json *outputs;
		if (ops->items[i]->type != JSON_OBJECT)
			return json_error(ops->items[i], err, "an object is expected here");
		if (!manifest_get_array(ops->items[i], "outputs", &outputs, err))
			return false;
		count += outputs->count;
	}
	manifest->values = ARENA_ARRAY(arena, struct trace_value, count);
	manifest->ops = ARENA_ARRAY(arena, struct trace_op, ops->count);
	manifest->op_count = (int)ops->count;
	return true;
}

static bool check_inputs(const struct json *ops, const struct manifest *manifest, struct err *err)
{
	for (int i = 0; i < manifest->op_count; i++) {
		const char *const *inputs = manifest->ops[i].inputs;
		for (size_t j = 0; inputs[j] != NULL; j++) {
			if (map_get(&manifest->names, inputs[j], strlen(inputs[j])) < 0)
				return json_error(json_find(ops->items[i], "inputs")->items[j], err,
					"no operation of the list puts out '%s'", inputs[j]);
		}
	}
	return true;
}

static bool read_ops(const struct json *root, struct manifest *manifest, struct arena *arena, struct err *err)
{
	const struct json *ops;
	if (!manifest_get_array(root, "ops", &ops, err) || !count_values(ops, manifest, arena, err))
		return false;
	for (int i = 0; i < manifest->op_count; i++) {
		if (!read_op(ops->items[i], manifest, i, arena, err))
			return false;
	}
	return check_inputs(ops, manifest, err);
}

static bool check_format(const struct json *root, struct err *err)
{
	if (root->type != JSON_OBJECT)
		return json_error(root, err, "an object is expected here");
	const struct json *format = json_find(root, "format");
	if (format == NULL || format->type != JSON_STRING || strcmp(format->text, MANIFEST_FORMAT) != 0)
		return json_error(root, err, "this is no trace of rowscope: \"format\" is not \"" MANIFEST_FORMAT "\"");
	int64_t version;
	if (!json_get_int(root, "version", 1, INT32_MAX, &version, err))
		return false;
	if (version != MANIFEST_VERSION)
		return json_error(json_find(root, "version"), err,
			"this trace has version %lld, and this program reads version %d; use a newer rowscope",
			(long long)version, MANIFEST_VERSION);
	return true;
}

static bool get_optional(const struct json *root, const char *key, int64_t *value, struct err *err)
{
	const struct json *node = json_find(root, key);
	return node == NULL || json_int(node, 1, INT32_MAX, value, err);
}

/* How the batch was run. */
static bool read_way(const struct json *root, struct manifest *manifest, struct err *err)
{
	struct trace_info *info = &manifest->info;
	struct batch *batch = &manifest->batch;
	struct err unknown = ERR_INIT;
	if (!json_get_string(root, "layout", &info->layout, err) ||
		!json_get_string(root, "schedule", &info->schedule, err))
		return false;
	if (!layout_find(info->layout, &batch->layout, &unknown))
		return json_error(json_find(root, "layout"), err, "the layout '%s' is not supported by this version",
			info->layout);
	if (!schedule_find(info->schedule, &batch->schedule, &unknown))
		return json_error(json_find(root, "schedule"), err,
			"the schedule '%s' is not supported by this version", info->schedule);
	return get_optional(root, "chunk", &batch->chunk, err) &&
		get_optional(root, "page_size", &batch->page_size, err);
}

static bool read_parent(const struct json *root, struct trace_info *info, struct err *err)
{
	const struct json *parent = json_find(root, "parent");
	if (parent == NULL)
		return true;
	if (parent->type != JSON_OBJECT)
		return json_error(parent, err, "an object is expected here");
	return json_get_string(parent, "name", &info->parent, err) &&
		json_get_string(parent, "digest", &info->parent_digest, err) &&
		json_get_int(parent, "pass", 0, INT64_C(1) << 52, &info->parent_pass, err);
}

static bool read_root(const struct json *root, struct manifest *manifest, struct arena *arena, struct err *err)
{
	struct trace_info *info = &manifest->info;
	if (!check_format(root, err) || !json_get_string(root, "rowscope", &info->rowscope, err) ||
		!read_model(root, info, arena, err) || !read_parent(root, info, err) || !read_way(root, manifest, err))
		return false;
	return read_rows(root, manifest, arena, err) && get_texts(root, "faults", arena, &info->faults, err) &&
		json_get_string(root, "capture", &info->capture, err) && read_ops(root, manifest, arena, err);
}

bool manifest_read(struct manifest *manifest, const char *path, struct arena *arena, struct err *err)
{
	struct json *root;
	*manifest = (struct manifest){.names = MAP_INIT, .requests = MAP_INIT};
	if (json_load(path, MANIFEST_MOST, arena, &root, err) && read_root(root, manifest, arena, err))
		return true;
	err_in_file(err, path);
	manifest_free(manifest);
	return false;
}

void manifest_free(struct manifest *manifest)
{
	map_free(&manifest->names);
	map_free(&manifest->requests);
}
