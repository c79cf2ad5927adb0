# checks.sh: what the tests/check_*.sh share. Source it with: . tests/checks.sh
#
# A check is a function that takes the root of a tree and prints one line per violation, nothing when all is well.
# Each check is run on this repository and on small trees with a planted violation, so that it is seen to fail.

check_scratch=$(mktemp -d "${TMPDIR:-/tmp}/rowscope-check.XXXXXX") || exit 1
trap 'rm -rf "$check_scratch"' EXIT

# clean NAME FUNCTION ROOT: the tree has no violation.
clean() {
	violations=$("$2" "$3" 2>&1)
	if [ -z "$violations" ]; then
		echo "ok $1"
	else
		printf '%s\n' "$violations" | sed "s|^|FAIL $1: |"
	fi
}

# plant FILE: starts a new planted tree with FILE, whose text comes from standard input; further files with `also`.
plant() {
	rm -rf "$check_scratch/tree"
	also "$1"
}

also() {
	mkdir -p "$(dirname "$check_scratch/tree/$1")"
	cat >"$check_scratch/tree/$1"
}

# refused NAME FUNCTION WORDS: the planted tree has a violation that says WORDS.
refused() {
	violations=$("$2" "$check_scratch/tree" 2>&1)
	case $violations in
	*"$3"*) echo "ok refuses $1" ;;
	*) echo "FAIL refuses $1: expected a violation with \"$3\", got \"$violations\"" ;;
	esac
}

# accepted NAME FUNCTION: the planted tree has none.
accepted() {
	clean "accepts $1" "$2" "$check_scratch/tree"
}

# source_text FILE: the file with comments blanked and string contents emptied, line numbers kept.
source_text() {
	awk '
	{
		line = $0; out = ""; n = length(line)
		for (i = 1; i <= n; i++) {
			c = substr(line, i, 1); two = substr(line, i, 2)
			if (in_comment) { if (two == "*/") { in_comment = 0; i++ } continue }
			if (quote != "") {
				if (c == "\\") { i++; continue }
				if (c == quote) { quote = ""; out = out c }
				continue
			}
			if (two == "//") break
			if (two == "/*") { in_comment = 1; i++; out = out " "; continue }
			if ((c == "\"" && line !~ /^[ \t]*#[ \t]*include/) || c == "\047") quote = c
			out = out c
		}
		if (quote != "" && line !~ /\\$/) quote = ""
		print out
	}' "$1"
}
