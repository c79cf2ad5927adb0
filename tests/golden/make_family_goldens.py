#!/usr/bin/env python3
"""Make a small random model of every Llama-like family, and golden activations of it and of tiny-llama, with Hugging Face transformers.

    pip install torch==2.13.0 transformers==5.24.0 tokenizers==0.23.3 safetensors==0.8.0
    python3 tests/golden/make_family_goldens.py [FAMILY...|tiny-llama]

families/<name>/ gets config.json and model.safetensors, saved by transformers; model_<name>.safetensors and model_<name>.json
the activations of five rows, each run alone, without padding, in float32, as one forward pass over its prompt and the first
two tokens that it generates, and greedy continuations of 50 tokens. Names and shapes are those of make_goldens.py, and

    layers.i.attn.q_proj .k_proj where queries and keys are normalised; .q_rot .k_rot [S,N,D]; .scores_capped [N,S,K]
    layers.i.attn.post_norm, .mlp.post_norm [S,H]; layers.i.mlp.gate .gate_act [S,F]

Modules give all tensors but the rotated queries and keys and the scores, which are computed here from the modules' cosines and
sines; their softmax must give the weights that the model returned.
"""
import math
import pathlib
import sys

import safetensors
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer

from make_goldens import write_json

HERE = pathlib.Path(__file__).resolve().parent
V, GREEDY = 64, 50
PROMPTS = {"A": [5, 9, 33], "B": [7], "C": [11, 12, 13, 14, 15, 16, 17, 18, 19], "D": [60, 2, 60, 2, 41, 8], "E": [3, 3]}
SMALL = dict(vocab_size=V, hidden_size=32, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=128, bos_token_id=1, eos_token_id=[62, 63], pad_token_id=0,
             initializer_range=0.3, rms_norm_eps=1e-5)

