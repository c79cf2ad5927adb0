#include "analysis/faults.h"

#include <string.h>

#include "base/buf.h"
#include "base/i18n.h"

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

/* The block table is looked up for lane 0, whatever the row. */
static void share_slots(void *self, struct pass *pass, const struct kvcache *cache)
{
	(void)self;
	for (int64_t b = 0; b < pass->B; b++) {
		int32_t shift = (int32_t)(cache->lane_of[pass->rows[b]] * cache->lane_slots);
		for (int64_t s = 0; s < pass->S; s++) {
			int64_t cell = b * pass->S + s;
			if (pass->pad[cell] == 0)
				pass->slot[cell] -= shift;
		}
		for (int64_t k = b * pass->K; k < (b + 1) * pass->K; k++) {
			if (pass->key_position[k] >= 0)
				pass->key_slot[k] -= shift;
		}
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
