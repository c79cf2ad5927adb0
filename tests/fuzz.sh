#!/bin/sh
# Runs each fuzzer given for a while, from the seeds in tests/corpus/<name>/ where there are any; a finding is kept
# in the build folder and its input named. Ends with one plain count: a fuzzer without a finding has passed.
#
#   fuzz.sh PROGRAM...     settings: BUILD, SECONDS_EACH
set -u
passed=0
failed=0
for program in "$@"; do
	name=${program##*/fuzz_}
	found=$BUILD/fuzz/$name
	mkdir -p "$found/corpus" "$found/findings"
	seeds=tests/corpus/$name
	[ -d "$seeds" ] || seeds=
	if "$program" -max_total_time="${SECONDS_EACH:-20}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$found/findings/" "$found/corpus" $seeds >"$found/log" 2>&1; then
		passed=$((passed + 1))
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
		printf '  fuzz_%s: %s runs, no finding\n' "$name" "${runs:-?}"
	else
		failed=$((failed + 1))
		tail -n 30 "$found/log"
		printf '  fuzz_%s: a finding, in %s\n' "$name" "$found/findings"
	fi
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
