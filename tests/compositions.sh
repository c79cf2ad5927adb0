#!/bin/sh
# compositions.sh COUNT: that many random batches, shared out over a small random model with room for long rows and the bundled
# ones, two processes at a time. The last line is a plain count.
count=${1:-10000}
program=${BUILD:-build}/tests/compositions
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rowscope-compositions.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

run() {
	"$program" "$1" $((count * $2 / 100 > 0 ? count * $2 / 100 : 1)) "$3" >"$scratch/$1.$3" 2>&1
}

# About the same work in both: a batch of the bundled models takes longer.
(run random 30 1; run three-requests 6 1; run glass 15 1) &
run random 30 500000
run tiny-stories 4 1
run tiny-llama 3 1
run glass 12 500000
wait
cat "$scratch"/*
awk '/ compositions, / { passed += $2 - $(NF - 4); failed += $(NF - 4); next } { failed++ }
	END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' "$scratch"/*
