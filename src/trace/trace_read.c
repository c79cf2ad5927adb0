/* The tensors of a trace: pass files opened when needed, a few at a time; bounded reads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "trace/nearest.h"
#include "trace/trace_parts.h"

/* --- open files --- */

static void close_file(struct trace_file *file)
{
	if (file->pass >= 0)
		safetensors_close(&file->content);
	file->pass = -1;
}

void trace_close_files(struct trace *trace)
{
	for (int i = 0; i < TRACE_OPEN_FILES; i++)
		close_file(&trace->files[i]);
}

/* A link could lead to a file that nobody meant to hand over with the trace. */
static bool is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static bool open_content(struct trace *trace, int64_t pass, struct safetensors *content, struct err *err)
{
	const struct trace_pass *recorded = trace->passes[pass];
	char path[sizeof trace->folder];
	if (!file_join(path, sizeof path, trace->folder, recorded->file, err))
		return false;
	if (is_link(path))
		return err_input(err, path, NULL, "this is a link; the files of a trace lie in its folder");
	if (!safetensors_open(content, path, err))
		return false;
	if (content->file.size == recorded->bytes)
		return true;
	err_input(err, path, NULL,
		"the file has %" PRIu64 " bytes, but " MANIFEST_PASSES " says %" PRIu64
		"; it was changed or cut after the run",
		content->file.size, recorded->bytes);
	safetensors_close(content);
	return false;
}

/* The file of a pass, opened if it is not; NULL with an error. */
static struct trace_file *file_of(struct trace *trace, int64_t pass, struct err *err)
{
	struct trace_file *oldest = &trace->files[0];
	for (int i = 0; i < TRACE_OPEN_FILES; i++) {
		struct trace_file *file = &trace->files[i];
		if (file->pass == pass) {
			file->used = ++trace->clock;
			return file;
		}
		if (file->used < oldest->used)
			oldest = file;
	}
	close_file(oldest);
	if (!open_content(trace, pass, &oldest->content, err))
		return NULL;
	oldest->pass = pass;
	oldest->used = ++trace->clock;
	return oldest;
}

/* --- tensors --- */

static bool no_value(const struct trace *trace, const char *name, struct err *err)
{
	struct arena scratch = ARENA_INIT;
	const char **names = ARENA_ARRAY(&scratch, const char *, trace->manifest.value_count);
	size_t count = 0;
	for (int i = 0; i < trace->manifest.value_count; i++) {
		if (!trace->manifest.values[i].is_state)
			names[count++] = trace->manifest.values[i].name;
	}
	const char *meant = nearest_name(name, names, count);
	if (meant != NULL)
		err_input(err, trace->folder, name, "no tensor has this name; did you mean '%s'?", meant);
	else
		err_input(err, trace->folder, name, "no tensor has this name; rowscope ls lists those of the trace");
	arena_free(&scratch);
	return false;
}

static bool find_value(const struct trace *trace, const char *name, int *value, struct err *err)
{
	*value = trace_find_value(trace, name);
	if (*value < 0)
		return no_value(trace, name, err);
	const struct trace_value *found = &trace->manifest.values[*value];
	if (found->is_state)
		return err_input(err, trace->folder, name,
			"the cache itself is not recorded; its cells are the k and v of the passes that wrote them");
	if (!found->captured)
		return err_input(err, trace->folder, name,
			"this tensor is not in the capture set '%s'; record it with --capture all or --capture '%s,%s'",
			trace->manifest.info.capture, trace->manifest.info.capture, name);
	return true;
}

static struct tensor expected(const struct trace *trace, const struct trace_value *value, const struct pass *pass)
{
	const struct trace_info *info = &trace->manifest.info;
	struct dims dims = {.H = info->H, .N = info->N, .G = info->G, .D = info->D, .F = info->F, .V = info->V};
	dims_set_pass(&dims, pass);
	struct tensor tensor = {.dtype = value->dtype, .rank = (int)strlen(value->axes)};
	memcpy(tensor.axes, value->axes, sizeof tensor.axes);
	for (int i = 0; i < tensor.rank; i++)
		tensor.shape[i] = dims_size(&dims, tensor.axes[i]);
	return tensor;
}

static bool same_shape(const struct tensor *a, const struct tensor *b)
{
	if (a->dtype != b->dtype || a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++) {
		if (a->shape[i] != b->shape[i])
			return false;
	}
	return true;
}

bool trace_find(struct trace *trace, int64_t pass, const char *name, struct trace_tensor *tensor, struct err *err)
{
	int value;
	if (!find_value(trace, name, &value, err))
		return false;
	if (pass < 0 || pass >= trace->pass_count)
		return trace->pass_count == 0
			? err_input(err, trace->folder, NULL, "the trace has no finished pass yet")
			: err_input(err, trace->folder, NULL,
				  "there is no pass %" PRId64 "; the trace has passes 0 to %" PRId64, pass,
				  trace->pass_count - 1);
	struct trace_file *file = file_of(trace, pass, err);
	if (file == NULL)
		return false;
	const struct trace_value *recorded = &trace->manifest.values[value];
	*tensor = (struct trace_tensor){.pass = pass,
		.name = recorded->name,
		.value = value,
		.tensor = expected(trace, recorded, &trace->passes[pass]->layout)};
	const struct safetensors_entry *entry = safetensors_find(&file->content, recorded->name);
	if (entry == NULL)
		return err_input(err, file->content.file.path, name,
			"the tensor should be in this file, but it is not");
	if (!same_shape(&entry->tensor, &tensor->tensor))
		return err_input(err, file->content.file.path, name,
			"type and shape are not those that " MANIFEST_NAME " and " MANIFEST_PASSES " give");
	return true;
}

bool trace_read(struct trace *trace, const struct trace_tensor *tensor, int64_t first, int64_t count, void *data,
	struct err *err)
{
	struct trace_file *file = file_of(trace, tensor->pass, err);
	if (file == NULL)
		return false;
	const struct safetensors_entry *entry = safetensors_find(&file->content, tensor->name);
	if (entry == NULL || !same_shape(&entry->tensor, &tensor->tensor))
		return err_input(err, file->content.file.path, tensor->name, "the tensor changed while it was in use");
	return safetensors_read(&file->content, entry, first, count, data, err);
}

/* --- checking --- */

static bool check_pass(struct trace *trace, int64_t pass, struct err *err)
{
	const struct trace_pass *recorded = trace->passes[pass];
	char path[sizeof trace->folder];
	uint64_t digest;
	if (!file_join(path, sizeof path, trace->folder, recorded->file, err) || !hash_file(path, &digest, err))
		return false;
	if (digest != recorded->digest)
		return err_input(err, path, NULL,
			"the digest is %016" PRIx64 ", but " MANIFEST_PASSES " says %016" PRIx64
			"; the file is damaged",
			digest, recorded->digest);
	return file_of(trace, pass, err) != NULL;
}

int64_t trace_whole_passes(struct trace *trace)
{
	int64_t whole = 0;
	for (struct err ignored = ERR_INIT; whole < trace->pass_count && check_pass(trace, whole, &ignored); whole++) {
	}
	return whole;
}

bool trace_check(struct trace *trace, struct err *err)
{
	for (int64_t pass = 0; pass < trace->pass_count; pass++) {
		if (!check_pass(trace, pass, err))
			return false;
	}
	return true;
}
