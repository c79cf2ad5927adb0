#include "app/requests.h"

#include <stdio.h>
#include <string.h>

#include "app/data.h"
#include "base/i18n.h"
#include "base/json.h"
#include "base/map.h"
#include "text/tokenizer.h"
#include "trace/sampling_keys.h"

#define REQUESTS_MAX_FILE (UINT64_C(64) << 20)
#define REQUESTS_MAX_ROWS 100000

const char *requests_id(int64_t i, struct arena *arena)
{
	char id[16];
	int at = (int)sizeof id - 1;
	id[at] = '\0';
	for (i++; i > 0 && at > 0; i = (i - 1) / 26)
		id[--at] = (char)('A' + (i - 1) % 26);
	return arena_strdup(arena, id + at);
}

static bool read_tokens(const struct json *node, struct request *request, struct arena *arena, struct err *err)
{
	if (node->type != JSON_ARRAY || node->count == 0)
		return json_error(node, err, _("a list of at least one token ID was expected"));
	request->prompt = ARENA_ARRAY(arena, int32_t, node->count);
	request->prompt_length = (int64_t)node->count;
	for (size_t i = 0; i < node->count; i++) {
		int64_t token = 0;
		if (!json_int(node->items[i], 0, INT32_MAX, &token, err))
			return false;
		request->prompt[i] = (int32_t)token;
	}
	return true;
}

static bool read_prompt(const struct json *row, struct request *request, size_t *text_length, struct arena *arena,
	struct err *err)
{
	const struct json *prompt = json_find(row, "prompt");
	const struct json *tokens = json_find(row, "tokens");
	if ((prompt == NULL) == (tokens == NULL))
		return json_error(row, err, _("each row has either a \"prompt\" or \"tokens\""));
	if (tokens != NULL)
		return read_tokens(tokens, request, arena, err);
	const char *text = NULL;
	if (!json_string(prompt, &text, text_length, err))
		return false;
	if (*text_length == 0)
		return json_error(prompt, err,
			_("the prompt is empty; give it at least one character, or use \"tokens\""));
	request->text = arena_strndup(arena, text, *text_length);
	return true;
}

static bool optional_int(const struct json *object, const char *key, int64_t low, int64_t high, int64_t *value,
	struct err *err)
{
	const struct json *node = json_find(object, key);
	return node == NULL || json_int(node, low, high, value, err);
}

/* "stop": one text or a list of them. */
static bool read_stops(const struct json *node, struct request *request, struct arena *arena, struct err *err)
{
	if (node == NULL)
		return true;
	size_t count = node->type == JSON_ARRAY ? node->count : 1;
	const char **stops = ARENA_ARRAY(arena, const char *, count);
	for (size_t i = 0; i < count; i++) {
		const struct json *item = node->type == JSON_ARRAY ? node->items[i] : node;
		size_t length = 0;
		if (!json_string(item, &stops[i], &length, err))
			return false;
		if (length == 0 || strlen(stops[i]) != length)
			return json_error(item, err, _("a stop text has at least one character and no NUL"));
		stops[i] = arena_strdup(arena, stops[i]);
	}
	request->stops = stops;
	request->stop_count = (int64_t)count;
	return true;
}

static bool read_stop_ids(const struct json *node, struct request *request, struct arena *arena, struct err *err)
{
	if (node == NULL)
		return true;
	if (node->type != JSON_ARRAY)
		return json_error(node, err, _("a list of token IDs was expected"));
	int32_t *ids = ARENA_ARRAY(arena, int32_t, node->count);
	for (size_t i = 0; i < node->count; i++) {
		int64_t id = 0;
		if (!json_int(node->items[i], 0, INT32_MAX, &id, err))
			return false;
		ids[i] = (int32_t)id;
	}
	request->stop_ids = ids;
	request->stop_id_count = (int64_t)node->count;
	return true;
}

