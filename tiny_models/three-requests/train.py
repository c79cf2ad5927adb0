#!/usr/bin/env python3
"""Rebuild three-requests from corpus.txt, words.txt and characters.txt.

    pip install torch transformers tokenizers safetensors
    python3 train.py            # about two minutes on one core; writes beside this file

The three IDs that the worked example names, and two more, are pinned; every other
entry takes the next free ID in the order of the files.  Nothing else about the
example is fixed by hand: the choices come from training.
"""
import hashlib
import json
import math
import pathlib
import random

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel

HERE = pathlib.Path(__file__).resolve().parent
VOCAB_SIZE = 2064
SPECIAL = {"<s>": 0, "<pad>": 1, "<unk>": 2, "</s>": 3}
PINNED = {"你好": 12, "不错": 89, "很": 100, "开心": 520, "气": 2056}
BANNED = {"今天", "天气", "明天", "昨天", "我今", "天很"}
PUNCTUATION = "。，！？、：；…“”《》（）0123456789abcdefghijklmnopqrstuvwxyz"
SEED = 20
STEPS = 2600
BATCH = 64


def lines_of(name):
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def read_corpus():
    """Returns (weight, is_first_message, text) for each line."""
    out = []
    for line in lines_of("corpus.txt"):
        weight, bar, text = line.partition("|")
        weight, text = (int(weight), text) if bar else (1, line)
        first = text.startswith("<s>")
        out.append((weight, first, text.removeprefix("<s>")))
    return out


def build_vocabulary(corpus):
    words = [w for line in lines_of("words.txt") for w in line.split()]
    assert not BANNED & set(words), "a word would change how the worked example is cut"
    used = sorted({c for _, _, text in corpus for c in text})
    common = [c for line in lines_of("characters.txt") for c in line]
    order = list(dict.fromkeys([*PUNCTUATION, *words, *used, *common]))
    order = [t for t in order if t not in PINNED]
    # GB 2312 level 1, spread evenly, if the lists above do not fill the vocabulary.
    level1 = [bytes([hi, lo]).decode("gb2312", "ignore")
              for hi in range(0xB0, 0xD8) for lo in range(0xA1, 0xFF)]
    level1 = [c for c in level1 if c and c not in set(order) and c not in PINNED]
    need = VOCAB_SIZE - len(SPECIAL) - len(PINNED) - len(order)
    print(f"{len(words)} words, {len(used)} corpus characters, {max(need, 0)} fillers")
    if need > 0:
        order += [level1[i * len(level1) // need] for i in range(need)]
    vocabulary = {**SPECIAL, **PINNED}
    taken = set(vocabulary.values())
    free = (i for i in range(VOCAB_SIZE) if i not in taken)
    for token, i in zip(order, free):
        vocabulary[token] = i
    left_out = set("".join(used)) - set(vocabulary)
    assert len(vocabulary) == VOCAB_SIZE and not left_out, left_out
    return dict(sorted(vocabulary.items(), key=lambda item: item[1]))


def build_tokenizer(vocabulary):
    """WordLevel after a longest-first cut: the words that are longer than one character, else any one character."""
    words = [t for t in vocabulary if len(t) > 1 and t not in SPECIAL]
    words.sort(key=lambda w: (-len(w), w))
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("|".join(words) + r"|[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    return tokenizer


def sample_batch(rng, corpus, ids, weights):
    rows = []
    for i in rng.choices(range(len(corpus)), weights=weights, k=BATCH):
        start = corpus[i][1] or rng.random() < 0.15
        rows.append([0] * start + ids[i] + [SPECIAL["</s>"]])
    width = max(map(len, rows))
    x = torch.full((BATCH, width), SPECIAL["<pad>"])
    y = torch.full((BATCH, width), -100)
    for r, row in enumerate(rows):
        x[r, :len(row)] = torch.tensor(row)
        y[r, :len(row)] = torch.tensor(row)
    return x, y


def train(tokenizer, corpus):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    rng = random.Random(SEED)
    config = GPT2Config(
        vocab_size=VOCAB_SIZE, n_positions=64, n_embd=48, n_layer=2, n_head=4, n_inner=192,
        resid_pdrop=0.05, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=0, pad_token_id=1, eos_token_id=3)
    model = GPT2LMHeadModel(config).train()
    ids = [tokenizer.encode(text, add_special_tokens=False).ids for _, _, text in corpus]
    weights = [weight for weight, _, _ in corpus]
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.02, betas=(0.9, 0.98))
    for step in range(STEPS):
        rate = min(1.0, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        for group in optimizer.param_groups:
            group["lr"] = 4e-3 * max(rate, 0.01)
        x, y = sample_batch(rng, corpus, ids, weights)
        loss = model(input_ids=x, labels=y).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 200 == 0 or step == STEPS - 1:
            print(f"step {step:5d}  loss {loss.item():.4f}", flush=True)
    return model.eval()


def write_config(config):
    keep = {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "torch_dtype": "float32",
        "vocab_size": config.vocab_size, "n_positions": config.n_positions, "n_embd": config.n_embd,
        "n_layer": config.n_layer, "n_head": config.n_head, "n_inner": config.n_inner,
        "activation_function": config.activation_function, "layer_norm_epsilon": config.layer_norm_epsilon,
        "scale_attn_weights": True, "tie_word_embeddings": True,
        "bos_token_id": config.bos_token_id, "eos_token_id": config.eos_token_id, "pad_token_id": config.pad_token_id}
    (HERE / "config.json").write_text(json.dumps(keep, indent=2) + "\n")


def write_weights(model):
    from safetensors.torch import save_file
    tensors = {k: v.contiguous() for k, v in model.state_dict().items()
               if k != "lm_head.weight" and not k.endswith((".attn.bias", ".attn.masked_bias"))}
    save_file(tensors, HERE / "model.safetensors", metadata={"format": "pt"})
    digest = hashlib.sha256((HERE / "model.safetensors").read_bytes()).hexdigest()
    print(f"model.safetensors  {sum(t.numel() for t in tensors.values())} parameters  sha256 {digest}")


def main():
    corpus = read_corpus()
    vocabulary = build_vocabulary(corpus)
    tokenizer = build_tokenizer(vocabulary)
    tokenizer.save(str(HERE / "tokenizer.json"))
    model = train(tokenizer, corpus)
    write_config(model.config)
    write_weights(model)


if __name__ == "__main__":
    main()
