#include "trace/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "format/safetensors.h"
#include "trace/journal.h"
#include "trace/manifest.h"
#include "trace/passline.h"
#include "trace/recorder_folder.h"
#include "trace/trace.h"

#define CANONICAL_NAN 0x7fc00000u
/* What describes one tensor in a file's header, about. */
#define DESCRIPTION_BYTES 160

struct recorder {
	struct arena arena; /* texts, and what lives as long as the recorder */
	struct recorder_options options;
	struct recorder_model model;
	int *captured; /* values to record, in the order in which they are computed */
	int captured_count;
	uint8_t *wanted;                /* [values]: 1 for those */
	int next_value, finished_value; /* PLAN_NONE where the plan has no such value */
	struct journal journal;
	int64_t passes;   /* finished */
	int64_t resumed;  /* of them, recorded by an earlier process */
	uint8_t *told;    /* [V]: the token's text is in the trace */
	uint8_t *started; /* [requests] */
	/* of the pass under way */
	struct safetensors_writer *writer; /* NULL between passes */
	int written;                       /* captured values so far */
	struct arena pass_arena;
	int32_t *next;     /* [B] */
	uint8_t *finished; /* [B] */
};

/* --- beginning --- */

/* Operations are walked, and not values, since a rewritten list holds late values early. */
static void list_captured(struct recorder *recorder)
{
	const struct plan *plan = recorder->options.plan;
	recorder->captured = ARENA_ARRAY(&recorder->arena, int, plan->value_count);
	recorder->wanted = ARENA_ARRAY(&recorder->arena, uint8_t, plan->value_count);
	for (int i = 0; i < plan->op_count; i++) {
		for (int j = 0; j < plan->ops[i].output_count; j++) {
			int value = plan->ops[i].outputs[j];
			const struct value *v = &plan->values[value];
			recorder->wanted[value] = !v->is_state && capture_matches(recorder->options.capture, v->name);
			if (recorder->wanted[value])
				recorder->captured[recorder->captured_count++] = value;
		}
	}
}

static bool join(char *path, const struct recorder *recorder, const char *name, struct err *err)
{
	return file_join(path, sizeof recorder->journal.path, recorder->options.folder, name, err);
}

static bool write_manifest(const struct recorder *recorder, const char *path, struct err *err)
{
	struct file_writer writer;
	struct buf text = BUF_INIT;
	if (!file_writer_open(&writer, path, err))
		return false;
	manifest_write(&text, &recorder->options, &recorder->model);
	bool ok = file_writer_add(&writer, text.data, text.length, err);
	buf_free(&text);
	if (ok)
		return file_writer_finish(&writer, recorder->options.durable, err);
	file_writer_abandon(&writer);
	return false;
}

/* passes.jsonl comes first: a folder with a trace.json is a trace, if one without passes. */
static bool start_files(struct recorder *recorder, struct err *err)
{
	char passes[sizeof recorder->journal.path], manifest[sizeof recorder->journal.path];
	return join(passes, recorder, MANIFEST_PASSES, err) && join(manifest, recorder, MANIFEST_NAME, err) &&
		journal_open(&recorder->journal, passes, err) && write_manifest(recorder, manifest, err);
}

static void free_recorder(struct recorder *recorder)
{
	safetensors_writer_abandon(recorder->writer);
	journal_close(&recorder->journal);
	arena_free(&recorder->pass_arena);
	arena_free(&recorder->arena);
	free(recorder);
}

static void copy_options(struct recorder *recorder, const struct recorder_options *options)
{
	recorder->options = *options;
	recorder->options.folder = arena_strdup(&recorder->arena, options->folder);
	if (options->parent != NULL) {
		struct recorder_parent *parent = ARENA_NEW(&recorder->arena, struct recorder_parent);
		*parent = *options->parent;
		parent->name = arena_strdup(&recorder->arena, parent->name);
		parent->digest = arena_strdup(&recorder->arena, parent->digest);
		recorder->options.parent = parent;
	}
	recorder->options.capture =
		arena_strdup(&recorder->arena, options->capture == NULL ? CAPTURE_DEFAULT : options->capture);
}