/* What chooses the row's tokens, and what ends it. */
static bool read_choice(const struct json *row, struct request *request, struct arena *arena, struct err *err)
{
	const struct json *sampling = json_find(row, "sampling");
	return (sampling == NULL || sampling_read(sampling, &request->sampling, err)) &&
		read_stops(json_find(row, "stop"), request, arena, err) &&
		read_stop_ids(json_find(row, "stop_ids"), request, arena, err);
}

static bool read_row(const struct json *row, int64_t i, struct request *request, size_t *text_length,
	struct arena *arena, struct err *err)
{
	static const char *const known[] = {"id", "prompt", "tokens", "max_new_tokens", "arrives", "sampling", "stop",
		"stop_ids", NULL};
	if (row->type != JSON_OBJECT)
		return json_error(row, err, _("an object with \"prompt\" or \"tokens\" was expected"));
	if (!json_only_keys(row, known, err) || !read_choice(row, request, arena, err))
		return false;
	const struct json *id = json_find(row, "id");
	size_t length = 0;
	request->id = requests_id(i, arena);
	if (id != NULL && !json_string(id, &request->id, &length, err))
		return false;
	if (id != NULL && (length == 0 || length > 64 || strlen(request->id) != length))
		return json_error(id, err, _("a row's ID has 1 to 64 bytes and no NUL"));
	request->id = arena_strdup(arena, request->id);
	request->max_new_tokens = BATCH_DEFAULT_NEW_TOKENS;
	return read_prompt(row, request, text_length, arena, err) &&
		optional_int(row, "max_new_tokens", 1, 1 << 20, &request->max_new_tokens, err) &&
		optional_int(row, "arrives", 0, 1 << 20, &request->arrives, err);
}

static bool read_rows(struct requests *requests, const struct json *rows, struct arena *arena, struct err *err)
{
	struct batch *batch = &requests->batch;
	if (rows->type != JSON_ARRAY || rows->count == 0 || rows->count > REQUESTS_MAX_ROWS)
		return json_error(rows, err, _("a list of 1 to %d rows was expected"), REQUESTS_MAX_ROWS);
	batch->count = (int64_t)rows->count;
	batch->requests = ARENA_ARRAY(arena, struct request, rows->count);
	requests->text_lengths = ARENA_ARRAY(arena, size_t, rows->count);
	struct map ids = MAP_INIT;
	bool ok = true;
	for (size_t i = 0; ok && i < rows->count; i++) {
		struct request *request = &batch->requests[i];
		ok = read_row(rows->items[i], (int64_t)i, request, &requests->text_lengths[i], arena, err);
		if (ok && !map_put(&ids, request->id, strlen(request->id), (int64_t)i))
			ok = json_error(rows->items[i], err, _("another row has the ID '%s' already"), request->id);
	}
	map_free(&ids);
	return ok;
}

static bool optional_text(const struct json *root, const char *key, const char **text, struct err *err)
{
	const struct json *node = json_find(root, key);
	size_t length = 0;
	return node == NULL || json_string(node, text, &length, err);
}

/* Layout, schedule and what belongs to them. */
static bool read_way(const struct json *root, struct batch *batch, struct err *err)
{
	const char *layout = layout_name(batch->layout), *schedule = schedule_name(batch->schedule);
	struct err unknown = ERR_INIT;
	if (!optional_text(root, "layout", &layout, err) || !optional_text(root, "schedule", &schedule, err))
		return false;
	if (!layout_find(layout, &batch->layout, &unknown))
		return json_error(json_find(root, "layout"), err, "%s", unknown.message);
	if (!schedule_find(schedule, &batch->schedule, &unknown))
		return json_error(json_find(root, "schedule"), err, "%s", unknown.message);
	return optional_int(root, "max_rows", 1, REQUESTS_MAX_ROWS, &batch->max_rows, err) &&
		optional_int(root, "chunk", 1, INT32_MAX, &batch->chunk, err) &&
		optional_int(root, "page_size", 1, INT32_MAX, &batch->page_size, err);
}

