/* config.json of the families, as transformers 4 and 5 write it: what is read, what stands where nothing is said, what is refused. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "harness.h"
#include "model/config.h"

static bool read_config(struct config *config, const char *text, struct err *err, struct arena *arena)
{
	struct json *document;
	ck_assert_msg(json_parse(text, strlen(text), "config.json", arena, &document, err), "%s", err->message);
	return config_read(config, document, err);
}

static struct config read_well(const char *text)
{
	struct arena arena = ARENA_INIT;
	struct config config;
	struct err err = ERR_INIT;
	ck_assert_msg(read_config(&config, text, &err, &arena), "%s", err.message);
	arena_free(&arena); /* the family's name is the program's own */
	return config;
}

START_TEST(both_generations_say_the_same)
{
	static const char *const pairs[][2] = {
		{"{\"model_type\":\"llama\",\"rope_theta\":5e5,\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":8,"
		 "\"low_freq_factor\":1,"
		 "\"high_freq_factor\":4,\"original_max_position_embeddings\":8192}}",
			"{\"model_type\":\"llama\",\"rope_parameters\":{\"rope_type\":\"llama3\",\"rope_theta\":500000."
			"0,\"factor\":8.0,"
			"\"low_freq_factor\":1.0,\"high_freq_factor\":4.0,\"original_max_position_embeddings\":8192}}"},
		{"{\"model_type\":\"llama\",\"rope_scaling\":{\"type\":\"linear\",\"factor\":2.5}}",
			"{\"model_type\":\"llama\",\"rope_parameters\":{\"rope_type\":\"linear\",\"rope_theta\":10000,"
			"\"factor\":2.5}}"},
		{"{\"model_type\":\"qwen2\",\"rope_theta\":1000000.0,\"rope_scaling\":null}",
			"{\"model_type\":\"qwen2\",\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":1e6}"
			"}"},
		{"{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":3,\"sliding_window_pattern\":2,\"rope_theta\":"
		 "1e6,"
		 "\"rope_local_base_freq\":1e4,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":8}}",
			"{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":3,\"layer_types\":[\"sliding_"
			"attention\",\"full_attention\","
			"\"sliding_attention\"],\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"linear\","
			"\"rope_theta\":1e6,"
			"\"factor\":8},\"sliding_attention\":{\"rope_type\":\"default\",\"rope_theta\":1e4}}}"},
	};
	struct config old = read_well(pairs[_i][0]), new = read_well(pairs[_i][1]);
	ck_assert_mem_eq(&old.rope, &new.rope, sizeof old.rope);
	ck_assert_mem_eq(&old.local_rope, &new.local_rope, sizeof old.local_rope);
	ck_assert_mem_eq(old.windowed, new.windowed, sizeof old.windowed);
	ck_assert_int_eq(old.window, new.window);
}
END_TEST

START_TEST(standards_stand_where_nothing_is_said)
{
	struct config c = read_well("{\"model_type\":\"llama\"}");
	ck_assert_int_eq(c.kv_heads, 32);
	ck_assert_int_eq(c.head_width, 128);
	ck_assert_int_eq(c.window, 0);
	ck_assert(!c.tied && !c.qkv_bias && c.activation == ACTIVATION_SILU && c.end_tokens[0] == 2);
	c = read_well("{\"model_type\":\"mistral\",\"eos_token_id\":[2,5]}");
	ck_assert(c.kv_heads == 8 && c.window == 4096 && c.windowed[0] && c.windowed[31] && c.end_token_count == 2);
	c = read_well("{\"model_type\":\"mistral\",\"sliding_window\":null,\"num_key_value_heads\":null}");
	ck_assert(c.window == 0 && !c.windowed[0] && c.kv_heads == 32);
	c = read_well("{\"model_type\":\"qwen2\",\"sliding_window\":128}");
	ck_assert(c.qkv_bias && !c.out_bias && c.window == 0); /* use_sliding_window is off */
	c = read_well("{\"model_type\":\"qwen2\",\"use_sliding_window\":true,\"max_window_layers\":30}");
	ck_assert(c.window == 4096 && !c.windowed[29] && c.windowed[30]);
	c = read_well(
		"{\"model_type\":\"qwen3\",\"hidden_size\":1024,\"num_attention_heads\":16,\"num_key_value_heads\":8}");
	ck_assert(c.qk_norm && !c.qkv_bias && c.head_width == 128);
}
END_TEST

