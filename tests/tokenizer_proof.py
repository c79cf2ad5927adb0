#!/usr/bin/env python3
"""Compare rowscope's tokenizers with Hugging Face tokenizers on many texts: `make tokenizer-proof`.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2 gguf==0.19.0
    python3 tests/tokenizer_proof.py PROGRAM [TEXTS] [--write FILE]

Each kind is trained here on a text of this project, or made from a real vocabulary where ROWSCOPE_TESTDATA has one. TEXTS (10000) random
strings, the naughty strings and llama.cpp's own where ROWSCOPE_TESTDATA has them are encoded with the tokens that the text spells and those
put around it, and without; decoded with control tokens, without, and token by token. One difference is a failure. --write puts the result into
the table of a document, between the lines "<!-- tokenizer-proof -->" and "<!-- end -->".
"""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "golden"))
import make_tokenizer_kinds as kinds  # noqa: E402
import make_tokenizer_others as others  # noqa: E402
import make_tokenizer_unigram as pieces  # noqa: E402

DATA = os.environ.get("ROWSCOPE_TESTDATA")


# ---- texts ----

def pools():
    """Characters of all planes, also such as Unicode has not or only lately given out, by what they do to a tokenizer."""
    known = [c for c in map(chr, range(0x110000)) if not 0xD800 <= ord(c) < 0xE000]
    group = {}
    for c in known:
        group.setdefault(unicodedata.category(c)[0], []).append(c)
    return {
        "any": known, "letters": group["L"], "marks": group["M"], "numbers": group["N"], "punctuation": group["P"], "symbols": group["S"],
        "others": group["C"], "late": [c for c in group["C"] if 0x800 < ord(c) < 0x323B0], "blanks": group["Z"] + list("\t\n\r\v\f\x85\x1c\x1f\u180e\u200b\ufeff"),
        "private": [chr(c) for c in (0xE000, 0xF8FF, 0xF0000, 0xFFFFD, 0x100000, 0x10FFFD)],
        "cjk": [chr(c) for c in range(0x4E00, 0x9FFD)] + [chr(c) for c in range(0x3000, 0x3100)],
        "hangul": [chr(c) for c in range(0x1100, 0x1200)] + [chr(c) for c in range(0xAC00, 0xD7A4, 7)],
        "wide": [chr(c) for c in range(0xFF01, 0xFFEF)], "ascii": [chr(c) for c in range(128)], "latin": [chr(c) for c in range(0xA0, 0x250)],
        "emoji": ["😀", "👍🏽", "👨‍👩‍👧", "🏳️‍🌈", "🇩🇪", "1️⃣", "❤️", "\u200d", "\ufe0f", "🏿"],
        "words": "the The old clock it's they'LL I'd  don't 1 22 333 4444 3.14 x=y https://a.b/c?d=e foo_bar -- ... ▁ ▁▁ Ġ <unk> <s> </s> <|a|> <|im|> "
                 "<r> <extra> </think> clock Café <0x41> <0xE4> ﬁ ① Ⅷ  naïve schöner Привет 今天天气 你好 안녕".split(" ") + [" ", "  ", "   ", "\n", "\r\n", "\t", " \n "],
    }


def random_texts(count, seed=20261201):
    rng, pool = random.Random(seed), pools()
    names = list(pool)
    texts = []
    for i in range(count):
        some = rng.sample(names, rng.randint(1, 4)) + ["words"] * rng.randint(0, 2)
        text = "".join(rng.choice(pool[rng.choice(some)]) for _ in range(rng.randint(1, 40)))
        texts.append(text if i % 50 else text * rng.randint(2, 20))
    return texts


def stored_texts():
    if DATA is None:
        return []
    naughty, own = ((pathlib.Path(DATA) / name).read_bytes().decode() for name in ("strings/blns.txt", "tokenizers/strings.inp"))
    return naughty.split("\n") + [naughty] + own.split("\n__ggml_vocab_test__\n")


# ---- tokenizers ----

def as_text(made):
    return made.to_str() if isinstance(made, Tokenizer) else made[1]


def gguf_fields(name):
    from gguf import GGUFReader
    reader = GGUFReader(pathlib.Path(DATA) / "tokenizers" / name)
    return lambda key: reader.fields["tokenizer.ggml." + key].contents()


