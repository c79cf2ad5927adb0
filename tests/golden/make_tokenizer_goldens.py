#!/usr/bin/env python3
"""Make the golden encodings of the bundled models' tokenizers with Hugging Face tokenizers.

    pip install tokenizers==0.23.3
    python3 tests/golden/make_tokenizer_goldens.py [MODEL...]

Writes tokenizer_<name>.json, one case a line:

    text          the string (JSON escapes: files of tests hold no control or direction marks)
    ids           encode(text), special tokens in the text recognised; no tokenizer here adds any
    offsets       of each token, in bytes of UTF-8; a token that is a part of a character has the whole character's
    plain         the IDs when special tokens in the text are ordinary text; only where they differ
    decoded       decode(ids) with special tokens kept
    skipped       decode(ids) with special tokens left out; only where it differs
"""
import json
import pathlib
import random
import sys

import tokenizers
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent.parent / "tiny_models"

COMMON = [
    "", " ", "  ", "   ", "\n", "\r\n", "\t", "\n\n\n", " \n ", "a", "A", "0", "é", "ß", "ñandú", "naïve café",
    "Hello, world!", "hello  world", " leading", "trailing ", "a b  c   d", "don't can't I'll we've you're she'd it's I'm",
    "DON'T", "'s 't 're 've 'm 'll 'd", "1234567890", "3.14159", "12 345,678", "50 %", "a1b2c3", "x=y+z", "C++ & C#",
    "foo_bar.baz(qux)[0]{1}", "https://example.org/a?b=c&d=%20#e", "e-mail@example.org", "...", "…", "--- *** ///", "!?!?",
    "“quotes” and ‘more’", "tab\tbetween", "line one\nline two", "line one\r\nline two", "\u00a0no-break\u00a0space", "\u3000wide\u3000space",
    "\u2003em\u2009thin", "zero\u200bwidth", "\ufeffbyte order mark", "soft\u00adhyphen", "\u202eright to left\u202c", "nul\x00inside", "\x01\x02\x1b[31m", "\x7f",
    "\u0085next line", "\u2028line\u2029paragraph", "e\u0301 combining", "\u0301 alone", "ﬁ ligature", "①②③", "Ⅷ ½ ²", "ＡＢＣ１２３",
    "привет мир", "γειά σου", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "こんにちは", "カタカナ", "안녕하세요", "𝒜𝒷𝒸", "𠀀𠀁", "\U0010ffff", "\uffff",
    "😀", "👍🏽", "👨‍👩‍👧‍👦", "🇨🇳🇩🇪", "I ❤️ you 😀!", "你好", "你好，世界！", "你好 hello 你好", "我今天很开心", "天气不错",
    "我今天很開心", "今天天气不错，出去走走吧。", "ABC你好abc", "你 好", "你\n好", "龘靐齉", "。。。，，，", "《书》（一）",
    "a" * 300, "ab " * 120, "天" * 200, " " * 70, "\n" * 33, "我今天很开心。" * 40]
SPECIAL = ["{0}", "{0}{1}", " {0} ", "a{0}b", "{0}a", "a {1}", "{0}\n{1}", "{0}{0}{0}", "x{1}y{0}z", "<", "<{0}>", "{0:.4}", "{1:.3} end"]
OWN = {
    "three-requests": [
        "我今天很", "天", "天气", "今天", "明天", "昨天", "气", "很", "不错", "开心", "很开心", "不开心", "公共汽车", "公共", "出租车司机", "图书馆在哪里？",
        "星期天气", "星期天", "没关系没有", "为什么", "怎么样怎么", "早上好早上", "晚上好！", "买东西和东西", "打电话给妈妈。", "我们都在家里", "你好你好", "你好好",
        "<s>你好", "你好</s>", "<s>你好！</s>", "<pad><pad>天", "<unk>", "你<unk>好", "abc", "ABC", "我爱you", "2056", "鑫", "鑫鑫你好"],
    "glass": [
        "the cat", "the cat says meow.", "the cat says meow .", "The cat", "the  cat", "the\ncat", "thecat", "the cat says", "big!", "big !", "!!", "...", ".!",
        "the big dog says woof! the cow says moo.", "pig oink", "the horse says", "cat's", "cat-dog", "the_cat", "the cat</s>", "</s> the", "<pad>", "says,meow", "oink" * 20],
    "tiny-stories": [
        "Once upon a time", "The little dog", "Mia found a", "In the garden", "One rainy day", "The old clock", "Tom and his sister", "At night the moon",
        "Once upon a time, there was a little cat named Pip.", '"Come in," said the king.', "Mia found a shiny key under the bed. It was dirty, so she washed it.",
        " Once", "once", "ONCE UPON A TIME", "grandmother", " grandmother", "grandmothers", "xylophone quartz", "Zoe's", "the the the", "thethethe", "rabbit  rabbit",
        "It was Ella's birthday.<|endoftext|>The little train", "<|endoftext|>", "<|pad|>", "<|endoftext", "|>", "end<|endoftext|>"],
}


def random_strings(seed, count):
    """Short strings over alphabets that mix badly."""
    rng = random.Random(seed)
    pool = list("aeZ09 .,'\n\t") + ["the ", " cat", "'s", "  ", "\u0301", "é", "你", "好", "天", "气", "\U0001f600", "\u200d", "١", "ⅷ", "\u00a0", "\u2003", "_", "你好", "said", "<", "|"]
    return ["".join(rng.choices(pool, k=rng.randint(2, 14))) for _ in range(count)]


def case(tokenizer, text):
    tokenizer.encode_special_tokens = False
    encoding = tokenizer.encode(text, add_special_tokens=True)
    assert encoding.ids == tokenizer.encode(text, add_special_tokens=False).ids
    offsets = [[len(text[:i].encode()) for i in pair] for pair in encoding.offsets]
    result = {"text": text, "ids": encoding.ids, "offsets": offsets}
    tokenizer.encode_special_tokens = True
    plain = tokenizer.encode(text, add_special_tokens=False).ids
    if plain != encoding.ids:
        result["plain"] = plain
    result["decoded"] = tokenizer.decode(encoding.ids, skip_special_tokens=False)
    skipped = tokenizer.decode(encoding.ids, skip_special_tokens=True)
    if skipped != result["decoded"]:
        result["skipped"] = skipped
    return result


def make(name):
    tokenizer = Tokenizer.from_file(str(MODELS / name / "tokenizer.json"))
    special = [t.content for _, t in sorted(tokenizer.get_added_tokens_decoder().items())]
    texts = COMMON + OWN[name] + [s.format(special[0], special[-1]) for s in SPECIAL] + random_strings(1, 40)
    cases = [case(tokenizer, text) for text in dict.fromkeys(texts)]
    path = HERE / f"tokenizer_{name}.json"
    lines = ",\n    ".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path.write_text(f'{{\n  "model": "{name}",\n  "made_with": {{"tokenizers": "{tokenizers.__version__}"}},\n  "cases": [\n    {lines}\n  ]\n}}\n')
    print(f"{path.name}: {len(cases)} cases, {path.stat().st_size} bytes")


def main():
    for name in sys.argv[1:] or OWN:
        make(name)


if __name__ == "__main__":
    main()
