#!/bin/sh
# Runs that begin with a recorded one, and traces compared, from the command line: status, sentences, documents, bytes.
. tests/checks.sh

ROWSCOPE=$PWD/${BUILD:-build}/rowscope
batch=$PWD/tiny_models/three-requests/batch.json
"$ROWSCOPE" run --batch "$batch" --capture all -o "$check_scratch/full" --json >"$check_scratch/full.json"
cd "$check_scratch" || exit 1

# expect STATUS WORDS ARGUMENT...: what the program answers, on both outputs.
expect() {
	status=$1 words=$2
	shift 2
	said=$("$ROWSCOPE" "$@" 2>&1)
	got=$?
	[ $got = "$status" ] || echo "$*: status $got, expected $status"
	case $said in *"$words"*) ;; *) echo "$*: said $said" ;; esac
}

# resumes ROOT: after any number of passes the same bytes and the same document.
resumes() {
	for passes in 0 1 3 5; do
		rm -rf part
		cp -R full part
		head -n $passes full/passes.jsonl >part/passes.jsonl
		printf '{"index":' >>part/passes.jsonl
		"$ROWSCOPE" run --resume part --json | sed 's|"part"|"'"$check_scratch"'/full"|' >part.json
		diff -r full part || echo "other bytes after $passes passes"
		cmp full.json part.json || echo "another document after $passes passes"
	done
	expect 2 '--resume the trace says' run --resume part --layout right
	expect 2 '--resume the trace says' run --resume part -o other
	expect 2 'made with weights' run glass --resume part
	expect 3 'no such folder' run --resume nothing
}

# forks ROOT: the start of the parent, a change, and a trace like any other.
forks() {
	"$ROWSCOPE" run --fork full --pass 2 --set row=B,token=12 -o fork --json >fork.json || echo 'it does not fork'
	cmp full/pass-000001.safetensors fork/pass-000001.safetensors || echo 'another beginning'
	grep -q '"name": "full"' fork/trace.json || echo 'the parent is not named'
	grep -q '2056, 12, 6, 100' fork.json || echo "the row did not go another way"
	expect 0 'isolated' verify fork
	expect 1 'first difference: pass 2, tokens[1,0], row B, position 2' diff full fork
	cp -R fork again
	head -n 1 fork/passes.jsonl >again/passes.jsonl
	expect 0 '' run --resume again
	diff -r fork again || echo 'a fork resumes to other bytes'
	expect 2 'passes 0 to 4' run --fork full --pass 9 --set row=A,token=1
	expect 2 'no row "X"' run --fork full --pass 1 --set row=X,token=1
	expect 2 'say where it goes another way' run --fork full --pass 1
	expect 2 '--fork' run glass --pass 1
	expect 2 'holds a trace already' run --fork full --pass 1 --set row=A,token=1 -o fork
}

# differs ROOT: equal in another layout, a fault is a bug, another order of summation is rounding, damage is no difference.
differs() {
	"$ROWSCOPE" run --batch "$batch" --capture all --layout packed -o packed >packed.text
	"$ROWSCOPE" run --batch "$batch" --capture all --fault shared-cache-slot -o bug >bug.text
	"$ROWSCOPE" run --batch "$batch" --capture all --fault batch-dependent-sum -o sums >sums.text
	expect 0 'equal:' diff full packed
	expect 1 'bug: layers.0.attn.scores' diff full bug
	expect 1 'rounding:' diff full sums
	"$ROWSCOPE" diff full bug --json >bug.json
	for words in '"equal": false' '"op": "layers.0.attn.scores"' '"row": "A"' '"position": 0' '"verdict": "bug"' '"max_ulps"'; do
		grep -q "$words" bug.json || echo "the document lacks $words"
	done
	cp -R full damaged
	printf x >>damaged/pass-000002.safetensors
	expect 3 'damaged/pass-000002.safetensors' diff full damaged
	expect 3 'no such folder' diff full nothing
	expect 2 '' diff full
	"$ROWSCOPE" run glass --tokens '2 3' -o glass >glass.text
	expect 2 'different models' diff full glass
}

clean 'a stopped run goes on to the same bytes' resumes .
clean 'a run is forked' forks .
clean 'traces are compared' differs .
