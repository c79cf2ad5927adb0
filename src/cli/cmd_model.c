/* rowscope model: what a model is. */
#include <inttypes.h>
#include <string.h>

#include "app/data.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/model_file.h"
#include "draw/show.h"
#include "model/model.h"

const struct cli_option cmd_model_options[] = {
	{"weights", 'w', NULL, N_("list every weight: name, axes, shape")},
	{0},
};

static void add_sizes(struct json_writer *writer, const struct model *model)
{
	const struct config *config = model_config(model);
	json_put_string(writer, "family", config->family);
	json_put_int(writer, "layers", config->layers);
	json_put_int(writer, "hidden", config->hidden);
	json_put_int(writer, "heads", config->heads);
	json_put_int(writer, "kv_heads", config->kv_heads);
	json_put_int(writer, "head_width", config->head_width);
	json_put_int(writer, "mlp", config->mlp);
	json_put_int(writer, "vocabulary", config->vocabulary);
	json_put_int(writer, "context", config->context);
	json_put_string(writer, "activation", activation_name(config->activation));
	json_put_bool(writer, "tied", config->tied);
	json_put_int(writer, "bos", config->bos);
	json_put_int(writer, "pad", config->pad);
	json_key(writer, "end_tokens");
	json_begin_array(writer);
	for (int i = 0; i < config->end_token_count; i++)
		json_add_int(writer, config->end_tokens[i]);
	json_end_array(writer);
	json_put_int(writer, "parameters", model_parameters(model));
}

