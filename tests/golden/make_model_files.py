#!/usr/bin/env python3
"""Write models of this repository in the other formats, by code that is not the program's: GGUF by the Python package gguf, with what
its converter does to each family (rows of queries and keys permuted, gains of norms plus 1, Conv1D transposed), and llama2.c
checkpoints of both versions with what its export does. All weights are F32.

    pip install gguf==0.19.0 numpy safetensors
    python3 tests/golden/make_model_files.py
"""
import json
import pathlib
import struct

import gguf
import numpy as np
from safetensors.numpy import load_file

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "files"
NAMES = {"input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
GPT2 = {"ln_1": "attn_norm", "ln_2": "ffn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up",
        "mlp.c_proj": "ffn_down"}


def permuted(w, heads):
    """Half-split rows to interleaved ones."""
    return w.reshape(heads, 2, w.shape[0] // heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def keys(writer, arch, c):
    writer.add_context_length(c["max_position_embeddings"])
    writer.add_embedding_length(c["hidden_size"])
    writer.add_block_count(c["num_hidden_layers"])
    writer.add_feed_forward_length(c["intermediate_size"])
    writer.add_head_count(c["num_attention_heads"])
    writer.add_head_count_kv(c["num_key_value_heads"])
    writer.add_key_length(c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"])
    writer.add_layer_norm_rms_eps(c["rms_norm_eps"])
    rope = c["rope_parameters"]
    rope = rope.get("full_attention", rope)
    writer.add_rope_freq_base(rope["rope_theta"])
    writer.add_rope_dimension_count(c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"])
    if rope["rope_type"] == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])
    if rope["rope_type"] == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(rope, c["head_dim"]))
    if arch == "gemma2":
        writer.add_attn_logit_softcapping(c["attn_logit_softcapping"])
        writer.add_final_logit_softcapping(c["final_logit_softcapping"])
    if arch in ("gemma2", "gemma3"):
        writer.add_sliding_window(c["sliding_window"])
    if arch == "gemma3":
        writer.add_sliding_window_pattern([kind == "sliding_attention" for kind in c["layer_types"]])
    writer.add_bos_token_id(c["bos_token_id"])
    writer.add_eos_token_id(c["eos_token_id"][0])
    writer.add_uint32("tokenizer.ggml.eot_token_id", c["eos_token_id"][1])
    writer.add_pad_token_id(c["pad_token_id"])


def llama3_factors(rope, width):
    """What each frequency is divided by: 1 where waves are short, the factor where they are long, between them in between."""
    wave = 2 * np.pi * rope["rope_theta"] ** (np.arange(0, width, 2) / width)
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    smooth = np.clip((rope["original_max_position_embeddings"] / wave - low) / (high - low), 0, 1)
    return (1 / ((1 - smooth) / rope["factor"] + smooth)).astype(np.float32)


def target_name(full, arch):
    parts = full.removeprefix("model.").split(".")
    if parts[0] != "layers":
        return {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}[parts[0]] + "." + parts[-1]
    part = ".".join(parts[2:-1])
    post = {"post_attention_layernorm": "post_attention_norm" if arch in ("gemma2", "gemma3") else "ffn_norm",
            "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}
    return f"blk.{parts[1]}.{NAMES.get(part) or post[part]}.{parts[-1]}"


def llama_like(name, arch):
    folder = HERE / "families" / name
    c, weights = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    writer = gguf.GGUFWriter(OUT / f"{name}.gguf", arch)
    keys(writer, arch, c)
    for full, w in weights.items():
        for part, heads in ((".q_proj.", "num_attention_heads"), (".k_proj.", "num_key_value_heads")):
            if arch == "llama" and part in full:
                w = permuted(w, c[heads])
        if arch.startswith("gemma") and "norm" in full:
            w = w + np.float32(1)
        writer.add_tensor(target_name(full, arch), np.ascontiguousarray(w))
    finish(writer)


def gpt2(name):
    folder = HERE.parent.parent / "tiny_models" / name
    c, weights = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    writer = gguf.GGUFWriter(OUT / f"{name}.gguf", "gpt2")
    writer.add_context_length(c["n_positions"])
    writer.add_embedding_length(c["n_embd"])
    writer.add_block_count(c["n_layer"])
    writer.add_feed_forward_length(c["n_inner"] or 4 * c["n_embd"])
    writer.add_head_count(c["n_head"])
    writer.add_layer_norm_eps(c["layer_norm_epsilon"])
    writer.add_eos_token_id(c["eos_token_id"])
    writer.add_pad_token_id(c["pad_token_id"])
    for full, w in weights.items():
        parts = full.removeprefix("transformer.").split(".")
        part = ".".join(parts[2:-1])
        if parts[0] == "h" and part in GPT2:
            w = w.T if part.split(".")[-1].startswith("c_") and w.ndim == 2 else w
            writer.add_tensor(f"blk.{parts[1]}.{GPT2[part]}.{parts[-1]}", np.ascontiguousarray(w))
        elif parts[0] in ("wte", "wpe", "ln_f"):
            writer.add_tensor({"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm"}[parts[0]] + "." + parts[-1], w)
    finish(writer)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama2c(version):
    folder = HERE / "families" / "llama"
    c, w = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")

    def layers(part, heads=0):
        found = (w[f"model.layers.{i}.{part}.weight"] for i in range(c["num_hidden_layers"]))
        return b"".join((permuted(x, heads) if heads else x).astype("<f4").tobytes() for x in found)

    def one(name):
        return w[name].astype("<f4").tobytes()

    sizes = [c["hidden_size"], c["intermediate_size"], c["num_hidden_layers"], c["num_attention_heads"], c["num_key_value_heads"],
             c["vocab_size"], c["max_position_embeddings"]]
    norms = layers("input_layernorm"), layers("post_attention_layernorm"), one("model.norm.weight")
    attention = (layers("self_attn.q_proj", sizes[3]) + layers("self_attn.k_proj", sizes[4]) + layers("self_attn.v_proj") +
                 layers("self_attn.o_proj"))
    mlp = layers("mlp.gate_proj") + layers("mlp.down_proj") + layers("mlp.up_proj")
    embed, head = one("model.embed_tokens.weight"), one("lm_head.weight")
    if version == 0:
        half = sizes[0] // sizes[3] // 2
        sizes[5] = -sizes[5]  # a classifier of its own
        data = (struct.pack("<7i", *sizes) + embed + norms[0] + attention + norms[1] + mlp + norms[2] + bytes(8 * sizes[6] * half) +
                head)
    else:
        data = struct.pack("<Ii7iB", 0x616B3432, 1, *sizes, 0).ljust(256, b"\0") + b"".join(norms) + embed + attention + mlp + head
    (OUT / f"llama_v{version}.bin").write_bytes(data)


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    llama_like("llama", "llama")
    llama_like("qwen3", "qwen3")
    llama_like("gemma2", "gemma2")
    llama_like("gemma", "gemma")
    llama_like("gemma3", "gemma3")
    llama_like("qwen2", "qwen2")
    llama_like("llama3", "llama")
    llama_like("linear", "llama")
    gpt2("glass")
    llama2c(0)
    llama2c(1)
