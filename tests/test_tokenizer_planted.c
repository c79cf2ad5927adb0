/* The goldens of every kind of tokenizer notice a bug in any stage: one setting of the file changed stands for it. And every file
 * cut short or with a byte changed is read or refused with one sentence. */
#include "base/json.h"
#include "base/utf8.h"
#include "tokenizers.h"

#define KINDS "tests/golden/kinds.json"
#define PIECES "tests/golden/kinds_sentencepiece.json"
#define OTHERS "tests/golden/kinds_others.json"

static const struct plant {
	const char *file, *kind, *old, *new; /* ' stands for " */
} plants[] = {
	{KINDS, "gpt2", "'add_prefix_space':false", "'add_prefix_space':true"},
	{KINDS, "llama3", "{1,3}", "{1,2}"},
	{KINDS, "llama3", "'rstrip':true", "'rstrip':false"},
	{KINDS, "llama3", "'single_word':true", "'single_word':false"},
	{KINDS, "qwen2", "'NFC'", "'NFD'"},
	{KINDS, "words-digits", "'individual_digits':false", "'individual_digits':true"},
	{KINDS, "falcon", "'NFKC'", "'NFC'"},
	{KINDS, "falcon", "'Contiguous'", "'Isolated'"},
	{KINDS, "falcon", "MergedWithPrevious", "Removed"},
	{KINDS, "behaviors", "MergedWithNext", "MergedWithPrevious"},
	{KINDS, "changing", "'strip_left':true", "'strip_left':false"},
	{KINDS, "changing", "'start':1", "'start':0"},
	{KINDS, "words", "'Whitespace'", "'WhitespaceSplit'"},
	{KINDS, "characters-fused", "'fuse_unk': true", "'fuse_unk': false"},
	{KINDS, "fallback", "'byte_fallback': true", "'byte_fallback': false"},
	{KINDS, "fallback", "{'type': 'ByteFallback'}", "{'type': 'Fuse'}"},
	{KINDS, "fallback", "'ids': [1]", "'ids': [2]"},
	{KINDS, "fallback", "'prepend': '▁'", "'prepend': ''"},
	{PIECES, "metaspace-first", "'first'", "'always'"},
	{PIECES, "metaspace-always", "'always'", "'never'"},
	{PIECES, "metaspace-whole", "'split':false", "'split':true"},
	{PIECES, "metaspace-old", "'add_prefix_space': true", "'add_prefix_space': false"},
	{PIECES, "unigram", "'unk_id':0", "'unk_id':3"},
	{PIECES, "unigram-fallback", "'byte_fallback':true", "'byte_fallback':false"},
	{PIECES, "unigram-t5", "'WhitespaceSplit'", "'Whitespace'"},
	{PIECES, "unigram-t5", "'precompiled_charsmap':'", "'precompiled_charsmap':'AAAA"},
	{OTHERS, "bert", "'lowercase':true", "'lowercase':false"},
	{OTHERS, "bert", "'clean_text':true", "'clean_text':false"},
	{OTHERS, "bert", "'handle_chinese_chars':true", "'handle_chinese_chars':false"},
	{OTHERS, "bert", "'strip_accents':null", "'strip_accents':false"},
	{OTHERS, "bert", "'BertPreTokenizer'", "'WhitespaceSplit'"},
	{OTHERS, "bert", "'cleanup':true", "'cleanup':false"},
	{OTHERS, "bert", "_word':100", "_word':99"},
	{OTHERS, "bert", "'sep':['[SEP]',3]", "'sep':['[SEP]',2]"},
	{OTHERS, "bert-accents", "'prefix':'@'", "'prefix':'#'"},
	{OTHERS, "roberta", "'cls':['<|a|>',0]", "'cls':['<|a|>',1]"},
	{OTHERS, "nmt", "{'type':'Nmt'}", "null"},
	{OTHERS, "nmt", "'delimiter':' '", "'delimiter':'e'"},
	{OTHERS, "roberta", "'lstrip':true", "'lstrip':false"},
	{OTHERS, "whole", "'ignore_merges':true", "'ignore_merges':false"},
	{OTHERS, "fallback-few", "'fuse_unk':true", "'fuse_unk':false"},
	{OTHERS, "inverted", "'invert':true", "'invert':false"},
	{OTHERS, "byte-normalizer", "'length':7", "'length':2"},
};

/* The kind of this name in a file of goldens. */
static const struct json *find_kind(const char *file, const char *name)
{
	struct json *root;
	ck_assert_msg(json_load(file, 1 << 24, &arena, &root, &err), "%s", err.message);
	const struct json *kinds = json_find(root, "kinds");
	for (size_t i = 0; i < kinds->count; i++) {
		if (strcmp(json_find(kinds->items[i], "name")->text, name) == 0)
			return kinds->items[i];
	}
	ck_abort_msg("%s has no kind %s", file, name);
}

static bool same_ids(const struct json *text, bool special, const struct json *ids)
{
	struct tokenizer_list tokens;
	if (!tokenizer_encode(tokenizer, (struct tokenizer_text){text->text, text->length, special}, &arena, &tokens,
		    &err) ||
		tokens.count != ids->count)
		return false;
	for (size_t i = 0; i < tokens.count; i++) {
		int64_t id;
		if (!json_int(ids->items[i], 0, INT32_MAX, &id, &err) || id != tokens.items[i].id)
			return false;
	}
	return true;
}

