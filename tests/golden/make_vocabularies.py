#!/usr/bin/env python3
"""Make golden encodings of vocabularies in GGUF files and a tokenizer.bin.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 gguf==0.19.0
    python3 tests/golden/make_vocabularies.py

Writes vocabularies/: small vocabularies trained on the text of make_tokenizer_kinds.py, and cases.json, which holds for each file
texts with the IDs that the library gives which trained it: SentencePiece for the llama kind and for tokenizer.bin, Hugging Face
tokenizers for the gpt2 kind.

    text, ids (no special tokens), special (start token, control tokens found), decoded (the text of `ids`)
"""
import io
import json
import pathlib
import struct

import gguf
import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from make_tokenizer_kinds import CASES, LLAMA3, QWEN2, TEXT, random_strings

HERE = pathlib.Path(__file__).resolve().parent / "vocabularies"
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}|"
         r" ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK3 = [r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+",
             r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|"
             r"\s+(?!\S)|\s+"]
PRES = {"gpt-2": [GPT2], "llama-bpe": [LLAMA3], "qwen2": [QWEN2], "smollm": [r"\p{N}", GPT2], "gpt-4o": [GPT4O], "deepseek-v3": DEEPSEEK3}
TEXTS = [text for text in CASES if "\0" not in text] + random_strings(7, 60)


def write(name, kind, tokens, types, scores=None, merges=None, pre=None, **flags):
    writer = gguf.GGUFWriter(HERE / name, "llama")
    writer.add_tokenizer_model(kind)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    if scores:
        writer.add_token_scores(scores)
    if merges:
        writer.add_token_merges(merges)
    if pre:
        writer.add_tokenizer_pre(pre)
    for key, value in flags.items():
        getattr(writer, "add_" + key)(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def byte_level(pre):
    tokenizer = Tokenizer(models.BPE(ignore_merges=pre == "llama-bpe"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in PRES[pre]] +
        [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=360, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), special_tokens=["<|a|>", "<|b|>"],
        show_progress=False))
    plain = Tokenizer.from_str(tokenizer.to_str())
    user = [AddedToken("</think>", special=False, normalized=False), AddedToken("   ", special=False, normalized=False)]
    tokenizer.add_tokens(user)
    spec = json.loads(plain.to_str())
    spec["added_tokens"] = []
    plain = Tokenizer.from_str(json.dumps(spec))
    # The user's tokens have the IDs behind the vocabulary in both.
    spec["model"]["vocab"] |= {"</think>": tokenizer.token_to_id("</think>"), "   ": tokenizer.token_to_id("   ")}
    plain = Tokenizer.from_str(json.dumps(spec))
    plain.add_tokens(user)
    size = tokenizer.get_vocab_size()
    tokens = [tokenizer.id_to_token(i) for i in range(size)]
    types = [CONTROL if t in ("<|a|>", "<|b|>") else USER if t in ("</think>", "   ") else NORMAL for t in tokens]
    merges = [" ".join(m) for m in spec["model"]["merges"]]
    write(f"{pre}.gguf", "gpt2", tokens, types, merges=merges, pre=pre, bos_token_id=0, eos_token_id=1, add_bos_token=True)
    cases = []
    for text in TEXTS:
        ids = plain.encode(text, add_special_tokens=False).ids
        cases.append({"text": text, "ids": ids, "special": [0] + tokenizer.encode(text, add_special_tokens=False).ids,
                      "decoded": plain.decode(ids, skip_special_tokens=False)})
    return cases


def train_sentencepiece(prefix):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line.rstrip("\n") for line in TEXT), model_writer=model, model_type="bpe", vocab_size=470,
        byte_fallback=True, character_coverage=0.98, normalization_rule_name="identity", remove_extra_whitespaces=False,
        add_dummy_prefix=prefix, split_digits=True, allow_whitespace_only_pieces=True, minloglevel=2, num_threads=1)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def cases_of(sp):
    cases = []
    for text in TEXTS:
        if text == "":
            continue
        ids = sp.encode(text)
        decoded = sp.decode(ids)
        assert decoded == text
        cases.append({"text": text, "ids": ids, "special": [1] + ids, "decoded": decoded})
    return cases


def sentencepiece_gguf(prefix):
    sp = train_sentencepiece(prefix)
    size = sp.get_piece_size()
    types = [UNKNOWN if sp.is_unknown(i) else CONTROL if sp.is_control(i) else BYTE if sp.is_byte(i) else NORMAL for i in range(size)]
    name = "llama.gguf" if prefix else "gemma.gguf"
    write(name, "llama", [sp.id_to_piece(i) for i in range(size)], types, scores=[sp.get_score(i) for i in range(size)],
          add_space_prefix=prefix)
    return name, sp


def tokenizer_bin(sp):
    """As export() of llama2.c's tokenizer.py lays it out."""
    tokens = []
    for i in range(sp.get_piece_size()):
        piece = {1: "\n<s>\n", 2: "\n</s>\n"}.get(i, sp.id_to_piece(i).replace("\u2581", " "))
        tokens.append((sp.get_score(i), piece.encode()))
    with open(HERE / "tok470.bin", "wb") as out:
        out.write(struct.pack("<I", max(len(piece) for _, piece in tokens)))
        for score, piece in tokens:
            out.write(struct.pack("<fI", score, len(piece)) + piece)


def main():
    HERE.mkdir(exist_ok=True)
    cases = {f"{pre}.gguf": byte_level(pre) for pre in PRES}
    for prefix in (True, False):
        name, sp = sentencepiece_gguf(prefix)
        # <unk>, <s> and </s> in a text are found by the file's readers; SentencePiece itself never looks for them.
        cases[name] = cases_of(sp)
        if prefix:
            tokenizer_bin(sp)
            cases["tok470.bin"] = cases[name]
    with open(HERE / "cases.json", "w", encoding="utf-8") as out:
        json.dump(cases, out, ensure_ascii=False, separators=(",", ":"))
        out.write("\n")


if __name__ == "__main__":
    main()