static struct recorder *make_recorder(const struct recorder_options *options, const struct recorder_model *model)
{
	struct recorder *recorder = MEM_NEW(struct recorder);
	recorder->journal = JOURNAL_CLOSED;
	copy_options(recorder, options);
	recorder->model = *model;
	list_captured(recorder);
	recorder->next_value = plan_value(options->plan, "next_tokens");
	recorder->finished_value = plan_value(options->plan, "finished");
	recorder->told = ARENA_ARRAY(&recorder->arena, uint8_t, model->config->vocabulary);
	recorder->started = ARENA_ARRAY(&recorder->arena, uint8_t, options->batch->count);
	return recorder;
}

bool recorder_new_described(struct recorder **result, const struct recorder_options *options,
	const struct recorder_model *model, struct err *err)
{
	bool created;
	if (!capture_check(options->capture == NULL ? CAPTURE_DEFAULT : options->capture, options->plan, err) ||
		!recorder_folder_prepare(options->folder, options->replace, &created, err))
		return false;
	struct recorder *recorder = make_recorder(options, model);
	if (!start_files(recorder, err)) {
		free_recorder(recorder);
		recorder_folder_undo(options->folder, created);
		return false;
	}
	*result = recorder;
	return true;
}

/* --- going on with a trace --- */

/* Equal runs write equal manifests: anything else means another run. */
static bool check_manifest(struct recorder *recorder, struct err *err)
{
	char path[sizeof recorder->journal.path];
	struct arena arena = ARENA_INIT;
	struct buf text = BUF_INIT;
	char *bytes;
	size_t length;
	bool ok = join(path, recorder, MANIFEST_NAME, err) &&
		file_load(path, MANIFEST_MOST, &arena, &bytes, &length, err);
	if (ok) {
		manifest_write(&text, &recorder->options, &recorder->model);
		ok = (text.length == length && memcmp(text.data, bytes, length) == 0) ||
			err_input(err, path, NULL,
				"this is not what rowscope " ROWSCOPE_VERSION
				" would write for this run, so going on would not give the same bytes; run the batch "
				"anew");
	}
	buf_free(&text);
	arena_free(&arena);
	return ok;
}

/* What the recorder would know after those passes. */
static void remember(struct recorder *recorder, const struct trace *trace, int64_t passes)
{
	recorder->passes = recorder->resumed = passes;
	for (int64_t i = 0; i < passes; i++) {
		const struct trace_pass *pass = trace_pass(trace, i);
		for (int64_t b = 0; b < pass->layout.B; b++) {
			recorder->started[pass->layout.rows[b]] = 1;
			if (pass->next[b] >= 0)
				recorder->told[pass->next[b]] = 1;
		}
		for (int64_t cell = 0; cell < pass->layout.cells; cell++)
			recorder->told[pass->layout.tokens[cell]] = 1;
	}
}

static bool reopen_files(struct recorder *recorder, const struct trace *trace, int64_t passes, struct err *err)
{
	char path[sizeof recorder->journal.path];
	uint64_t length = passes == 0 ? 0 : trace_pass(trace, passes - 1)->line_end;
	return join(path, recorder, MANIFEST_PASSES, err) && journal_reopen(&recorder->journal, path, length, err) &&
		recorder_folder_clean(recorder->options.folder, passes, err);
}

bool recorder_resume_described(struct recorder **result, const struct recorder_options *options,
	const struct recorder_model *model, const struct recorder_start *start, struct err *err)
{
	struct recorder *recorder = make_recorder(options, model);
	remember(recorder, start->trace, start->passes);
	if (!check_manifest(recorder, err) || !reopen_files(recorder, start->trace, start->passes, err)) {
		free_recorder(recorder);
		return false;
	}
	*result = recorder;
	return true;
}

/* --- a pass --- */

static struct dims pass_dims(const struct plan *plan, const struct pass *pass)
{
	struct dims dims = plan->dims;
	dims_set_pass(&dims, pass);
	return dims;
}

static struct tensor shape_of(const struct spec *spec, const struct dims *dims)
{
	struct tensor tensor = {.dtype = spec->dtype, .rank = (int)strlen(spec->axes)};
	memcpy(tensor.axes, spec->axes, sizeof tensor.axes);
	for (int i = 0; i < tensor.rank; i++)
		tensor.shape[i] = dims_size(dims, spec->axes[i]);
	return tensor;
}

