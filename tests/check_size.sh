#!/bin/sh
# The caps on size: files 600 lines, functions 60 lines, parameters 6 (kernels, src/tensor, excepted).
. tests/checks.sh

FILE_CAP=600
FUNCTION_CAP=60
PARAMETER_CAP=6

long_files() {
	(cd "$1" && find src tests -name '*.[ch]' -o -name '*.def' | sort | while read -r file; do
		lines=$(wc -l <"$file" | tr -d ' ')
		[ "$lines" -le $FILE_CAP ] || echo "$file: $lines lines, at most $FILE_CAP"
	done)
}

# functions ROOT: "file<tab>name<tab>first line<tab>last line<tab>parameters" for every function.
functions() {
	command -v ctags >/dev/null 2>&1 || { echo "ctags is not installed: run make deps"; return; }
	(cd "$1" && find src tests -name '*.c' | sort | ctags -L - --language-force=C --kinds-C=f --fields=+neS \
		--sort=no -o - 2>/dev/null) | awk -F'\t' '
		/^!/ { next }
		{
			first = last = 0; signature = "()"
			for (i = 4; i <= NF; i++) {
				if ($i ~ /^line:/) first = substr($i, 6)
				if ($i ~ /^end:/) last = substr($i, 5)
				if ($i ~ /^signature:/) signature = substr($i, 11)
			}
			depth = 0; count = 1
			for (i = 1; i <= length(signature); i++) {
				c = substr(signature, i, 1)
				if (c == "(") depth++
				if (c == ")") depth--
				if (c == "," && depth == 1) count++
			}
			if (signature ~ /^\( *(void)? *\)$/) count = 0
			print $2 "\t" $1 "\t" first "\t" last "\t" count
		}'
}

long_functions() {
	functions "$1" | awk -F'\t' -v cap=$FUNCTION_CAP '
		NF < 5 { print; next }
		$4 - $3 + 1 > cap { print $1 ":" $3 ": " $2 " has " $4 - $3 + 1 " lines, at most " cap }'
}

many_parameters() {
	functions "$1" | awk -F'\t' -v cap=$PARAMETER_CAP '
		NF < 5 { print; next }
		$1 !~ /^src\/tensor\// && $5 > cap { print $1 ":" $3 ": " $2 " takes " $5 " parameters, at most " cap }'
}

# lines N: a body of N lines.
lines() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "\tcount++;" }'
}

clean "files have at most $FILE_CAP lines" long_files .
clean "functions have at most $FUNCTION_CAP lines" long_functions .
clean "functions take at most $PARAMETER_CAP parameters" many_parameters .

plant src/base/a.c <<C
$(lines 601)
C
also tests/a.c </dev/null
refused "a file of 601 lines" long_files "src/base/a.c: 601 lines"

plant src/base/a.c <<C
static void at_the_cap(void)
{
$(lines 57)
}
static void too_long(void)
{
$(lines 58)
}
C
also tests/test_a.c </dev/null
refused "a function of 61 lines" long_functions "too_long has 61 lines"
violations=$(long_functions "$check_scratch/tree")
case $violations in *at_the_cap*) echo "FAIL accepts a function of 60 lines: $violations" ;; *) echo "ok accepts a function of 60 lines" ;; esac

plant src/base/a.c <<'C'
static int seven(int a, int b, int c, int d, int e, int f, int g)
{
	return a + b + c + d + e + f + g;
}
C
also tests/a.c </dev/null
refused "seven parameters" many_parameters "seven takes 7 parameters"
plant src/base/a.c <<'C'
static int six(int a, int b, int c, int d, int e, void (*f)(int, int))
{
	return a + b + c + d + e;
}
C
also tests/a.c </dev/null
also src/tensor/k_a.c <<'C'
static int seven(int a, int b, int c, int d, int e, int f, int g)
{
	return a + b + c + d + e + f + g;
}
C
accepted "six parameters, a function pointer among them, and a kernel with seven" many_parameters
