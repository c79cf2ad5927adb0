#!/usr/bin/env python3
"""Print the greedy continuations of prompts, with Hugging Face transformers."""
import pathlib
import sys

import torch
from tokenizers import Tokenizer
from transformers import GPT2LMHeadModel

HERE = pathlib.Path(__file__).resolve().parent
PROMPTS = ["Once upon a time", "The little dog", "Mia found a", "In the garden", "One rainy day", "The old clock",
           "Tom and his sister", "At night the moon"]


def main():
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))
    model = GPT2LMHeadModel.from_pretrained(HERE).eval()
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
