#!/bin/sh
# The readers of docs/TRACE.md read what rowscope writes: with Python's own library, and with safetensors where that is at hand.
. tests/checks.sh

program=$PWD/${BUILD:-build}/rowscope
page=docs/TRACE.md

# block N: the N-th python block of the page.
block() {
	awk -v wanted="$1" '/^```python$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n == wanted' "$2/$page"
}

# prints ROOT: what block $number prints, in a folder with a trace, must be $wanted.
prints() {
	block "$number" "$1" >"$check_scratch/reader.py"
	[ -s "$check_scratch/reader.py" ] || { echo "$page has no block $number"; return; }
	said=$(cd "$check_scratch" && python3 reader.py 2>&1)
	[ "$said" = "$wanted" ] || echo "block $number of $page prints: $said"
}

# names ROOT: every key of a pass line and of the manifest has its line in the page.
names() {
	head -n 1 "$check_scratch/trace/passes.jsonl" | python3 -c 'import json, sys
for key in json.load(sys.stdin): print(key)' >"$check_scratch/keys"
	python3 -c 'import json, sys
for key in json.load(open(sys.argv[1], encoding="utf-8")): print(key)' "$check_scratch/trace/trace.json" >>"$check_scratch/keys"
	while read -r key; do
		grep -q "\`$key\`" "$1/$page" || echo "$page does not say what $key is"
	done <"$check_scratch/keys"
}

# A run that two programs would write alike: the same bytes twice.
same_bytes() {
	"$program" run --batch tiny_models/three-requests/batch.json --capture all -o "$check_scratch/again" --quiet >"$check_scratch/out"
	diff -r "$check_scratch/trace" "$check_scratch/again" >"$check_scratch/out" || echo "two runs differ: $(head -n 1 "$check_scratch/out")"
}

"$program" run --batch tiny_models/three-requests/batch.json --capture all -o "$check_scratch/trace" --quiet >"$check_scratch/out" ||
	echo 'FAIL no trace was made'
clean 'two runs give the same bytes' same_bytes .
if python3 -c 'import array, json, struct' 2>"$check_scratch/out"; then
	number=2
	wanted='B,S [3, 1] [100, 2056, 0]'
	clean 'ten lines of Python read a pass' prints .
	clean 'every key is explained' names .
	sed 's/"<Q"/"<I"/' docs/TRACE.md | plant docs/TRACE.md
	refused 'a reader that reads wrongly' prints 'block 2 of docs/TRACE.md prints'
	grep -v '^| `past`' docs/TRACE.md | plant docs/TRACE.md
	refused 'a key that is not explained' names 'does not say what past is'
fi
if python3 -c 'import safetensors.numpy' 2>"$check_scratch/out"; then
	number=1
	wanted="['A', 'B', 'C'] (3, 2064) [520  89  12]"
	clean 'safetensors reads a pass' prints .
fi
