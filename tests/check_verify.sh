#!/bin/sh
# rowscope verify as others call it: exit status, sentences and document for sound runs and for every fault, live and recorded.
# That each fault shows at the place its chapter names is tests/check_faults.sh.
. tests/checks.sh

program=$PWD/${BUILD:-build}/rowscope
out=$check_scratch/out
document=$check_scratch/document
trace=$check_scratch/trace
example=tiny_models/three-requests/batch.json

# verdict STATUS ARGUMENT...: text in $out and the document in $document, both with that status.
verdict() {
	wanted=$1
	shift
	"$program" verify "$@" >"$out" 2>"$check_scratch/said"
	status=$?
	[ $status -eq "$wanted" ] || echo "verify $*: status $status, not $wanted: $(cat "$check_scratch/said")"
	"$program" verify "$@" --json >"$document" 2>"$check_scratch/said"
	status=$?
	[ $status -eq "$wanted" ] || echo "verify $* --json: status $status, not $wanted"
	[ ! -s "$check_scratch/said" ] || echo "verify $* --json says $(cat "$check_scratch/said")"
}

# field KEY [N] [FILE]: what stands behind the N-th line with that key, without quotes and comma.
field() {
	sed -n "s/^ *\"$1\": *//p" "${3:-$document}" | sed 's/,$//; s/^"//; s/"$//' | sed -n "${2:-1}p"
}

# The document must name the place that the text names.
agrees() {
	leak=$check_scratch/leak
	sed -n '/"first_leak": {/,/}/p' "$document" >"$leak"
	place=$(sed -n 's/^first leak: //p' "$out" | sed 's/ (proof.*//')
	inside="pass $(field pass 1 "$leak"), $(field op 1 "$leak")$(field index 1 "$leak" | tr -d ' ')"
	inside="$inside, row $(field row 1 "$leak"), position $(field position 1 "$leak")"
	[ "$place" = "$inside" ] || echo "the text says \"$place\", the document \"$inside\""
}

# sound: what every document of a sound run says.
sound() {
	[ "$(field ok)" = true ] || echo 'the document is not ok'
	! grep -q '"ok": false' "$document" || echo 'a part of the document is not ok'
	grep -q '"first_leak": null' "$document" || echo 'a sound run has a first leak'
	for proof in reach alone scrambled; do
		grep -q "\"$proof\": {" "$document" || echo "there is no proof $proof"
		grep -q "^$proof  *ok " "$out" || echo "the text does not say that $proof is ok"
	done
	grep -q '^audit  *ok ' "$out" || echo 'the text does not say that the audit is ok'
	grep -q '^isolated: ' "$out" || echo 'the text does not say that the rows are isolated'
	sed -n 's/^ *"values": \([0-9]*\),*/\1/p' "$document" | grep -qx 0 && echo 'a proof has compared nothing'
	sed -n 's/^ *"cells": \([0-9]*\),*/\1/p' "$document" | grep -qx 0 && echo 'the audit has looked at no cell'
}

worked_example() {
	verdict 0 --batch "$example"
	sound
	[ "$(field runs 2)" = 3 ] || echo "three rows are $(field runs 2) runs alone"
	# 2 * ceil(log2(3))
	[ "$(field runs 3)" = 4 ] || echo "three rows are $(field runs 3) scrambled runs"
}

recorded_example() {
	for capture in io all; do
		rm -rf "$trace"
		"$program" run --batch "$example" --capture $capture -o "$trace" --quiet >"$out" || echo 'the example does not run'
		verdict 0 "$trace"
		sound
	done
	verdict 0 "$trace" --kernels scalar --threads 2 --scramble-seed 7 --cells 2
	sound
}

one_row() {
	"$program" verify glass --tokens '5 6' --new 2 >"$out" || echo 'one row is not isolated'
	grep -q 'there is no neighbour' "$out" || echo 'it is not said that one row has no neighbour'
}

