#include <string.h>

#include "trace/manifest.h"
#include "trace/sampling_keys.h"

static void add_texts(struct json_writer *writer, const char *key, const char *const *texts, int64_t count)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (int64_t i = 0; i < count; i++)
		json_add_string(writer, texts[i]);
	json_end_array(writer);
}

static void add_text(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_add_string(writer, text == NULL ? "" : text);
}

/* A token ID of the model that may be missing. */
static void add_special(struct json_writer *writer, const char *key, int32_t token)
{
	json_key(writer, key);
	if (token < 0)
		json_add_null(writer);
	else
		json_add_int(writer, token);
}

static void add_rope(struct json_writer *writer, const char *key, const struct rope *rope)
{
	static const char *const scalings[] =
		{[ROPE_PLAIN] = "default", [ROPE_LINEAR] = "linear", [ROPE_LLAMA3] = "llama3"};
	if (rope->theta == 0)
		return;
	json_key(writer, key);
	json_begin_object(writer);
	json_key(writer, "theta");
	json_add_float(writer, rope->theta);
	add_text(writer, "scaling", scalings[rope->scaling]);
	json_key(writer, "factor");
	json_add_float(writer, rope->factor);
	if (rope->scaling == ROPE_LLAMA3) {
		json_key(writer, "low_freq_factor");
		json_add_float(writer, rope->low_freq_factor);
		json_key(writer, "high_freq_factor");
		json_add_float(writer, rope->high_freq_factor);
		json_key(writer, "original_context");
		json_add_float(writer, rope->original_context);
	}
	if (rope->factors != NULL) /* as many as pairs: a reader divides the frequencies by them */
		json_put_bool(writer, "factors_in_file", true);
	json_end_object(writer);
}

/* For readers: what a family with rotary positions has besides. */
static void add_llama(struct json_writer *writer, const struct config *config)
{
	add_rope(writer, "rope", &config->rope);
	add_rope(writer, "local_rope", &config->local_rope);
	if (config->window == 0)
		return;
	json_put_int(writer, "window", config->window);
	json_key(writer, "windowed_layers");
	json_begin_array(writer);
	for (int64_t i = 0; i < config->layers; i++) {
		if (config->windowed[i] != 0)
			json_add_int(writer, i);
	}
	json_end_array(writer);
}

static void add_config(struct json_writer *writer, const struct config *config)
{
	json_key(writer, "config");
	json_begin_object(writer);
	json_put_int(writer, "vocabulary", config->vocabulary);
	json_put_int(writer, "context", config->context);
	json_put_int(writer, "hidden", config->hidden);
	json_put_int(writer, "layers", config->layers);
	json_put_int(writer, "heads", config->heads);
	json_put_int(writer, "kv_heads", config->kv_heads);
	json_put_int(writer, "head_width", config->head_width);
	json_put_int(writer, "mlp", config->mlp);
	json_key(writer, "norm_eps");
	json_add_float(writer, config->norm_eps);
	add_text(writer, "activation", activation_name(config->activation));
	json_put_bool(writer, "scale_by_layer", config->scale_by_layer);
	json_put_bool(writer, "scale_scores", config->scale_scores);
	json_put_bool(writer, "tied", config->tied);
	add_llama(writer, config);
	add_special(writer, "bos", config->bos);
	add_special(writer, "pad", config->pad);
	json_put_int32s(writer, "end_tokens", config->end_tokens, config->end_token_count);
	json_end_object(writer);
}

static void add_model(struct json_writer *writer, const struct recorder_model *model)
{
	int64_t notes = 0;
	while (model->notes != NULL && model->notes[notes] != NULL)
		notes++;
	json_key(writer, "model");
	json_begin_object(writer);
	add_text(writer, "name", model->name);
	add_text(writer, "family", model->config->family);
	add_config(writer, model->config);
	add_text(writer, "tokenizer_digest", model->tokenizer_digest);
	add_text(writer, "weights_digest", model->weights_digest);
	add_texts(writer, "notes", model->notes, notes);
	json_end_object(writer);
}

/* How the row's tokens are chosen and what ends it; nothing for a greedy row without a stop. */
static void add_choice(struct json_writer *writer, const struct request *request)
{
	static const struct sampling none = {0};
	if (memcmp(&request->sampling, &none, sizeof none) != 0) {
		json_key(writer, "sampling");
		sampling_write(writer, &request->sampling);
	}
	if (request->stop_count > 0)
		add_texts(writer, "stop", request->stops, (int)request->stop_count);
	if (request->stop_id_count > 0)
		json_put_int32s(writer, "stop_ids", request->stop_ids, request->stop_id_count);
}

