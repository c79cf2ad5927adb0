#!/usr/bin/env python3
"""Make golden encodings of many kinds of tokenizer with Hugging Face tokenizers.

    pip install tokenizers==0.23.3
    python3 tests/golden/make_tokenizer_kinds.py

Writes kinds.json: small tokenizers, one for each stage and family that rowscope reads, each trained on the text below,
as the text of their tokenizer.json, with cases as in make_tokenizer_goldens.py:

    text, ids, plain, decoded, skipped
    offsets       only where rowscope promises the same as Hugging Face: see EXACT
    special       the IDs with the post-processor's tokens; only where they differ from ids
"""
import json
import pathlib
import random

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent

TEXT = """The old clock in the hall had stopped at a quarter past nine, and nobody knew why. "It's only tired," said Mia.
She'd wound it twice; they'll say it wasn't her. Numbers: 1, 22, 333, 4444, 55555. Prices: $3.50, 12 % off!
x = y + z; foo_bar(baz)[0] -> {1}; https://example.org/a?b=c&d=1
Ein schöner Tag, naïve Café-Gäste, señor Ñandú. Привет, старые часы. Γειά σου. 今天天气很好，我们去公园。你好！ 안녕하세요
    indented    text
\ttabs\tand\r\nline ends\n\n\nmany
""".splitlines(keepends=True) * 4

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
ADDED = [AddedToken("</think>", special=False, normalized=False), AddedToken("<|im|>", special=True, lstrip=True),
         AddedToken("<r>", rstrip=True, normalized=False), AddedToken("clock", single_word=True, normalized=False),
         AddedToken("<r><b>", normalized=False), AddedToken("Café", normalized=True), AddedToken("  ", normalized=False)]

CASES = [
    "", " ", "   ", "\n\n", "\t \t", "The old clock", " the old clocks", "o'clock clock-clock clock", "It's, it'll, SHE'D, they'Ve",
    "1 22 333 4444 55555", "a1b22c333", "$3.50 + 12% = ?", "foo_bar(baz)[0] -> {1}; x==y", "https://example.org/a?b=c&d=1",
    "Ein schöner Tag", "nai\u0308ve Cafe\u0301", "Café CAFÉ café Cafe\u0301", "Привет, Γειά!", "今天天气很好，我们去公园。", "안녕 \u1112\u1161\u11ab",
    "ﬁne ①② Ⅷ ＡＢ", "emoji 😀👍🏽👨‍👩‍👧 end", "\u00a0no\u2003break\u3000", "    indented\n\n\n\r\n  \r", "a\u0316\u0301b \u0301c", "<|a|><|im|> x", "x  <|im|>  y", "<r>   x <r><b><r>",
    "a</think>b", "<|a|>The<|b|>", "--a---b-", "ABcDeF", "UPPER lower Title", "nul\x00 and \x1b[31m", "\u0e01\u0e33 \u0926\u093f", "𝒜𝒷 𠀀", "long " * 30, "天" * 60]


def random_strings(seed, count):
    rng = random.Random(seed)
    pool = list("aeTZ09 .,'-\n\t") + ["the", " old", "'s", "  ", "\u0301", "é", "ö", "天", "气", "😀", "\u200d", "\u00a0", "_", "clock", "<r>", "<|im|>", "Café", "11", "\r\n", "Ж", "한"]
    return ["".join(rng.choices(pool, k=rng.randint(3, 16))) for _ in range(count)]


def byte_level(pre, size=420, added=(), model=None, **parts):
    tokenizer = Tokenizer(model or models.BPE())
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = parts.pop("decoder", decoders.ByteLevel())
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), special_tokens=["<|a|>", "<|b|>"],
        show_progress=False))
    tokenizer.add_tokens(list(added))
    return tokenizer


def words(pre, **parts):
    pieces = {}
    tokenizer = Tokenizer(models.WordLevel({"?": 0, "<s>": 1}, unk_token="?"))
    for name, part in dict(parts, pre_tokenizer=pre).items():
        setattr(tokenizer, name, part)
    for text in TEXT:
        normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
        for piece, _ in pre.pre_tokenize_str(normal):
            pieces.setdefault(piece, len(pieces) + 2)
    vocabulary = {"?": 0, "<s>": 1, **{p: i for p, i in pieces.items() if p not in ("?", "<s>")}}
    tokenizer.model = models.WordLevel(vocabulary, unk_token="?")
    tokenizer.add_special_tokens(["?", "<s>"])
    return tokenizer


def characters(**settings):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(TEXT[:3], trainers.BpeTrainer(vocab_size=150, special_tokens=["<unk>"], show_progress=False))
    document = json.loads(tokenizer.to_str())
    document["model"].update(settings)
    if settings.pop("old_merges", None):
        document["model"].pop("old_merges")
        document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
    return Tokenizer.from_str(json.dumps(document)), json.dumps(document, ensure_ascii=False)


