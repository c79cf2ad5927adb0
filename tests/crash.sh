#!/bin/bash
# Kills a recording run with SIGKILL at random moments, resumes it (killing it again, now and then), and demands the bytes of a run
# that was left in peace, and that no finished pass is ever lost.
#
#   crash.sh [CRASHES]     settings: BUILD (build folder), SEED
set -u

crashes=${1:-1000}
RANDOM=${SEED:-1}
program=$PWD/${BUILD:-build}/rowscope
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rowscope-crash.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

batch=(tiny-stories "Once upon a time" "The" "A dog and a cat" --new 24 --max-rows 2 --page-size 4 --temperature 0.9
	--seed 3 --capture all --threads 1 --quiet)

lines() { # whole lines of passes.jsonl
	if [ -e "$1/passes.jsonl" ]; then wc -l <"$1/passes.jsonl" | tr -d ' '; else echo 0; fi
}

# killed FOLDER COMMAND...: starts the command and kills it some moment after it has recorded some more passes.
killed() {
	local folder=$1 goal spin
	shift
	goal=$(($(lines "$folder") + RANDOM % 8))
	"$@" >/dev/null 2>"$scratch/messages" &
	local pid=$!
	while [ "$(lines "$folder")" -lt $goal ] && kill -0 $pid 2>/dev/null; do :; done
	for ((spin = RANDOM % 3000; spin > 0; spin--)); do :; done
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
}

fail() {
	echo "crash $count: $1"
	exit 1
}

"$program" run "${batch[@]}" -o "$scratch/peace" >/dev/null || exit 1
total=$(lines "$scratch/peace")
count=0
while [ $count -lt "$crashes" ]; do
	rm -rf "$scratch/victim"
	killed "$scratch/victim" "$program" run "${batch[@]}" -o "$scratch/victim"
	count=$((count + 1))
	while [ -e "$scratch/victim/trace.json" ] && [ $((RANDOM % 3)) = 0 ] && [ $count -lt "$crashes" ]; do
		before=$(lines "$scratch/victim")
		killed "$scratch/victim" "$program" run --resume "$scratch/victim" --quiet
		count=$((count + 1))
		[ "$(lines "$scratch/victim")" -ge "$before" ] || fail "finished passes were lost"
	done
	finished=$(lines "$scratch/victim")
	[ "$finished" = 0 ] || "$program" ls "$scratch/victim" >/dev/null || fail "the trace does not open"
	if [ -e "$scratch/victim/trace.json" ]; then
		"$program" run --resume "$scratch/victim" --quiet >/dev/null || fail "it cannot be resumed"
	else
		[ "$finished" = 0 ] || fail "passes without a trace.json"
		"$program" run "${batch[@]}" -o "$scratch/victim" >/dev/null || fail "a run that never began is in the way"
	fi
	diff -r "$scratch/peace" "$scratch/victim" >/dev/null || fail "other bytes after $finished of $total passes"
done
echo "$count crashes, every trace resumed to the same bytes"
