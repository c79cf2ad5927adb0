#!/bin/sh
# Derives the manual page from the program's own --help. Prints to standard output: man_page.sh build/rowscope
program=$1
export LC_ALL=C.UTF-8
help=$(mktemp "${TMPDIR:-/tmp}/rowscope-help.XXXXXX") || exit 1
trap 'rm -f "$help"' EXIT

# Text for roff: backslashes, hyphens that are typed, and lines that begin with a dot or an apostrophe.
roff() {
	sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/"
}

# The options in a help text: "  -f, --force    words" as tagged paragraphs. Those of every command only with `common`.
options() {
	roff | awk -v common="$1" '
		/^Options of every command:/ { shown = common; next }
		/^Options:/ { shown = !common; next }
		/^[^ ]/ { shown = 0 }
		shown && /^  (    )?\\-/ {
			line = $0; sub(/^ +/, "", line)
			at = match(line, /  +/)
			if (!at) at = length(line) + 1
			text = substr(line, at); sub(/^ +/, "", text)
			print ".TP\n.B " substr(line, 1, at - 1)
			if (text != "") print text
			next
		}
		shown && /[^ ]/ { sub(/^ +/, ""); print }'
}

version=$("$program" --version | awk 'NR == 1 { print $2 }')
cat <<EOT
.TH ROWSCOPE 1 "" "rowscope $version"
.SH NAME
rowscope \- step through a batch of language\-model requests, tensor by tensor
.SH SYNOPSIS
.B rowscope
.I COMMAND
[\fIoptions\fR]
.SH DESCRIPTION
Runs a small language model on a batch of requests, one forward pass at a time, and records every tensor of every pass. Any
number can be looked at, taken apart into what made it, and shown to be the same, bit for bit, without its neighbours in the
batch.
.SH COMMANDS
EOT
"$program" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | while read -r name; do
	"$program" "$name" --help >"$help"
	usage=$(sed -n '1s/^usage: rowscope [a-z]* *\(.*\) \[options\]$/\1/p' "$help" | roff)
	summary=$(sed -n '3,/^$/p' "$help" | roff)
	printf '.SS rowscope %s %s\n%s\n' "$name" "$usage" "$summary"
	options '' <"$help"
done
cat <<'EOT'
.SH OPTIONS OF EVERY COMMAND
EOT
"$program" --help | options 1
cat <<'EOT'
.SH SELECTORS
.nf
[pass=N] NAME[i,j:k,...]
.fi
names a tensor or a part of it: half\-open slices, negative indices from the end, the last pass when none is named; axes also by name, rows by
place or ID:
.B pass=1 layers.0.attn.weights[row=A,head=0]
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
a check found a leak or a difference
.TP
.B 2
wrong use
.TP
.B 3
an input file is bad
.TP
.B 4
the system refused: disk full, no memory, no permission
.SH ENVIRONMENT
.TP
.B ROWSCOPE_DATA
the folder that holds bundled models and lessons, where it is not found beside the program
.TP
.B NO_COLOR
no colours, whatever its value
.TP
.B LANGUAGE, LC_ALL, LC_MESSAGES, LANG
the language of messages, unless
.B \-\-lang
says it
EOT
