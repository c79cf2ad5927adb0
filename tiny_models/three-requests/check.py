#!/usr/bin/env python3
"""Print the choices of the worked example with their probabilities, and greedy continuations of other prompts."""
import pathlib
import sys

import torch
from tokenizers import Tokenizer
from transformers import GPT2LMHeadModel

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = [("我今天", "很"), ("我今天很", "开心"), ("天", "气"), ("天气", "不错"), ("<s>", "你好")]
PROMPTS = ["我今天", "天", "<s>", "妈妈", "小猫", "今天", "明天", "外面", "春天", "我喜欢", "你想", "请问，", "老师",
           "我想", "她", "他", "苹果", "公园", "爷爷", "我家", "下雨了", "谢谢", "<s>请问", "周末", "冬天", "北京", "我", "你"]


def main():
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))
    model = GPT2LMHeadModel.from_pretrained(HERE).eval()
    failed = False
    for prompt, want in EXAMPLE:
        ids = tokenizer.encode(prompt, add_special_tokens=False).ids
        logits = model(torch.tensor([ids])).logits[0, -1]
        probs = torch.softmax(logits, -1).topk(2)
        (p, q), (best, second) = probs.values.tolist(), probs.indices.tolist()
        failed |= tokenizer.id_to_token(best) != want
        print(f"{prompt} {ids} -> {tokenizer.id_to_token(best)} ({best}) {p:.3f}; next {tokenizer.id_to_token(second)} {q:.3f}")
    for prompt in PROMPTS:
        ids = tokenizer.encode(prompt, add_special_tokens=False).ids
        start = len(ids)
        while len(ids) < 24 and (len(ids) == start or ids[-1] != 3):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
        print(f"{prompt}|{tokenizer.decode(ids[start:], skip_special_tokens=False)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
