#!/usr/bin/env python3
"""Make golden encodings of the kinds that kinds.json and kinds_sentencepiece.json have not, and random texts for some that they have.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2
    python3 tests/golden/make_tokenizer_others.py

Writes kinds_others.json, in the form of kinds.json: WordPiece and the other stages of BERT, those of RoBERTa, and rarer stages; then random
texts of all planes through the kinds whose stages read tables of Unicode. Writes tests/corpus/tokenizer, the seeds of the fuzzer: a file, a NUL
and a text for one tokenizer of each kind.
"""
import json
import pathlib
import sys

import tokenizers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from make_tokenizer_kinds import ADDED, CASES, HERE, KINDS as OLD, TEXT, Level, Sequence, byte_level, case, fallback, random_strings, words
from make_tokenizer_unigram import KINDS as PIECES

MORE = ["Don't do not! I' m n't . , ? 'tis", "naïve Café ÀÉ", "东京tower 한국어 \u0939\u093f\u0928\u094d\u0926\u0940", "\ufeffa\u200bb\u2581c\x8fd",
        "long" * 40, "w" * 100, "w" * 101, "é" * 100, "aaaa aaa aa a", "xx--xx--", "a <|im|> b", "\ue000a\ufffdb\x00c"]


def bert(lower=True, cleanup=True, prefix="##", most=100, **normal):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", continuing_subword_prefix=prefix, max_input_chars_per_word=most))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower, **normal)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix=prefix, cleanup=cleanup)
    tokenizer.train_from_iterator(TEXT, trainers.WordPieceTrainer(
        vocab_size=300, limit_alphabet=90, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], continuing_subword_prefix=prefix,
        show_progress=False))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    document = json.loads(tokenizer.to_str())
    document["model"].update(max_input_chars_per_word=most, continuing_subword_prefix=prefix)
    return Tokenizer.from_str(json.dumps(document))


def whole():
    """Llama 3's ignore_merges, with words that no merge reaches."""
    document = json.loads(byte_level(Level(add_prefix_space=False)).to_str())
    document["model"]["ignore_merges"] = True
    document["model"]["merges"] = document["model"]["merges"][:100]
    return Tokenizer.from_str(json.dumps(document))


def few_bytes(fuse):
    """Byte fallback with the bytes of some characters only: the others are unknown."""
    document = json.loads(fallback()[1])
    vocabulary = document["model"]["vocab"]
    document["model"].update(vocab={token: i for token, i in vocabulary.items() if not (token.startswith("<0x") and token[4] in "9AE")}, fuse_unk=fuse)
    return Tokenizer.from_str(json.dumps(document))


roberta = processors.RobertaProcessing(("<|b|>", 1), ("<|a|>", 0), trim_offsets=True, add_prefix_space=False)
KINDS = {
    "bert": bert(),
    "bert-cased": bert(lower=False, cleanup=False, handle_chinese_chars=False),
    "bert-accents": bert(lower=False, strip_accents=True, clean_text=False, prefix="@", most=12),
    "roberta": byte_level(Level(add_prefix_space=False), post_processor=roberta, added=ADDED),
    "nmt": byte_level(Sequence([pre_tokenizers.CharDelimiterSplit(" "), Level(add_prefix_space=False)]), normalizer=normalizers.Nmt()),
    "whole": whole(),
    "fallback-few": few_bytes(True),
    "fallback-few-single": few_bytes(False),
    "inverted": words(pre_tokenizers.Split(Regex("[a-z]+"), "removed", invert=True)),
    "byte-normalizer": byte_level(pre_tokenizers.FixedLength(7), normalizer=normalizers.ByteLevel()),
    "fixed": words(Sequence([pre_tokenizers.FixedLength(3), pre_tokenizers.CharDelimiterSplit("t")])),
}
AGAIN = {name: {**OLD, **PIECES}[name] for name in ("qwen2", "falcon", "changing", "words", "words-digits", "unigram-whole")}


def main():
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    from tokenizer_proof import random_texts
    kinds = []
    for number, (name, tokenizer) in enumerate({**KINDS, **AGAIN}.items()):
        texts = CASES + MORE + random_strings(200 + number, 12) if name in KINDS else []
        texts += [text[:60] for text in random_texts(8, 300 + number)]
        cases = [case(tokenizer, text, False) for text in dict.fromkeys(texts)]
        lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
        kinds.append(f'{{"name":"{name}",\n"tokenizer":{json.dumps(tokenizer.to_str())},\n"cases":[\n{lines}]}}')
    path = HERE / "kinds_others.json"
    path.write_text(f'{{"made_with":{{"tokenizers":"{tokenizers.__version__}"}},"kinds":[\n' + ",\n".join(kinds) + "\n]}\n")
    print(f"{path.name}: {len(kinds)} kinds, {path.stat().st_size} bytes")
    corpus = HERE.parent / "corpus/tokenizer"
    corpus.mkdir(exist_ok=True)
    for name in ("bert", "roberta", "nmt", "inverted", "llama3", "fallback", "changing", "metaspace-first", "unigram-fallback", "unigram-t5"):
        made = {**OLD, **PIECES, **KINDS}[name]
        text = made.to_str() if isinstance(made, Tokenizer) else made[1]
        (corpus / name).write_bytes(text.encode() + b"\0" + " The  Café [CLS]don't <s>天\u0301 👍🏽 12345\n<|im|> x".encode())


if __name__ == "__main__":
    main()
