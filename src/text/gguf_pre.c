#include "text/gguf_pre.h"

#include <string.h>

#define NOT_WORDS " ?[^\\s\\p{L}\\p{N}]+"
#define BLANKS "\\s+(?!\\S)|\\s+"
#define LINES "\\s*[\\r\\n]+|" BLANKS
#define ENDINGS "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
#define LETTERS "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"

/* GPT-2's words; the words of GPT-4's kind, which differ in how digits are grouped; letters by upper and lower case. */
#define GPT2 "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+|" NOT_WORDS "|" BLANKS
#define GPT4(digits) ENDINGS "|" LETTERS "|" digits "|" NOT_WORDS "[\\r\\n]*|" LINES
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASES(ending) \
	"[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" ending "|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*" ending
#define GPT4O(ending, digits) CASES(ending) "|" digits "|" NOT_WORDS "[\\r\\n/]*|" LINES

#define SIGNS "[\\p{P}\\$\\+<=>\\^~\\|]+"
#define CHINESE "[\\x{4E00}-\\x{9FA5}\\x{0800}-\\x{4E00}\\x{AC00}-\\x{D7FF}]+"
#define CHINESE_JAPANESE "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{309F}\\x{30A0}-\\x{30FF}]+"
#define DEEPSEEK_WORDS \
	"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| " \
	"?[\\p{P}\\p{S}]+"
#define BLOOM " ?[^(\\s|.,!?\\x{2026}\\x{3002}\\x{FF0C}\\x{3001}\\x{0964}\\x{06D4}\\x{060C})]+"

/* Letters with upper and lower case, as DeepSeek LLM lists them. */
#define CASED \
	"A-Za-z\\x{B5}\\x{C0}-\\x{D6}\\x{D8}-\\x{F6}\\x{F8}-\\x{1BA}\\x{1BC}-\\x{1BF}\\x{1C4}-\\x{293}\\x{295}-\\x{" \
	"2AF}" \
	"\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37B}-\\x{37D}\\x{37F}\\x{386}\\x{388}-\\x{38A}\\x{38C}\\x{38E}-\\x{3A1}" \
	"\\x{3A3}-\\x{3F5}\\x{3F7}-\\x{481}\\x{48A}-\\x{52F}\\x{531}-\\x{556}\\x{10A0}-\\x{10C5}\\x{13A0}-\\x{13F5}" \
	"\\x{13F8}-\\x{13FD}\\x{1C90}-\\x{1CBA}\\x{1CBD}-\\x{1CBF}\\x{1D00}-\\x{1D2B}\\x{1D6B}-\\x{1D77}\\x{1D79}-" \
	"\\x{1D9A}" \
	"\\x{1E00}-\\x{1F15}\\x{1F18}-\\x{1F1D}\\x{1F20}-\\x{1F45}\\x{1F48}-\\x{1F4D}\\x{1F50}-\\x{1F57}\\x{1F59}\\x{" \
	"1F5B}" \
	"\\x{1F5D}\\x{1F5F}-\\x{1F7D}\\x{1F80}-\\x{1FB4}\\x{1FB6}-\\x{1FBC}\\x{1FBE}\\x{1FC2}-\\x{1FC4}\\x{1FC6}-\\x{" \
	"1FCC}" \
	"\\x{1FD0}-\\x{1FD3}\\x{1FD6}-\\x{1FDB}\\x{1FE0}-\\x{1FEC}\\x{1FF2}-\\x{1FF4}\\x{1FF6}-\\x{1FFC}\\x{2102}\\x{" \
	"2107}" \
	"\\x{210A}-\\x{2113}\\x{2115}\\x{2119}-\\x{211D}\\x{2124}\\x{2126}\\x{2128}\\x{212A}-\\x{212D}\\x{212F}-\\x{" \
	"2134}" \
	"\\x{2139}\\x{213C}-\\x{213F}\\x{2145}-\\x{2149}\\x{214E}\\x{2183}\\x{2184}\\x{2C00}-\\x{2C7B}\\x{2C7E}-\\x{" \
	"2CE4}" \
	"\\x{2CEB}-\\x{2CEE}\\x{2CF2}\\x{2CF3}\\x{A640}-\\x{A66D}\\x{A680}-\\x{A69B}\\x{A722}-\\x{A76F}\\x{A771}-\\x{" \
	"A787}" \
	"\\x{A78B}-\\x{A78E}\\x{AB70}-\\x{ABBF}\\x{FB00}-\\x{FB06}\\x{FB13}-\\x{FB17}\\x{FF21}-\\x{FF3A}\\x{FF41}-" \
	"\\x{FF5A}" \
	"\\x{10400}-\\x{1044F}\\x{104B0}-\\x{104D3}\\x{104D8}-\\x{104FB}\\x{10C80}-\\x{10CB2}\\x{10CC0}-\\x{10CF2}" \
	"\\x{118A0}-\\x{118DF}\\x{1E900}-\\x{1E943}"

