#!/bin/sh
# Runs every test program given and every tests/check_*.sh, shows what failed, and ends with one plain count.
#
#   run.sh PROGRAM...     settings: BUILD (build folder), VARIANT, CC, RUNNER=valgrind, JOBS (at once; one per processor)
#
# A test program prints Check's result line; a shell test prints "ok NAME" or "FAIL NAME: why" per check.
set -u

# Nothing of the person's settings reaches a test, and nothing of a test stays behind.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/rowscope-test.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
export scratch CK_FORK=yes
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks.supp:print_suppressions=0"
unset NO_COLOR LANGUAGE ROWSCOPE_DATA XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CONFIG_HOME

scripts=$(ls tests/check_*.sh)
runner=
if [ "${RUNNER:-}" = valgrind ]; then
	runner="valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite"
	runner="$runner --suppressions=$PWD/tests/valgrind.supp"
	export CK_FORK=no
	scripts=
fi
export runner

# One test, in a folder of its own that holds its temporary files, its output and its exit status.
# shellcheck disable=SC2016
one='
	own=$scratch/$(basename "$1")
	mkdir "$own" "$own/tmp" "$own/home"
	case $1 in *.sh) command="sh $1" ;; *) command="$runner $1" ;; esac
	TMPDIR=$own/tmp HOME=$own/home $command >"$own/output" 2>&1
	echo $? >"$own/status"'
for test in "$@" $scripts; do
	printf '%s\n' "$test"
done | xargs -n 1 -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" sh -c "$one" one

passed=0
failed=0
for test in "$@" $scripts; do
	own=$scratch/${test##*/}
	status=$(cat "$own/status" 2>/dev/null || echo 127)
	case $test in
	*.sh)
		good=$(grep -c '^ok ' "$own/output")
		bad=$(grep -c '^FAIL ' "$own/output")
		;;
	*)
		line=$(grep -E '^[0-9]+%: Checks: ' "$own/output" | tail -n 1)
		checks=$(printf '%s' "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
		failures=$(printf '%s' "$line" | sed -n 's/.*Failures: \([0-9]*\),.*/\1/p')
		errors=$(printf '%s' "$line" | sed -n 's/.*Errors: \([0-9]*\).*/\1/p')
		bad=$((${failures:-0} + ${errors:-0}))
		good=$((${checks:-0} - bad))
		;;
	esac
	# A test that ended badly, or said nothing, without a failure of its own is one failure.
	if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$good" -eq 0 ]; }; then
		echo "$test: ended with status $status and $good checks" >>"$own/output"
		bad=1
	fi
	[ "$bad" -eq 0 ] || grep -v '^ok ' "$own/output"
	passed=$((passed + good))
	failed=$((failed + bad))
done

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
