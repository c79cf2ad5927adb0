#!/bin/bash
# The same bits from every compiler and optimisation level: builds the golden test in each way and runs it. Builds that
# should change bits (fast-math, contraction) are made too, and must change them. Ends with one plain count.
#
#   levels.sh             settings: COMPILERS="gcc clang", LEVELS="-O0 -O1 -O2 -O3", JOBS
set -u
passed=0
failed=0
jobs=-j${JOBS:-$(getconf _NPROCESSORS_ONLN)}

# build FOLDER CC OPTIMISE CFLAGS
build() {
	make "$jobs" BUILD="$1" CC="$2" OPTIMISE="$3" CFLAGS="$4" WERROR= "$1/tests/test_bits" >"$1.log" 2>&1
}

result() {
	if [ "$1" = ok ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	printf '%s %s\n' "$1" "$2"
}

for compiler in ${COMPILERS:-gcc clang}; do
	for level in ${LEVELS:--O0 -O1 -O2 -O3}; do
		folder=build-levels/$compiler$level
		mkdir -p "$folder"
		if ! build "$folder" "$compiler" "$level" ""; then
			tail -n 20 "$folder.log"
			result FAIL "$compiler $level: does not build"
		elif ! "$folder/tests/test_bits" >"$folder.log" 2>&1; then
			cat "$folder.log"
			result FAIL "$compiler $level: other bits"
		else
			result ok "$compiler $level: the same bits"
		fi
	done
done

# These must change the hash, or be refused by the sources themselves ("fast-math" in the message).
# gcc's contraction finds nothing to contract that reaches a value; clang's does.
for planted in "gcc -ffast-math" "clang -ffp-contract=fast -march=x86-64-v3"; do
	case $planted-$(uname -m) in *x86*-x86_64 | gcc*) ;; *) continue ;; esac
	compiler=${planted%% *}
	flags=${planted#* }
	folder=build-levels/planted-$compiler
	mkdir -p "$folder"
	if ! build "$folder" "$compiler" -O3 "$flags"; then
		if grep -q 'error:.*fast-math' "$folder.log"; then
			result ok "$planted: the sources refuse it"
		else
			tail -n 20 "$folder.log"
			result FAIL "$planted: does not build"
		fi
	elif "$folder/tests/test_bits" >"$folder.log" 2>&1; then
		result FAIL "$planted: the hash should have changed"
	elif grep -q ': hash 0x' "$folder.log"; then
		result ok "$planted: the hash changes"
	else
		cat "$folder.log"
		result FAIL "$planted: ended otherwise than by the hash"
	fi
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
