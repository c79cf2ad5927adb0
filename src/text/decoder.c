#include "text/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "text/bytechar.h"
#include "text/metaspace.h"
#include "text/pattern.h"
#include "text/piece.h"
#include "text/setting.h"
#include "text/unicode.h"

struct decoder_kind {
	const char *type;
	const char *const *known;
	bool (*load)(struct decoder_step *step, const struct json *node, struct err *err); /* may be NULL */
	bool (*run)(const struct decoder_step *step, struct decoder_list *list, struct arena *arena, struct err *err);
};

struct decoder_step {
	const struct decoder_kind *kind;
	struct pattern *pattern; /* Replace */
	char *content;           /* Replace, Strip */
	size_t content_length;
	int64_t start, stop; /* Strip: at most so many at each end */
	struct metaspace metaspace;
	bool cleans; /* WordPiece: blanks that writing does not have are left out */
};

static struct decoder_text keep(struct arena *arena, const struct buf *buf)
{
	return (struct decoder_text){arena_strndup(arena, buf_text(buf), buf->length), buf->length};
}

static void join(struct decoder_list *list, struct arena *arena)
{
	struct buf joined = BUF_INIT;
	for (size_t i = 0; i < list->count; i++)
		buf_add(&joined, list->items[i].bytes, list->items[i].length);
	if (list->count > 0) {
		list->items[0] = keep(arena, &joined);
		list->count = 1;
	}
	buf_free(&joined);
}

static bool run_fuse(const struct decoder_step *step, struct decoder_list *list, struct arena *arena, struct err *err)
{
	(void)step;
	(void)err;
	join(list, arena);
	return true;
}

/* A token with a character that is no byte is taken as it is written. */
static bool run_byte_level(const struct decoder_step *step, struct decoder_list *list, struct arena *arena,
	struct err *err)
{
	struct buf bytes = BUF_INIT;
	(void)step;
	(void)err;
	for (size_t i = 0; i < list->count; i++) {
		buf_clear(&bytes);
		if (bytechar_decode(list->items[i].bytes, list->items[i].length, &bytes))
			list->items[i] = keep(arena, &bytes);
	}
	buf_free(&bytes);
	join(list, arena);
	return true;
}

/* The bytes of a run of byte tokens: their text, or one U+FFFD for each when they are not UTF-8. */
static void keep_run(struct buf *run, struct decoder_text *text, struct arena *arena)
{
	if (!utf8_is_valid(buf_text(run), run->length)) {
		size_t count = run->length;
		buf_clear(run);
		while (count-- > 0)
			buf_add(run, "\xef\xbf\xbd", 3);
	}
	*text = keep(arena, run);
	buf_clear(run);
}

static bool run_byte_fallback(const struct decoder_step *step, struct decoder_list *list, struct arena *arena,
	struct err *err)
{
	struct buf run = BUF_INIT;
	size_t count = 0;
	(void)step;
	(void)err;
	for (size_t i = 0; i < list->count; i++) {
		struct decoder_text text = list->items[i];
		int byte = bytechar_of_fallback(text.bytes, text.length);
		if (byte >= 0) {
			buf_add_char(&run, (char)byte);
			continue;
		}
		if (run.length > 0)
			keep_run(&run, &list->items[count++], arena);
		list->items[count++] = text;
	}
	if (run.length > 0)
		keep_run(&run, &list->items[count++], arena);
	list->count = count;
	buf_free(&run);
	return true;
}

static bool load_content(struct decoder_step *step, const struct json *node, struct err *err)
{
	const struct json *member;
	const char *text;
	if (!setting_need(node, "content", &member, err) || !json_string(member, &text, &step->content_length, err))
		return false;
	step->content = MEM_ARRAY(char, step->content_length + 1);
	memcpy(step->content, text, step->content_length);
	return true;
}

static bool load_replace(struct decoder_step *step, const struct json *node, struct err *err)
{
	const struct json *pattern;
	return load_content(step, node, err) && setting_need(node, "pattern", &pattern, err) &&
		pattern_load(&step->pattern, pattern, err);
}

static bool replace_one(const struct decoder_step *step, struct decoder_text *text, struct arena *arena,
	struct err *err)
{
	struct piece_span_list spans = PIECE_SPAN_LIST_INIT;
	struct buf valid = BUF_INIT, changed = BUF_INIT;
	/* Bytes that later tokens may complete stay as they are, for the stream. */
	size_t waiting = unicode_incomplete(text->bytes, text->length);
	unicode_repair(text->bytes, text->length - waiting, &valid);
	struct piece piece = piece_of_text(buf_text(&valid), valid.length, arena);
	bool found = pattern_find(step->pattern, &piece, &spans, err);
	for (size_t i = 0; found && i < spans.count; i++) {
		const struct piece_span *span = &spans.items[i];
		if (span->is_match)
			buf_add(&changed, step->content, step->content_length);
		else
			buf_add(&changed, piece.bytes + span->start, span->end - span->start);
	}
	buf_add(&changed, text->bytes + text->length - waiting, waiting);
	*text = keep(arena, &changed);
	piece_span_list_free(&spans);
	buf_free(&valid);
	buf_free(&changed);
	return found;
}

