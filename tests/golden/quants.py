"""Makes quants.safetensors: random blocks of every quantised type and their values, by the reference of the Python package gguf.

    pip install gguf==0.19.0 numpy safetensors
    python3 tests/golden/quants.py

For each type "<type>.blocks" (U8, 6 blocks of random bytes with finite scales) and "<type>.values" (F32).
"""
import pathlib

import numpy as np
from gguf import GGMLQuantizationType as Q
from gguf.quants import dequantize
from safetensors.numpy import save_file

HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
          "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
BYTES = {"Q4_0": 18, "Q4_1": 20, "Q5_0": 22, "Q5_1": 24, "Q8_0": 34, "Q2_K": 84, "Q3_K": 110, "Q4_K": 144, "Q5_K": 176, "Q6_K": 210}
random = np.random.default_rng(5)
found = {}
for name, size in BYTES.items():
    blocks = random.integers(0, 256, (6, size), dtype=np.uint8)
    for at in HALVES[name]:
        blocks[:, at:at + 2] = random.normal(0, 0.1, 6).astype(np.float16).view(np.uint8).reshape(6, 2)
    found[name + ".blocks"] = blocks.reshape(-1)
    found[name + ".values"] = dequantize(blocks, Q[name]).astype(np.float32).reshape(-1)
save_file(found, pathlib.Path(__file__).with_name("quants.safetensors"))
