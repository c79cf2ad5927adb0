#include "analysis/faults.h"

#include <string.h>

#include "base/buf.h"
#include "base/i18n.h"

/* A column of keys is read from another slot than the row's own. */
static void read_from(struct pass *pass, int64_t column, int32_t slot)
{
	pass->key_slot[column] = pass->key_origin[column] = slot;
}

/* The slot of a row's position; where its table has no block for that yet, one of the blocks that it has. */
static int32_t slot_of(const struct kvcache *cache, int32_t request, int64_t position)
{
	int64_t slot = kvcache_slot(cache, request, position);
	while (slot < 0) {
		position -= cache->block_slots;
		slot = kvcache_slot(cache, request, position);
	}
	return (int32_t)slot;
}

/* The combined mask becomes the causal mask alone. */
static bool attend_padding(struct plan *plan, struct err *err)
{
	int producer = plan_producer(plan, "mask");
	if (producer == PLAN_NONE)
		return err_usage(err, "padding-attended", "the model's list of operations has no mask to drop");
	plan->ops[producer].code = OP_copy;
	plan->ops[producer].input_count = 1; /* the first is mask.causal */
	return true;
}

/* The table of blocks is looked up for the first row of the pass, whatever the row. */
static void share_slots(void *self, struct pass *pass, const struct kvcache *cache)
{
	int32_t first = pass->rows[0];
	(void)self;
	for (int64_t cell = 0; cell < pass->cells; cell++) {
		if (pass->pad[cell] == 0)
			pass->slot[cell] = slot_of(cache, first, pass->positions[cell]);
	}
	for (int64_t i = 0; i < pass->B * pass->K; i++) {
		if (pass->key_position[i] >= 0)
			read_from(pass, i, slot_of(cache, first, pass->key_position[i]));
	}
}

static const struct fault faults[] = {
	{"padding-attended", N_("the padding mask is forgotten: real tokens attend to padding too"), attend_padding, NULL},
	{"shared-cache-slot", N_("every row uses the cache slots of the first lane"), NULL, share_slots},
};

const struct fault *faults_at(size_t i)
{
	return i < sizeof faults / sizeof *faults ? &faults[i] : NULL;
}

const struct fault *faults_find(const char *name)
{
	for (size_t i = 0; faults_at(i) != NULL; i++) {
		if (strcmp(faults[i].name, name) == 0)
			return &faults[i];
	}
	return NULL;
}

static bool unknown(const char *name, struct err *err)
{
	struct buf known = BUF_INIT;
	for (size_t i = 0; faults_at(i) != NULL; i++)
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", faults[i].name);
	err_usage(err, "--fault", "there is no fault \"%s\"; known are %s", name, buf_text(&known));
	buf_free(&known);
	return false;
}

bool faults_apply(const char *const *names, size_t count, struct plan *plan, struct run_options *options,
	struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct fault *fault = faults_find(names[i]);
		if (fault == NULL)
			return unknown(names[i], err);
		if (fault->rewrite_plan != NULL && !fault->rewrite_plan(plan, err))
			return false;
		if (fault->rewrite_pass == NULL)
			continue;
		if (options->rewrite_count == RUN_MAX_REWRITES)
			return err_usage(err, "--fault", "more than %d faults at once", RUN_MAX_REWRITES);
		options->rewrites[options->rewrite_count++] = (struct pass_rewrite){.apply = fault->rewrite_pass};
	}
	plan_finish(plan);
	return true;
}
