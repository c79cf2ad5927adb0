#!/usr/bin/env python3
"""Write glass (config.json, model.safetensors, tokenizer.json) and derive its numbers.

    pip install numpy safetensors
    python3 make.py                    # writes the three files beside this one
    python3 make.py the big cat says   # every tensor of that prompt, to four decimals

Every weight is set by hand below; README.md says why. The forward pass is plain NumPy in
float64, one line per step, and shares no code with rowscope.
"""
import hashlib
import json
import math
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
V, H, N, D, F, CONTEXT, EPS = 16, 8, 2, 4, 6, 16, 1e-5
TOKENS = ["</s>", "<pad>", "<unk>", "the", "big", "cat", "dog", "cow", "pig", "says",
          "meow", "woof", "moo", "oink", ".", "!"]

# Units 0-3 of the residual stream: the kind of word. Any two kinds have dot product 0, or -4 for a pair of opposites.
KIND = {
    "animal": (1, 1, -1, -1), "mark": (-1, -1, 1, 1),
    "says": (1, -1, 1, -1), "the": (-1, 1, -1, 1),
    "sound": (1, -1, -1, 1), "big": (-1, 1, 1, -1),
    "end": (1, 1, 1, 1), "unknown": (-1, -1, -1, -1), "pad": (0, 0, 0, 0)}
# Units 4-5: which animal. Unit 6: loud (+1) or quiet (-1). Unit 7: position / 8.
WHO = {"cat": (1, 1), "dog": (1, -1), "cow": (-1, 1), "pig": (-1, -1)}
SOUND = {"meow": "cat", "woof": "dog", "moo": "cow", "oink": "pig"}
KIND_OF = {"</s>": "end", "<pad>": "pad", "<unk>": "unknown", "the": "the", "big": "big", "says": "says",
           ".": "mark", "!": "mark", **{a: "animal" for a in WHO}, **{s: "sound" for s in SOUND}}
LOUD = {"big": 1, "!": 1, ".": -1}
# What the MLP makes of each kind: one unit each. After "the" and "big" the default animal is the cat.
NEXT = {"the": "animal", "big": "animal", "animal": "says", "says": "sound", "sound": "mark", "mark": "end"}
# After a sound the threshold between "." and "!"; after "big" its own loudness is taken away again.
QUIETER = {"sound": -1 / 16, "big": -1}


def embeddings():
    table = np.zeros((V, H))
    for i, token in enumerate(TOKENS):
        animal = token if token in WHO else SOUND.get(token)
        table[i, 0:4] = KIND[KIND_OF[token]]
        table[i, 4:6] = WHO.get(animal, (0, 0))
        table[i, 6] = LOUD.get(token, 0)
    positions = np.zeros((CONTEXT, H))
    positions[:, 7] = np.arange(CONTEXT) / 8
    return table, positions


def read_kind(kind):
    return np.array([*KIND[kind], 0, 0, 0, 0]) / 4


def read_unit(unit):
    """Unit minus the mean of units 0-3, which cancels the mean that LayerNorm took away."""
    column = np.array([-1, -1, -1, -1, 0, 0, 0, 0]) / 4
    column[unit] = 1
    return column


def weights():
    """Hugging Face's names; matrices as [in, out]. attn.c_attn is query | key | value, 4 units of each head in turn."""
    table, positions = embeddings()
    attn, attn_out = np.zeros((H, 3 * H)), np.zeros((H, H))
    query, key, value = attn[:, 0:8], attn[:, 8:16], attn[:, 16:24]
    query[:, 0] = 16 * read_kind("says")      # head 0, unit 0: "says" looks for an animal ...
    query[:, 1] = 8 * read_kind("says")       # head 0, unit 1: ... and rather for a late one
    key[:, 0] = read_kind("animal")
    key[:, 1] = read_unit(7)
    value[:, 0] = read_unit(4)                # head 0 carries which animal it was
    value[:, 1] = read_unit(5)
    value[:, 4] = read_unit(6)                # head 1 has no query: it averages the loudness of all words
    attn_out[0, 4] = attn_out[1, 5] = 1
    attn_out[4, 6] = 4
    up, down = np.zeros((H, F)), np.zeros((F, H))
    for unit, (kind, following) in enumerate(NEXT.items()):
        up[:, unit] = 16 * read_kind(kind)
        down[unit, 0:4] = (np.array(KIND[following]) - np.array(KIND[kind])) / 4
        if following == "end":                # its opposite would be an animal
            down[unit, 0:4] = np.array(KIND["end"]) / 2
        if following == "animal":
            down[unit, 4:6] = 0.25
        down[unit, 6] = QUIETER.get(kind, 0)
    one, zero = np.ones(H), np.zeros(H)
    return {
        "transformer.wte.weight": table, "transformer.wpe.weight": positions,
        "transformer.h.0.ln_1.weight": one, "transformer.h.0.ln_1.bias": zero,
        "transformer.h.0.attn.c_attn.weight": attn, "transformer.h.0.attn.c_attn.bias": np.zeros(3 * H),
        "transformer.h.0.attn.c_proj.weight": attn_out, "transformer.h.0.attn.c_proj.bias": zero,
        "transformer.h.0.ln_2.weight": one, "transformer.h.0.ln_2.bias": zero,
        "transformer.h.0.mlp.c_fc.weight": up, "transformer.h.0.mlp.c_fc.bias": np.full(F, -4.0),
        "transformer.h.0.mlp.c_proj.weight": down, "transformer.h.0.mlp.c_proj.bias": zero,
        "transformer.ln_f.weight": 8 * one, "transformer.ln_f.bias": zero}


