#include "trace/hook_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	const char *ours, *theirs;
};

static const struct pair outside[] = {
	{"tokens", "tokens"},
	{"embed.token", "hook_embed"},
	{"embed.position", "hook_pos_embed"},
	{"embed", "blocks.0.hook_resid_pre"},
	{"final.norm", "ln_final.hook_normalized"},
	{"logits", "logits"},
};

/* Of a layer. */
static const struct pair inside[] = {
	{"attn.norm", "ln1.hook_normalized"},
	{"attn.q", "attn.hook_q"},
	{"attn.k", "attn.hook_k"},
	{"attn.v", "attn.hook_v"},
	{"attn.q_rot", "attn.hook_rot_q"},
	{"attn.k_rot", "attn.hook_rot_k"},
	{"attn.scores", "attn.hook_attn_scores"},
	{"attn.weights", "attn.hook_pattern"},
	{"attn.mix", "attn.hook_z"},
	{"attn.out", "hook_attn_out"},
	{"attn.scores_capped", "attn.hook_attn_scores"},
	{"attn.post_norm", "hook_attn_out"},
	{"resid_mid", "hook_resid_mid"},
	{"mlp.norm", "ln2.hook_normalized"},
	{"mlp.gate", "mlp.hook_pre"},
	{"mlp.up", "mlp.hook_pre"},
	{"mlp.act", "mlp.hook_post"},
	{"mlp.out", "hook_mlp_out"},
	{"mlp.post_norm", "hook_mlp_out"},
	{"resid", "hook_resid_post"},
};

static const char *find(const struct pair *pairs, size_t count, const char *ours)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(pairs[i].ours, ours) == 0)
			return pairs[i].theirs;
	}
	return NULL;
}

/* What goes by another name, or by none, in layers that have the second tensor too: a hook is behind the cap of scores, and what is
 * added to the residual stream is behind the second norms. */
static const struct {
	const char *ours, *beside, *theirs;
} variants[] = {
	{"mlp.up", "mlp.gate", "mlp.hook_pre_linear"},
	{"attn.scores", "attn.scores_capped", NULL},
	{"attn.out", "attn.post_norm", NULL},
	{"mlp.out", "mlp.post_norm", NULL},
};

static const char *find_inside(const struct trace *trace, long layer, const char *ours)
{
	char beside[64];
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		snprintf(beside, sizeof beside, "layers.%ld.%s", layer, variants[i].beside);
		if (strcmp(variants[i].ours, ours) == 0 && trace_find_value(trace, beside) >= 0)
			return variants[i].theirs;
	}
	return find(inside, sizeof inside / sizeof *inside, ours);
}

bool hook_name(char name[HOOK_NAME_SIZE], const struct trace *trace, const char *value)
{
	static const char prefix[] = "layers.";
	const char *theirs = find(outside, sizeof outside / sizeof *outside, value);
	char *rest;
	name[0] = '\0';
	if (theirs != NULL) {
		snprintf(name, HOOK_NAME_SIZE, "%s", theirs);
		return true;
	}
	if (strncmp(value, prefix, sizeof prefix - 1) != 0)
		return false;
	long layer = strtol(value + sizeof prefix - 1, &rest, 10);
	theirs = *rest == '.' ? find_inside(trace, layer, rest + 1) : NULL;
	if (theirs == NULL)
		return false;
	snprintf(name, HOOK_NAME_SIZE, "blocks.%ld.%s", layer, theirs);
	return true;
}