static bool same_text(const struct json *ids, const struct json *text)
{
	struct buf out = BUF_INIT;
	int32_t *list = ARENA_ARRAY(&arena, int32_t, ids->count);
	for (size_t i = 0; i < ids->count; i++) {
		int64_t id = -1;
		ck_assert(json_int(ids->items[i], 0, INT32_MAX, &id, &err));
		list[i] = (int32_t)id;
	}
	tokenizer_decode(tokenizer, list, ids->count, false, &out);
	bool same = out.length == text->length && memcmp(buf_text(&out), text->text, out.length) == 0;
	buf_free(&out);
	return same;
}

static bool agrees(const struct json *node)
{
	const struct json *ids = json_find(node, "ids"), *special = json_find(node, "special");
	return same_ids(json_find(node, "text"), true, special != NULL ? special : ids) &&
		same_text(ids, json_find(node, "decoded"));
}

static bool all_agree(const struct json *kind, const struct buf *file)
{
	const struct json *cases = json_find(kind, "cases");
	bool done = true;
	ck_assert_msg(tokenizer_parse(&tokenizer, buf_text(file), file->length, "f", &err), "%s: %s", err.where,
		err.message);
	for (size_t i = 0; done && i < cases->count; i++)
		done = agrees(cases->items[i]);
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	return done;
}

static void add_quoted(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++)
		buf_add_char(out, *text == '\'' ? '"' : *text);
}

/* Every occurrence replaced. */
static void plant(const struct json *file, const struct plant *p, struct buf *out)
{
	struct buf old = BUF_INIT;
	int count = 0;
	add_quoted(&old, p->old);
	for (const char *at = file->text, *found; at != NULL; at = found) {
		found = strstr(at, buf_text(&old));
		buf_add(out, at, found != NULL ? (size_t)(found - at) : strlen(at));
		if (found == NULL)
			continue;
		add_quoted(out, p->new);
		found += old.length;
		count++;
	}
	ck_assert_msg(count > 0, "%s: %s is not there", p->kind, p->old);
	buf_free(&old);
}

START_TEST(a_changed_setting_is_noticed)
{
	const struct plant *p = &plants[_i];
	const struct json *kind = find_kind(p->file, p->kind), *file = json_find(kind, "tokenizer");
	struct buf whole = BUF_INIT, changed = BUF_INIT;
	buf_add(&whole, file->text, file->length);
	plant(file, p, &changed);
	ck_assert(all_agree(kind, &whole));
	ck_assert_msg(!all_agree(kind, &changed), "%s: %s instead of %s changes nothing", p->kind, p->new, p->old);
	buf_free(&whole);
	buf_free(&changed);
}
END_TEST

/* Either a tokenizer that can be used, or an input error with a sentence. */
static bool try_file(const char *bytes, size_t length)
{
	static const char text[] = "The  Café\n天 \xf0\x9f\x98\x80 it's 1234 <s> [CLS]";
	char why[1024];
	struct tokenizer_list tokens;
	struct arena scratch = ARENA_INIT;
	err_clear(&err);
	bool done = tokenizer_parse(&tokenizer, bytes, length, "f", &err);
	if (!done) {
		ck_assert_int_eq(err.kind, ERR_INPUT);
		err_text(&err, why, sizeof why);
		ck_assert(err.message[0] != '\0' && strchr(why, '\n') == NULL);
		return false;
	}
	if (!tokenizer_encode(tokenizer, (struct tokenizer_text){text, sizeof text - 1, true}, &scratch, &tokens, &err))
		ck_assert_int_eq(err.kind, ERR_USAGE);
	tokenizer_delete(tokenizer);
	tokenizer = NULL;
	arena_free(&scratch);
	return true;
}

static const char *const files[] = {KINDS, PIECES, OTHERS};

START_TEST(a_damaged_file_is_read_or_refused)
{
	struct json *root;
	uint32_t state = 5;
	ck_assert_msg(json_load(files[_i], 1 << 24, &arena, &root, &err), "%s", err.message);
	const struct json *kinds = json_find(root, "kinds");
	for (size_t i = 0; i < kinds->count; i++) {
		const struct json *file = json_find(kinds->items[i], "tokenizer");
		char *bytes = arena_strndup(&arena, file->text, file->length);
		ck_assert(try_file(bytes, file->length));
		for (size_t cut = 0; cut < file->length; cut += 61)
			ck_assert(!try_file(bytes, cut));
		for (int round = 0; round < 150; round++) {
			state = state * 1664525u + 1013904223u;
			size_t at = (state >> 8) % file->length;
			char old = bytes[at];
			bytes[at] = (char)(bytes[at] ^ (1 << (state & 7)));
			try_file(bytes, file->length);
			bytes[at] = old;
		}
	}
}
END_TEST

TEST_PROGRAM("tokenizer_planted", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, a_changed_setting_is_noticed, 0, sizeof plants / sizeof plants[0]);
	tcase_add_loop_test(tests, a_damaged_file_is_read_or_refused, 0, sizeof files / sizeof files[0]);
})