# Every fault, live and from a trace that was recorded with it: the same verdict.
faults() {
	for name in $(sed -n 's/^	{"\([a-z-]*\)",.*/\1/p' src/analysis/faults.c); do
		verdict 1 --batch "docs/faults/$name.json" --fault "$name"
		agrees
		[ "$(field ok)" = false ] || echo "$name: the document is ok"
		grep -q "\"name\": \"$name\"" "$document" || echo "$name: the document does not name the fault"
		grep -q '^NOT isolated' "$out" || echo "$name: the text does not say so"
		live=$(grep '^first leak' "$out")
		rm -rf "$trace"
		"$program" run --batch "docs/faults/$name.json" --fault "$name" --capture all -o "$trace" --quiet >"$out" ||
			echo "$name: does not run"
		verdict 1 "$trace"
		[ "$(grep '^first leak' "$out")" = "$live" ] || echo "$name: recorded, the place is another"
	done
}

# A fault that the batch cannot show is said not to show.
hidden_fault() {
	verdict 0 glass --tokens '5 6' --tokens '5 7' --new 1 --fault padding-attended
	grep -q 'padding-attended cannot show in this batch; it needs' "$out" || echo "said $(tail -n 1 "$out")"
	grep -q '"batch_lacks": "' "$document" || echo 'the document does not say what the batch lacks'
}

# A number that was changed in the file: the digest or the proofs find it.
changed_number() {
	rm -rf "$trace"
	"$program" run --batch "$example" --capture all -o "$trace" --quiet >"$out"
	size=$(wc -c <"$trace/pass-000001.safetensors")
	printf '\377' | dd of="$trace/pass-000001.safetensors" bs=1 seek=$((size - 3)) conv=notrunc 2>"$check_scratch/said"
	"$program" verify "$trace" >"$out" 2>"$check_scratch/said"
	status=$?
	[ $status -eq 3 ] || echo "a changed file has status $status, not 3"
	grep -q 'pass-000001.safetensors' "$check_scratch/said" || echo "said $(cat "$check_scratch/said")"
}

other_model() {
	rm -rf "$trace"
	"$program" run glass --tokens '5 6' --new 1 --capture all -o "$trace" --quiet >"$out"
	"$program" verify "$trace" --model three-requests >"$out" 2>"$check_scratch/said"
	status=$?
	[ $status -eq 3 ] || echo "another model has status $status, not 3"
	grep -q 'name the right model with --model' "$check_scratch/said" || echo "said $(cat "$check_scratch/said")"
}

# Ctrl-C ends it, with nothing left behind.
interrupted() {
	mkdir "$check_scratch/tmp"
	TMPDIR=$check_scratch/tmp "$program" verify tiny-stories 'Once upon a time' 'The dog' --new 200 --kernels scalar --threads 1 \
		>"$out" 2>"$check_scratch/said" &
	process=$!
	tries=0
	while [ "$(cat "$check_scratch"/tmp/*/passes.jsonl 2>/dev/null | wc -l)" -lt 2 ] && [ $tries -lt 3000 ]; do
		tries=$((tries + 1))
	done
	kill -TERM $process
	wait $process
	status=$?
	[ $status -eq 130 ] || echo "status $status, not 130"
	[ -z "$(ls "$check_scratch/tmp")" ] || echo "left behind: $(ls "$check_scratch/tmp")"
	[ ! -s "$out" ] || echo 'half a verdict was printed'
}

clean 'the worked example is isolated' worked_example .
clean 'so is its recording, whatever was captured' recorded_example .
clean 'one row has no neighbour' one_row .
clean 'every fault is found, live and recorded' faults .
clean 'a fault that cannot show is said to' hidden_fault .
clean 'a changed number is found' changed_number .
clean 'another model is refused' other_model .
clean 'Ctrl-C ends the proofs' interrupted .

# The checks can fail: a program that finds nothing, ever.
mkdir -p "$check_scratch/tree" "$check_scratch/bin"
printf '#!/bin/sh\n"%s" "$@" >/dev/null\nprintf "isolated: all\\n"\nexit 0\n' "$program" >"$check_scratch/bin/blind"
chmod +x "$check_scratch/bin/blind"
program=$check_scratch/bin/blind
refused 'a program that finds no fault' faults 'status 0, not 1'
refused 'a program that proves nothing' worked_example 'there is no proof reach'
