#!/bin/sh
# Runs every test program given and every tests/check_*.sh, shows what failed, and ends with one plain count.
#
#   run.sh PROGRAM...     settings: BUILD (build folder), VARIANT, CC, RUNNER=valgrind
#
# A test program prints Check's result line; a shell test prints "ok NAME" or "FAIL NAME: why" per check.
set -u
passed=0
failed=0

# Nothing of the person's settings reaches a test, and nothing of a test stays behind.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rowscope-test.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$scratch/tmp" "$scratch/home"
export TMPDIR="$scratch/tmp" HOME="$scratch/home" CK_FORK=yes
unset NO_COLOR LANGUAGE ROWSCOPE_DATA XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CONFIG_HOME

runner=
if [ "${RUNNER:-}" = valgrind ]; then
	runner="valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite"
	export CK_FORK=no
fi

# count STATUS GOOD BAD LABEL: adds; a run that ended badly without a failure of its own is one failure.
count() {
	passed=$((passed + $2))
	failed=$((failed + $3))
	if [ "$3" -eq 0 ] && [ "$1" -ne 0 ]; then
		printf '%s: ended with status %s\n' "$4" "$1"
		failed=$((failed + 1))
	fi
}

for program in "$@"; do
	$runner "$program" >"$scratch/output" 2>&1
	status=$?
	line=$(grep -E '^[0-9]+%: Checks: ' "$scratch/output" | tail -n 1)
	checks=$(printf '%s' "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
	failures=$(printf '%s' "$line" | sed -n 's/.*Failures: \([0-9]*\),.*/\1/p')
	errors=$(printf '%s' "$line" | sed -n 's/.*Errors: \([0-9]*\).*/\1/p')
	bad=$((${failures:-0} + ${errors:-0}))
	if [ -z "$checks" ]; then
		cat "$scratch/output"
		printf '%s: no result\n' "$program"
		count 0 0 1 "$program"
		continue
	fi
	[ "$bad" -eq 0 ] && [ "$status" -eq 0 ] || cat "$scratch/output"
	count "$status" $((checks - bad)) "$bad" "$program"
done

for script in tests/check_*.sh; do
	[ -z "$runner" ] && [ -e "$script" ] || continue
	sh "$script" >"$scratch/output" 2>&1
	status=$?
	good=$(grep -c '^ok ' "$scratch/output")
	bad=$(grep -c '^FAIL ' "$scratch/output")
	[ "$bad" -eq 0 ] && [ "$status" -eq 0 ] || grep -v '^ok ' "$scratch/output"
	[ $((good + bad)) -gt 0 ] || { status=1 && printf '%s: no result\n' "$script"; }
	count "$status" "$good" "$bad" "$script"
done

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