/* What a fork has changed in the row. */
static void add_edits(struct json_writer *writer, const struct request *request)
{
	json_key(writer, "edits");
	json_begin_array(writer);
	for (int64_t i = 0; i < request->edit_count; i++) {
		const struct edit *edit = &request->edits[i];
		json_begin_object(writer);
		json_put_int(writer, "position", edit->position);
		if (edit->token >= 0) {
			json_put_int(writer, "token", edit->token);
		} else {
			json_key(writer, "sampling");
			sampling_write(writer, &edit->sampling);
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void add_rows(struct json_writer *writer, const struct batch *batch)
{
	json_key(writer, "rows");
	json_begin_array(writer);
	for (int64_t i = 0; i < batch->count; i++) {
		const struct request *request = &batch->requests[i];
		json_begin_object(writer);
		add_text(writer, "id", request->id);
		if (request->text != NULL)
			add_text(writer, "prompt", request->text);
		json_put_int32s(writer, "tokens", request->prompt, request->prompt_length);
		json_put_int(writer, "max_new_tokens", request->max_new_tokens);
		json_put_int(writer, "arrives", request->arrives);
		add_choice(writer, request);
		if (request->edit_count > 0)
			add_edits(writer, request);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void add_value(struct json_writer *writer, const struct value *value, const char *capture)
{
	struct tensor shape = {.rank = (int)strlen(value->spec.axes)};
	memcpy(shape.axes, value->spec.axes, sizeof shape.axes);
	char axes[2 * TENSOR_MAX_RANK];
	tensor_axes_text(&shape, axes);
	json_begin_object(writer);
	add_text(writer, "name", value->name);
	add_text(writer, "axes", axes);
	add_text(writer, "dtype", dtype_name(value->spec.dtype));
	if (value->is_state)
		json_put_bool(writer, "state", true);
	else
		json_put_bool(writer, "captured", capture_matches(capture, value->name));
	json_end_object(writer);
}

static void add_op(struct json_writer *writer, const struct plan *plan, const struct op *op, const char *capture)
{
	const char *inputs[OP_MAX_INPUTS], *weights[OP_MAX_WEIGHTS];
	for (int i = 0; i < op->input_count; i++)
		inputs[i] = plan->values[op->inputs[i]].name;
	for (int i = 0; i < op->weight_count; i++)
		weights[i] = op->weights[i]->name;
	json_begin_object(writer);
	add_text(writer, "name", op->name);
	add_text(writer, "kind", op_kind(op->code)->name);
	if (op->layer >= 0)
		json_put_int(writer, "layer", op->layer);
	add_texts(writer, "inputs", inputs, op->input_count);
	json_key(writer, "outputs");
	json_begin_array(writer);
	for (int i = 0; i < op->output_count; i++)
		add_value(writer, &plan->values[op->outputs[i]], capture);
	json_end_array(writer);
	add_texts(writer, "weights", weights, op->weight_count);
	json_end_object(writer);
}

void manifest_write(struct buf *out, const struct recorder_options *options, const struct recorder_model *model)
{
	const struct plan *plan = options->plan;
	const struct batch *batch = options->batch;
	struct json_writer writer;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	add_text(&writer, "format", MANIFEST_FORMAT);
	json_put_int(&writer, "version", MANIFEST_VERSION);
	add_text(&writer, "rowscope", ROWSCOPE_VERSION);
	add_model(&writer, model);
	if (options->parent != NULL) {
		json_key(&writer, "parent");
		json_begin_object(&writer);
		add_text(&writer, "name", options->parent->name);
		add_text(&writer, "digest", options->parent->digest);
		json_put_int(&writer, "pass", options->parent->pass);
		json_end_object(&writer);
	}
	add_text(&writer, "layout", layout_name(batch->layout));
	add_text(&writer, "schedule", schedule_name(batch->schedule));
	json_put_int(&writer, "max_rows", batch_lanes(batch));
	if (batch->schedule == SCHEDULE_CHUNKED)
		json_put_int(&writer, "chunk", batch->chunk > 0 ? batch->chunk : BATCH_DEFAULT_CHUNK);
	if (batch->page_size > 0)
		json_put_int(&writer, "page_size", batch->page_size);
	add_rows(&writer, batch);
	add_texts(&writer, "faults", options->faults, options->fault_count);
	add_text(&writer, "capture", options->capture);
	json_key(&writer, "ops");
	json_begin_array(&writer);
	for (int i = 0; i < plan->op_count; i++)
		add_op(&writer, plan, &plan->ops[i], options->capture);
	json_end_array(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}