static void add_weights(struct json_writer *writer, struct model *model)
{
	json_key(writer, "weights");
	json_begin_array(writer);
	for (size_t i = 0; i < model_weight_count(model); i++) {
		const struct weight *weight = model_weight_at(model, i);
		json_begin_object(writer);
		json_put_string(writer, "name", weight->name);
		json_put_string(writer, "axes", weight->axes);
		json_put_string(writer, "type", quant_name(weight->type));
		json_key(writer, "shape");
		json_begin_array(writer);
		for (int j = 0; j < weight->rank; j++)
			json_add_int(writer, weight->shape[j]);
		json_end_array(writer);
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* How many weights are stored in each type. */
static void count_types(const struct model *model, int64_t counts[QUANT_COUNT])
{
	memset(counts, 0, QUANT_COUNT * sizeof *counts);
	for (size_t i = 0; i < model_weight_count(model); i++)
		counts[model_weight_at(model, i)->type]++;
}

static void add_types(struct json_writer *writer, const struct model *model)
{
	int64_t counts[QUANT_COUNT];
	count_types(model, counts);
	json_key(writer, "types");
	json_begin_object(writer);
	for (int type = 0; type < QUANT_COUNT; type++) {
		if (counts[type] > 0)
			json_put_int(writer, quant_name((enum quant)type), counts[type]);
	}
	json_end_object(writer);
}

static void add_types_line(struct buf *out, const struct model *model)
{
	int64_t counts[QUANT_COUNT];
	count_types(model, counts);
	buf_printf(out, _("weights         %zu, stored as"), model_weight_count(model));
	for (int type = 0; type < QUANT_COUNT; type++) {
		if (counts[type] > 0)
			buf_printf(out, "  %" PRId64 " %s", counts[type], quant_name((enum quant)type));
	}
	buf_add_char(out, '\n');
}

static void as_json(struct model *model, const char *digest, struct buf *out)
{
	struct json_writer writer;
	const struct tokenizer *tokenizer = model_tokenizer(model);
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_string(&writer, "name", model_name(model));
	add_sizes(&writer, model);
	json_put_string(&writer, "weights_digest", digest);
	add_types(&writer, model);
	json_key(&writer, "tokenizer");
	if (tokenizer != NULL)
		json_add_string(&writer, tokenizer_kind(tokenizer));
	else
		json_add_null(&writer);
	json_key(&writer, "notes");
	json_begin_array(&writer);
	for (const char *const *note = model_notes(model); *note != NULL; note++)
		json_add_string(&writer, *note);
	json_end_array(&writer);
	json_key(&writer, "unused");
	json_begin_array(&writer);
	for (size_t i = 0; model_unused(model, i) != NULL; i++)
		json_add_string(&writer, model_unused(model, i));
	json_end_array(&writer);
	add_weights(&writer, model);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

static void add_token(struct buf *out, const struct model *model, int32_t id)
{
	struct buf bytes = BUF_INIT;
	buf_printf(out, "%d", id);
	if (model_tokenizer(model) != NULL && tokenizer_token_bytes(model_tokenizer(model), id, &bytes)) {
		buf_add_text(out, " ");
		show_foreign(out, buf_text(&bytes), bytes.length);
	}
	buf_free(&bytes);
}

static void add_special(struct buf *out, const struct model *model)
{
	const struct config *config = model_config(model);
	buf_add_text(out, _("special tokens  "));
	if (config->bos >= 0) {
		buf_add_text(out, _("start "));
		add_token(out, model, config->bos);
		buf_add_text(out, "   ");
	}
	for (int i = 0; i < config->end_token_count; i++) {
		buf_add_text(out, _("end "));
		add_token(out, model, config->end_tokens[i]);
		buf_add_text(out, "   ");
	}
	if (config->pad >= 0) {
		buf_add_text(out, _("padding "));
		add_token(out, model, config->pad);
	}
	buf_add_char(out, '\n');
}

static void as_text(struct model *model, const char *digest, struct buf *out)
{
	const struct config *c = model_config(model);
	const struct tokenizer *tokenizer = model_tokenizer(model);
	show_text(out, model_name(model));
	buf_printf(out, _("\nfamily          %s\n"), c->family);
	buf_printf(out,
		_("sizes           layers L=%" PRId64 "  hidden H=%" PRId64 "  heads N=%" PRId64
		  "  head width D=%" PRId64 "  MLP F=%" PRId64 "  vocabulary V=%" PRId64 "  context %" PRId64 "\n"),
		c->layers, c->hidden, c->heads, c->head_width, c->mlp, c->vocabulary, c->context);
	buf_printf(out, _("activation      %s\n"), activation_name(c->activation));
	buf_printf(out, _("parameters      %" PRId64 "%s\n"), model_parameters(model),
		c->tied ? _(" (the output matrix is the token table)") : "");
	add_types_line(out, model);
	buf_printf(out, _("tokenizer       %s\n"),
		tokenizer != NULL ? tokenizer_kind(tokenizer) : _("none: give rows by --tokens"));
	add_special(out, model);
	buf_printf(out, _("weights digest  %s\n"), digest);
	for (const char *const *note = model_notes(model); *note != NULL; note++)
		buf_printf(out, _("note            %s\n"), *note);
	for (size_t i = 0; model_unused(model, i) != NULL; i++) {
		buf_add_text(out, _("not used        "));
		show_text(out, model_unused(model, i));
		buf_add_char(out, '\n');
	}
}

static bool print_weights(const struct cli *cli, struct model *model, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "weights");
	int name = table_add_column(table, "name", TABLE_TEXT), axes = table_add_column(table, "axes", TABLE_TEXT);
	int shape = table_add_column(table, "shape", TABLE_TEXT), count = table_add_column(table, "numbers", TABLE_INT);
	int type = table_add_column(table, "type", TABLE_TEXT);
	for (size_t i = 0; i < model_weight_count(model); i++) {
		const struct weight *w = model_weight_at(model, i);
		size_t row = table_add_row(table, STYLE_NO_LANE);
		table_set_string(table, row, name, w->name);
		table_set_string(table, row, axes, w->axes);
		table_set_string(table, row, type, quant_name(w->type));
		table_set_string(table, row, shape,
			w->rank == 2 ? arena_printf(&arena, "%" PRId64 ",%" PRId64, w->shape[0], w->shape[1])
				     : arena_printf(&arena, "%" PRId64, w->shape[0]));
		table_set_int(table, row, count, w->shape[0] * (w->rank == 2 ? w->shape[1] : 1));
	}
	bool ok = cli_print_table(cli, table, err);
	arena_free(&arena);
	return ok;
}

bool cmd_model(struct cli *cli, struct err *err)
{
	struct model *model = NULL;
	struct buf out = BUF_INIT;
	char digest[17];
	char path[512];
	struct err why = ERR_INIT;
	if (!cli_words(cli, 1, 1, err) || !data_find_model(path, sizeof path, cli->args.words[0], err))
		return false;
	if (!model_open(&model, path, &why)) {
		if (file_exists(path) && !file_is_folder(path))
			return model_file_print(cli, path, &why, err);
		*err = why;
		return false;
	}
	bool ok = model_weights_digest(model, digest, err);
	if (ok && cli->json)
		as_json(model, digest, &out);
	else if (ok)
		as_text(model, digest, &out);
	ok = ok && cli_print(&out, err);
	if (ok && !cli->json && cli_has(&cli->args, "weights"))
		ok = print_weights(cli, model, err);
	buf_free(&out);
	model_delete(model);
	return ok;
}
