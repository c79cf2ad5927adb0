#!/bin/sh
# Bundled models: each folder is whole and small, and its README gives the digest of the weights that lie there.
. tests/checks.sh

MODEL_CAP=2000000
GOLDEN_CAP=400000

digest() {
	if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

bytes() {
	cat "$@" | wc -c | tr -d ' '
}

# models ROOT: one line per violation in ROOT/tiny_models.
models() {
	for folder in "$1"/tiny_models/*/; do
		name=tiny_models/$(basename "$folder")
		missing=
		for file in config.json model.safetensors tokenizer.json README.md; do
			[ -f "$folder$file" ] || { missing=1 && echo "$name: has no $file"; }
		done
		[ -z "$missing" ] || continue
		size=$(bytes "${folder}config.json" "${folder}model.safetensors" "${folder}tokenizer.json")
		[ "$size" -le $MODEL_CAP ] || echo "$name: $size bytes, at most $MODEL_CAP"
		sum=$(digest "${folder}model.safetensors")
		grep -qF "$sum" "${folder}README.md" || echo "$name/README.md: does not give SHA-256 $sum of model.safetensors"
		grep -q 'MIT' "${folder}README.md" || echo "$name/README.md: names no licence"
		ls "$folder"*.py >/dev/null 2>&1 || echo "$name: has no recipe (*.py)"
	done
}

large_goldens() {
	find "$1/tests/golden" -type f | sort | while read -r file; do
		[ "$(bytes "$file")" -le $GOLDEN_CAP ] || echo "$file: at most $GOLDEN_CAP bytes"
	done
}

# model README_TEXT: a planted folder with five bytes of weights.
model() {
	printf '%s' "$1" | plant tiny_models/a/README.md
	printf 'bytes' | also tiny_models/a/model.safetensors
	also tiny_models/a/config.json </dev/null
	also tiny_models/a/tokenizer.json </dev/null
	also tiny_models/a/make.py </dev/null
}

clean "bundled models are whole, small and described" models .
clean "goldens are small" large_goldens .

sum=$(printf 'bytes' >"$check_scratch/five" && digest "$check_scratch/five")
model "$sum MIT"
accepted "a whole model" models
rm "$check_scratch/tree/tiny_models/a/make.py"
refused "a model without its recipe" models "has no recipe"
model "0000 MIT"
refused "another digest" models "does not give SHA-256 $sum"
model "$sum"
refused "a model without a licence" models "names no licence"
model "$sum MIT"
rm "$check_scratch/tree/tiny_models/a/tokenizer.json"
refused "a model without a tokenizer" models "has no tokenizer.json"
model "$sum MIT"
awk 'BEGIN { for (i = 0; i < 250000; i++) print "weights" }' | also tiny_models/a/config.json
refused "a model of 2 MB and 5 bytes" models "2000005 bytes, at most 2000000"
also tests/golden/a.json <"$check_scratch/tree/tiny_models/a/config.json"
refused "a golden that is too large" large_goldens "at most 400000 bytes"
