#!/usr/bin/env python3
"""Make the golden activations of the bundled models with Hugging Face transformers.

    pip install torch==2.13.0 transformers==5.24.0 tokenizers==0.23.3 safetensors==0.8.0
    python3 tests/golden/make_goldens.py [MODEL...]

For each model: model_<name>.safetensors and model_<name>.json.  Every row runs alone, without
padding, in float32, as one forward pass over its prompt and the first two tokens that it
generates.  Tensors are taken from the modules by hooks, under the names of the trace with the row's ID
before them ("A/layers.0.attn.q"), without the axis B:

    tokens, positions [S]                       embed.token, embed.position, embed [S,H]
    layers.i.attn.norm [S,H]  .q .k .v .mix [S,N,D]  .scores .weights [N,S,K], K = S  .out [S,H]
    layers.i.resid_mid [S,H]  .mlp.norm [S,H]  .mlp.up .mlp.act [S,F]  .mlp.out [S,H]  .resid [S,H]
    final.norm [S,H]  final.last [H]  logits, probs [V] at the last position  logits_at [S,V] at every position

Only the scores are computed here (no module returns them): q k / sqrt(D), -inf where the causal
mask forbids; their softmax must give the weights that the model returned.
The JSON file holds prompts, token IDs, greedy continuations and versions.
"""
import json
import math
import pathlib
import sys

import safetensors
import tokenizers
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import GPT2LMHeadModel

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parent.parent / "tiny_models"
GREEDY = 12

# Rows with tensors; a list is a prompt by token IDs.
ROWS = {
    "three-requests": {"A": "我今天", "B": "天", "C": [0], "D": "请问，图书馆"},
    "glass": {"A": "the cat", "B": "the big dog", "C": "cow", "D": "the cat says meow . the dog", "E": [2, 3]},
    "tiny-stories": {"A": "Once upon a time", "B": "Mia", "C": [0]},
}
# Rows with a greedy continuation only.
MORE = {
    "three-requests": ["妈妈", "小猫", "今天", "外面", "我喜欢", "老师", "苹果", "谢谢"],
    "glass": ["pig", "dog cow pig says", "big big cat", "the"],
    "tiny-stories": ["Once upon a time", "The little dog", "Mia found a", "In the garden", "One rainy day",
                     "The old clock", "Tom and his sister", "At night the moon"],
}


def hook_all(model, found):
    """Registers hooks that fill `found` during the next forward pass; returns their handles."""
    body, handles = model.transformer, []

    def output(module, name):
        handles.append(module.register_forward_hook(lambda m, i, o: found.update({name: o[0] if isinstance(o, tuple) else o})))

    def given(module, name):
        handles.append(module.register_forward_pre_hook(lambda m, i: found.update({name: i[0]})))

    output(body.wte, "embed.token")
    output(body.wpe, "embed.position")
    given(body.h[0], "embed")
    for i, block in enumerate(body.h):
        at = f"layers.{i}."
        output(block.ln_1, at + "attn.norm")
        output(block.attn.c_attn, at + "qkv")
        given(block.attn.c_proj, at + "attn.mix")
        output(block.attn.c_proj, at + "attn.out")
        given(block.ln_2, at + "resid_mid")
        output(block.ln_2, at + "mlp.norm")
        output(block.mlp.c_fc, at + "mlp.up")
        output(block.mlp.act, at + "mlp.act")
        output(block.mlp.c_proj, at + "mlp.out")
        output(block, at + "resid")
    output(body.ln_f, "final.norm")
    return handles


