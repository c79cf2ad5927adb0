#!/usr/bin/env python3
"""Make golden encodings of tokenizers that SentencePiece's way of blanks comes into, with Hugging Face tokenizers.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 protobuf==7.36.2
    python3 tests/golden/make_tokenizer_unigram.py

Writes kinds_sentencepiece.json, in the form of kinds.json: the Unigram model, the stages Metaspace and Precompiled.
"""
import io
import json

import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from make_tokenizer_kinds import CASES, HERE, TEXT, case, random_strings

BYTES = [f"<0x{b:02X}>" for b in range(256)]
ADDED = [AddedToken("<extra>", special=True, normalized=False), AddedToken("clock", special=False, normalized=False),
         AddedToken("   ", special=False, normalized=True)]
RULES = {"\ufb01": "fi", "\u2460": "1", "\u2461": "2", "e\u0301": "\u00e9", "\u0308": "", "\u3000": " ", "\t": " ", "\n": " ", "\r": "",
         "\u00a0": " ", "A": "a", "\U0001f600": ":)", "\u200d": ""}


def charsmap():
    """A small normalization map, compiled by SentencePiece."""
    rules = HERE / "rules.tsv"
    rules.write_text("".join(" ".join(f"{ord(c):X}" for c in key) + "\t" + " ".join(f"{ord(c):X}" for c in value) + "\n"
                             for key, value in sorted(RULES.items())))
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line.rstrip("\n") for line in TEXT), model_writer=model, model_type="bpe", vocab_size=200,
        character_coverage=0.98, normalization_rule_tsv=str(rules), minloglevel=2, num_threads=1)
    rules.unlink()
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    return proto.normalizer_spec.precompiled_charsmap


def unigram(pre, decoder, normalizer=None, fallback=False, added=(), unknown=True, post=None):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre, decoder
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.train_from_iterator(TEXT, trainers.UnigramTrainer(
        vocab_size=220, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>", show_progress=False))
    document = json.loads(tokenizer.to_str())
    # Rarer characters are unknown: these texts are to show what becomes of them.
    vocabulary = [pair for i, pair in enumerate(document["model"]["vocab"]) if i < 3 or len(pair[0]) > 1 or pair[0] in "▁ etaoinshrdl.,1天"]
    if fallback:
        vocabulary = vocabulary[:3] + [[b, -20.0] for b in BYTES] + vocabulary[3:]
    document["model"].update(vocab=vocabulary, byte_fallback=fallback, unk_id=0 if unknown else None)
    tokenizer = Tokenizer.from_str(json.dumps(document))
    if post:
        tokenizer.post_processor = post
    tokenizer.add_tokens(list(added))
    return tokenizer


def bpe(pre, decoder, added=(), fallback=True):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre, decoder
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=400, limit_alphabet=60, show_progress=False, special_tokens=["<unk>", "<s>", "</s>"] + BYTES))
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = document["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(json.dumps(document))
    tokenizer.add_tokens(list(added))
    return tokenizer


def metaspace(scheme, split=True):
    return pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split), decoders.Metaspace(prepend_scheme=scheme, split=split)


def spaces():
    return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])


def old_spelling(tokenizer):
    """As files from before prepend_scheme say it."""
    document = json.loads(tokenizer.to_str())
    for stage in ("pre_tokenizer", "decoder"):
        node = document[stage]
        scheme = node.pop("prepend_scheme")
        node.pop("split", None)
        node["add_prefix_space"] = scheme == "always"
    text = json.dumps(document, ensure_ascii=False)
    return Tokenizer.from_str(text), text


template = processors.TemplateProcessing(single="$A </s>", pair="$A $B", special_tokens=[("</s>", 2)])
t5 = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
KINDS = {
    "metaspace-always": bpe(*metaspace("always"), added=ADDED),
    "metaspace-first": bpe(*metaspace("first"), added=ADDED),
    "metaspace-never": bpe(*metaspace("never"), added=ADDED),
    "metaspace-whole": bpe(metaspace("first", False)[0], spaces(), added=ADDED),
    "metaspace-old": old_spelling(bpe(*metaspace("always"))),
    "unigram": unigram(*metaspace("always"), added=ADDED, post=template),
    "unigram-fallback": unigram(*metaspace("never"), fallback=True, added=ADDED),
    "unigram-t5": unigram(t5, metaspace("always")[1], post=template,
                          normalizer=normalizers.Sequence([normalizers.Precompiled(charsmap()), normalizers.Replace(Regex(" {2,}"), " ")])),
    "unigram-whole": unigram(metaspace("always", False)[0], metaspace("always", False)[1],
                             normalizer=normalizers.Sequence([normalizers.NFKC(), normalizers.Precompiled(charsmap())])),
}


def main():
    kinds = []
    for number, (name, tokenizer) in enumerate(KINDS.items()):
        text = tokenizer.to_str() if isinstance(tokenizer, Tokenizer) else tokenizer[1]
        tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else tokenizer[0]
        cases = [case(tokenizer, t, False) for t in dict.fromkeys(CASES + random_strings(100 + number, 30))]
        lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
        kinds.append(f'{{"name":"{name}",\n"tokenizer":{json.dumps(text)},\n"cases":[\n{lines}]}}')
    path = HERE / "kinds_sentencepiece.json"
    path.write_text(f'{{"made_with":{{"tokenizers":"{tokenizers.__version__}"}},"kinds":[\n' + ",\n".join(kinds) + "\n]}\n")
    print(f"{path.name}: {len(kinds)} kinds, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