static bool begin(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	struct recorder *recorder = self;
	safetensors_writer_abandon(recorder->writer);
	recorder->writer = NULL;
	recorder->written = 0;
	arena_reset(&recorder->pass_arena);
	if (plan != recorder->options.plan || pass->index != recorder->passes)
		return err_usage(err, NULL, "pass %lld of another run was told to this recorder",
			(long long)pass->index);
	struct dims dims = pass_dims(plan, pass);
	struct arena *arena = &recorder->pass_arena;
	struct safetensors_item *items = ARENA_ARRAY(arena, struct safetensors_item, recorder->captured_count);
	for (int i = 0; i < recorder->captured_count; i++) {
		const struct value *value = &plan->values[recorder->captured[i]];
		items[i] = (struct safetensors_item){value->name, shape_of(&value->spec, &dims)};
	}
	recorder->next = ARENA_ARRAY(arena, int32_t, pass->B);
	recorder->finished = ARENA_ARRAY(arena, uint8_t, pass->B);
	for (int64_t b = 0; b < pass->B; b++)
		recorder->next[b] = -1;
	char name[PASSLINE_NAME_SIZE], path[sizeof recorder->journal.path];
	passline_file_name(pass->index, name);
	return join(path, recorder, name, err) &&
		safetensors_writer_open(&recorder->writer, path, items, (size_t)recorder->captured_count, NULL, err);
}

static bool holds_nan(const uint32_t *bits, int64_t count)
{
	uint32_t found = 0;
	for (int64_t i = 0; i < count; i++)
		found |= (bits[i] & 0x7fffffffu) > 0x7f800000u;
	return found != 0;
}

/* Which NaN an operation gives differs between processors; the trace has one. */
static const void *canonical(struct recorder *recorder, const struct tensor *tensor)
{
	int64_t count = tensor_count(tensor);
	if (tensor->dtype != DTYPE_F32 || !holds_nan(tensor->data, count))
		return tensor->data;
	uint32_t *bits = arena_raw(&recorder->pass_arena, (size_t)count, sizeof *bits);
	memcpy(bits, tensor->data, tensor_bytes(tensor));
	for (int64_t i = 0; i < count; i++) {
		if ((bits[i] & 0x7fffffffu) > 0x7f800000u)
			bits[i] = CANONICAL_NAN;
	}
	return bits;
}

static bool value(void *self, const struct plan *plan, const struct pass *pass, int index, const struct tensor *tensor,
	struct err *err)
{
	struct recorder *recorder = self;
	if (recorder->writer == NULL)
		return err_usage(err, NULL, "a value was told to the recorder outside of a pass");
	if (index == recorder->next_value)
		memcpy(recorder->next, tensor->data, (size_t)pass->B * sizeof *recorder->next);
	if (index == recorder->finished_value)
		memcpy(recorder->finished, tensor->data, (size_t)pass->B);
	if (!recorder->wanted[index])
		return true;
	if (recorder->written == recorder->captured_count || recorder->captured[recorder->written] != index)
		return err_usage(err, plan->values[index].name, "the value was told out of the order of the list");
	recorder->written++;
	return safetensors_writer_add(recorder->writer, canonical(recorder, tensor), tensor_bytes(tensor), err);
}

/* --- the line of a finished pass --- */

static void list_events(struct recorder *recorder, const struct pass *pass, struct passline *line)
{
	struct trace_event *events =
		ARENA_ARRAY(&recorder->pass_arena, struct trace_event, 2 * pass->B + pass->waiting_count);
	for (int64_t i = 0; i < pass->waiting_count; i++)
		events[line->event_count++] =
			(struct trace_event){TRACE_WAITS, pass->waiting[i], FINISH_NONE, pass->lanes};
	for (int64_t b = 0; b < pass->B; b++) {
		int32_t request = pass->rows[b];
		if (!recorder->started[request])
			events[line->event_count++] = (struct trace_event){TRACE_STARTS, request, FINISH_NONE, 0};
		recorder->started[request] = 1;
	}
	for (int64_t b = 0; b < pass->B; b++) {
		if (recorder->finished[b] && !pass->ended[b])
			events[line->event_count++] =
				(struct trace_event){TRACE_ENDS, pass->rows[b], (enum finish_reason)pass->finish[b], 0};
	}
	line->events = events;
}

