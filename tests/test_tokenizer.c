/* Tokenizers: each stage on files small enough to follow by hand, and each refusal with its words. */
#include <time.h>

#include "tokenizers.h"

/* A tokenizer.json with these members beside a word-level model. */
#define WORDS(members) \
	"{'version':'1.0'," members "'model':{'type':'WordLevel','vocab':{'?':0,'a':1,'b':2,'ab':3,' " \
	"':4,'-':5,'1':6,'12':7,'a-':8,'-b':9,'--':10,'é':11,'A':12,'_':13},'unk_token':'?'}}"
#define SPLIT(pattern, behavior, invert) \
	WORDS("'pre_tokenizer':{'type':'Split','pattern':" pattern ",'behavior':'" behavior "','invert':" invert "},")

/* Byte-level BPE over a few letters: ids 0-9, with "Ġab" the largest. */
#define BPE_VOCAB "'vocab':{'a':0,'b':1,'c':2,'Ġ':3,'ab':4,'bc':5,'Ġab':6,'Ã':7,'©':8,'<e>':9,'\u0120a':10}"
#define BPE(members, merges, more) \
	"{" members "'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false},'decoder':{'type':'ByteLevel'},'" \
	"model':{'type':'BPE'," BPE_VOCAB ",'merges':[" merges "]" more "}}"
#define MERGES "['b','c'],['a','b'],['Ġ','ab']"

START_TEST(words_by_white_space)
{
	load(WORDS("'pre_tokenizer':{'type':'WhitespaceSplit'},"));
	becomes("a  ab\nx", "1@0-1 3@3-5 0@6-7");
	becomes("", "");
	becomes(" \n", "");
	ck_assert_str_eq(DECODED(1, 3, 0), "a ab ?");
	ck_assert_str_eq(tokenizer_kind(tokenizer), "word level");
	ck_assert_int_eq(tokenizer_vocab_size(tokenizer), 14);
	ck_assert_int_eq(tokenizer_find(tokenizer, "ab"), 3);
	ck_assert_int_eq(tokenizer_find(tokenizer, "nothing"), -1);
}
END_TEST

START_TEST(words_and_signs)
{
	load(WORDS("'pre_tokenizer':{'type':'Whitespace'},"));
	becomes("a--b ab_", "1@0-1 10@1-3 2@3-4 0@5-8");
	load(WORDS("'pre_tokenizer':{'type':'Punctuation','behavior':'Isolated'},"));
	becomes("a--b", "1@0-1 5@1-2 5@2-3 2@3-4");
	load(WORDS("'pre_tokenizer':{'type':'Digits','individual_digits':true},"));
	becomes("a12b", "1@0-1 6@1-2 0@2-3 2@3-4");
	load(WORDS("'pre_tokenizer':{'type':'Digits'},"));
	becomes("a12b", "1@0-1 7@1-3 2@3-4");
}
END_TEST

START_TEST(every_behavior_of_split)
{
	load(SPLIT("{'String':'-'}", "Removed", "false"));
	becomes("a--b", "1@0-1 2@3-4");
	load(SPLIT("{'String':'-'}", "Isolated", "false"));
	becomes("a--b", "1@0-1 5@1-2 5@2-3 2@3-4");
	load(SPLIT("{'String':'-'}", "MergedWithPrevious", "false"));
	becomes("a--b", "8@0-2 5@2-3 2@3-4");
	load(SPLIT("{'String':'-'}", "MergedWithNext", "false"));
	becomes("a--b", "1@0-1 5@1-2 9@2-4");
	load(SPLIT("{'String':'-'}", "Contiguous", "false"));
	becomes("a--b", "1@0-1 10@1-3 2@3-4");
	load(SPLIT("{'Regex':'[ab]+'}", "Removed", "true"));
	becomes("ab-b", "3@0-2 2@3-4");
}
END_TEST

