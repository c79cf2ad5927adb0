/* Files after public bugs, where that material is at hand: each ends as its list says, by the way that rowscope model goes. */
#include "tokenizers.h"

#include "format/safetensors.h"
#include "model/inspect.h"
#include "model/model.h"

enum { H = 64, HEADS = 4, KV = 2, MLP = 128, V = 256, LAYERS = 2, D = H / HEADS };

/* --- a good model folder to put the files into --- */

struct part {
	const char *name;
	int64_t rows, columns; /* columns 0: a vector */
};

static const struct part outside[] = {{"model.embed_tokens.weight", V, H}, {"model.norm.weight", H, 0},
	{"lm_head.weight", V, H}};
static const struct part inside[] = {{"input_layernorm", H, 0}, {"self_attn.q_proj", H, H},
	{"self_attn.k_proj", KV *D, H}, {"self_attn.v_proj", KV *D, H}, {"self_attn.o_proj", H, H},
	{"post_attention_layernorm", H, 0}, {"mlp.gate_proj", MLP, H}, {"mlp.up_proj", MLP, H},
	{"mlp.down_proj", H, MLP}};

#define OUTSIDE (sizeof outside / sizeof *outside)
#define INSIDE (sizeof inside / sizeof *inside)

static struct safetensors_item item_of(const char *name, const struct part *part)
{
	struct tensor tensor = {.dtype = DTYPE_F32,
		.rank = part->columns > 0 ? 2 : 1,
		.shape = {part->rows, part->columns}};
	return (struct safetensors_item){name, tensor};
}

static void write_weights(const char *path)
{
	struct safetensors_item items[OUTSIDE + LAYERS * INSIDE];
	struct safetensors_writer *writer;
	size_t count = 0;
	uint64_t bytes, digest;
	float *zeros = ARENA_ARRAY(&arena, float, V *H);
	for (size_t i = 0; i < OUTSIDE; i++)
		items[count++] = item_of(outside[i].name, &outside[i]);
	for (size_t i = 0; i < LAYERS * INSIDE; i++)
		items[count++] = item_of(arena_printf(&arena, "model.layers.%d.%s.weight", (int)(i / INSIDE),
						 inside[i % INSIDE].name),
			&inside[i % INSIDE]);
	ck_assert(safetensors_writer_open(&writer, path, items, count, NULL, &err));
	for (size_t i = 0; i < count; i++)
		ck_assert(safetensors_writer_add(writer, zeros, tensor_bytes(&items[i].tensor), &err));
	ck_assert(safetensors_writer_finish(writer, false, &bytes, &digest, &err));
}

static void copy_into_folder(const char *from, const char *name)
{
	char path[256], *text;
	size_t length;
	ck_assert_msg(file_load(from, 1 << 20, &arena, &text, &length, &err), "%s", err.message);
	snprintf(path, sizeof path, "%s/%s", tokenizers_folder, name);
	ck_assert(file_save(path, text, length, true, &err));
}

/* --- the list --- */

struct line {
	char file[128], format[32], expected[40];
};

static FILE *open_list(const char *name)
{
	char path[512], line[512];
	snprintf(path, sizeof path, "%s/%s", harness_testdata(), name);
	FILE *list = fopen(path, "r");
	ck_assert_ptr_nonnull(list);
	ck_assert_ptr_nonnull(fgets(line, sizeof line, list)); /* the heading */
	return list;
}

static bool next_line(FILE *list, struct line *l)
{
	char line[512];
	return fgets(line, sizeof line, list) != NULL &&
		sscanf(line, "%127[^\t]\t%31[^\t]\t%39[^\t]", l->file, l->format, l->expected) == 3;
}

static void expect(const struct line *l, bool accepted, const struct err *why)
{
	char text[1024];
	err_text(why, text, sizeof text);
	if (strncmp(l->expected, "accept", 6) == 0 && strstr(l->expected, "reject") == NULL)
		ck_assert_msg(accepted, "%s: %s", l->file, text);
	else if (strcmp(l->expected, "reject") == 0)
		ck_assert_msg(!accepted, "%s was accepted", l->file);
	if (!accepted)
		ck_assert_msg(why->kind == ERR_INPUT && why->file[0] != '\0' && why->message[0] != '\0', "%s: %s",
			l->file, text);
}

