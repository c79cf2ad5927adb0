#!/bin/bash
# The same bits from every compiler and optimisation level: builds the golden test in each way and runs it. Builds that
# should change bits (fast-math, contraction, a batch-dependent block) are made too, and must change them. Ends with one plain count.
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

# must_break FOLDER NAME: what was built must give another hash.
must_break() {
	if "$1/tests/test_bits" >"$1.log" 2>&1; then
		result FAIL "$2: the hash should have changed"
	elif grep -q ': hash 0x' "$1.log"; then
		result ok "$2: the hash changes"
	else
		cat "$1.log"
		result FAIL "$2: ended otherwise than by the hash"
	fi
}

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
	else
		must_break "$folder" "$planted"
	fi
done

# A kernel whose order of summation depends on the batch, as other libraries have it: in a copy of the sources, blocks of several
# rows are summed from their end.
planted="a batch-dependent block"
tree=build-levels/batch
rm -rf "$tree"
mkdir -p "$tree"
cp -R Makefile src "$tree"
ln -s ../../tests ../../tiny_models ../../lessons "$tree"
sed 's/step(acc, &t, k, rows, vecs)/step(acc, \&t, rows > 1 ? t.n - 1 - k : k, rows, vecs)/' src/tensor/k_matmul.c >"$tree/src/tensor/k_matmul.c"
if cmp -s src/tensor/k_matmul.c "$tree/src/tensor/k_matmul.c"; then
	result FAIL "$planted: k_matmul.c has no line to plant it in"
elif (cd "$tree" && build build gcc -O3 ""); then
	cd "$tree" && must_break build "$planted" && cd ../..
else
	tail -n 20 "$tree/build.log"
	result FAIL "$planted: does not build"
fi
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
