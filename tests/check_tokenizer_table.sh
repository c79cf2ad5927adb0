#!/bin/sh
# The table of stages in docs/MODELS.md names what the code reads, and no more.
set -u
failed=0

# The names that a document tells, and those that source files know.
told() { sed -n "s/^| $1 | \(.*\) |$/\1/p" "$2" | sed 's/([^)]*)//g' | tr ',' '\n' | tr -d ' ' | sort; }
known() {
	sed -n 's/^\t{"\([A-Za-z]*\)", .*/\1/p; s/.*strcmp(type, "\([A-Za-z]*\)").*/\1/p; s/.*subword_kind.*= {.type = "\([A-Za-z]*\)".*/\1/p' "$@" |
		grep -v -x SentencePiece | sort -u
}
check() {
	stage=$1
	shift
	if [ "$(told "$stage" docs/MODELS.md)" = "$(known "$@")" ]; then
		echo "ok docs/MODELS.md tells every $stage"
	else
		echo "FAIL docs/MODELS.md, $stage: told $(told "$stage" docs/MODELS.md | tr '\n' ' '), known $(known "$@" | tr '\n' ' ')"
		failed=1
	fi
}
check model src/text/wordlevel.c src/text/bpe.c src/text/unigram.c src/text/wordpiece.c
check normalizer src/text/normalizer.c
check pre_tokenizer src/text/pretokenizer.c
check post_processor src/text/processor.c
check decoder src/text/decoder.c

# A stage that the document forgets is seen.
short=$(mktemp)
sed 's/, Metaspace, Digits/, Digits/' docs/MODELS.md >"$short"
if [ "$(told pre_tokenizer "$short")" = "$(known src/text/pretokenizer.c)" ]; then
	echo "FAIL a forgotten stage is not seen"
	failed=1
else
	echo "ok a forgotten stage is seen"
fi
rm -f "$short"
exit $failed