/* In schedule static all rows are there from the start. */
static bool check_arrivals(const struct json *rows, const struct batch *batch, struct err *err)
{
	for (size_t i = 0; batch->schedule == SCHEDULE_STATIC && i < rows->count; i++) {
		if (batch->requests[i].arrives > 0)
			return json_error(json_find(rows->items[i], "arrives"), err,
				_("in schedule \"static\" all rows are there from the start; leave \"arrives\" out"));
	}
	return true;
}

/* A path in a batch file is relative to the file. */
static bool find_model(struct requests *requests, const struct json *root, const char *path, struct arena *arena,
	struct err *err)
{
	const char *name = NULL;
	if (!json_get_string(root, "model", &name, err))
		return false;
	const char *slash = strrchr(path, '/');
	char found[512];
	if (strchr(name, '/') != NULL && name[0] != '/' && slash != NULL)
		name = arena_printf(arena, "%.*s/%s", (int)(slash - path), path, name);
	if (!data_find_model(found, sizeof found, name, err))
		return false;
	requests->model = arena_strdup(arena, found);
	return true;
}

bool requests_load(struct requests *requests, const char *path, struct arena *arena, struct err *err)
{
	static const char *const known[] = {"model", "layout", "schedule", "max_rows", "chunk", "page_size", "rows",
		NULL};
	struct json *root = NULL;
	memset(requests, 0, sizeof *requests);
	requests->file = arena_strdup(arena, path);
	if (!json_load(path, REQUESTS_MAX_FILE, arena, &root, err))
		return false;
	if (root->type != JSON_OBJECT)
		return json_error(root, err, _("an object with \"model\" and \"rows\" was expected"));
	const struct json *rows = json_find(root, "rows");
	if (!json_only_keys(root, known, err))
		return false;
	if (rows == NULL)
		return json_error(root, err, _("\"rows\" is missing: a list of the requests."));
	return read_way(root, &requests->batch, err) && read_rows(requests, rows, arena, err) &&
		check_arrivals(rows, &requests->batch, err) && find_model(requests, root, path, arena, err);
}

void requests_from_texts(struct requests *requests, const char *const *prompts, int count, struct arena *arena)
{
	memset(requests, 0, sizeof *requests);
	requests->batch.count = count;
	requests->batch.requests = ARENA_ARRAY(arena, struct request, count);
	requests->text_lengths = ARENA_ARRAY(arena, size_t, count);
	for (int i = 0; i < count; i++) {
		struct request *request = &requests->batch.requests[i];
		request->id = requests_id(i, arena);
		request->text = arena_strdup(arena, prompts[i]);
		request->max_new_tokens = BATCH_DEFAULT_NEW_TOKENS;
		requests->text_lengths[i] = strlen(prompts[i]);
	}
}

/* An error of one row: at its place in the batch file, or of the command line. Always returns false. */
static bool row_error(const struct requests *requests, int64_t i, const char *key, struct err *err, const char *what)
{
	char where[128];
	if (requests->file == NULL) {
		snprintf(where, sizeof where, "%s", requests->batch.requests[i].id);
		return err_usage(err, where, "%s", what);
	}
	snprintf(where, sizeof where, "rows[%lld].%s", (long long)i, key);
	return err_input(err, requests->file, where, "%s", what);
}

