#include "engine/probe.h"

static bool tell_begin(const struct probe *probe, const struct plan *plan, const struct pass *pass, struct err *err)
{
	return probe->begin == NULL || probe->begin(probe->self, plan, pass, err);
}

static bool tell_end(const struct probe *probe, const struct plan *plan, const struct pass *pass, struct err *err)
{
	return probe->end == NULL || probe->end(probe->self, plan, pass, err);
}

static bool pair_begin(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	struct probe_pair *pair = self;
	return tell_begin(&pair->first, plan, pass, err) && tell_begin(&pair->second, plan, pass, err);
}

static bool pair_value(void *self, const struct plan *plan, const struct pass *pass, int value,
	const struct tensor *tensor, struct err *err)
{
	struct probe_pair *pair = self;
	const struct probe *a = &pair->first, *b = &pair->second;
	return (a->value == NULL || a->value(a->self, plan, pass, value, tensor, err)) &&
		(b->value == NULL || b->value(b->self, plan, pass, value, tensor, err));
}

static bool pair_end(void *self, const struct plan *plan, const struct pass *pass, struct err *err)
{
	struct probe_pair *pair = self;
	return tell_end(&pair->first, plan, pass, err) && tell_end(&pair->second, plan, pass, err);
}

struct probe probe_join(struct probe_pair *pair)
{
	return (struct probe){.self = pair, .begin = pair_begin, .value = pair_value, .end = pair_end};
}