START_TEST(gemmas_have_what_they_have)
{
	struct config c = read_well("{\"model_type\":\"gemma\",\"hidden_size\":2048}");
	ck_assert(c.norm_offset == 1 && c.tied && !c.post_norms && c.score_cap == 0 &&
		c.activation == ACTIVATION_GELU_TANH);
	ck_assert_float_eq(c.embed_scale, sqrtf(2048));
	c = read_well("{\"model_type\":\"gemma2\"}");
	ck_assert(c.post_norms && c.score_cap == 50 && c.logit_cap == 30 && c.score_scale == 0.0625f);
	ck_assert(c.windowed[0] && !c.windowed[1] && c.rope.theta == 1e4f && c.local_rope.theta == 0);
	c = read_well("{\"model_type\":\"gemma2\",\"attn_logit_softcapping\":null,\"final_logit_softcapping\":null}");
	ck_assert(c.score_cap == 0 && c.logit_cap == 0);
	c = read_well("{\"model_type\":\"gemma2\",\"hidden_activation\":\"gelu\",\"hidden_act\":\"relu\"}");
	ck_assert(c.activation == ACTIVATION_GELU_ERF); /* the old key has no use */
	c = read_well("{\"model_type\":\"gemma\",\"hidden_act\":\"gelu\",\"hidden_activation\":\"relu\"}");
	ck_assert(c.activation == ACTIVATION_GELU_TANH); /* its early files mean the tanh form */
	c = read_well("{\"model_type\":\"gemma3_text\",\"attn_logit_softcapping\":5}");
	ck_assert(c.score_cap == 0); /* transformers has the key and no use for it */
	c = read_well("{\"model_type\":\"gemma3\",\"eos_token_id\":[1,106],\"text_config\":{\"hidden_size\":2560,"
		      "\"sliding_window\":1024}}");
	ck_assert(c.hidden == 2560 && c.window == 1024 && c.qk_norm && !c.windowed[5] && c.windowed[6]);
	ck_assert(c.end_token_count == 2 && c.end_tokens[1] == 106 && c.bos == 2);
	ck_assert(c.rope.theta == 1e6f && c.local_rope.theta == 1e4f);
}
END_TEST

START_TEST(what_is_not_computed_is_refused_by_name)
{
	static const struct {
		const char *text, *where, *message;
	} cases[] = {
		{"{\"model_type\":\"mamba\"}", "model_type",
			"gpt2, llama, mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, gemma3"},
		{"{\"model_type\":\"llama\",\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4}}",
			"rope_scaling.rope_type", "yarn"},
		{"{\"model_type\":\"llama\",\"rope_scaling\":{\"type\":\"linear\"}}", "rope_scaling", "factor"},
		{"{\"model_type\":\"llama\",\"rope_parameters\":[]}", "rope_parameters", "object"},
		{"{\"model_type\":\"llama\",\"rope_parameters\":{\"partial_rotary_factor\":0.5}}",
			"partial_rotary_factor", "only 1"},
		{"{\"model_type\":\"llama\",\"num_key_value_heads\":5}", "num_key_value_heads", "not a multiple"},
		{"{\"model_type\":\"llama\",\"hidden_size\":4095}", "config.json", "not a multiple"},
		{"{\"model_type\":\"llama\",\"head_dim\":7}", "config.json", "odd"},
		{"{\"model_type\":\"llama\",\"hidden_size\":4e3}", "hidden_size", "whole number"},
		{"{\"model_type\":\"llama\",\"hidden_act\":\"mish\"}", "hidden_act", "unknown activation"},
		{"{\"model_type\":\"qwen3\",\"layer_types\":[\"full_attention\"]}", "layer_types", "one per layer"},
		{"{\"model_type\":\"qwen3\",\"num_hidden_layers\":1,\"layer_types\":[\"chunked_attention\"]}",
			"layer_types[0]", "chunked"},
		{"{\"model_type\":\"gemma3_text\",\"use_bidirectional_attention\":true}", "use_bidirectional_attention",
			"not supported"},
		{"{\"model_type\":\"gemma3\"}", "config.json", "text_config"},
		{"{\"model_type\":\"llama\",\"partial_rotary_factor\":0.5}", "partial_rotary_factor", "only 1"},
		{"{\"model_type\":\"llama\",\"quantization_config\":{\"quant_method\":\"awq\"}}", "quantization_config",
			"awq"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena arena = ARENA_INIT;
		struct config config;
		struct err err = ERR_INIT;
		ck_assert_msg(!read_config(&config, cases[i].text, &err, &arena), "read: %s", cases[i].text);
		ck_assert_msg(strstr(err.message, cases[i].message) != NULL, "%s: %s", cases[i].text, err.message);
		ck_assert_msg(strstr(err.message, cases[i].where) != NULL ||
				strstr(err.where, cases[i].where) != NULL || strstr(err.file, cases[i].where) != NULL,
			"%s: %s", cases[i].text, err.message);
		arena_free(&arena);
	}
}
END_TEST

TEST_PROGRAM("config", {
	tcase_add_loop_test(tests, both_generations_say_the_same, 0, 4);
	tcase_add_test(tests, standards_stand_where_nothing_is_said);
	tcase_add_test(tests, gemmas_have_what_they_have);
	tcase_add_test(tests, what_is_not_computed_is_refused_by_name);
})