START_TEST(a_split_by_vocabulary_cuts_unspaced_text)
{
	load("{'added_tokens':[{'id':0,'content':'<s>','special':true}],'pre_tokenizer':{'type':'Split','pattern':"
	     "{'Regex':'开心|我|今|天|很'},'behavior':'Isolated'},'decoder':{'type':'Fuse'},'model':{'type':'WordLevel'"
	     ","
	     "'vocab':{'<s>':0,'?':1,'我':2,'今':3,'天':4,'很':100,'开心':520},'unk_token':'?'}}");
	becomes("我今天很开心", "2@0-3 3@3-6 4@6-9 100@9-12 520@12-18");
	becomes("<s>我们", "0@0-3 2@3-6 1@6-9");
	ck_assert_str_eq(DECODED(2, 3, 4, 100, 520), "我今天很开心");
	ck_assert_str_eq(decoded((const int32_t[]){0, 2}, 2, true), "我");
	ck_assert_int_eq(tokenizer_vocab_size(tokenizer), 521);
}
END_TEST

START_TEST(an_empty_match_cuts_without_taking)
{
	load(SPLIT("{'Regex':'(?=[A-Z])'}", "Isolated", "false"));
	becomes("abAA", "3@0-2 12@2-3 12@3-4");
}
END_TEST

START_TEST(merges_go_by_rank_then_from_the_left)
{
	load(BPE("", MERGES, ""));
	becomes("abc", "0@0-1 5@1-3");
	becomes("ab ab", "4@0-2 6@2-5");
	becomes("bcbc", "5@0-2 5@2-4");
	ck_assert_str_eq(tokenizer_kind(tokenizer), "byte-level BPE");
	load(BPE("", "['a','b'],['b','c'],['Ġ','ab']", ""));
	becomes("abc", "4@0-2 2@2-3");
}
END_TEST

START_TEST(merges_in_the_old_spelling)
{
	load(BPE("", "'#version: 0.2','b c','a b','Ġ ab'", ""));
	becomes("abc", "0@0-1 5@1-3");
	becomes("ab ab", "4@0-2 6@2-5");
	refuses(BPE("", "'b  c'", ""), "model.merges[0]: a merge is two tokens");
	refuses(BPE("", "'bc'", ""), "model.merges[0]: a merge is two tokens");
	refuses(BPE("", "['a','b','c']", ""), "model.merges[0]: a merge is two tokens");
	refuses(BPE("", "['a','x']", ""), "needs the token \"x\"");
	refuses(BPE("", "['a','c']", ""), "the merge of \"a\" and \"c\" is not in the vocabulary");
}
END_TEST

START_TEST(a_whole_token_goes_before_merges_where_asked)
{
	load(BPE("", "['a','b']", ",'ignore_merges':true"));
	becomes(" a", "10@0-2");
	load(BPE("", "['a','b']", ""));
	becomes(" a", "3@0-1 0@1-2");
}
END_TEST

START_TEST(a_character_may_be_several_tokens)
{
	load(BPE("", MERGES, ""));
	becomes("a\xc3\xa9", "0@0-1 7@1-2 8@2-3");
	ck_assert_str_eq(DECODED(0, 7, 8), "a\xc3\xa9");
	ck_assert_str_eq(DECODED(0, 7), "a\xef\xbf\xbd");
	struct buf bytes = BUF_INIT;
	ck_assert(tokenizer_token_bytes(tokenizer, 7, &bytes));
	ck_assert_str_eq(buf_text(&bytes), "\xc3");
	buf_clear(&bytes);
	ck_assert(tokenizer_token_bytes(tokenizer, 6, &bytes));
	ck_assert_str_eq(buf_text(&bytes), " ab");
	buf_clear(&bytes);
	ck_assert(tokenizer_token_spelling(tokenizer, 6, &bytes));
	ck_assert_str_eq(buf_text(&bytes), "Ġab");
	ck_assert(!tokenizer_token_bytes(tokenizer, 4096, &bytes));
	buf_free(&bytes);
}
END_TEST

