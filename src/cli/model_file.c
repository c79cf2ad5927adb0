#include "cli/model_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/json.h"
#include "cli/commands.h"
#include "draw/show.h"
#include "model/inspect.h"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* Why the file cannot be run, as one line. */
static void add_reason(const struct inspection *in, const struct err *why, struct buf *out)
{
	if (in->tensor_count == 0 && in->tokenizer != NULL) {
		buf_add_text(out, _("it is a vocabulary without weights; rowscope tokenize can use it"));
	} else if (strcmp(in->format, "safetensors") == 0) {
		buf_add_text(out, _("these are weights alone; give the folder with their config.json"));
	} else {
		if (why->where[0] != '\0')
			buf_printf(out, "%s: ", why->where);
		buf_add_text(out, why->message);
	}
}

/* --- text --- */

static void add_shape(struct buf *out, const struct inspection_tensor *t)
{
	for (int i = 0; i < t->rank; i++)
		buf_printf(out, "%s%" PRId64, i > 0 ? "," : "", t->shape[i]);
}

/* The types of the tensors and how many there are of each. */
static void add_types(const struct inspection *in, struct buf *out)
{
	for (size_t i = 0; i < in->tensor_count; i++) {
		size_t before = 0, all = 0;
		for (size_t j = 0; j < in->tensor_count; j++) {
			bool same = strcmp(in->tensors[j].type, in->tensors[i].type) == 0;
			before += same && j < i;
			all += same;
		}
		if (before == 0)
			buf_printf(out, "  %zu %s", all, in->tensors[i].type);
	}
}

static void add_vocabulary(const struct inspection *in, struct buf *out)
{
	buf_add_text(out, _("tokenizer       "));
	if (in->tokenizer != NULL)
		buf_printf(out, _("%s, %" PRId64 " tokens"), tokenizer_kind(in->tokenizer),
			tokenizer_vocab_size(in->tokenizer));
	else if (in->tokenizer_problem != NULL)
		show_text(out, in->tokenizer_problem);
	else
		buf_add_text(out, _("none"));
	buf_add_char(out, '\n');
	if (in->tokenizer != NULL && tokenizer_note(in->tokenizer) != NULL)
		buf_printf(out, _("note            %s\n"), tokenizer_note(in->tokenizer));
}

static void as_text(const struct inspection *in, const char *path, const char *reason, struct buf *out)
{
	show_text(out, file_name(path));
	buf_printf(out, _("\nformat          %s\n"), in->format);
	buf_printf(out, _("tensors         %zu"), in->tensor_count);
	add_types(in, out);
	buf_add_char(out, '\n');
	add_vocabulary(in, out);
	buf_add_text(out, _("cannot be run   "));
	show_text(out, reason);
	buf_add_char(out, '\n');
	for (size_t i = 0; i < in->key_count; i++) {
		buf_add_text(out, i == 0 ? _("keys            ") : "                ");
		show_text(out, in->keys[i].key);
		buf_add_text(out, " = ");
		show_foreign(out, in->keys[i].value, strlen(in->keys[i].value));
		buf_add_char(out, '\n');
	}
}

static bool print_tensors(const struct cli *cli, const struct inspection *in, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct table *table = table_new(&arena, "tensors");
	int name = table_add_column(table, "name", TABLE_TEXT), type = table_add_column(table, "type", TABLE_TEXT);
	int shape = table_add_column(table, "shape", TABLE_TEXT), bytes = table_add_column(table, "bytes", TABLE_INT);
	for (size_t i = 0; i < in->tensor_count; i++) {
		struct buf text = BUF_INIT;
		size_t row = table_add_row(table, STYLE_NO_LANE);
		add_shape(&text, &in->tensors[i]);
		table_set_string(table, row, name, in->tensors[i].name);
		table_set_string(table, row, type, in->tensors[i].type);
		table_set_string(table, row, shape, arena_strdup(&arena, buf_text(&text)));
		table_set_int(table, row, bytes, (int64_t)in->tensors[i].bytes);
		buf_free(&text);
	}
	bool ok = cli_print_table(cli, table, err);
	arena_free(&arena);
	return ok;
}

/* --- JSON --- */

static void add_tensors(struct json_writer *writer, const struct inspection *in)
{
	json_key(writer, "tensors");
	json_begin_array(writer);
	for (size_t i = 0; i < in->tensor_count; i++) {
		const struct inspection_tensor *t = &in->tensors[i];
		json_begin_object(writer);
		json_put_string(writer, "name", t->name);
		json_put_string(writer, "type", t->type);
		json_put_ints(writer, "shape", t->shape, t->rank);
		json_put_int(writer, "bytes", (int64_t)t->bytes);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void as_json(const struct inspection *in, const char *path, const char *reason, struct buf *out)
{
	struct json_writer writer;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_string(&writer, "name", file_name(path));
	json_put_string(&writer, "format", in->format);
	json_put_string(&writer, "cannot_be_run", reason);
	json_put_string(&writer, "tokenizer", in->tokenizer != NULL ? tokenizer_kind(in->tokenizer) : NULL);
	json_put_string(&writer, "tokenizer_problem", in->tokenizer_problem);
	if (in->tokenizer != NULL)
		json_put_int(&writer, "vocabulary", tokenizer_vocab_size(in->tokenizer));
	json_key(&writer, "keys");
	json_begin_array(&writer);
	for (size_t i = 0; i < in->key_count; i++) {
		json_begin_object(&writer);
		json_put_string(&writer, "key", in->keys[i].key);
		json_put_string(&writer, "value", in->keys[i].value);
		json_end_object(&writer);
	}
	json_end_array(&writer);
	add_tensors(&writer, in);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* --- both --- */

/* Of a .bin that is neither a checkpoint nor a vocabulary the name says which it was meant to be. */
static bool was_checkpoint(const char *path)
{
	size_t length = strlen(path);
	return length > 4 && strcmp(path + length - 4, ".bin") == 0 && strstr(file_name(path), "tok") == NULL;
}

bool model_file_print(struct cli *cli, const char *path, const struct err *why, struct err *err)
{
	struct inspection *in = NULL;
	struct buf out = BUF_INIT, reason = BUF_INIT;
	if (!inspect_file(&in, path, err)) {
		if (was_checkpoint(path))
			*err = *why;
		return false;
	}
	bool ok = !in->may_be_model;
	if (!ok)
		*err = *why;
	add_reason(in, why, &reason);
	if (ok && cli->json)
		as_json(in, path, buf_text(&reason), &out);
	else if (ok)
		as_text(in, path, buf_text(&reason), &out);
	ok = ok && cli_print(&out, err);
	if (ok && !cli->json && cli_has(&cli->args, "weights"))
		ok = print_tensors(cli, in, err);
	buf_free(&out);
	buf_free(&reason);
	inspect_delete(in);
	return ok;
}