static bool tokenize(const struct requests *requests, int64_t i, const struct model *model, struct request *request,
	struct arena *arena, struct err *err)
{
	const struct tokenizer *tokenizer = model_tokenizer(model);
	struct tokenizer_list tokens;
	struct tokenizer_text prompt = {request->text, requests->text_lengths[i], !requests->no_special};
	struct err own = ERR_INIT;
	if (tokenizer == NULL)
		return row_error(requests, i, "prompt", err,
			_("the model has no tokenizer; give token IDs instead, or the file of one with --tokenizer"));
	if (!tokenizer_encode(tokenizer, prompt, arena, &tokens, &own)) {
		char text[1024];
		err_text(&own, text, sizeof text);
		return row_error(requests, i, "prompt", err, text);
	}
	if (tokens.count == 0)
		return row_error(requests, i, "prompt", err, _("the prompt is empty; at least one token is needed"));
	request->prompt = ARENA_ARRAY(arena, int32_t, tokens.count);
	request->prompt_length = (int64_t)tokens.count;
	for (size_t t = 0; t < tokens.count; t++)
		request->prompt[t] = tokens.items[t].id;
	return true;
}

static bool check_request(const struct requests *requests, int64_t i, const struct model *model,
	const struct request *request, struct err *err)
{
	const struct config *config = model_config(model);
	const char *key = request->text != NULL ? "prompt" : "tokens";
	char what[256];
	for (int64_t t = 0; t < request->prompt_length; t++) {
		if (request->prompt[t] >= 0 && request->prompt[t] < config->vocabulary)
			continue;
		char where[64];
		snprintf(what, sizeof what, _("token %d is outside the model's vocabulary, 0 to %lld"),
			(int)request->prompt[t], (long long)config->vocabulary - 1);
		snprintf(where, sizeof where, "%s[%lld]", key, (long long)t);
		return row_error(requests, i, where, err, what);
	}
	for (int64_t s = 0; s < request->stop_id_count; s++) {
		if (request->stop_ids[s] >= config->vocabulary)
			return row_error(requests, i, "stop_ids", err,
				_("a stop token is outside the model's vocabulary"));
	}
	if (request->prompt_length <= config->context)
		return true;
	snprintf(what, sizeof what, _("the prompt has %lld tokens, more than the model's context of %lld"),
		(long long)request->prompt_length, (long long)config->context);
	return row_error(requests, i, key, err, what);
}

bool requests_resolve(const struct requests *requests, const struct model *model, struct batch *batch,
	struct arena *arena, struct err *err)
{
	*batch = requests->batch;
	batch->requests = ARENA_ARRAY(arena, struct request, batch->count);
	for (int64_t i = 0; i < batch->count; i++) {
		struct request *request = &batch->requests[i];
		*request = requests->batch.requests[i];
		if (request->prompt_length == 0 && !tokenize(requests, i, model, request, arena, err))
			return false;
		if (!check_request(requests, i, model, request, err))
			return false;
	}
	return true;
}

const struct batch *requests_copy(const struct batch *batch, struct arena *arena)
{
	struct batch *copy = ARENA_NEW(arena, struct batch);
	*copy = *batch;
	copy->requests = ARENA_ARRAY(arena, struct request, batch->count);
	for (int64_t i = 0; i < batch->count; i++) {
		const struct request *from = &batch->requests[i];
		struct request *to = &copy->requests[i];
		*to = *from;
		to->id = arena_strdup(arena, from->id);
		to->text = from->text != NULL ? arena_strdup(arena, from->text) : NULL;
		to->prompt = ARENA_ARRAY(arena, int32_t, from->prompt_length);
		memcpy(to->prompt, from->prompt, (size_t)from->prompt_length * sizeof *to->prompt);
		to->stop_ids = memcpy(ARENA_ARRAY(arena, int32_t, from->stop_id_count + 1),
			from->stop_id_count > 0 ? from->stop_ids : from->prompt,
			(size_t)from->stop_id_count * sizeof *to->stop_ids);
		const char **stops = ARENA_ARRAY(arena, const char *, from->stop_count);
		for (int64_t t = 0; t < from->stop_count; t++)
			stops[t] = arena_strdup(arena, from->stops[t]);
		to->stops = stops;
		struct edit *edits = ARENA_ARRAY(arena, struct edit, from->edit_count);
		for (int64_t t = 0; t < from->edit_count; t++)
			edits[t] = from->edits[t];
		to->edits = edits;
	}
	return copy;
}
