/* The names that TransformerLens has for the tensors of a trace. */
#include "compositions.h"
#include "harness.h"
#include "trace/hook_names.h"

static const struct {
	const char *model;
	const char *names[24]; /* ours, theirs */
} models[] = {
	{"tiny-llama",
		{"tokens", "tokens", "embed.token", "hook_embed", "layers.0.attn.norm", "blocks.0.ln1.hook_normalized",
			"layers.1.attn.q_rot", "blocks.1.attn.hook_rot_q", "layers.0.attn.mix", "blocks.0.attn.hook_z",
			"layers.1.mlp.gate", "blocks.1.mlp.hook_pre", "layers.1.mlp.up", "blocks.1.mlp.hook_pre_linear",
			"layers.0.resid", "blocks.0.hook_resid_post", "logits", "logits", "probs", "",
			"layers.0.attn.nothing", ""}},
	{"tiny-stories",
		{"embed.position", "hook_pos_embed", "embed", "blocks.0.hook_resid_pre", "layers.1.mlp.up",
			"blocks.1.mlp.hook_pre", "layers.0.mlp.act", "blocks.0.mlp.hook_post", "layers.0.attn.weights",
			"blocks.0.attn.hook_pattern", "layers.0.resid_mid", "blocks.0.hook_resid_mid",
			"layers.0.mlp.out", "blocks.0.hook_mlp_out", "final.norm", "ln_final.hook_normalized",
			"layers.", "", "layers.x", ""}},
	{"tests/golden/families/gemma2",
		{"layers.0.attn.scores", "", "layers.0.attn.scores_capped", "blocks.0.attn.hook_attn_scores",
			"layers.1.attn.out", "", "layers.1.attn.post_norm", "blocks.1.hook_attn_out",
			"layers.0.mlp.out", "", "layers.0.mlp.post_norm", "blocks.0.hook_mlp_out"}},
};

START_TEST(tensors_have_transformerlens_names)
{
	struct compositions c;
	struct trace *trace;
	struct err err = ERR_INIT;
	char name[HOOK_NAME_SIZE];
	int32_t prompt[] = {5, 6};
	struct request request = {.id = "A", .prompt = prompt, .prompt_length = 2, .max_new_tokens = 1};
	struct batch batch = {.requests = &request, .count = 1};
	ck_assert(compositions_open(&c, models[_i].model));
	ck_assert(composition_record(&c, &batch, NULL, &(struct run_options){.threads = 1}, &err));
	ck_assert(trace_open(&trace, c.folder, &err));
	for (int i = 0; models[_i].names[i] != NULL; i += 2) {
		bool found = hook_name(name, trace, models[_i].names[i]);
		ck_assert_str_eq(name, models[_i].names[i + 1]);
		ck_assert(found == (name[0] != '\0'));
	}
	trace_close(trace);
	compositions_close(&c);
}
END_TEST

TEST_PROGRAM("hook_names", { tcase_add_loop_test(tests, tensors_have_transformerlens_names, 0, 3); })
