"""Makes sampler.json: what the logits processors of Hugging Face transformers do with random logits.

    python3 tests/golden/sampler.py > tests/golden/sampler.json

Made with transformers 5.24.0 and torch 2.13.0 (CPU). Each case: logits, the row's tokens, settings, and what comes out: the
logits after the penalties, which tokens are kept after temperature, top-k, top-p and min-p, and their probabilities.
Presence and frequency penalties are written out here: transformers has none (they are those of the OpenAI API).
"""
import json
import random

import torch
from transformers import (LogitsProcessorList, MinPLogitsWarper, RepetitionPenaltyLogitsProcessor,
                          TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

random.seed(1)
torch.manual_seed(1)
V = 24


def case(settings):
    logits = (torch.randn(1, V) * 3).float()
    tokens = [random.randrange(V) for _ in range(random.randrange(1, 12))]
    ids = torch.tensor([tokens])
    x = logits.clone()
    if "repetition_penalty" in settings:
        x = RepetitionPenaltyLogitsProcessor(settings["repetition_penalty"])(ids, x)
    for v in set(tokens):
        x[0, v] -= settings.get("presence_penalty", 0)
        x[0, v] -= settings.get("frequency_penalty", 0) * tokens.count(v)
    penalised = x.clone()
    warpers = LogitsProcessorList([TemperatureLogitsWarper(settings["temperature"])])
    if "top_k" in settings:
        warpers.append(TopKLogitsWarper(settings["top_k"]))
    if "top_p" in settings:
        warpers.append(TopPLogitsWarper(settings["top_p"]))
    if "min_p" in settings:
        warpers.append(MinPLogitsWarper(settings["min_p"]))
    y = warpers(ids, x)
    return {"settings": settings, "tokens": tokens, "logits": logits[0].tolist(), "penalised": penalised[0].tolist(),
            "kept": [bool(b) for b in torch.isfinite(y[0])], "probs": torch.softmax(y.double(), -1)[0].tolist()}


SETTINGS = [
    {"temperature": 1.0},
    {"temperature": 0.5},
    {"temperature": 1.7, "top_k": 5},
    {"temperature": 0.8, "top_p": 0.9},
    {"temperature": 2.5, "top_p": 0.5},
    {"temperature": 1.0, "min_p": 0.1},
    {"temperature": 0.7, "repetition_penalty": 1.3},
    {"temperature": 1.0, "presence_penalty": 0.6, "frequency_penalty": 0.3},
    {"temperature": 1.1, "top_k": 12, "top_p": 0.85, "min_p": 0.05, "repetition_penalty": 1.2},
]
print(json.dumps({"vocabulary": V, "cases": [case(s) for s in SETTINGS for _ in range(4)]}, indent=0))
