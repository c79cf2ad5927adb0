#!/bin/sh
# Scripts: what the screen can do, a file of command lines can do too.
. tests/checks.sh

ROWSCOPE=$PWD/${BUILD:-build}/rowscope

# answers ROOT: the worked example, asked from a script.
answers() {
	cat >"$check_scratch/script" <<'END'
# the second pass of the worked example
open three-requests
goto pass=1 logits
shape pass=1 tokens
cell pass=1 next_tokens[row=A]
text pass=1 next_tokens[row=B]
where
END
	said=$("$ROWSCOPE" script "$check_scratch/script" | tr '\n' '/')
	[ "$said" = '(3,1)/520/不错/pass=1 logits[row=A,vocab=0]/' ] || echo "the answers were $said"
	"$ROWSCOPE" script "$check_scratch/script" --json | grep -q '"answer": 520' || echo 'no JSON answer'
}

# failures ROOT: a line that fails is named, and ends the script.
failures() {
	said=$(printf 'open three-requests\n\nnonsense\nshape tokens\n' | "$ROWSCOPE" script - 2>&1) && echo 'ended with status 0'
	case $said in
	*'line 3'*nonsense*) ;;
	*) echo "said $said" ;;
	esac
	"$ROWSCOPE" script no/such/file 2>/dev/null
	[ $? -eq 3 ] || echo 'a missing script is not status 3'
}

clean 'a script asks the worked example' answers .
clean 'a script that fails says where' failures .
