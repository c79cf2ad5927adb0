#!/bin/sh
# Runs every test program given and every tests/check_*.sh, shows what failed, and ends with one plain count.
# A shell test prints "ok NAME" or "FAIL NAME: why" per check.
passed=0
failed=0
for program in "$@"; do
	output=$("$program" 2>&1)
	status=$?
	line=$(printf '%s\n' "$output" | grep -E '^[0-9]+%: Checks: ' | tail -n 1)
	checks=$(printf '%s' "$line" | sed -n 's/.*Checks: \([0-9]*\),.*/\1/p')
	bad=$(printf '%s' "$line" | sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 + \2/p')
	if [ -z "$checks" ]; then
		printf '%s: ended with status %s and no result\n%s\n' "$program" "$status" "$output"
		failed=$((failed + 1))
		continue
	fi
	bad=$(($bad))
	passed=$((passed + checks - bad))
	failed=$((failed + bad))
	if [ "$bad" -ne 0 ] || [ "$status" -ne 0 ]; then
		printf '%s\n' "$output"
		[ "$bad" -ne 0 ] || failed=$((failed + 1))
	fi
done
for script in tests/check_*.sh; do
	[ -e "$script" ] || continue
	output=$(sh "$script" 2>&1)
	status=$?
	good=$(printf '%s\n' "$output" | grep -c '^ok ')
	bad=$(printf '%s\n' "$output" | grep -c '^FAIL ')
	passed=$((passed + good))
	failed=$((failed + bad))
	if [ "$bad" -ne 0 ] || [ "$status" -ne 0 ]; then
		printf '%s\n' "$output" | grep -v '^ok '
		[ "$bad" -ne 0 ] || { printf '%s: ended with status %s\n' "$script" "$status"; failed=$((failed + 1)); }
	fi
done
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