def layer_norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + EPS) * gain + bias


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def forward(ids):
    """Every tensor of one row alone, under the names of the trace; head axes as [S,N,D] and [N,S,K]."""
    w = {name.removeprefix("transformer.").removeprefix("h.0."): v for name, v in weights().items()}
    t, s, a, m = {}, len(ids), "layers.0.attn.", "layers.0.mlp."
    t["embed.token"] = w["wte.weight"][ids]
    t["embed.position"] = w["wpe.weight"][:s]
    t["embed"] = t["embed.token"] + t["embed.position"]
    t[a + "norm"] = layer_norm(t["embed"], w["ln_1.weight"], w["ln_1.bias"])
    qkv = t[a + "norm"] @ w["attn.c_attn.weight"] + w["attn.c_attn.bias"]
    for name, part in zip("qkv", np.split(qkv, 3, axis=-1)):
        t[a + name] = part.reshape(s, N, D)
    scores = np.einsum("ind,jnd->nij", t[a + "q"], t[a + "k"]) / math.sqrt(D)
    t[a + "scores"] = np.where(np.tri(s, dtype=bool), scores, -np.inf)
    t[a + "weights"] = softmax(t[a + "scores"])
    t[a + "mix"] = np.einsum("nij,jnd->ind", t[a + "weights"], t[a + "v"])
    t[a + "out"] = t[a + "mix"].reshape(s, H) @ w["attn.c_proj.weight"] + w["attn.c_proj.bias"]
    t["layers.0.resid_mid"] = t["embed"] + t[a + "out"]
    t[m + "norm"] = layer_norm(t["layers.0.resid_mid"], w["ln_2.weight"], w["ln_2.bias"])
    t[m + "up"] = t[m + "norm"] @ w["mlp.c_fc.weight"] + w["mlp.c_fc.bias"]
    t[m + "act"] = gelu(t[m + "up"])
    t[m + "out"] = t[m + "act"] @ w["mlp.c_proj.weight"] + w["mlp.c_proj.bias"]
    t["layers.0.resid"] = t["layers.0.resid_mid"] + t[m + "out"]
    t["final.norm"] = layer_norm(t["layers.0.resid"], w["ln_f.weight"], w["ln_f.bias"])
    t["final.last"] = t["final.norm"][-1]
    t["logits"] = t["final.last"] @ w["wte.weight"].T
    t["probs"] = softmax(t["logits"])
    return t


def generate(words, limit=12):
    """Greedy continuation, with the probability of each choice."""
    ids, choices = [TOKENS.index(w) for w in words], []
    while len(choices) < limit and len(ids) < CONTEXT and (not choices or choices[-1][0] != "</s>"):
        probs = forward(ids)["probs"]
        ids.append(int(probs.argmax()))
        choices.append((TOKENS[ids[-1]], float(probs.max())))
    return choices


def number(x):
    return "-inf" if np.isneginf(x) else f"{x + 0.0 if abs(x) >= 5e-5 else 0.0:.4f}"


def print_rows(matrix, indent="  "):
    for row in np.atleast_2d(matrix):
        print(indent + " ".join(f"{number(x):>8}" for x in row))


def print_tensors(words):
    for name, value in forward([TOKENS.index(w) for w in words]).items():
        axes = "S,N,D" if name[-2:] in (".q", ".k", ".v") or name.endswith("mix") else "N,S,K" if value.ndim == 3 else ""
        print(f"{name} {list(value.shape)}{' ' + axes if axes else ''}")
        for i, slab in enumerate(value if value.ndim == 3 else [value]):
            if value.ndim == 3:
                print(f"  [{i}]")
            print_rows(slab)


def print_overview():
    names = "k0 k1 k2 k3 who0 who1 loud pos".split()
    print("token table (embed.token)\n " + " " * 9 + " ".join(f"{n:>4}" for n in names))
    for i, (token, row) in enumerate(zip(TOKENS, embeddings()[0])):
        print(f"{i:3d} {token:<6} " + " ".join(f"{x:4g}" for x in row))
    for prompt in ("the cat", "the big dog", "cow", "the big pig says", "the cat says meow . the dog", "the", "big", "!", "pig", "dog cow pig says", "big big cat"):
        print(prompt, "->", " ".join(f"{w} {p:.3f}" for w, p in generate(prompt.split())))


def write():
    from safetensors.numpy import save_file
    tensors = {name: np.ascontiguousarray(v, dtype=np.float32) for name, v in weights().items()}
    save_file(tensors, HERE / "model.safetensors", metadata={"format": "pt"})
    (HERE / "model.safetensors").chmod(0o644)
    config = {
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "torch_dtype": "float32",
        "vocab_size": V, "n_positions": CONTEXT, "n_embd": H, "n_layer": 1, "n_head": N, "n_inner": F,
        "activation_function": "gelu_new", "layer_norm_epsilon": EPS, "scale_attn_weights": True,
        "tie_word_embeddings": True, "bos_token_id": None, "eos_token_id": 0, "pad_token_id": 1}
    (HERE / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    added = [{"id": i, "content": TOKENS[i], "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": True} for i in range(3)]
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {t: i for i, t in enumerate(TOKENS)}, "unk_token": "<unk>"}}
    (HERE / "tokenizer.json").write_text(json.dumps(tokenizer, indent=2) + "\n")
    digest = hashlib.sha256((HERE / "model.safetensors").read_bytes()).hexdigest()
    print(f"{sum(v.size for v in tensors.values())} parameters, model.safetensors sha256 {digest}")


def main():
    if len(sys.argv) > 1:
        print_tensors(sys.argv[1:])
    else:
        write()
        print_overview()


if __name__ == "__main__":
    main()