def fallback(alphabet=60, **settings):
    """Llama 2's way: spaces are letters, a character outside the alphabet is the tokens of its bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    names = ["<unk>", "<s>", "</s>"]
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=420, limit_alphabet=alphabet, show_progress=False, special_tokens=names + [f"<0x{b:02X}>" for b in range(256)]))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="$A $B", special_tokens=[("<s>", 1)])
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = [token for token in document["added_tokens"] if token["content"] in names]
    document["model"].update(settings)
    return Tokenizer.from_str(json.dumps(document)), json.dumps(document, ensure_ascii=False)


Level, Sequence, Split = pre_tokenizers.ByteLevel, pre_tokenizers.Sequence, pre_tokenizers.Split
template = processors.TemplateProcessing(single="<|a|> $A <|b|>", pair="$A $B", special_tokens=[("<|a|>", 0), ("<|b|>", 1)])
plain = dict(add_prefix_space=False, use_regex=False)
KINDS = {
    "gpt2": byte_level(Level(add_prefix_space=False), post_processor=processors.ByteLevel(trim_offsets=False)),
    "gpt2-prefix": byte_level(Level(add_prefix_space=True)),
    "llama3": byte_level(Sequence([Split(Regex(LLAMA3), "isolated"), Level(**plain)]), added=ADDED,
                         model=models.BPE(ignore_merges=True), post_processor=template),
    "qwen2": byte_level(Sequence([Split(Regex(QWEN2), "isolated"), Level(**plain)]), added=ADDED, normalizer=normalizers.NFC()),
    "smollm": byte_level(Sequence([pre_tokenizers.Digits(individual_digits=True), Level(add_prefix_space=False)]), added=ADDED),
    "falcon": byte_level(Sequence([pre_tokenizers.Punctuation("contiguous"), Level(add_prefix_space=False),
                                   Split(Regex("[0-9][0-9][0-9]"), "merged_with_previous")]),
                         normalizer=normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]), added=ADDED),
    "behaviors": byte_level(Sequence([Split("-", "removed"), Split(Regex(r"\h+"), "merged_with_next"), Split(Regex(r"(?=[A-Z])"), "isolated"),
                                      Split(Regex(r"\W|\d"), "contiguous", invert=True), Level(**plain)])),
    "boundary": byte_level(Sequence([Split(Regex(r"\b\w+\b"), "merged_with_next"), Level(**plain)]), normalizer=normalizers.NFD()),
    "changing": byte_level(
        Sequence([Split(Regex(r"[^\S\r\n]+|\p{Lu}\p{Ll}*"), "isolated"), Level(**plain)]),
        normalizer=normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Strip(), normalizers.Replace("a", "oo"),
                                         normalizers.Replace(Regex(r"[e\s]{,2}\s"), "_"), normalizers.Prepend("▁")]),
        decoder=decoders.Sequence([decoders.ByteLevel(), decoders.Replace("▁", " "), decoders.Strip(" ", 1, 0)])),
    "words": words(pre_tokenizers.Whitespace()),
    "words-split": words(pre_tokenizers.WhitespaceSplit(), normalizer=normalizers.Lowercase(), decoder=decoders.Fuse()),
    "words-digits": words(Sequence([pre_tokenizers.Digits(), pre_tokenizers.Punctuation(), pre_tokenizers.WhitespaceSplit()])),
    "characters": characters(),
    "characters-fused": characters(fuse_unk=True),
    "characters-dropped": characters(unk_token=None, old_merges=True),
    "fallback": fallback(),
    "fallback-whole": fallback(ignore_merges=True, fuse_unk=False),
}
# Elsewhere Hugging Face gives a token that holds only what was put in the character after it, counts trimmed characters
# as bytes, maps a normal form character by character, or loses count of characters that it leaves out.
EXACT = {"gpt2", "smollm", "behaviors", "words", "words-split", "words-digits", "characters", "characters-fused"}


def case(tokenizer, text, exact):
    tokenizer.encode_special_tokens = False
    encoding = tokenizer.encode(text, add_special_tokens=False)
    result = {"text": text, "ids": encoding.ids}
    if exact:
        result["offsets"] = [[len(text[:i].encode()) for i in pair] for pair in encoding.offsets]
    special = tokenizer.encode(text, add_special_tokens=True).ids
    if special != encoding.ids:
        result["special"] = special
    tokenizer.encode_special_tokens = True
    ordinary = tokenizer.encode(text, add_special_tokens=False).ids
    if ordinary != encoding.ids:
        result["plain"] = ordinary
    result["decoded"] = tokenizer.decode(encoding.ids, skip_special_tokens=False)
    skipped = tokenizer.decode(encoding.ids, skip_special_tokens=True)
    if skipped != result["decoded"]:
        result["skipped"] = skipped
    return result


def main():
    kinds = []
    for number, (name, tokenizer) in enumerate(KINDS.items()):
        text = tokenizer.to_str() if isinstance(tokenizer, Tokenizer) else tokenizer[1]
        tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else tokenizer[0]
        cases = [case(tokenizer, t, name in EXACT) for t in dict.fromkeys(CASES + random_strings(number, 30))]
        lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
        kinds.append(f'{{"name":"{name}",\n"tokenizer":{json.dumps(text)},\n"cases":[\n{lines}]}}')
    path = HERE / "kinds.json"
    path.write_text(f'{{"made_with":{{"tokenizers":"{tokenizers.__version__}"}},"kinds":[\n' + ",\n".join(kinds) + "\n]}\n")
    print(f"{path.name}: {len(kinds)} kinds, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
