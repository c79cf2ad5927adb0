#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "trace/passline.h"

void passline_file_name(int64_t index, char *name)
{
	snprintf(name, PASSLINE_NAME_SIZE, "pass-%06" PRId64 ".safetensors", index);
}

static void add_flags(struct json_writer *writer, const char *key, const uint8_t *values, int64_t count)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (int64_t i = 0; i < count; i++)
		json_add_bool(writer, values[i] != 0);
	json_end_array(writer);
}

static void add_layout(struct json_writer *writer, const struct passline *line, const struct batch *batch)
{
	json_key(writer, "rows");
	json_begin_array(writer);
	for (int64_t b = 0; b < line->B; b++)
		json_add_string(writer, batch->requests[line->rows[b]].id);
	json_end_array(writer);
	json_put_int(writer, "B", line->B);
	json_put_int(writer, "S", line->S);
	json_put_int(writer, "K", line->K);
	json_put_ints(writer, "past", line->past, line->B);
	json_put_ints(writer, "lengths", line->fresh, line->B);
	add_flags(writer, "sampled", line->sampled, line->B);
	json_put_int32s(writer, "next", line->next, line->B);
	add_flags(writer, "finished", line->finished, line->B);
	json_key(writer, "cache");
	json_begin_object(writer);
	json_put_int(writer, "held", line->cache_held);
	json_put_int(writer, "used", line->cache_used);
	json_put_int(writer, "saved", line->cache_saved);
	json_end_object(writer);
}

static void add_events(struct json_writer *writer, const struct passline *line, const struct batch *batch)
{
	static const char *const names[] = {"starts", "ends", "waits"};
	json_key(writer, "events");
	json_begin_array(writer);
	for (int i = 0; i < line->event_count; i++) {
		const struct trace_event *event = &line->events[i];
		json_begin_object(writer);
		json_put_string(writer, "row", batch->requests[event->request].id);
		json_put_string(writer, "event", names[event->kind]);
		if (event->kind == TRACE_WAITS)
			json_put_int(writer, "places", event->lanes);
		if (event->kind == TRACE_ENDS) {
			json_put_string(writer, "finish", finish_reason_name(event->finish));
		}
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* Part of a character is no UTF-8: such a token is told by its bytes in hexadecimal. */
static void add_token_text(struct json_writer *writer, const struct passline_text *text)
{
	if (utf8_is_valid(text->bytes, text->length)) {
		json_add_bytes(writer, text->bytes, text->length);
		return;
	}
	struct buf hex = BUF_INIT;
	for (size_t i = 0; i < text->length; i++)
		buf_printf(&hex, "%02x", (unsigned)(unsigned char)text->bytes[i]);
	json_begin_object(writer);
	json_put_string(writer, "hex", buf_text(&hex));
	json_end_object(writer);
	buf_free(&hex);
}

static void add_texts(struct json_writer *writer, const struct passline *line)
{
	json_key(writer, "texts");
	json_begin_object(writer);
	for (size_t i = 0; i < line->text_count; i++) {
		char key[16];
		snprintf(key, sizeof key, "%" PRId32, line->texts[i].token);
		json_key(writer, key);
		add_token_text(writer, &line->texts[i]);
	}
	json_end_object(writer);
}

void passline_write(struct buf *out, const struct passline *line, const struct batch *batch)
{
	struct json_writer writer;
	char digest[17];
	snprintf(digest, sizeof digest, "%016" PRIx64, line->digest);
	json_writer_init(&writer, out, false);
	json_begin_object(&writer);
	json_put_int(&writer, "index", line->index);
	json_put_string(&writer, "kind", pass_kind_name(line->kind));
	add_layout(&writer, line, batch);
	add_events(&writer, line, batch);
	json_put_string(&writer, "file", line->file);
	json_put_int(&writer, "bytes", (int64_t)line->bytes);
	json_put_string(&writer, "digest", digest);
	add_texts(&writer, line);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}