/* A model, or a file that can be described though it is none. */
static bool is_accepted(const char *path, struct err *why)
{
	struct model *model;
	struct inspection *inspection;
	struct err other = ERR_INIT;
	if (model_open(&model, path, why)) {
		model_delete(model);
		return true;
	}
	if (!inspect_file(&inspection, path, &other))
		return false;
	bool accepted = !inspection->may_be_model;
	inspect_delete(inspection);
	return accepted;
}

START_TEST(every_hostile_file_ends_as_its_list_says)
{
	char path[512], name[256];
	int checked = 0;
	struct line l;
	if (harness_testdata() == NULL)
		return;
	snprintf(name, sizeof name, "%s/model.safetensors", tokenizers_folder);
	write_weights(name);
	FILE *list = open_list("hostile/MANIFEST.tsv");
	while (next_line(list, &l)) {
		struct err why = ERR_INIT;
		struct model *model;
		snprintf(path, sizeof path, "%s/hostile/%s", harness_testdata(), l.file);
		bool accepted;
		if (strcmp(l.format, "config_json") == 0) {
			copy_into_folder(path, "config.json");
			accepted = model_open(&model, tokenizers_folder, &why);
		} else if (strcmp(l.format, "index_json") == 0) {
			snprintf(name, sizeof name, "%s/hostile/config_json/ok.json", harness_testdata());
			copy_into_folder(name, "config.json");
			copy_into_folder(path, "model.safetensors.index.json");
			accepted = model_open(&model, tokenizers_folder, &why);
			snprintf(name, sizeof name, "%s/model.safetensors.index.json", tokenizers_folder);
			unlink(name);
		} else {
			accepted = is_accepted(path, &why);
			model = NULL;
		}
		if (accepted)
			model_delete(model);
		expect(&l, accepted, &why);
		checked++;
	}
	fclose(list);
	ck_assert_int_eq(checked, 62);
}
END_TEST

START_TEST(every_safetensors_file_ends_as_its_list_says)
{
	char path[512], line[512], file[128], expected[64];
	int checked = 0;
	if (harness_testdata() == NULL)
		return;
	FILE *list = open_list("safetensors/INDEX.tsv");
	while (fgets(line, sizeof line, list) != NULL && sscanf(line, "%127[^\t]\t%63[^\t]", file, expected) == 2) {
		struct err why = ERR_INIT;
		struct line l = {.format = "safetensors"};
		snprintf(l.file, sizeof l.file, "%s", file);
		snprintf(l.expected, sizeof l.expected, "%s",
			strcmp(expected, "accept") == 0         ? "accept"
				: strncmp(file, "bad_", 4) == 0 ? "reject"
								: "either");
		snprintf(path, sizeof path, "%s/safetensors/%s.safetensors", harness_testdata(), file);
		struct inspection *inspection = NULL;
		bool accepted = inspect_file(&inspection, path, &why);
		inspect_delete(inspection);
		expect(&l, accepted, &why);
		checked++;
	}
	fclose(list);
	ck_assert_int_eq(checked, 24);
}
END_TEST

/* The same ground from files that are the project's own. */
START_TEST(a_file_that_is_no_model_is_described)
{
	struct inspection *in;
	ck_assert_msg(inspect_file(&in, "tests/golden/vocabularies/qwen2.gguf", &err), "%s", err.message);
	ck_assert(in->tensor_count == 0 && in->tokenizer != NULL && !in->may_be_model);
	ck_assert_str_eq(in->format, "GGUF version 3");
	inspect_delete(in);
	ck_assert(inspect_file(&in, "tests/golden/vocabularies/tok470.bin", &err) && in->tokenizer != NULL);
	inspect_delete(in);
	ck_assert(
		inspect_file(&in, "tests/golden/files/glass.gguf", &err) && in->may_be_model && in->tensor_count > 10);
	inspect_delete(in);
	ck_assert(inspect_file(&in, "tiny_models/glass/model.safetensors", &err) && !in->may_be_model);
	ck_assert_str_eq(in->tensors[0].type, "F32");
	inspect_delete(in);
	ck_assert(!inspect_file(&in, "tiny_models/glass/README.md", &err));
	err_clear(&err);
	ck_assert(!inspect_file(&in, "tiny_models/glass/none.gguf", &err));
}
END_TEST

TEST_PROGRAM("hostile_files", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, every_hostile_file_ends_as_its_list_says);
	tcase_add_test(tests, every_safetensors_file_ends_as_its_list_says);
	tcase_add_test(tests, a_file_that_is_no_model_is_described);
})
