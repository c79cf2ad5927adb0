#!/bin/sh
# Lessons as a learner and a teacher meet them: the program checks every bundled one, and takes one from a pipe.
. tests/checks.sh

ROWSCOPE=$PWD/${BUILD:-build}/rowscope
export XDG_STATE_HOME="$check_scratch/state"

# lessons ROOT: what the program's own check says against each lesson below ROOT/lessons.
lessons() {
	for file in "$1"/lessons/*/*.md; do
		"$ROWSCOPE" lesson check "$file" | grep -v '^ok '| grep -v ', 0 failed$'
	done
}

clean 'bundled lessons' lessons .

plant lessons/en/x.md <<'END'
# T

## S

```rowscope
open three-requests
```

```check
id: a
ask: How many are padding?
kind: number
answer: sum pass=0 no_such_tensor
hint: Count.
```
END
refused 'a lesson about a tensor that is not there' lessons no_such_tensor

# by_pipe ROOT: a learner without a terminal answers wrongly, then rightly, and goes on.
by_pipe() {
	printf '\n(3,4)\n?\n(3,1)\n\nq\n' | (cd / && "$ROWSCOPE" lesson 11-three-requests) >"$check_scratch/said" ||
		echo "ended with status $?"
	for words in 'Only what is new goes in' 'Hint 1 of 2' 'Right. One new token' 'Which ID goes in for B'; do
		grep -q "$words" "$check_scratch/said" || echo "was not said: $words"
	done
}

clean 'a lesson from a pipe' by_pipe .
