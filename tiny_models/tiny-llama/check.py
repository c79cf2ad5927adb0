#!/usr/bin/env python3
"""Print the greedy continuations of prompts, with Hugging Face transformers."""
import pathlib
import sys

import torch
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

HERE = pathlib.Path(__file__).resolve().parent
PROMPTS = ["The cat", "Question: What does the panda like to eat?", "问：熊猫住在哪里？", "青蛙", "One rainy day",
           "English: The bee is yellow and busy.", "米娅有一个朋友", "中文：马又强壮又快。"]


def main():
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))
    model = LlamaForCausalLM.from_pretrained(HERE).eval()
    for prompt in sys.argv[1:] or PROMPTS:
        ids = tokenizer.encode(prompt, add_special_tokens=False).ids
        start, lowest = len(ids), 1.0
        with torch.no_grad():
            while len(ids) < 200 and (len(ids) == start or ids[-1] != 0):
                probs = model(torch.tensor([ids])).logits[0, -1].softmax(-1)
                ids.append(int(probs.argmax()))
                lowest = min(lowest, float(probs.max()))
        print(f"**{prompt}**{tokenizer.decode(ids[start:])}  ({len(ids) - start} tokens, least probability {lowest:.2f})\n")


if __name__ == "__main__":
    main()