# Between them: every option that a family has.
FAMILIES = {
    "llama": ("Llama", dict(rope_parameters={"rope_type": "default", "rope_theta": 10000.0})),
    "llama3": ("Llama", dict(tie_word_embeddings=True, attention_bias=True, mlp_bias=True, head_dim=12, rope_parameters={
        "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32})),
    "linear": ("Llama", dict(num_key_value_heads=4, rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0})),
    "mistral": ("Mistral", dict(sliding_window=4, num_key_value_heads=1)),
    "qwen2": ("Qwen2", dict(use_sliding_window=True, sliding_window=5, max_window_layers=1)),
    "qwen3": ("Qwen3", dict(head_dim=16, attention_bias=True, tie_word_embeddings=True)),
    "gemma": ("Gemma", dict(head_dim=16, hidden_act="gelu_pytorch_tanh")),
    "gemma2": ("Gemma2", dict(head_dim=12, query_pre_attn_scalar=20, sliding_window=4, attn_logit_softcapping=5.0,
                              final_logit_softcapping=8.0)),
    "gemma3": ("Gemma3", dict(head_dim=12, query_pre_attn_scalar=16, sliding_window=4, num_hidden_layers=3,
                              layer_types=["sliding_attention", "full_attention", "sliding_attention"])),
}


# A bundled model, and rows by their texts.
BUNDLED = {"tiny-llama": {"A": "The cat", "B": "问：熊猫", "C": "Tom"}}
MORE = {"tiny-llama": ["One rainy day", "青蛙睡不着", "English: The bee is yellow and busy.", "Question: What can the dog do?"]}


def load(name):
    model = transformers.LlamaForCausalLM.from_pretrained(
        HERE.parent.parent / "tiny_models" / name, attn_implementation="eager", dtype=torch.float32).eval()
    model.config.eos_token_id = [model.config.eos_token_id]
    return model


def build(name, seed):
    kind, options = FAMILIES[name]
    config_class = getattr(transformers, kind + ("TextConfig" if kind == "Gemma3" else "Config"))
    config = config_class(**{**SMALL, **options})
    config._attn_implementation = "eager"
    torch.manual_seed(seed)
    model = getattr(transformers, kind + "ForCausalLM")(config).float().eval()
    with torch.no_grad():
        for key, value in model.named_parameters():
            if "norm" in key:
                value.add_(torch.randn_like(value) * 0.2)
            elif key.endswith("bias"):
                value.copy_(torch.randn_like(value) * 0.2)
    folder = HERE / "families" / name
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "model.safetensors").chmod(0o644)
    return model


def hook_all(model, found):
    body, handles = model.model, []

    def output(module, name):
        handles.append(module.register_forward_hook(lambda m, i, o: found.update({name: o[0] if isinstance(o, tuple) else o})))

    def given(module, name):
        handles.append(module.register_forward_pre_hook(lambda m, a, k: found.update({name: a[0] if a else k["hidden_states"]}),
                                                        with_kwargs=True))

    given(body.layers[0], "embed")
    for i, block in enumerate(body.layers):
        at = f"layers.{i}."
        output(block.input_layernorm, at + "attn.norm")
        for part in "qkv":
            normed = hasattr(block.self_attn, part + "_norm")
            output(getattr(block.self_attn, part + "_proj"), at + "attn." + part + ("_proj" if normed else ""))
            if normed:
                output(getattr(block.self_attn, part + "_norm"), at + "attn." + part)
        given(block.self_attn.o_proj, at + "attn.mix")
        output(block.self_attn.o_proj, at + "attn.out")
        post = hasattr(block, "pre_feedforward_layernorm")
        before_mlp = block.pre_feedforward_layernorm if post else block.post_attention_layernorm
        if post:
            output(block.post_attention_layernorm, at + "attn.post_norm")
            output(block.post_feedforward_layernorm, at + "mlp.post_norm")
        given(before_mlp, at + "resid_mid")
        output(before_mlp, at + "mlp.norm")
        output(block.mlp.gate_proj, at + "mlp.gate")
        output(block.mlp.act_fn, at + "mlp.gate_act")
        output(block.mlp.up_proj, at + "mlp.up")
        given(block.mlp.down_proj, at + "mlp.act")
        output(block.mlp.down_proj, at + "mlp.out")
        output(block, at + "resid")
    output(body.norm, "final.norm")
    return handles


def turn(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos[:, None] + torch.cat((-x[..., half:], x[..., :half]), -1) * sin[:, None]


def angles(model, layer, s):
    x, positions = torch.zeros(1, s, 1), torch.arange(s)[None]
    kinds = getattr(model.config, "layer_types", None)
    try:
        cos, sin = model.model.rotary_emb(x, positions, kinds[layer] if kinds else None)
    except TypeError:
        cos, sin = model.model.rotary_emb(x, positions)
    return cos[0], sin[0]


def window_of(config, layer):
    kinds = getattr(config, "layer_types", None)
    if kinds and kinds[layer] != "sliding_attention":
        return None
    return config.sliding_window if getattr(config, "sliding_window", None) else None


def add_attention(model, result, layer, s, weights):
    config, at = model.config, f"layers.{layer}.attn."
    attention = model.model.layers[layer].self_attn
    cos, sin = angles(model, layer, s)
    q, k = turn(result[at + "q"], cos, sin), turn(result[at + "k"], cos, sin)
    result.update({at + "q_rot": q, at + "k_rot": k})
    k = k.repeat_interleave(config.num_attention_heads // config.num_key_value_heads, 1)
    scores = torch.einsum("ind,jnd->nij", q, k) * attention.scaling
    distance = torch.arange(s)[:, None] - torch.arange(s)[None]
    window = window_of(config, layer)
    forbidden = (distance < 0) | (distance >= window if window else False)
    cap = config.attn_logit_softcapping if config.model_type == "gemma2" else None  # Gemma 3 has the key and does not use it
    capped = torch.tanh(scores / cap) * cap if cap else scores
    result[at + "scores"] = scores.masked_fill(forbidden, -math.inf)
    if cap:
        result[at + "scores_capped"] = capped.masked_fill(forbidden, -math.inf)
    assert torch.allclose(capped.masked_fill(forbidden, -math.inf).softmax(-1), weights, atol=2e-6), at
    result[at + "weights"] = weights


def row_tensors(model, ids):
    config, found = model.config, {}
    handles = hook_all(model, found)
    with torch.no_grad():
        out = model(input_ids=torch.tensor([ids]), output_attentions=True, use_cache=False)
        for handle in handles:
            handle.remove()
        s = len(ids)
        found["embed.token"] = torch.nn.functional.embedding(torch.tensor(ids), model.model.embed_tokens.weight)  # Gemma's module scales
        result = {"tokens": torch.tensor(ids, dtype=torch.int32), "positions": torch.arange(s, dtype=torch.int32)}
        for name, value in found.items():
            part = name.split(".")[-1]
            heads = config.num_attention_heads if part in ("q", "q_proj", "mix") else config.num_key_value_heads
            if value.dim() == 4 and config.model_type == "gemma3_text":  # it normalises [N,S,D]
                value = value.transpose(1, 2)
            by_head = ".attn." in name and part in ("q", "k", "v", "q_proj", "k_proj", "mix")
            result[name] = value.reshape(s, heads, -1) if by_head else value.reshape(s, -1)
        for layer in range(config.num_hidden_layers):
            add_attention(model, result, layer, s, out.attentions[layer][0])
    logits = out.logits[0]
    result.update({"final.last": result["final.norm"][-1], "logits": logits[-1], "probs": logits[-1].softmax(-1), "logits_at": logits})
    return result


def greedy(model, ids, count):
    ids, new, logprobs, margin = list(ids), [], [], math.inf
    while len(new) < count:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
        best = logits.topk(2).values
        margin = min(margin, float(best[0] - best[1]))
        new.append(int(logits.argmax()))
        logprobs.append(round(float(logits.log_softmax(-1)[new[-1]]), 6))
        ids.append(new[-1])
        if new[-1] in model.config.eos_token_id:
            break
    return new, logprobs, round(margin, 4)


def describe(model, row, ids, count):
    new, logprobs, margin = greedy(model, ids, count)
    return {"id": row, "prompt": None, "prompt_tokens": ids, "greedy": new, "logprobs": logprobs, "least_margin": margin}


def make_family(name):
    seed = 20
    while any(len(greedy(build(name, seed), ids, 3)[0]) < 3 for ids in PROMPTS.values()):
        seed += 1  # a row that ends at once has no two tokens to go on with
    make(name, build(name, seed), PROMPTS, PROMPTS.values())


def make_bundled(name):
    tokenizer = Tokenizer.from_file(str(HERE.parent.parent / "tiny_models" / name / "tokenizer.json"))
    make(name, load(name), {row: tokenizer.encode(text).ids for row, text in BUNDLED[name].items()},
         [tokenizer.encode(text).ids for text in MORE[name]])


def make(name, model, prompts, others):
    tensors, rows = {}, []
    for row, ids in prompts.items():
        entry = describe(model, row, ids, 6)
        entry["tokens"] = ids + entry["greedy"][:2]
        rows.append(entry)
        for key, value in row_tensors(model, entry["tokens"]).items():
            tensors[f"{row}/{key}"] = value.contiguous().clone()
    path = HERE / f"model_{name}.safetensors"
    save_file(tensors, path)
    path.chmod(0o644)
    more = [describe(model, None, ids, GREEDY) for ids in others]
    write_json(HERE / f"model_{name}.json", {
        "model": name, "tensors": path.name,
        "made_with": {"torch": torch.__version__, "transformers": transformers.__version__, "safetensors": safetensors.__version__},
        "rows": rows, "continuations": more}, ("rows", "continuations"))
    print(f"{name}: {len(tensors)} tensors, {path.stat().st_size} bytes, least margin {min(r['least_margin'] for r in rows + more)}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for wanted in sys.argv[1:] or [*FAMILIES, *BUNDLED]:
        (make_bundled if wanted in BUNDLED else make_family)(wanted)