/* Adds the text of a token that has not occurred before. */
static void tell_token(struct recorder *recorder, int32_t token, struct passline_text *texts, size_t *count)
{
	const struct recorder_model *model = &recorder->model;
	if (model->token_bytes == NULL || token < 0 || token >= model->config->vocabulary || recorder->told[token])
		return;
	recorder->told[token] = 1;
	struct buf bytes = BUF_INIT;
	if (model->token_bytes(model->self, token, &bytes))
		texts[(*count)++] = (struct passline_text){token,
			arena_strndup(&recorder->pass_arena, buf_text(&bytes), bytes.length), bytes.length};
	buf_free(&bytes);
}

static void list_texts(struct recorder *recorder, const struct pass *pass, struct passline *line)
{
	int64_t cells = pass->cells;
	struct passline_text *texts = ARENA_ARRAY(&recorder->pass_arena, struct passline_text, cells + pass->B);
	for (int64_t i = 0; i < cells; i++)
		tell_token(recorder, pass->tokens[i], texts, &line->text_count);
	for (int64_t b = 0; b < pass->B; b++)
		tell_token(recorder, recorder->next[b], texts, &line->text_count);
	line->texts = texts;
}

static bool add_line(struct recorder *recorder, const struct pass *pass, uint64_t bytes, uint64_t digest,
	struct err *err)
{
	char name[PASSLINE_NAME_SIZE];
	passline_file_name(pass->index, name);
	struct passline line = {.index = pass->index,
		.kind = pass->kind,
		.B = pass->B,
		.S = pass->S,
		.K = pass->K,
		.rows = pass->rows,
		.past = pass->past,
		.fresh = pass->fresh,
		.sampled = pass->sampled,
		.next = recorder->next,
		.finished = recorder->finished,
		.cache_held = pass->cache_held,
		.cache_used = pass->cache_used,
		.cache_saved = pass->cache_saved,
		.file = name,
		.bytes = bytes,
		.digest = digest};
	list_events(recorder, pass, &line);
	list_texts(recorder, pass, &line);
	struct buf text = BUF_INIT;
	passline_write(&text, &line, recorder->options.batch);
	bool ok = journal_add(&recorder->journal, text.data, text.length, err) &&
		(!recorder->options.durable || journal_sync(&recorder->journal, err));
	buf_free(&text);
	return ok;
}

static bool end(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	(void)plan;
	struct recorder *recorder = self;
	struct safetensors_writer *writer = recorder->writer;
	recorder->writer = NULL;
	if (writer == NULL || recorder->written != recorder->captured_count) {
		safetensors_writer_abandon(writer);
		return err_usage(err, NULL, "pass %lld ended before all its values were told", (long long)pass->index);
	}
	uint64_t bytes, digest;
	if (!safetensors_writer_finish(writer, recorder->options.durable, &bytes, &digest, err) ||
		!add_line(recorder, pass, bytes, digest, err))
		return false;
	recorder->passes++;
	return true;
}

struct probe recorder_probe(struct recorder *recorder)
{
	return (struct probe){.self = recorder, .begin = begin, .value = value, .end = end};
}

/* --- the end --- */

/* The folder comes last: it holds the names of all files. */
static bool sync_all(struct recorder *recorder, struct err *err)
{
	char name[PASSLINE_NAME_SIZE], path[sizeof recorder->journal.path];
	for (int64_t i = 0; i < recorder->passes && (!recorder->options.durable || i < recorder->resumed); i++) {
		passline_file_name(i, name);
		if (!join(path, recorder, name, err) || !journal_sync_path(path, err))
			return false;
	}
	return join(path, recorder, MANIFEST_NAME, err) && journal_sync_path(path, err) &&
		journal_sync(&recorder->journal, err) && journal_sync_path(recorder->options.folder, err);
}

bool recorder_finish(struct recorder *recorder, struct err *err)
{
	if (recorder == NULL)
		return true;
	bool ok = recorder->options.scratch || sync_all(recorder, err);
	free_recorder(recorder);
	return ok;
}

uint64_t recorder_pass_bytes(const struct recorder *recorder, const struct dims *dims)
{
	uint64_t bytes = 0;
	for (int i = 0; i < recorder->captured_count; i++) {
		struct tensor tensor = shape_of(&recorder->options.plan->values[recorder->captured[i]].spec, dims);
		bytes += tensor_bytes(&tensor) + DESCRIPTION_BYTES;
	}
	return bytes;
}
