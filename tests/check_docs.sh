#!/bin/sh
# The documentation says what is: derived pages are current, and files that are named are there.
. tests/checks.sh

stale_ops() {
	[ -e "$1/docs/OPS.md" ] || { echo "docs/OPS.md is missing: run make ops-doc"; return; }
	sh docs/ops_doc.sh "$1/src/engine/op.def" >"$check_scratch/OPS.md"
	cmp -s "$check_scratch/OPS.md" "$1/docs/OPS.md" || echo "docs/OPS.md is not what src/engine/op.def says: run make ops-doc"
}

# named_files ROOT: names in backquotes that look like a file of this repository, in its Markdown, must exist; a "*" or
# "<word>" in them stands for anything.
named_files() {
	(cd "$1" && for page in *.md docs/*.md; do
		[ -e "$page" ] || continue
		grep -oE '`(src|docs|tests|lessons|tiny_models|\.ci)/[A-Za-z0-9_./<>*-]+`' "$page" | tr -d '`' | sort -u | while read -r name; do
			pattern=$(printf '%s' "$name" | sed 's/<[^>]*>/*/g')
			# shellcheck disable=SC2086
			ls -d $pattern >/dev/null 2>&1 || echo "$page: names $name, which does not exist"
		done
	done)
}

clean "docs/OPS.md is derived from op.def" stale_ops .

plant docs/OPS.md <<'C'
# Operations
C
also src/engine/op.def <<'C'
OP(add, "y = a + b", N_("the sum"))
C
refused "a page of operations that is stale" stale_ops "run make ops-doc"

plant README.md <<'C'
See `src/base/a.h`, `src/base/no.h` and `src/base/<name>.h`.
C
also src/base/a.h </dev/null
refused "a name of a file that is not there" named_files "README.md: names src/base/no.h"
plant docs/A.md <<'C'
See `src/base/a.h`, `src/base/` and `src/base/<name>.h`.
C
also src/base/a.h </dev/null
accepted "names of files that are there" named_files
