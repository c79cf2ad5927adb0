#!/usr/bin/env python3
"""rowscope beside llama.cpp and llama2.c, on this machine, in turns: medians of tokens per second, and of their ratios.

    python3 tests/bench_peers.py --llama-cpp BUILD/bin --llama2c run --llama2c-threads run_omp

Models are random weights at the shapes of `rowscope bench --shape`, written as GGUF (F32) and as a checkpoint of llama2.c
into --folder and kept there. A round is one measurement of each program, one after the other; a peer whose path is not
given is left out. Needs numpy and gguf. llama.cpp: a release build with native instructions, targets llama-bench and
llama-batched-bench. llama2.c: gcc -Ofast -march=native run.c -lm, with -fopenmp for the one with threads.
"""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
from statistics import median

import numpy

# as in src/app/bench_shape.c: hidden, layers, heads, key/value heads, MLP, vocabulary
SHAPES = {
    "15M": (288, 6, 6, 6, 768, 32000),
    "110M": (768, 12, 12, 12, 2048, 32000),
    "135M": (576, 30, 9, 3, 1536, 49152),
}
CONTEXT = 1024
PREFILL = (128, 512)
DECODE = 32  # passes, after a prompt of 8 tokens


# --- the models ---

def random_weights(shape):
    """Name (GGUF's), layer, array; matrices [out, in]."""
    hidden, layers, heads, kv_heads, mlp, vocabulary = shape
    kv = hidden // heads * kv_heads
    random = numpy.random.default_rng(1)

    def matrix(out, ins):
        return random.standard_normal((out, ins), dtype=numpy.float32) * numpy.float32(ins ** -0.5)

    def gain():
        return numpy.ones(hidden, dtype=numpy.float32)

    yield "token_embd", None, matrix(vocabulary, hidden)
    for layer in range(layers):
        yield "attn_norm", layer, gain()
        yield "attn_q", layer, matrix(hidden, hidden)
        yield "attn_k", layer, matrix(kv, hidden)
        yield "attn_v", layer, matrix(kv, hidden)
        yield "attn_output", layer, matrix(hidden, hidden)
        yield "ffn_norm", layer, gain()
        yield "ffn_gate", layer, matrix(mlp, hidden)
        yield "ffn_down", layer, matrix(hidden, mlp)
        yield "ffn_up", layer, matrix(mlp, hidden)
    yield "output_norm", None, gain()


