#!/usr/bin/env python3
"""Compare rowscope with Hugging Face transformers over random configurations of every family.

    pip install torch==2.13.0 transformers==5.24.0 safetensors==0.8.0 numpy
    python3 tests/golden/family_proof.py build/rowscope [COUNT [SEED [FAMILY...]]]

Each configuration is drawn over the options of its family: odd sizes, grouped queries, head widths, biases, tied heads, activations,
windows shorter than a prompt, patterns of layers, rotary scaling, caps, and keys left out. The model is saved by transformers, and
rowscope runs a ragged batch of five rows (and the first row alone) with everything recorded. Compared are every tensor of the first
passes, at 2e-5 of its largest magnitude; the ten largest logits, in order, near ties aside; and 50 greedy tokens, where a choice
closer than 1e-4 ends the comparison of its row. Exit status 1 when anything differs. Each line names seed and number, which make it again.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers
from safetensors.numpy import load_file

import make_family_goldens as llama_like
import make_goldens as gpt2_like

TOLERANCE, GREEDY, CLOSE, DEEP = 2e-5, 50, 1e-4, 4
IDS = "ABCDE"
# Where rows of these tensors sit: [B,N,S,K] needs its columns brought to logical order.
BY_KEY = ("scores", "scores_capped", "weights")


def maybe(r, options, key, values, chance=0.5):
    if r.random() < chance:
        options[key] = r.choice(values)


def rope(r, context):
    kind = r.choice(["default", "default", "linear", "llama3"])
    result = {"rope_type": kind, "rope_theta": r.choice([100.0, 10000.0, 500000.0, 1000000.0])}
    if kind != "default":
        result["factor"] = r.choice([2.0, 4.0, 8.0, 1.5])
    if kind == "llama3":
        result.update(low_freq_factor=r.choice([1.0, 0.5]), high_freq_factor=r.choice([4.0, 2.0]),
                      original_max_position_embeddings=r.choice([8, 16, 32, context]))
    return result


def draw_gpt2(r):
    heads = r.choice([1, 2, 3, 4, 5])
    options = dict(vocab_size=r.choice([37, 50, 64, 101]), n_embd=heads * r.choice([3, 4, 5, 8]), n_head=heads, n_positions=128,
                   n_layer=r.choice([1, 2, 3]), initializer_range=0.25)
    maybe(r, options, "n_inner", [7, 20, 33, 50])
    maybe(r, options, "scale_attn_by_inverse_layer_idx", [True])
    maybe(r, options, "scale_attn_weights", [False], 0.2)
    maybe(r, options, "reorder_and_upcast_attn", [True], 0.2)
    maybe(r, options, "tie_word_embeddings", [False, True])
    maybe(r, options, "layer_norm_epsilon", [1e-6, 1e-3, 1e-12])
    maybe(r, options, "activation_function", ["gelu", "relu", "silu", "swish", "gelu_new", "gelu_pytorch_tanh", "gelu_fast"], 0.7)
    return "GPT2", options


def draw(r, family):
    if family == "gpt2":
        return draw_gpt2(r)
    kinds = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3", "gemma": "Gemma", "gemma2": "Gemma2",
             "gemma3": "Gemma3Text"}
    groups, per = r.choice([(1, 1), (1, 4), (2, 2), (4, 1), (3, 1), (2, 3), (1, 5), (5, 1)])
    width = r.choice([2, 4, 6, 10, 16])
    derived = family in ("llama", "mistral", "qwen2") and r.random() < 0.5
    hidden = groups * per * width if derived else r.choice([8, 18, 20, 26, 32])
    if family in ("llama", "gemma2", "gemma3"):  # their classes ask for it though head_dim is given
        hidden += -hidden % (groups * per)
    layers = r.choice([1, 2, 3, 4])
    o = dict(vocab_size=r.choice([37, 50, 64, 101]), hidden_size=hidden, intermediate_size=r.choice([7, 24, 33, 50]),
             num_hidden_layers=layers, num_attention_heads=groups * per, num_key_value_heads=groups, max_position_embeddings=128,
             initializer_range=0.3)
    if not derived:
        o["head_dim"] = width
    maybe(r, o, "rms_norm_eps", [1e-6, 1e-5, 1e-3])
    maybe(r, o, "tie_word_embeddings", [True, False])
    maybe(r, o, "hidden_activation" if family in ("gemma2", "gemma3") else "hidden_act",
          ["silu", "gelu", "relu", "gelu_pytorch_tanh", "gelu_new"], 0.3)
    if family in ("llama", "qwen3", "gemma", "gemma2", "gemma3"):
        maybe(r, o, "attention_bias", [True, False])
    if family == "llama":
        maybe(r, o, "mlp_bias", [True, False])
    if family == "mistral":
        maybe(r, o, "sliding_window", [1, 2, 3, 5, 8, None], 0.9)
    if family in ("qwen2", "qwen3"):
        maybe(r, o, "use_sliding_window", [True, True, False], 0.8)
        maybe(r, o, "sliding_window", [1, 2, 3, 5, 8], 0.8)
        maybe(r, o, "max_window_layers", [0, 1, 2], 0.8)
    if family in ("gemma2", "gemma3"):
        o["sliding_window"] = r.choice([2, 3, 5, 8])
        maybe(r, o, "query_pre_attn_scalar", [7, 16, 20, 256])
        maybe(r, o, "attn_logit_softcapping", [2.0, 5.0, None], 0.7)
        maybe(r, o, "final_logit_softcapping", [3.0, 8.0, None], 0.7)
    if family in ("gemma2", "gemma3") or (family in ("qwen2", "qwen3") and o.get("use_sliding_window")):
        if r.random() < 0.4:
            o["layer_types"] = [r.choice(["sliding_attention", "full_attention"]) for _ in range(layers)]
    if family == "gemma3":
        if r.random() < 0.7:
            o["rope_parameters"] = {"full_attention": rope(r, 128), "sliding_attention": rope(r, 128)}
    else:
        maybe(r, o, "rope_parameters", [rope(r, 128)], 0.8)
    return kinds[family], o


def build(r, family, kind, options, folder):
    config = getattr(transformers, kind + "Config")(**options, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    config._attn_implementation = "eager"
    torch.manual_seed(r.randrange(1 << 30))
    head = {"GPT2": "GPT2LMHeadModel", "Gemma3Text": "Gemma3ForCausalLM"}.get(kind, kind + "ForCausalLM")
    model = getattr(transformers, head)(config).float().eval()
    with torch.no_grad():
        for key, value in model.named_parameters():
            if "norm" in key or "ln_" in key or key.endswith("bias"):
                value.add_(torch.randn_like(value) * 0.2)
    model.save_pretrained(folder)
    path = folder / "config.json"
    document = json.loads(path.read_text())
    if r.random() < 0.3:  # as version 4 writes it
        parameters = document.pop("rope_parameters", None)
        if parameters and "full_attention" not in parameters:
            document["rope_theta"] = parameters.pop("rope_theta", 10000.0)
            if parameters.get("rope_type", "default") != "default":
                document["rope_scaling"] = parameters
        elif parameters:
            document["rope_parameters"] = parameters
    path.write_text(json.dumps(document))
    return model


def turn_half(model, result):
    """GPT-2's own way to scale scores."""
    c = model.config
    for i in range(c.n_layer):
        at = f"layers.{i}.attn."
        scores = torch.einsum("ind,jnd->nij", result[at + "q"], result[at + "k"])
        if c.scale_attn_weights:
            scores = scores / math.sqrt(c.n_embd // c.n_head)
        if c.scale_attn_by_inverse_layer_idx:
            scores = scores / (i + 1)
        s = scores.shape[-1]
        result[at + "scores"] = scores.masked_fill(torch.ones(s, s, dtype=torch.bool).triu(1), -math.inf)


def gpt2_tensors(model, ids):
    found, c, s = {}, model.config, len(ids)
    handles = gpt2_like.hook_all(model, found)
    with torch.no_grad():
        out = model(input_ids=torch.tensor([ids]), output_attentions=True, use_cache=False)
    for handle in handles:
        handle.remove()
    result = {}
    for name, value in found.items():
        value = value.reshape(s, -1)
        if name.endswith("qkv"):
            for part, piece in zip("qkv", value.split(c.n_embd, dim=-1)):
                result[name.removesuffix("qkv") + "attn." + part] = piece.reshape(s, c.n_head, -1)
        else:
            result[name] = value.reshape(s, c.n_head, -1) if name.endswith("attn.mix") else value
    turn_half(model, result)
    for i in range(c.n_layer):
        result[f"layers.{i}.attn.weights"] = out.attentions[i][0]
    result["logits_at"] = out.logits[0]
    return result


def expected(model, ids):
    return gpt2_tensors(model, ids) if model.config.model_type == "gpt2" else llama_like.row_tensors(model, ids)


def run(program, folder, prompts, new, trace):
    command = [program, "run", str(folder), "--new", str(new), "--capture", "all", "-o", str(trace), "--json"]
    for prompt in prompts:
        command += ["--tokens", " ".join(map(str, prompt))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() + done.stdout.strip())
    return json.loads(done.stdout)


def row_of_pass(tensors, name, b):
    """A row's values of one tensor at its real positions; scores with their columns in logical order."""
    value, real = tensors[name][b], ~tensors["pad"][b].astype(bool)
    part = name.split(".")[-1]
    if part in BY_KEY:
        visible = tensors["cache.position"][b]
        columns = [int(np.where(visible == p)[0][0]) for p in range(visible.max() + 1)]
        return value[:, real][:, :, columns]
    return value[real]


def compare_row(trace, b, want, most):
    """Yields (name, distance) of the first passes of row b."""
    at, largest = 0, {k: float(np.abs(v.numpy()[np.isfinite(v.numpy())]).max(initial=0)) for k, v in want.items()}
    for p in range(most):
        tensors = load_file(trace / f"pass-{p:06d}.safetensors")
        s = int((~tensors["pad"][b].astype(bool)).sum())
        for name in tensors:
            if name not in want or name in ("tokens", "positions", "final.last", "logits", "probs"):
                continue
            ours, theirs = row_of_pass(tensors, name, b), want[name].numpy()
            theirs = theirs[:, at:at + s, :at + s] if name.split(".")[-1] in BY_KEY else theirs[at:at + s]
            yield name, distance(ours, theirs) / (largest[name] or 1)
        logits = want["logits_at"][at + s - 1].numpy()
        yield "logits", distance(tensors["logits"][b], logits) / np.abs(logits).max()
        yield "top ten", 0 if same_order(tensors["logits"][b], logits) else math.inf
        at += s


def distance(ours, theirs):
    if ours.shape != theirs.shape or not np.array_equal(np.isfinite(ours), np.isfinite(theirs)):
        return math.inf
    finite = np.isfinite(theirs)
    return float(np.abs(ours[finite] - theirs[finite]).max(initial=0))


def same_order(ours, theirs):
    a, b = np.argsort(-ours, kind="stable")[:10], np.argsort(-theirs, kind="stable")[:10]
    return all(x == y or abs(theirs[x] - theirs[y]) <= CLOSE * np.abs(theirs).max() for x, y in zip(a, b))


def check_greedy(model, row):
    """The first token that transformers would not have chosen, unless the choice was close; -1: none."""
    ids = row["prompt_tokens"] + row["tokens"]
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
    for i, token in enumerate(row["tokens"]):
        at = logits[len(row["prompt_tokens"]) + i - 1]
        if int(at.argmax()) != token and float(at.max() - at[token]) > CLOSE * float(at.abs().max()):
            return i
    return -1


def prove(program, folder, r, family):
    kind, options = draw(r, family)
    model = build(r, family, kind, options, folder)
    v = options["vocab_size"]
    prompts = [[r.randrange(v) for _ in range(n)] for n in (r.randint(9, 14), 1, r.randint(2, 8), r.randint(2, 8), 3)]
    worst, bad = (0.0, ""), []
    for rows in (prompts, prompts[:1]):
        trace = folder / f"trace{len(rows)}"
        document = run(program, folder, rows, GREEDY, trace)
        for b, row in enumerate(document["rows"]):
            ids = row["prompt_tokens"] + row["tokens"][:DEEP - 1]
            for name, far in compare_row(trace, b, expected(model, ids), DEEP):
                worst = max(worst, (far, name))
                if far > TOLERANCE:
                    bad.append(f"{IDS[b]} of {len(rows)}: {name} {far:.2g}")
            if (wrong := check_greedy(model, row)) >= 0:
                bad.append(f"{IDS[b]} of {len(rows)}: token {wrong} of its greedy continuation")
    return options, worst, bad


def main():
    torch.set_num_threads(1)
    program, count, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = 0
    for family in sys.argv[4:] or ["gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3"]:
        most, wrong = (0.0, ""), 0
        for number in range(count):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    options, worst, bad = prove(program, pathlib.Path(folder), random.Random(f"{seed} {family} {number}"), family)
                except Exception as problem:  # whatever it is, the other configurations go on
                    options, worst, bad = None, (math.inf, ""), [f"{type(problem).__name__}: {problem}"]
            most, wrong = max(most, worst), wrong + bool(bad)
            if bad:
                print(f"{family} {number} of seed {seed}: {bad[0]} and {len(bad) - 1} more\n    {json.dumps(options)}", flush=True)
        print(f"{family}: {count - wrong} of {count} agree, the farthest tensor is {most[1]} at {most[0]:.1e} of its largest number", flush=True)
        failed += wrong
    return 1 if failed else 0


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    sys.exit(main())