START_TEST(unknown_characters)
{
	load(BPE("", MERGES, "")); /* without an unknown token they are left out */
	becomes("axxc", "0@0-1 2@3-4");
	load(BPE("", MERGES, ",'unk_token':'<e>'"));
	becomes("axxb", "0@0-1 9@1-2 9@2-3 1@3-4");
	load(BPE("", MERGES, ",'unk_token':'<e>','fuse_unk':true"));
	becomes("axxb", "0@0-1 9@1-3 1@3-4");
	becomes("xxaxx", "9@0-2 0@2-3 9@3-5");
	load("{'model':{'type':'WordLevel','vocab':{'a':0}}}");
	struct tokenizer_list tokens;
	ck_assert(!tokenizer_encode(tokenizer, (struct tokenizer_text){"b", 1, true}, &arena, &tokens, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_str_eq(err.where, "byte 0");
}
END_TEST

START_TEST(added_tokens_are_found_first)
{
	load(WORDS("'added_tokens':[{'id':20,'content':'<s>','special':true,'normalized':false},{'id':21,'content':'<s>"
		   ">','special':false,'normalized':false},"
		   "{'id':22,'content':'<l>','lstrip':true},{'id':23,'content':'<r>','rstrip':true},{'id':24,'content':"
		   "'ba','single_word':true}],"
		   "'pre_tokenizer':{'type':'Split','pattern':{'Regex':'.'},'behavior':'Isolated'},"));
	becomes("a<s>b", "1@0-1 20@1-4 2@4-5");
	becomes("<s>>", "21@0-4"); /* the longest at the leftmost place */
	becomes("a  <l> b", "1@0-1 22@1-6 4@6-7 2@7-8");
	becomes("a <r>  b", "1@0-1 4@1-2 23@2-7 2@7-8");
	becomes("ba", "24@0-2");
	becomes("-ba-", "5@0-1 24@1-3 5@3-4");
	becomes("aba", "1@0-1 2@1-2 1@2-3");
	becomes("baé", "2@0-1 1@1-2 11@2-4");
	ck_assert_str_eq(encoded("a<s>b", 5, false), "1@0-1 0@1-2 0@2-3 0@3-4 2@4-5");
	ck_assert_str_eq(encoded("<s>>", 4, false), "21@0-4");
	ck_assert(tokenizer_is_special(tokenizer, 20));
	ck_assert(!tokenizer_is_special(tokenizer, 21));
	ck_assert(!tokenizer_is_special(tokenizer, 0));
	ck_assert_int_eq(tokenizer_find(tokenizer, "<r>"), 23);
	ck_assert_int_eq(tokenizer_vocab_size(tokenizer), 25);
}
END_TEST

START_TEST(normalizers_keep_the_offsets_of_the_text)
{
	load(WORDS("'normalizer':{'type':'NFC'},'pre_tokenizer':{'type':'WhitespaceSplit'},"));
	becomes("a e\xcc\x81 b", "1@0-1 11@2-5 2@6-7");
	load(WORDS("'normalizer':{'type':'Sequence','normalizers':[{'type':'Lowercase'},{'type':'Replace','pattern':{'"
		   "String':'x'},'content':'ab'}]},'pre_tokenizer':{'type':'WhitespaceSplit'},"));
	becomes("A X B", "1@0-1 3@2-3 2@4-5");
	load(WORDS("'normalizer':{'type':'Prepend','prepend':'a'},'pre_tokenizer':{'type':'WhitespaceSplit'},"));
	becomes("b a", "3@0-1 1@2-3");
	load(WORDS("'normalizer':{'type':'Strip'},"));
	becomes("  ab\n", "3@2-4");
	load(WORDS("'normalizer':{'type':'Sequence','normalizers':[{'type':'NFD'},{'type':'StripAccents'}]},"));
	becomes("\xc3\xa1"
		"b",
		"3@0-3");
	load(WORDS("'normalizer':{'type':'NFKC'},"));
	becomes("\xef\xbc\xa1", "12@0-3");
}
END_TEST

START_TEST(a_normalized_added_token_is_found_in_normalized_text)
{
	load(WORDS("'added_tokens':[{'id':20,'content':'AB','normalized':true},{'id':12,'content':'A','normalized':"
		   "false}],'normalizer':{'type':'Lowercase'},"));
	becomes("ab", "20@0-2");
	becomes("aB", "20@0-2");
	becomes("AB", "12@0-1 2@1-2");
}
END_TEST

START_TEST(control_tokens_are_put_around)
{
	load(WORDS("'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'A','type_id':0}},{'"
		   "Sequence':{'id':'A','type_id':0}},{'SpecialToken':{'id':'_','type_id':0}}],"
		   "'pair':[],'special_tokens':{'A':{'id':'A','ids':[12],'tokens':['A']},'_':{'id':'_','ids':[13,5],'"
		   "tokens':['_','-']}}},"));
	becomes("ab", "12@0-0 3@0-2 13@0-0 5@0-0");
	becomes("", "12@0-0 13@0-0 5@0-0");
	ck_assert_str_eq(encoded("ab", 2, false), "3@0-2");
}
END_TEST

START_TEST(offsets_are_trimmed_where_asked)
{
	load(BPE("'post_processor':{'type':'ByteLevel','trim_offsets':true,'add_prefix_space':false},", MERGES, ""));
	becomes("ab ab", "4@0-2 6@3-5");
	load("{'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':true},'decoder':{'type':'ByteLevel'},'model':{'"
	     "type':'BPE'," BPE_VOCAB ",'merges':[" MERGES "]}}");
	becomes("ab ab", "6@0-2 6@2-5");
	becomes(" ab", "6@0-3");
}
END_TEST

START_TEST(decoders)
{
	load(WORDS("'decoder':{'type':'Sequence','decoders':[{'type':'Replace','pattern':{'String':'_'},'content':' "
		   "'},{'type':'Fuse'},{'type':'Strip','content':' ','start':1,'stop':0}]},"));
	ck_assert_str_eq(DECODED(13, 1, 13, 2, 13), "a b ");
	ck_assert_str_eq(DECODED(1, 4711, 2), "ab");
}
END_TEST

START_TEST(text_that_is_not_utf8_is_refused)
{
	struct tokenizer_list tokens;
	load(WORDS(""));
	ck_assert(!tokenizer_encode(tokenizer,
		(struct tokenizer_text){"ab\xff"
					"c",
			4, true},
		&arena, &tokens, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_str_eq(err.where, "byte 2");
	ck_assert_str_eq(encoded("a\0b", 3, true), "0@0-3");
}
END_TEST

START_TEST(a_pattern_that_never_ends_is_stopped)
{
	char text[64];
	struct tokenizer_list tokens;
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = 'b';
	load(SPLIT("{'Regex':'(?:a|aa)+(?:a|aa)+(?:a|aa)+b(?!$)'}", "Isolated", "false"));
	ck_assert(
		!tokenizer_encode(tokenizer, (struct tokenizer_text){text, sizeof text, true}, &arena, &tokens, &err));
	ck_assert_int_eq(err.kind, ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(err.message, "too many steps"));
}
END_TEST

START_TEST(a_long_word_takes_no_quadratic_time)
{
	size_t length = (size_t)1 << 20;
	char *text = malloc(length);
	struct tokenizer_list tokens;
	memset(text, 'b', length);
	for (size_t i = 1; i < length; i += 2)
		text[i] = 'c';
	load(BPE("", MERGES, ""));
	clock_t start = clock();
	ck_assert(tokenizer_encode(tokenizer, (struct tokenizer_text){text, length, true}, &arena, &tokens, &err));
	ck_assert_uint_eq(tokens.count, length / 2);
	ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 20);
	free(text);
}
END_TEST

START_TEST(what_is_not_supported_is_named)
{
	refuses("[]", "an object with a \"model\"");
	refuses("{'version':'2.0','model':{}}", "version");
	refuses("{'version':'1.0'}", "\"model\" is missing");
	refuses("{'surprise':1,'model':{}}", "surprise");
	refuses("{'model':{'type':'Sentences','vocab':{'a':0}}}",
		"\"Sentences\" is not supported; rowscope reads WordLevel, BPE, Unigram and WordPiece");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':0},'extra':1}}", "extra");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':0,'b':0}}}", "the ID 0 is given to two tokens");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':-1}}}", "model.vocab.a");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':2147483647}}}", "model.vocab.a");
	refuses("{'model':{'type':'WordLevel','vocab':{'a':1.0}}}", "model.vocab.a");
	refuses(WORDS("'normalizer':{'type':'Fold'},"), "\"Fold\" is not supported");
	refuses(WORDS("'pre_tokenizer':{'type':'Sequence','pretokenizers':[{'type':'UnicodeScripts'}]},"),
		"pre_tokenizer.pretokenizers[0]: a pre-tokenizer of type \"UnicodeScripts\" is not supported");
	refuses(WORDS("'post_processor':{'type':'Wrap'},"), "\"Wrap\" is not supported");
	refuses(WORDS("'decoder':{'type':'CTC'},"), "\"CTC\" is not supported");
	refuses(BPE("", MERGES, ",'dropout':0.1"), "model.dropout");
	refuses(BPE("", MERGES, ",'byte_fallback':1"), "byte_fallback");
	refuses(BPE("", MERGES, ",'end_of_word_suffix':'</w>'"), "end_of_word_suffix");
	load(BPE("", MERGES,
		",'dropout':null,'continuing_subword_prefix':'','end_of_word_suffix':'','byte_fallback':false"));
}
END_TEST

