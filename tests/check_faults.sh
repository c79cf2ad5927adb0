#!/bin/sh
# Every fault makes verify fail on the batch of its chapter in docs/FAULTS.md, at the place that the chapter names; the
# same batch without it is proved apart.
. tests/checks.sh

program=${BUILD:-build}/rowscope

# fault_shows ROOT: nothing to say when all of that holds for the fault $name.
fault_shows() {
	batch=$1/docs/faults/$name.json
	[ -e "$batch" ] || { echo "there is no $batch"; return; }
	"$program" verify --batch "$batch" --fault "$name" >"$check_scratch/verdict"
	status=$?
	[ $status -eq 1 ] || echo "$name: verify ends with status $status, not 1"
	place=$(grep '^first leak' "$check_scratch/verdict")
	[ -n "$place" ] && grep -qF "$place" "$1/docs/FAULTS.md" || echo "$name: docs/FAULTS.md does not say: $place"
	"$program" verify --batch "$batch" >/dev/null || echo "$name: its batch is not proved apart without it"
}

names=$(sed -n 's/^	{"\([a-z-]*\)",.*/\1/p' src/analysis/faults.c)
[ -n "$names" ] || { echo "not ok no fault was found"; exit 1; }
for name in $names; do
	clean "$name shows, at its place" fault_shows .
done

plant docs/faults/batch-norm.json <docs/faults/batch-norm.json
also docs/FAULTS.md <<'C'
first leak: pass 0, somewhere else
C
name=batch-norm
refused "a place that is not the one" fault_shows "docs/FAULTS.md does not say: first leak: pass 0, layers.0.attn.norm"