static bool run_replace(const struct decoder_step *step, struct decoder_list *list, struct arena *arena,
	struct err *err)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!replace_one(step, &list->items[i], arena, err))
			return false;
	}
	return true;
}

static bool load_strip(struct decoder_step *step, const struct json *node, struct err *err)
{
	uint32_t c;
	if (!load_content(step, node, err) || !json_get_int(node, "start", 0, INT32_MAX, &step->start, err) ||
		!json_get_int(node, "stop", 0, INT32_MAX, &step->stop, err))
		return false;
	if (utf8_decode(step->content, step->content_length, &c) != step->content_length || step->content_length == 0)
		return json_error(json_find(node, "content"), err, "one character was expected");
	return true;
}

static bool run_strip(const struct decoder_step *step, struct decoder_list *list, struct arena *arena, struct err *err)
{
	(void)arena;
	(void)err;
	for (size_t i = 0; i < list->count; i++) {
		struct decoder_text *text = &list->items[i];
		size_t size = step->content_length;
		for (int64_t n = 0; n < step->start && text->length >= size; n++) {
			if (memcmp(text->bytes, step->content, size) != 0)
				break;
			text->bytes += size;
			text->length -= size;
		}
		for (int64_t n = 0; n < step->stop && text->length >= size; n++) {
			if (memcmp(text->bytes + text->length - size, step->content, size) != 0)
				break;
			text->length -= size;
		}
	}
	return true;
}

static bool load_metaspace(struct decoder_step *step, const struct json *node, struct err *err)
{
	return metaspace_load(&step->metaspace, node, err);
}

/* A token with its blanks; in the first token they were put there and are left out. */
static void spell_metaspace(const struct metaspace *metaspace, struct decoder_text *text, bool is_first,
	struct arena *arena)
{
	struct buf changed = BUF_INIT;
	for (size_t at = 0; at < text->length;) {
		bool found = text->length - at >= metaspace->length &&
			memcmp(text->bytes + at, metaspace->text, metaspace->length) == 0;
		if (!found)
			buf_add_char(&changed, text->bytes[at]);
		else if (!is_first || metaspace->scheme == METASPACE_NEVER)
			buf_add_char(&changed, ' ');
		at += found ? metaspace->length : 1;
	}
	*text = keep(arena, &changed);
	buf_free(&changed);
}

static bool run_metaspace(const struct decoder_step *step, struct decoder_list *list, struct arena *arena,
	struct err *err)
{
	(void)err;
	for (size_t i = 0; i < list->count; i++)
		spell_metaspace(&step->metaspace, &list->items[i], i == 0, arena);
	return true;
}

/* ---- WordPiece ---- */

static bool load_wordpiece(struct decoder_step *step, const struct json *node, struct err *err)
{
	const char *prefix;
	if (!setting_text(node, "prefix", &prefix, &step->content_length, err) ||
		!setting_bool(node, "cleanup", true, &step->cleans, err))
		return false;
	if (prefix == NULL) {
		prefix = "##";
		step->content_length = 2;
	}
	step->content = MEM_ARRAY(char, step->content_length + 1);
	memcpy(step->content, prefix, step->content_length);
	return true;
}

static void replace_all(struct buf *text, const char *old, const char *new)
{
	struct buf changed = BUF_INIT;
	size_t length = strlen(old);
	for (size_t at = 0; at < text->length;) {
		bool found = text->length - at >= length && memcmp(text->data + at, old, length) == 0;
		buf_add(&changed, found ? new : text->data + at, found ? strlen(new) : 1);
		at += found ? length : 1;
	}
	buf_free(text);
	*text = changed;
}