START_TEST(contradictions_of_added_tokens_are_named)
{
	refuses(WORDS("'added_tokens':[{'id':2,'content':'a'}],"), "has the ID 2 here and 1 in the vocabulary");
	refuses(WORDS("'added_tokens':[{'id':2,'content':'x'}],"), "is \"b\" in the vocabulary");
	refuses(WORDS("'added_tokens':[{'id':20,'content':'x'},{'id':20,'content':'y'}],"), "contradicts another one");
	refuses(WORDS("'added_tokens':[{'id':20,'content':'x'},{'id':21,'content':'x'}],"), "contradicts another one");
	refuses(WORDS("'added_tokens':[{'id':20}],"), "\"content\" is missing");
	load(WORDS("'added_tokens':[{'id':20,'content':'x'},{'id':20,'content':'x'},{'id':1,'content':'a'},{'id':30,'"
		   "content':''}],"));
}
END_TEST

START_TEST(the_file_is_identified)
{
	load(WORDS(""));
	uint64_t digest = tokenizer_digest(tokenizer);
	load(WORDS("'normalizer':null,"));
	ck_assert_uint_ne(digest, tokenizer_digest(tokenizer));
	ck_assert(!tokenizer_load(&tokenizer, "/no/such/tokenizer.json", &err));
	ck_assert_str_eq(err.file, "/no/such/tokenizer.json");
}
END_TEST