def write_gguf(path, shape):
    import gguf
    hidden, layers, heads, kv_heads, mlp, vocabulary = shape
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(hidden)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(mlp)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(hidden // heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(vocabulary)
    writer.add_tokenizer_model("no_vocab")
    for name, layer, array in random_weights(shape):
        writer.add_tensor(f"{name}.weight" if layer is None else f"blk.{layer}.{name}.weight", array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_llama2c(path, shape):
    hidden, layers, heads, kv_heads, mlp, vocabulary = shape
    order = ["token_embd", "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_down",
             "ffn_up", "output_norm"]
    parts = {name: [] for name in order}
    for name, _, array in random_weights(shape):
        parts[name].append(array)
    with open(path, "wb") as file:
        file.write(struct.pack("<7i", hidden, mlp, layers, heads, kv_heads, vocabulary, CONTEXT))
        for name in order:
            for array in parts[name]:
                file.write(array.tobytes())
        # rotary tables of old versions, which are skipped
        file.write(bytes(4 * CONTEXT * (hidden // heads)))


def write_tokenizer(path, vocabulary):
    """llama2.c wants one: any words will do."""
    with open(path, "wb") as file:
        file.write(struct.pack("<i", 8))
        for token in range(vocabulary):
            word = b"t%d" % token
            file.write(struct.pack("<fi", 0.0, len(word)) + word)


def make_models(folder, names):
    os.makedirs(folder, exist_ok=True)
    for name in names:
        for ending, write in (("gguf", write_gguf), ("bin", write_llama2c)):
            path = f"{folder}/{name}.{ending}"
            if not os.path.exists(path):
                write(path + ".part", SHAPES[name])
                os.rename(path + ".part", path)
        write_tokenizer(f"{folder}/{name}.tok", SHAPES[name][5])


# --- the programs: each gives {(what, threads): tokens per second} ---

def output_of(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with status {done.returncode}: {done.stderr[-500:]}")
    return done.stdout, done.stderr


def run_rowscope(options, shape, threads):
    found = {}
    for decode, rows, prefill in ((DECODE, "1,8", "0"), (0, "1", ",".join(map(str, PREFILL)))):
        out, _ = output_of([options.rowscope, "bench", "--json", "--shape", shape, "--batch-sizes", rows, "--threads",
                            str(threads), "--capture", "none", "--prefill", prefill, "--decode", str(decode),
                            "--repeat", "1"])
        for line in json.loads(out)["passes"]:
            what = f"decode B={line['B']}" if line["kind"] == "decode" else f"prefill {line['S']}"
            found[what] = line["tokens_per_s"]
    return found


def run_llama_cpp(options, shape, threads):
    found = {}
    common = ["-m", f"{options.folder}/{shape}.gguf", "-t", str(threads)]
    out, _ = output_of([f"{options.llama_cpp}/llama-bench", *common, "-r", "3", "-o", "jsonl", "-n", "0", "-p",
                        ",".join(map(str, PREFILL))])
    for line in map(json.loads, out.splitlines()):
        found[f"prefill {line['n_prompt']}"] = median(line["samples_ts"])
    out, _ = output_of([f"{options.llama_cpp}/llama-batched-bench", *common, "-tb", str(threads), "-c", str(CONTEXT),
                        "-npp", "8", "-ntg", str(DECODE), "-npl", "1,8", "--output-format", "jsonl"])
    for line in (json.loads(text) for text in out.splitlines() if text.startswith("{")):
        found[f"decode B={line['pl']}"] = line["speed_tg"]
    return found


def run_llama2c(options, shape, threads):
    program = options.llama2c if threads == 1 else options.llama2c_threads
    if program is None:
        return {}
    _, said = output_of([program, f"{options.folder}/{shape}.bin", "-z", f"{options.folder}/{shape}.tok", "-t", "0", "-n",
                         str(8 + DECODE)], env={**os.environ, "OMP_NUM_THREADS": str(threads)}, errors="replace")
    return {"decode B=1": float(re.search(r"tok/s: ([0-9.]+)", said).group(1))}


# --- the comparison ---

def compare(options, shape, threads):
    programs = {"rowscope": run_rowscope}
    if options.llama_cpp:
        programs["llama.cpp"] = run_llama_cpp
    if options.llama2c:
        programs["llama2.c"] = run_llama2c
    rounds = [{name: run(options, shape, threads) for name, run in programs.items()} for _ in range(options.rounds)]
    for what in rounds[0]["rowscope"]:
        line = [f"{shape:5}", f"{threads:7}", f"{what:12}"]
        for name in programs:
            speeds = [a[name][what] for a in rounds if what in a[name]]
            line.append(f"{median(speeds):10.1f}" if speeds else " " * 10)
        for name in list(programs)[1:]:
            ratios = [a["rowscope"][what] / a[name][what] for a in rounds if what in a[name]]
            line.append(f"{median(ratios):5.2f} ({min(ratios):.2f}-{max(ratios):.2f})" if ratios else " " * 17)
        print("  ".join(line).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rowscope", default="build/rowscope")
    parser.add_argument("--llama-cpp", metavar="FOLDER", help="holds llama-bench and llama-batched-bench")
    parser.add_argument("--llama2c", metavar="PROGRAM")
    parser.add_argument("--llama2c-threads", metavar="PROGRAM", help="the same, built with OpenMP")
    parser.add_argument("--folder", default="/tmp/rowscope-peers", help="where the models are kept")
    parser.add_argument("--shapes", default="15M,110M,135M")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    shapes = options.shapes.split(",")
    make_models(options.folder, shapes)
    names = ["rowscope"] + ["llama.cpp"] * bool(options.llama_cpp) + ["llama2.c"] * bool(options.llama2c)
    print("shape  threads  pass          " + "  ".join(f"{name:>10}" for name in names) + "  "
          + "  ".join(f"{'/ ' + name:17}" for name in names[1:]))
    for shape in shapes:
        for threads in map(int, options.threads.split(",")):
            compare(options, shape, threads)


if __name__ == "__main__":
    main()