/* Source: cleanup() in decoders/wordpiece.rs of Hugging Face tokenizers; in its order. */
static void clean(struct buf *text)
{
	static const char *const pairs[][2] = {{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"},
		{" n't", "n't"}, {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		replace_all(text, pairs[i][0], pairs[i][1]);
}

static bool goes_on(const struct decoder_step *step, const struct decoder_text *text)
{
	return text->length >= step->content_length && memcmp(text->bytes, step->content, step->content_length) == 0;
}

/* A token that begins a word has a blank before it, unless it is the first. */
static bool run_wordpiece(const struct decoder_step *step, struct decoder_list *list, struct arena *arena,
	struct err *err)
{
	struct buf changed = BUF_INIT;
	(void)err;
	for (size_t i = 0; i < list->count; i++) {
		struct decoder_text *text = &list->items[i];
		size_t skipped = i > 0 && goes_on(step, text) ? step->content_length : 0;
		buf_clear(&changed);
		if (i > 0 && !goes_on(step, text))
			buf_add_char(&changed, ' ');
		buf_add(&changed, text->bytes + skipped, text->length - skipped);
		if (step->cleans)
			clean(&changed);
		*text = keep(arena, &changed);
	}
	buf_free(&changed);
	return true;
}

static const char *const only_type[] = {"type", NULL};
static const char *const byte_level_keys[] = {"type", "add_prefix_space", "trim_offsets", "use_regex", NULL};
static const char *const replace_keys[] = {"type", "pattern", "content", NULL};
static const char *const wordpiece_keys[] = {"type", "prefix", "cleanup", NULL};
static const char *const strip_keys[] = {"type", "content", "start", "stop", NULL};

static const struct decoder_kind kinds[] = {
	{"ByteLevel", byte_level_keys, NULL, run_byte_level},
	{"ByteFallback", only_type, NULL, run_byte_fallback},
	{"Fuse", only_type, NULL, run_fuse},
	{"Metaspace", metaspace_keys, load_metaspace, run_metaspace},
	{"Replace", replace_keys, load_replace, run_replace},
	{"Strip", strip_keys, load_strip, run_strip},
	{"WordPiece", wordpiece_keys, load_wordpiece, run_wordpiece},
};

static const struct decoder_kind *find_kind(const char *type)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (strcmp(kinds[i].type, type) == 0)
			return &kinds[i];
	}
	return NULL;
}

static bool load_step(struct decoder *decoder, const struct json *node, const char *type, struct err *err)
{
	const struct decoder_kind *kind = find_kind(type);
	if (kind == NULL)
		return json_error(node, err, "a decoder of type \"%s\" is not supported", type);
	decoder->steps = mem_resize(decoder->steps, decoder->count + 1, sizeof *decoder->steps);
	struct decoder_step *step = &decoder->steps[decoder->count++];
	*step = (struct decoder_step){.kind = kind};
	decoder->byte_level = decoder->byte_level || kind->run == run_byte_level;
	decoder->byte_fallback = decoder->byte_fallback || kind->run == run_byte_fallback;
	return json_only_keys(node, kind->known, err) && (kind->load == NULL || kind->load(step, node, err));
}

static bool load_any(struct decoder *decoder, const struct json *node, struct err *err)
{
	static const char *const known[] = {"type", "decoders", NULL};
	const char *type;
	const struct json *list;
	if (!setting_type(node, &type, err))
		return false;
	if (strcmp(type, "Sequence") != 0)
		return load_step(decoder, node, type, err);
	if (!json_only_keys(node, known, err) || !setting_need(node, "decoders", &list, err))
		return false;
	if (list->type != JSON_ARRAY)
		return json_error(list, err, "a list of decoders was expected");
	for (size_t i = 0; i < list->count; i++) {
		if (!load_any(decoder, list->items[i], err))
			return false;
	}
	return true;
}

bool decoder_load(struct decoder *decoder, const struct json *node, struct err *err)
{
	*decoder = (struct decoder){.present = !setting_is_absent(node)};
	return !decoder->present || load_any(decoder, node, err);
}

void decoder_free(struct decoder *decoder)
{
	for (size_t i = 0; i < decoder->count; i++) {
		pattern_delete(decoder->steps[i].pattern);
		free(decoder->steps[i].content);
	}
	free(decoder->steps);
	*decoder = (struct decoder){0};
}

bool decoder_run(const struct decoder *decoder, struct decoder_list *list, struct arena *arena, struct buf *out,
	struct err *err)
{
	for (size_t i = 0; i < decoder->count; i++) {
		const struct decoder_step *step = &decoder->steps[i];
		if (!step->kind->run(step, list, arena, err))
			return false;
	}
	for (size_t i = 0; i < list->count; i++) {
		if (i > 0 && !decoder->present)
			buf_add_char(out, ' ');
		buf_add(out, list->items[i].bytes, list->items[i].length);
	}
	return true;
}

bool decoder_spell(const struct decoder *decoder, struct decoder_text text, struct buf *out, struct err *err)
{
	struct arena scratch = ARENA_INIT;
	bool done = true;
	for (size_t i = 0; done && i < decoder->count; i++) {
		if (decoder->steps[i].kind->run == run_replace)
			done = replace_one(&decoder->steps[i], &text, &scratch, err);
		else if (decoder->steps[i].kind->run == run_metaspace)
			spell_metaspace(&decoder->steps[i].metaspace, &text, false, &scratch);
		else if (decoder->steps[i].kind->run == run_wordpiece && goes_on(&decoder->steps[i], &text))
			text = (struct decoder_text){text.bytes + decoder->steps[i].content_length,
				text.length - decoder->steps[i].content_length};
	}
	buf_add(out, text.bytes, text.length);
	arena_free(&scratch);
	return done;
}
