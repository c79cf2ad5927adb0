#!/bin/sh
# `make install` puts in place a program that works from anywhere, and `make uninstall` takes all of it away.
. tests/checks.sh

stage=$check_scratch/stage
unset MAKEFLAGS MFLAGS MAKELEVEL

# with_stage TARGET: the target into the staging folder.
with_stage() {
	make --no-print-directory CC="${CC:-cc}" VARIANT="${VARIANT:-release}" DESTDIR="$stage" PREFIX=/usr "$1"
}

# staged: one line for each thing that is not as it should be after an installation.
staged() {
	for file in bin/rowscope share/man/man1/rowscope.1 share/rowscope/tiny_models/three-requests/config.json; do
		[ -s "$1/usr/$file" ] || echo "$file is not there"
	done
	(cd / && "$1/usr/bin/rowscope" model three-requests >"$check_scratch/output" 2>&1) ||
		echo "the installed program does not find its models: $(head -n 1 "$check_scratch/output")"
}

# leftovers: files that are still there.
leftovers() {
	(cd "$1" && find . -type f)
}

with_stage install >"$check_scratch/log" 2>&1 || echo "FAIL make install: $(tail -n 1 "$check_scratch/log")"
clean "make install" staged "$stage"
mv "$stage/usr/share/rowscope/tiny_models" "$check_scratch/away"
violations=$(staged "$stage")
case $violations in
*"does not find its models"*) echo "ok refuses an installation without models" ;;
*) echo "FAIL refuses an installation without models: got \"$violations\"" ;;
esac
mv "$check_scratch/away" "$stage/usr/share/rowscope/tiny_models"
with_stage uninstall >"$check_scratch/log" 2>&1
clean "make uninstall" leftovers "$stage"
