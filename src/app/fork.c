#include "app/fork.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "trace/sampling_keys.h"

#define WHERE "--set"

/* --- the parent --- */

static const char *last_name(const char *folder, struct arena *arena)
{
	size_t end = strlen(folder), begin;
	while (end > 1 && folder[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && folder[begin - 1] != '/'; begin--) {
	}
	return arena_strndup(arena, folder + begin, end - begin);
}

static bool set_parent(struct fork *fork, struct err *err)
{
	char path[512];
	uint64_t digest;
	if (!file_join(path, sizeof path, trace_folder(fork->trace), "trace.json", err) ||
		!hash_file(path, &digest, err))
		return false;
	fork->parent = (struct recorder_parent){.name = last_name(trace_folder(fork->trace), &fork->arena),
		.digest = arena_printf(&fork->arena, "%016" PRIx64, digest),
		.pass = fork->pass};
	return true;
}

/* Position of the token that a row chooses from the pass, or had by then. */
static int64_t position_after(const struct fork *fork, int32_t request)
{
	int64_t after = 0;
	for (int64_t i = 0; i <= fork->pass; i++) {
		const struct pass *pass = &trace_pass(fork->trace, i)->layout;
		int64_t b = pass_row(pass, request);
		after = b < 0 ? after : pass->past[b] + pass->fresh[b];
	}
	return after;
}

/* The parent's own changes, as far as they were made by then: settings hold for the next choice, a token stands in for the last. */
static void copy_edits(struct fork *fork, int32_t i)
{
	struct request *request = &fork->batch.requests[i];
	const struct edit *old = request->edits;
	struct edit *edits = ARENA_ARRAY(&fork->arena, struct edit, request->edit_count + 1);
	int64_t kept = 0, after = position_after(fork, i);
	while (kept < request->edit_count && old[kept].position < after + (old[kept].token < 0)) {
		edits[kept] = old[kept];
		kept++;
	}
	request->edits = edits;
	request->edit_count = kept;
}

bool fork_open(struct fork *fork, const struct trace *trace, int64_t pass, struct err *err)
{
	*fork = (struct fork){.arena = ARENA_INIT, .trace = trace, .pass = pass, .batch = *trace_batch(trace)};
	if (pass < 0 || pass >= trace_pass_count(trace))
		return err_usage(err, "--pass", _("there is no pass %lld; the trace has passes 0 to %lld"),
			(long long)pass, (long long)trace_pass_count(trace) - 1);
	fork->batch.requests = ARENA_ARRAY(&fork->arena, struct request, fork->batch.count);
	memcpy(fork->batch.requests, trace_batch(trace)->requests,
		(size_t)fork->batch.count * sizeof *fork->batch.requests);
	for (int32_t i = 0; i < fork->batch.count; i++)
		copy_edits(fork, i);
	return set_parent(fork, err);
}

void fork_close(struct fork *fork)
{
	arena_free(&fork->arena);
	*fork = (struct fork){0};
}

/* --- changes --- */

static void add_edit(struct fork *fork, int32_t row, const struct edit *edit)
{
	struct request *request = &fork->batch.requests[row];
	struct edit *edits = ARENA_ARRAY(&fork->arena, struct edit, request->edit_count + 1);
	int64_t at = request->edit_count;
	while (at > 0 && request->edits[at - 1].position > edit->position)
		at--;
	for (int64_t i = 0; i < request->edit_count; i++)
		edits[i < at ? i : i + 1] = request->edits[i];
	edits[at] = *edit;
	request->edits = edits;
	request->edit_count++;
}

/* The token at a position: of the prompt, or one that was chosen. */
static void set_token(struct fork *fork, int32_t row, int64_t position, int32_t token)
{
	struct request *request = &fork->batch.requests[row];
	if (position >= request->prompt_length) {
		add_edit(fork, row, &(struct edit){.position = position, .token = token});
		return;
	}
	int32_t *prompt = ARENA_ARRAY(&fork->arena, int32_t, request->prompt_length);
	memcpy(prompt, request->prompt, (size_t)request->prompt_length * sizeof *prompt);
	prompt[position] = token;
	request->prompt = prompt;
	request->text = NULL; /* it says something else now */
}

static bool read_token(const struct fork *fork, const char *text, int32_t *token, struct err *err)
{
	int64_t vocabulary = trace_info(fork->trace)->V;
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || value < 0 || value >= vocabulary)
		return err_usage(err, WHERE, _("expected a token ID from 0 to %lld, got \"%.60s\""),
			(long long)vocabulary - 1, text);
	*token = (int32_t)value;
	return true;
}

/* Where a row stands in the pass. */
static bool find_row(const struct fork *fork, const char *id, int32_t *row, int64_t *position, struct err *err)
{
	const struct pass *pass = &trace_pass(fork->trace, fork->pass)->layout;
	*row = trace_find_request(fork->trace, id);
	if (*row < 0)
		return err_usage(err, WHERE, _("the trace has no row \"%.60s\""), id);
	int64_t b = pass_row(pass, *row);
	if (b < 0 || pass->fresh[b] == 0)
		return err_usage(err, WHERE,
			_("row %.60s reads no token in pass %lld; choose a pass in which it takes part"), id,
			(long long)fork->pass);
	*position = pass->past[b] + pass->fresh[b];
	return true;
}

/* One KEY=VALUE behind the row. Settings are gathered in *sampling. */
static bool set_one(struct fork *fork, int32_t row, int64_t position, char *pair, struct sampling *sampling,
	struct err *err)
{
	char *value = strchr(pair, '=');
	int32_t token = 0;
	if (value == NULL)
		return err_usage(err, WHERE, _("expected KEY=VALUE, got \"%.60s\""), pair);
	*value++ = '\0';
	for (char *at = pair; *at != '\0'; at++)
		*at = *at == '-' ? '_' : *at;
	if (strcmp(pair, "token") != 0)
		return sampling_set(sampling, pair, value, WHERE, err);
	if (!read_token(fork, value, &token, err))
		return false;
	set_token(fork, row, position - 1, token);
	return true;
}

bool fork_set(struct fork *fork, const char *text, struct err *err)
{
	char *copy = arena_strdup(&fork->arena, text), *next = strchr(copy, ',');
	int32_t row;
	int64_t position = 0;
	if (strncmp(copy, "row=", 4) != 0 || next == NULL)
		return err_usage(err, WHERE,
			_("expected row=ID,token=ID or row=ID,KEY=VALUE with settings of the sampler, got \"%.60s\""),
			text);
	*next++ = '\0';
	if (!find_row(fork, copy + 4, &row, &position, err))
		return false;
	/* nothing is chosen inside a prompt */
	int64_t prompt = fork->batch.requests[row].prompt_length, from = position > prompt ? position : prompt;
	struct sampling old = *request_sampling(&fork->batch.requests[row], from), new = old;
	for (char *pair = next; pair != NULL; pair = next) {
		next = strchr(pair, ',');
		if (next != NULL)
			*next++ = '\0';
		if (!set_one(fork, row, position, pair, &new, err))
			return false;
	}
	if (memcmp(&old, &new, sizeof old) != 0)
		add_edit(fork, row, &(struct edit){.position = from, .token = -1, .sampling = new});
	return true;
}