def real_gpt2(pre, normalizer=None):
    """GPT-2's vocabulary, as its tokenizer.json has it but for the way it cuts words."""
    field = gguf_fields("ggml-vocab-gpt-2.gguf")
    vocabulary = {token: i for i, token in enumerate(field("tokens"))}
    tokenizer = Tokenizer(models.BPE(vocabulary, [tuple(merge.split(" ")) for merge in field("merges")]))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre, decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def real_llama(metaspace):
    """Llama 2's vocabulary in the two forms that its tokenizer.json has had. Merges follow from the scores."""
    field = gguf_fields("ggml-vocab-llama-spm.gguf")
    tokens, scores = field("tokens"), field("scores")
    vocabulary = {token: i for i, token in enumerate(tokens)}
    merges = []
    for token in tokens:
        cuts = [(vocabulary[token[:i]], vocabulary[token[i:]], token[:i], token[i:]) for i in range(1, len(token))
                if token[:i] in vocabulary and token[i:] in vocabulary]
        merges += [(-scores[vocabulary[token]], *cut) for cut in sorted(cuts)]
    merges.sort(key=lambda merge: merge[0])
    tokenizer = Tokenizer(models.BPE(vocabulary, [merge[3:] for merge in merges], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    else:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = pieces.spaces()
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="$A $B", special_tokens=[("<s>", 1)])
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in ("<unk>", "<s>", "</s>")])
    return tokenizer


def gemma():
    """Gemma's form: blanks replaced, nothing put before, merges within the whole text."""
    text = json.loads(as_text(kinds.fallback()))
    text["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    text["pre_tokenizer"] = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    text["decoder"] = {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                                                        {"type": "ByteFallback"}, {"type": "Fuse"}]}
    return None, json.dumps(text)


def all_kinds():
    made = {**kinds.KINDS, **pieces.KINDS, **others.KINDS, "fallback-gemma": gemma()}
    for name, pre, normalizer in (
            ("gpt-2", kinds.Level(add_prefix_space=False), None),
            ("gpt-2, cut as Llama 3", kinds.Sequence([kinds.Split(Regex(kinds.LLAMA3), "isolated"), kinds.Level(**kinds.plain)]), None),
            ("gpt-2, cut as Qwen2", kinds.Sequence([kinds.Split(Regex(kinds.QWEN2), "isolated"), kinds.Level(**kinds.plain)]),
             normalizers.NFC())):
        if DATA:
            made[f"real {name}"] = real_gpt2(pre, normalizer)
    if DATA:
        made["real llama-2"] = real_llama(False)
        made["real llama-2, Metaspace"] = real_llama(True)
    return {name: as_text(tokenizer) for name, tokenizer in made.items()}


# ---- comparing ----

def expected(tokenizer, text):
    tokenizer.encode_special_tokens = False
    special = tokenizer.encode(text).ids
    tokenizer.encode_special_tokens = True
    plain = tokenizer.encode(text, add_special_tokens=False).ids
    texts = [tokenizer.decode(special, skip_special_tokens=skip).encode().hex() for skip in (False, True)]
    return ";".join([" ".join(map(str, special)), " ".join(map(str, plain)), *texts, ""])


def compare(program, name, text, strings, folder):
    path = folder / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    sent = b"".join(struct.pack("<I", len(s.encode())) + s.encode() for s in strings)
    done = subprocess.run([program, path], input=sent, stdout=subprocess.PIPE, check=True)
    answers = done.stdout.decode().split("\n")[:-1]
    tokenizer, wrong, count = Tokenizer.from_str(text), [], 0
    for string, answer in zip(strings, answers, strict=True):
        right = expected(tokenizer, string)
        count += len(right.split(";")[0].split(" "))
        if answer != right:
            wrong.append((string, right, answer))
    print(f"{name}: {len(strings)} texts, {count} tokens, {len(wrong)} differences", flush=True)
    for string, right, answer in wrong[:int(os.environ.get("SHOW", 3))]:
        for part, a, b in zip(("special", "plain", "decoded", "skipped"), right.split(";"), answer.split(";")):
            if a != b:
                print(f"  {ascii(string)[:300]}\n    {part}: {a[:200]}\n    not      {b[:200]}")
                break
    return len(strings), count, len(wrong)


def write_table(path, rows):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    before, rest = text.split("<!-- tokenizer-proof -->\n", 1)
    after = rest.split("<!-- end -->", 1)[1]
    lines = ["| tokenizer | texts | tokens | differences |", "|---|---:|---:|---:|"]
    lines += [f"| {name} | {texts:,} | {count:,} | {wrong} |" for name, (texts, count, wrong) in rows.items()]
    table = "\n".join(lines) + f"\n\nWith tokenizers {tokenizers.__version__}.\n"
    pathlib.Path(path).write_text(before + "<!-- tokenizer-proof -->\n" + table + "<!-- end -->" + after, encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    target = None
    if "--write" in arguments:
        at = arguments.index("--write")
        target = arguments[at + 1]
        del arguments[at:at + 2]
    strings = list(dict.fromkeys(random_texts(int(arguments[1]) if len(arguments) > 1 else 10000) + stored_texts()))
    only = os.environ.get("ONLY")
    with tempfile.TemporaryDirectory() as folder:
        rows = {name: compare(arguments[0], name, text, strings, pathlib.Path(folder)) for name, text in all_kinds().items()
                if not only or only in name}
    if target:
        write_table(target, rows)
    wrong = sum(row[2] for row in rows.values())
    print(f"{len(rows)} tokenizers, {sum(row[0] for row in rows.values())} texts, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
