/* rowscope tokenize: a text as a model's tokenizer cuts it. */
#include <string.h>

#include "app/data.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "model/find_tokenizer.h"
#include "text/tokenizer.h"

const struct cli_option cmd_tokenize_options[] = {
	{"no-special", 0, NULL, N_("add no token of the tokenizer's own, and find no control token in the text")},
	{0},
};

/* The vocabulary is all that is needed: MODEL may be a folder, or a file that holds one. */
static bool load(struct tokenizer **tokenizer, const struct cli *cli, struct err *err)
{
	char model[512], path[640];
	int64_t vocabulary;
	if (!data_find_model(model, sizeof model, cli->args.words[0], err) ||
		!find_tokenizer(path, sizeof path, model, &vocabulary, err))
		return false;
	if (path[0] == '\0')
		return err_input(err, model, NULL,
			_("there is no vocabulary with this model; name the file of one instead"));
	return tokenizer_open(tokenizer, path, vocabulary, err);
}

static void as_json(const struct tokenizer *tokenizer, const struct tokenizer_list *tokens, struct buf *out)
{
	struct json_writer writer;
	struct buf bytes = BUF_INIT;
	json_writer_init(&writer, out, false);
	json_begin_object(&writer);
	json_key(&writer, "tokens");
	json_begin_array(&writer);
	for (size_t i = 0; i < tokens->count; i++) {
		const struct tokenizer_token *token = &tokens->items[i];
		buf_clear(&bytes);
		tokenizer_token_bytes(tokenizer, token->id, &bytes);
		json_begin_object(&writer);
		json_put_int(&writer, "id", token->id);
		json_key(&writer, "text");
		json_add_bytes(&writer, buf_text(&bytes), bytes.length);
		json_key(&writer, "bytes");
		json_begin_array(&writer);
		for (size_t j = 0; j < bytes.length; j++)
			json_add_int(&writer, (unsigned char)bytes.data[j]);
		json_end_array(&writer);
		json_put_int(&writer, "start", (int64_t)token->start);
		json_put_int(&writer, "end", (int64_t)token->end);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	json_end_object(&writer);
	buf_add_char(out, '\n');
	buf_free(&bytes);
}

static struct table *as_table(const struct tokenizer *tokenizer, const struct tokenizer_list *tokens,
	struct arena *arena)
{
	struct table *table = table_new(arena, "tokens");
	int place = table_add_column(table, "place", TABLE_INT), id = table_add_column(table, "id", TABLE_INT);
	int text = table_add_column(table, "text", TABLE_TEXT), hex = table_add_column(table, "bytes", TABLE_TEXT);
	int start = table_add_column(table, "start", TABLE_INT), end = table_add_column(table, "end", TABLE_INT);
	struct buf bytes = BUF_INIT, shown = BUF_INIT;
	for (size_t i = 0; i < tokens->count; i++) {
		size_t row = table_add_row(table, STYLE_NO_LANE);
		buf_clear(&bytes);
		buf_clear(&shown);
		tokenizer_token_bytes(tokenizer, tokens->items[i].id, &bytes);
		for (size_t j = 0; j < bytes.length; j++)
			buf_printf(&shown, "%s%02x", j > 0 ? " " : "", (unsigned char)bytes.data[j]);
		table_set_int(table, row, place, (int64_t)i);
		table_set_int(table, row, id, tokens->items[i].id);
		table_set_text(table, row, text, buf_text(&bytes), bytes.length);
		table_set_string(table, row, hex, buf_text(&shown));
		table_set_int(table, row, start, (int64_t)tokens->items[i].start);
		table_set_int(table, row, end, (int64_t)tokens->items[i].end);
	}
	buf_free(&bytes);
	buf_free(&shown);
	return table;
}

bool cmd_tokenize(struct cli *cli, struct err *err)
{
	struct tokenizer *tokenizer = NULL;
	struct tokenizer_list tokens;
	struct buf out = BUF_INIT;
	if (!cli_words(cli, 2, -1, err) || !load(&tokenizer, cli, err))
		return false;
	const char *words = cli_join(cli, 1);
	struct tokenizer_text text = {words, strlen(words), !cli_has(&cli->args, "no-special")};
	bool ok = tokenizer_encode(tokenizer, text, &cli->arena, &tokens, err);
	if (ok && cli->json) {
		as_json(tokenizer, &tokens, &out);
		ok = cli_print(&out, err);
	} else if (ok) {
		ok = cli_print_table(cli, as_table(tokenizer, &tokens, &cli->arena), err);
	}
	buf_free(&out);
	tokenizer_delete(tokenizer);
	return ok;
}