def row_tensors(model, ids):
    config, found = model.config, {}
    handles = hook_all(model, found)
    with torch.no_grad():
        out = model(input_ids=torch.tensor([ids]), output_attentions=True, use_cache=False)
    for handle in handles:
        handle.remove()
    n, d, s = config.n_head, config.n_embd // config.n_head, len(ids)
    result = {"tokens": torch.tensor(ids, dtype=torch.int32), "positions": torch.arange(s, dtype=torch.int32)}
    for name, value in found.items():
        value = value.reshape(s, -1)
        if name.endswith("qkv"):
            at = name.removesuffix("qkv") + "attn."
            q, k, v = (part.reshape(s, n, d) for part in value.split(config.n_embd, dim=-1))
            scores = torch.einsum("ind,jnd->nij", q, k) / math.sqrt(d)
            scores = scores.masked_fill(torch.ones(s, s, dtype=torch.bool).triu(1), -math.inf)
            weights = out.attentions[int(name.split(".")[1])][0]
            assert torch.allclose(scores.softmax(-1), weights, atol=1e-6), name
            result.update({at + "q": q, at + "k": k, at + "v": v, at + "scores": scores, at + "weights": weights})
        elif name.endswith("attn.mix"):
            result[name] = value.reshape(s, n, d)
        else:
            result[name] = value
    logits = out.logits[0]
    result.update({"final.last": result["final.norm"][-1], "logits": logits[-1], "probs": logits[-1].softmax(-1), "logits_at": logits})
    return result


def greedy(model, ids, count):
    """Returns the new IDs, their log-probabilities, and the least distance of a choice to its runner-up in logits."""
    ids, new, logprobs, margin = list(ids), [], [], math.inf
    while len(new) < count and len(ids) < model.config.n_positions:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
        best = logits.topk(2).values
        margin = min(margin, float(best[0] - best[1]))
        new.append(int(logits.argmax()))
        logprobs.append(round(float(logits.log_softmax(-1)[new[-1]]), 6))
        ids.append(new[-1])
        if new[-1] == model.config.eos_token_id:
            break
    return new, logprobs, round(margin, 4)


def describe(model, tokenizer, row, prompt, count):
    ids = tokenizer.encode(prompt).ids if isinstance(prompt, str) else prompt
    new, logprobs, margin = greedy(model, ids, count)
    return {"id": row, "prompt": prompt if isinstance(prompt, str) else None, "prompt_tokens": ids, "greedy": new,
            "logprobs": logprobs, "least_margin": margin, "text": tokenizer.decode(new, skip_special_tokens=True)}


def make(name):
    tokenizer = Tokenizer.from_file(str(MODELS / name / "tokenizer.json"))
    model = GPT2LMHeadModel.from_pretrained(MODELS / name, attn_implementation="eager", dtype=torch.float32).eval()
    tensors, rows = {}, []
    for row, prompt in ROWS[name].items():
        entry = describe(model, tokenizer, row, prompt, GREEDY)
        entry["tokens"] = entry["prompt_tokens"] + entry["greedy"][:2]
        rows.append(entry)
        for key, value in row_tensors(model, entry["tokens"]).items():
            tensors[f"{row}/{key}"] = value.contiguous().clone()
    path = HERE / f"model_{name}.safetensors"
    save_file(tensors, path)
    path.chmod(0o644)
    document = {
        "model": name, "tensors": path.name,
        "made_with": {"torch": torch.__version__, "transformers": transformers.__version__,
                      "tokenizers": tokenizers.__version__, "safetensors": safetensors.__version__},
        "rows": rows, "continuations": [describe(model, tokenizer, None, p, 2 * GREEDY) for p in MORE[name]]}
    write_json(HERE / f"model_{name}.json", document, ("rows", "continuations"))
    least = min(r["least_margin"] for r in rows + document["continuations"])
    print(f"{name}: {len(tensors)} tensors, {path.stat().st_size} bytes, least margin {least}")


def write_json(path, document, lists):
    """One line for each member, and for each element of the named lists."""
    lines = []
    for key, value in document.items():
        text = json.dumps(value)
        if key in lists:
            text = "[\n    " + ",\n    ".join(json.dumps(v) for v in value) + "\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    torch.set_num_threads(1)
    for name in sys.argv[1:] or ROWS:
        make(name)


if __name__ == "__main__":
    main()
