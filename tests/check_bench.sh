#!/bin/sh
# rowscope bench measures what it says: a document with limits, products and passes, nothing for wrong use.
. tests/checks.sh

ROWSCOPE=$PWD/${BUILD:-build}/rowscope

# measures ROOT: rows, lengths, threads and capture sets that were asked for, each once.
measures() {
	"$ROWSCOPE" bench glass --batch-sizes 1,2 --threads 1 --prefill 4 --decode 3 --repeat 2 --json >"$check_scratch/json" 2>&1 ||
		echo "ended with status $?"
	for words in '"model": "glass"' '"limits"' '"read_gb_per_s"' '"write_gb_per_s"' '"products"' '"of_limit"'; do
		grep -qF "$words" "$check_scratch/json" || echo "the document has no $words"
	done
	count=$(grep -c '"tokens_per_s"' "$check_scratch/json")
	[ "$count" -eq 12 ] || echo "$count lines of passes, not 2 numbers of rows x 2 kinds x 3 capture sets"
	count=$(grep -c '"ratio_to_none"' "$check_scratch/json")
	[ "$count" -eq 8 ] || echo "$count ratios, not those of io and all"
	left=$(ls -d "${TMPDIR:-/tmp}"/rowscope-?????? 2>/dev/null | wc -l)
	[ "$left" -eq 0 ] || [ -z "${TMPDIR:-}" ] || echo "temporary traces stay behind"
}

# shapes ROOT: random weights of a shape given by numbers, nothing recorded.
shapes() {
	"$ROWSCOPE" bench --shape 16,2,2,32,50 --batch-sizes 2 --threads 1 --prefill 8 --decode 2 --repeat 1 --capture none \
		--color never >"$check_scratch/text" 2>&1 || echo "ended with status $?"
	grep -q '^16,2,2,32,50, ' "$check_scratch/text" || echo 'the shape is not named'
	grep -q '^decode  *1  *2  *1  *none ' "$check_scratch/text" || echo 'no line of decode passes'
	"$ROWSCOPE" bench --shape 16,2,4,2,24,50 --batch-sizes 1 --threads 1 --prefill 0 --decode 2 --repeat 1 --capture none \
		--color never 2>&1 | grep -q '^16,2,4,2,24,50, 4720 weights' || echo 'six sizes are not a Llama model'
}

# wrong_use ROOT: each is status 2 and one sentence.
wrong_use() {
	while read -r options; do
		# shellcheck disable=SC2086
		said=$("$ROWSCOPE" bench $options 2>&1 >/dev/null)
		status=$?
		[ "$status" -eq 2 ] || echo "$options: status $status"
		[ "$(printf '%s\n' "$said" | wc -l)" -eq 1 ] || echo "$options: said $said"
	done <<'END'
--shape 17M
--shape 16,2,3,32,50
--shape 16,2,2,32
--shape 16,2,4,3,24,50
--shape 12,2,4,2,24,50
--shape 16,2,4,2,24,50,7
--shape gpt2-17M
--batch-sizes 0
--batch-sizes 1,,2
--batch-sizes 1,x
--threads 1000
--capture none,some
--repeat 0
--decode -1
--kernels mmx
--prefill 1000 glass
glass --shape 15M
glass tiny-stories
--quik
END
}

clean 'bench measures what was asked for' measures .
clean 'bench measures random weights of any shape' shapes .
clean 'bench refuses wrong use in a sentence' wrong_use .
