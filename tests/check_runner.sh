#!/bin/sh
# The count at the end of `make test` is right, also when tests fail, die, or say nothing.
. tests/checks.sh

# counted NAME EXPECTED: what run.sh says of the planted tree, with all its test_* programs.
counted() {
	cp tests/run.sh "$check_scratch/tree/tests/run.sh"
	chmod +x "$check_scratch"/tree/test_*
	last=$(cd "$check_scratch/tree" && sh tests/run.sh ./test_* 2>/dev/null | tail -n 1)
	if [ "$last" = "$2" ]; then echo "ok $1"; else echo "FAIL $1: expected \"$2\", got \"$last\""; fi
}

plant test_good <<'C'
#!/bin/sh
echo "100%: Checks: 7, Failures: 0, Errors: 0"
C
also tests/check_good.sh <<'C'
echo "ok one"
C
counted "counts what passes" "8 passed, 0 failed"

also test_bad <<'C'
#!/bin/sh
echo "50%: Checks: 4, Failures: 1, Errors: 1"
exit 1
C
also tests/check_bad.sh <<'C'
echo "ok one"
echo "FAIL two: planted"
C
counted "counts failures and errors" "11 passed, 3 failed"

also test_dies <<'C'
#!/bin/sh
kill -9 $$
C
also tests/check_silent.sh </dev/null
also tests/check_ends_badly.sh <<'C'
echo "ok one"
exit 4
C
counted "a test that dies, is silent or ends badly is a failure" "12 passed, 6 failed"
