#!/bin/sh
# Line and branch coverage per source file, from what a coverage build left behind, worst branch coverage first.
#
#   coverage.sh build-coverage     needs gcov
set -u
find "$1" -name '*.gcda' ! -path '*/tests/*' | sort | while read -r data; do
	gcov --branch-probabilities --no-output "$data" 2>/dev/null
done | awk '
	/^File / { file = $2; gsub(/\047/, "", file); next }
	file !~ /^src\// { next }
	/^Lines executed:/ { sub(/.*:/, "", $0); split($0, part, /% of /); lines[file] += part[2]; hit[file] += part[1] * part[2] / 100 }
	/^Taken at least once:/ { sub(/.*:/, "", $0); split($0, part, /% of /); branches[file] += part[2]; taken[file] += part[1] * part[2] / 100 }
	END {
		for (file in lines) {
			print row(file, hit[file], lines[file], taken[file], branches[file]) | "sort -n -k 2"
			h += hit[file]; l += lines[file]; t += taken[file]; b += branches[file]
		}
		close("sort -n -k 2")
		print row("all", h, l, t, b)
	}
	function percent(part, whole) { return whole > 0 ? 100 * part / whole : 100 }
	function row(name, h, l, t, b) {
		return sprintf("%-36s %5.1f %% of %5d branches   %5.1f %% of %5d lines", name, percent(t, b), b, percent(h, l), l)
	}'
