/* The stages of SentencePiece's way in a tokenizer.json: small examples with their reasons, and what is refused. Their IDs are held against
 * Hugging Face tokenizers in test_tokenizer_golden.c. */
#include "tokenizers.h"

#define UNIGRAM(vocab, rest) "{'model':{'type':'Unigram','vocab':[" vocab "]" rest "}}"
#define METASPACE(settings) \
	"{'model':{'type':'WordLevel','vocab':{'▁a':0,'a':1,'▁b':2,'b':3,'▁':4,'?':5},'unk_token':'?'},'pre_" \
	"tokenizer':{'type':'Metaspace'," \
	"'replacement':'▁'" settings "},'added_tokens':[{'id':6,'content':'<x>','special':true,'normalized':false}]}"

START_TEST(the_likeliest_way_is_taken)
{
	load(UNIGRAM("['<unk>',0],['a',-1],['b',-1.5],['ab',-2],['abb',-9]", ",'unk_id':0"));
	becomes("ab", "3@0-2");
	becomes("abb", "3@0-2 2@2-3");
	becomes("ba", "2@0-1 1@1-2");
	becomes("acca", "1@0-1 0@1-3 1@3-4"); /* one unknown for both */
}
END_TEST

START_TEST(of_equal_ways_the_first_found_stays)
{
	load(UNIGRAM("['<unk>',0],['a',-1],['aa',-2],['aaa',-3]", ",'unk_id':0"));
	becomes("aaa", "3@0-3"); /* found from the first place, before the others */
	load(UNIGRAM("['<unk>',0],['a',-1],['aa',-2.5],['a',-9]", ",'unk_id':0"));
	becomes("a", "3@0-1"); /* of a token given twice the last is known */
}
END_TEST

START_TEST(unknown_characters_become_bytes)
{
	load(UNIGRAM("['<unk>',0],['a',-1],['<0xC3>',-3],['<0xA9>',-3]", ",'unk_id':0,'byte_fallback':true"));
	becomes("aé", "1@0-1 2@1-3 3@1-3");
	becomes("aè", "1@0-1 0@1-3"); /* one byte is missing */
}
END_TEST

START_TEST(bad_unigrams_are_refused)
{
	refuses(UNIGRAM("", ""), "a list of tokens");
	refuses(UNIGRAM("['a']", ""), "a token and its score");
	refuses(UNIGRAM("['a','b']", ""), "number");
	refuses(UNIGRAM("['a',-1]", ",'unk_id':1"), "unk_id");
	refuses(UNIGRAM("['a',-1]", ",'unk_id':-1"), "unk_id");
	refuses(UNIGRAM("['a',-1]", ",'alpha':0.1"), "alpha");
	refuses("{'model':{'type':'Unigram','vocab':{'a':0}}}", "a list of tokens");
	refuses("{'model':{'type':'SentencePiece','vocab':{'a':0}}}", "not supported");
	load(UNIGRAM("['a',-1]", ""));
	struct tokenizer_list tokens;
	ck_assert(!tokenizer_encode(tokenizer, (struct tokenizer_text){"b", 1, true}, &arena, &tokens, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
}
END_TEST

START_TEST(a_blank_is_put_where_the_scheme_says)
{
	load(METASPACE(",'prepend_scheme':'always'"));
	becomes("a b<x>a", "0@0-1 2@1-3 6@3-6 0@6-7");
	becomes(" a", "0@0-2");
	load(METASPACE(",'prepend_scheme':'first'"));
	becomes("a b<x>a", "0@0-1 2@1-3 6@3-6 1@6-7");
	load(METASPACE(",'prepend_scheme':'never'"));
	becomes("a b", "1@0-1 2@1-3");
	load(METASPACE("")); /* always, where nothing is said */
	becomes("a", "0@0-1");
	load(METASPACE(",'add_prefix_space':false")); /* as older files say it */
	becomes("a b", "1@0-1 2@1-3");
	load(METASPACE(",'split':false"));
	becomes("a b", "5@0-3");
}
END_TEST

START_TEST(bad_metaspaces_are_refused)
{
	refuses(METASPACE(",'prepend_scheme':'last'"), "\"always\", \"first\" or \"never\"");
	refuses(METASPACE(",'prepend_scheme':'first','add_prefix_space':false"), "contradicts");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':0}},'pre_tokenizer':{'type':'Metaspace','replacement':'ab'}"
		"}",
		"one character");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':0}},'pre_tokenizer':{'type':'Metaspace'}}", "replacement");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':0}},'decoder':{'type':'Metaspace','replacement':''}}",
		"one character");
}
END_TEST

static void refuses_map(const char *map)
{
	char text[512];
	snprintf(text, sizeof text,
		"{'model':{'type':'WordLevel','vocab':{'a':0}},'normalizer':{'type':'Precompiled','precompiled_"
		"charsmap':'%s'}}",
		map);
	refuses(text, "base64");
}

START_TEST(bad_maps_are_refused)
{
	refuses_map("");
	refuses_map("AAAA");     /* three bytes */
	refuses_map("AAAAA");    /* no whole group */
	refuses_map("AAA*AAAA"); /* no digit */
	refuses_map("A===");
	refuses_map("=AAA");
	refuses_map("BQAAAAAAAAAA"); /* five bytes of a double array: no whole unit */
	refuses_map("CAAAAAAAAAA="); /* eight bytes announced, four there */
}
END_TEST

/* Whatever bytes a map holds, it is only ever read inside. */
START_TEST(damaged_maps_replace_nothing_or_text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint64_t state = 7;
	for (int round = 0; round < 2000; round++) {
		char map[129] = "QAAA", text[512]; /* 64 bytes of units, then texts */
		for (int i = 4; i < 128; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			map[i] = digits[state >> 58];
		}
		map[4] = 'A', map[5] = map[5] < 'Q' ? map[5] : 'A';
		snprintf(text, sizeof text,
			"{'model':{'type':'WordLevel','vocab':{'?':0},'unk_token':'?'},"
			"'normalizer':{'type':'Precompiled','precompiled_charsmap':'%s'}}",
			map);
		if (load_text(text))
			encoded("aA1 \xc3\xa9 \xe5\xa4\xa9", 10, true);
	}
}
END_TEST

TEST_PROGRAM("sentencepiece", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, the_likeliest_way_is_taken);
	tcase_add_test(tests, of_equal_ways_the_first_found_stays);
	tcase_add_test(tests, unknown_characters_become_bytes);
	tcase_add_test(tests, bad_unigrams_are_refused);
	tcase_add_test(tests, a_blank_is_put_where_the_scheme_says);
	tcase_add_test(tests, bad_metaspaces_are_refused);
	tcase_add_test(tests, bad_maps_are_refused);
	tcase_add_test(tests, damaged_maps_replace_nothing_or_text);
})
