#!/bin/sh
# Derives docs/OPS.md from src/engine/op.def. Prints to standard output: make docs, and a test that compares.
awk '
BEGIN {
	print "# Operations"
	print ""
	print "Derived from `src/engine/op.def` by `make docs`; do not edit. A forward pass is a list of these kinds; what each"
	print "of them can do is five functions in `src/engine/op_*.c`: shape, run, explain, reach, cost."
	print ""
	print "| kind | formula | what it does |"
	print "|---|---|---|"
}
/^OP\(/ {
	line = $0
	sub(/^OP\(/, "", line)
	kind = line; sub(/,.*/, "", kind)
	sub(/^[^"]*"/, "", line)
	formula = line; sub(/", N_\(".*/, "", formula)
	sub(/.*", N_\("/, "", line); sub(/"\)\)[ \t]*$/, "", line)
	gsub(/\|/, "\\|", formula); gsub(/\|/, "\\|", line)
	printf "| `%s` | `%s` | %s |\n", kind, formula, line
}' "${1:-src/engine/op.def}"