TEST_PROGRAM("tokenizer", {
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, words_by_white_space);
	tcase_add_test(tests, words_and_signs);
	tcase_add_test(tests, every_behavior_of_split);
	tcase_add_test(tests, a_split_by_vocabulary_cuts_unspaced_text);
	tcase_add_test(tests, an_empty_match_cuts_without_taking);
	tcase_add_test(tests, merges_go_by_rank_then_from_the_left);
	tcase_add_test(tests, merges_in_the_old_spelling);
	tcase_add_test(tests, a_whole_token_goes_before_merges_where_asked);
	tcase_add_test(tests, a_character_may_be_several_tokens);
	tcase_add_test(tests, unknown_characters);
	tcase_add_test(tests, added_tokens_are_found_first);
	tcase_add_test(tests, normalizers_keep_the_offsets_of_the_text);
	tcase_add_test(tests, a_normalized_added_token_is_found_in_normalized_text);
	tcase_add_test(tests, control_tokens_are_put_around);
	tcase_add_test(tests, offsets_are_trimmed_where_asked);
	tcase_add_test(tests, decoders);
	tcase_add_test(tests, text_that_is_not_utf8_is_refused);
	tcase_add_test(tests, a_pattern_that_never_ends_is_stopped);
	tcase_add_test(tests, a_long_word_takes_no_quadratic_time);
	tcase_add_test(tests, what_is_not_supported_is_named);
	tcase_add_test(tests, contradictions_of_added_tokens_are_named);
	tcase_add_test(tests, the_file_is_identified);
})