static const struct gguf_pre pres[] = {
	{.names = "default", .patterns = {SIGNS, GPT2, "\\p{N}+", "[0-9][0-9][0-9]"}},
	{.names = "gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe gigachat "
		  "a.x-4.0 mellum "
		  "modern-bert exaone4 mpt olmo jais trillion granite-docling",
		.patterns = {GPT2}},
	{.names = "smollm starcoder refact command-r codeshell exaone minerva-7b mellum2",
		.patterns = {"\\p{N}", GPT2}},
	{.names = "falcon", .patterns = {"[\\p{P}\\$\\+<=>\\^~\\|`]+", GPT2, "[0-9][0-9][0-9]"}},
	{.names = "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
		.patterns = {GPT4("\\p{N}{1,3}")},
		.ignore_merges = true,
		.begins = true},
	{.names = "dbrx smaug-bpe glm4 chatglm-bpe", .patterns = {GPT4("\\p{N}{1,3}")}},
	{.names = "minicpm5", .patterns = {"\\p{N}{1,3}", GPT4("\\p{N}+")}, .ignore_merges = true},
	{.names = "qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 hunyuan solar-open megrez grok-2",
		.patterns = {GPT4("\\p{N}")}},
	{.names = "laguna", .patterns = {"[^\\n]+|[\\n]+", GPT4("\\p{N}")}},
	{.names = "ufakzeka", .patterns = {LETTERS "|\\p{N}|" NOT_WORDS "[\\r\\n]*|" LINES}},
	{.names = "qwen35",
		.patterns = {ENDINGS
			"|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" LINES}},
	{.names = "seed-coder", .patterns = {ENDINGS "|" LETTERS "|\\p{N}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" LINES}},
	{.names = "bailingmoe bailingmoe2 llada-moe",
		.patterns = {"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|" LETTERS "|\\p{N}|" NOT_WORDS
			     "[\\r\\n]*|\\s*[\\r\\n]|" BLANKS}},
	{.names = "exaone-moe",
		.patterns = {ENDINGS "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}|" NOT_WORDS
				     "[\\r\\n/]?|"
				     "\\s*[\\r\\n]|" BLANKS}},
	{.names = "tekken", .patterns = {GPT4O("", "\\p{N}")}, .ignore_merges = true, .begins = true},
	{.names = "gpt-4o llama4 kanana2 talkie minimax-m2", .patterns = {GPT4O(ENDINGS "?", "\\p{N}{1,3}")}},
	{.names = "granite-embed-multi-97m", .patterns = {GPT4O(ENDINGS "?", "\\p{N}{1,3}")}, .ignore_merges = true},
	{.names = "tiny_aya cohere2moe", .patterns = {"\\d{1,3}(?=(?:\\d{3})*\\b)", GPT4O(ENDINGS "?", "\\p{N}{1,3}")}},
	{.names = "youtu",
		.patterns = {"[\\x{AC00}-\\x{D7A3}\\x{3131}-\\x{318E}]+|[\\x{FF01}\\x{2026}\\x{201C}\\x{201D}\\x{2018}"
			     "\\x{2019}\\x{2014}"
			     "\\x{FF1A}\\x{FF1B}\\x{FF0C}\\x{3001}-\\x{303F}\\x{FE30}-\\x{FE4F}]+|[\\x{3105}-\\x{312F}]"
			     "+|" CHINESE_JAPANESE,
			GPT4O(ENDINGS "?", "\\p{N}")},
		.ignore_merges = true},
	{.names = "deepseek-llm",
		.patterns = {"[\\r\\n]", "\\s?[" CASED "]+",
			"\\s?[!-/:-~\\x{FF01}-\\x{FF0F}\\x{FF1A}-\\x{FF5E}\\x{2018}-\\x{201F}\\x{3000}-\\x{3002}]+",
			"\\s+$", CHINESE, "\\p{N}+"}},
	{.names = "deepseek-coder", .patterns = {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", CHINESE, "\\p{N}"}},
	{.names = "deepseek-v3 hunyuan-dense joyai-llm hy_v4",
		.patterns = {"\\p{N}{1,3}", CHINESE_JAPANESE, DEEPSEEK_WORDS "[\\r\\n]*|" LINES}},
	{.names = "spark2_5",
		.patterns = {"\\p{N}{1,3}", CHINESE_JAPANESE, DEEPSEEK_WORDS "|[\\r\\n]|" BLANKS, "\\p{N}"}},
	{.names = "poro-chat bloom gpt3-finnish", .patterns = {BLOOM}},
	{.names = "viking", .patterns = {BLOOM, "\\p{N}"}},
	{.names = "gemma4 granite-embed-multi-311m",
		.patterns = {"[^\\n]+|[\\n]+"},
		.ignore_merges = true,
		.begins = true,
		.is_text = true},
	{.names = "sarvam-moe", .patterns = {"[^\\n]+|[\\n]+"}, .is_text = true},
};

const struct gguf_pre *gguf_pre_find(const char *name)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof pres / sizeof *pres && length > 0; i++) {
		for (const char *at = pres[i].names; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
			if (strcspn(at, " ") == length && memcmp(at, name, length) == 0)
				return &pres[i];
		}
	}
	return NULL;
}

void gguf_pre_names(struct buf *out)
{
	for (size_t i = 0; i < sizeof pres / sizeof *pres; i++) {
		buf_add_text(out, i > 0 ? " " : "");
		buf_add_text(out, pres[i].names);
	}
}
