#!/usr/bin/env python3
"""Rebuild tiny-stories from corpus.py.

    pip install torch transformers tokenizers safetensors
    python3 train.py            # about a quarter of an hour on one core; writes beside this file
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
from transformers import GPT2Config, GPT2LMHeadModel

import corpus

HERE = pathlib.Path(__file__).resolve().parent
END, PAD = "<|endoftext|>", "<|pad|>"
VOCAB_SIZE, CONTEXT = 768, 256
STORIES = 40000
SEED = 7
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
BATCH, LENGTH, RATE = 8, 256, 4e-3


def build_tokenizer(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    special = [AddedToken(t, special=True, normalized=False) for t in (END, PAD)]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE, special_tokens=special, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def sample_batch(rng, stories):
    """Rows begin with a story (half of them after an end token) and are filled with further stories."""
    x = torch.empty((BATCH, LENGTH), dtype=torch.long)
    for r in range(BATCH):
        row = [0] if rng.random() < 0.5 else []
        while len(row) < LENGTH:
            row += [*rng.choice(stories), 0]
        x[r] = torch.tensor(row[:LENGTH])
    return x


def train(stories):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    rng = random.Random(SEED)
    config = GPT2Config(
        vocab_size=VOCAB_SIZE, n_positions=CONTEXT, n_embd=96, n_layer=3, n_head=4, n_inner=384,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0, pad_token_id=1)
    model = GPT2LMHeadModel(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02, betas=(0.9, 0.98))
    started = time.time()
    for step in range(STEPS):
        shape = min(1.0, (step + 1) / 100) * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        for group in optimizer.param_groups:
            group["lr"] = RATE * max(shape, 0.005)
        x = sample_batch(rng, stories)
        loss = model(input_ids=x, labels=x).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step == STEPS - 1:
            print(f"step {step:5d}  loss {loss.item():.4f}  {time.time() - started:.0f} s", flush=True)
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
    path = HERE / "model.safetensors"
    save_file(tensors, path, metadata={"format": "pt"})
    path.chmod(0o644)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    print(f"model.safetensors  {sum(t.numel() for t in tensors.values())} parameters  sha256 {digest}")


def main():
    texts = corpus.stories(STORIES, SEED)
    tokenizer = build_tokenizer(texts)
    tokenizer.save(str(HERE / "tokenizer.json"))
    stories = [e.ids for e in tokenizer.encode_batch(texts)]
    print(f"{len(set(texts))} different stories, {sum(map(len, stories))} tokens, longest {max(map(len, stories))}")
    model = train(stories)
    write_config(model.config)
    write_weights(model)


if __name__ == "__main__":
    main()
