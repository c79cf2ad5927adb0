#!/usr/bin/env python3
"""Rebuild tiny-llama from corpus.py.

    pip install torch transformers tokenizers safetensors
    python3 train.py            # about ten minutes on one core; writes beside this file
"""
import hashlib
import json
import math
import pathlib
import random
import sys
import time

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM

import corpus

HERE = pathlib.Path(__file__).resolve().parent
END, PAD = "<|endoftext|>", "<|pad|>"
VOCAB_SIZE, CONTEXT = 832, 256
TEXTS = 40000
SEED = 11
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
BATCH, LENGTH, RATE = 8, 160, 4e-3


def build_tokenizer(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    special = [AddedToken(t, special=True, normalized=False) for t in (END, PAD)]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE, special_tokens=special, show_progress=False, max_token_length=12,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def sample_batch(rng, texts):
    """Rows begin with a text (half of them after an end token) and are filled with further texts."""
    x = torch.empty((BATCH, LENGTH), dtype=torch.long)
    for r in range(BATCH):
        row = [0] if rng.random() < 0.5 else []
        while len(row) < LENGTH:
            row += [*rng.choice(texts), 0]
        x[r] = torch.tensor(row[:LENGTH])
    return x


def train(texts, vocabulary):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    rng = random.Random(SEED)
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=96, intermediate_size=256, num_hidden_layers=3, num_attention_heads=6,
        num_key_value_heads=2, max_position_embeddings=CONTEXT, rms_norm_eps=1e-5, tie_word_embeddings=True,
        bos_token_id=0, eos_token_id=0, pad_token_id=1)
    model = LlamaForCausalLM(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02, betas=(0.9, 0.98))
    started = time.time()
    for step in range(STEPS):
        shape = min(1.0, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        for group in optimizer.param_groups:
            group["lr"] = RATE * max(shape, 0.005)
        x = sample_batch(rng, texts)
        loss = model(input_ids=x, labels=x).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step == STEPS - 1:
            print(f"step {step:5d}  loss {loss.item():.4f}  {time.time() - started:.0f} s", flush=True)
    return model.eval()


def write_config(c):
    keep = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "torch_dtype": "float32",
        "vocab_size": c.vocab_size, "max_position_embeddings": CONTEXT, "hidden_size": c.hidden_size,
        "intermediate_size": c.intermediate_size, "num_hidden_layers": c.num_hidden_layers,
        "num_attention_heads": c.num_attention_heads, "num_key_value_heads": c.num_key_value_heads,
        "hidden_act": c.hidden_act, "rms_norm_eps": c.rms_norm_eps, "rope_theta": 10000.0,
        "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": True,
        "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1}
    (HERE / "config.json").write_text(json.dumps(keep, indent=2) + "\n")


def write_weights(model):
    from safetensors.torch import save_file
    tensors = {k: v.contiguous() for k, v in model.state_dict().items() if k != "lm_head.weight"}
    path = HERE / "model.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    path.chmod(0o644)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    print(f"model.safetensors  {sum(t.numel() for t in tensors.values())} parameters  sha256 {digest}")


def main():
    made = corpus.texts(TEXTS, SEED)
    tokenizer = build_tokenizer(made)
    tokenizer.save(str(HERE / "tokenizer.json"))
    encoded = [e.ids for e in tokenizer.encode_batch(made)]
    print(f"{len(set(made))} different texts, {sum(map(len, encoded))} tokens, longest {max(map(len, encoded))}, "
          f"{tokenizer.get_vocab_size()} kinds of tokens")
    model = train(encoded, tokenizer.get_vocab_size())
    write_config(model.config)
    write_weights(model)


if __name__ == "__main__":
    main()
