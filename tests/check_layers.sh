#!/bin/sh
# The order of the layers. A folder in src/ includes only headers of itself and of the folders before it; one file
# includes cJSON, one includes ncurses; headers form no cycle; nothing below cli and tui prints or ends the program.
. tests/checks.sh

LAYERS="base tensor format text model engine trace analysis draw export view app tui cli"

# Printing and ending is for cli and tui; but for these, for the reason given.
#   src/base/err.c   err_print writes to the stream that cli hands it
#   src/base/mem.c   when memory runs out there is nothing left to do but to say so and end
MAY_PRINT="src/base/err.c src/base/mem.c"

sources() {
	(cd "$1" && find src -name '*.[ch]' -o -name '*.def' | sort)
}

# includes ROOT: "file line included" for every include.
includes() {
	for file in $(sources "$1"); do
		source_text "$1/$file" | awk -v file="$file" '
			match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*/) {
				name = substr($0, RSTART, RLENGTH); sub(/.*[<"]/, "", name)
				print file, NR, name
			}'
	done
}

# A layer may include itself and what stands before it in LAYERS; view and export, though before it, never tui
# follows from the order.
upward_includes() {
	includes "$1" | awk -v layers="$LAYERS" '
		BEGIN { n = split(layers, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
		{
			split($1, from, "/"); split($3, to, "/")
			if (from[2] == "main.c") next
			if (!(from[2] in rank)) { print $1 ": folder " from[2] " is not in the list of layers"; next }
			if ((to[1] in rank) && rank[to[1]] > rank[from[2]])
				print $1 ":" $2 ": " from[2] " includes " $3 ", a later layer"
			if ($3 ~ /^\.\.?\//)
				print $1 ":" $2 ": includes " $3 "; write it as \"folder/file.h\""
		}'
}

lone_libraries() {
	includes "$1" | awk '
		$3 ~ /(^|\/)cJSON(_Utils)?\.h$/ && $1 != "src/base/json.c" {
			print $1 ":" $2 ": includes cJSON; only src/base/json.c may" }
		$3 ~ /^(ncursesw?\/)?(n?curses|panel|menu|form|term|termcap|cursesw)\.h$/ && $1 != "src/tui/term_curses.c" {
			print $1 ":" $2 ": includes ncurses; only src/tui/term_curses.c may" }'
}

header_cycles() {
	includes "$1" | awk '$1 ~ /\.h$/ && $3 ~ /\// { print $1, "src/" $3 }' | sort -u >"$check_scratch/edges"
	tsort "$check_scratch/edges" 2>&1 >/dev/null | sed -n 's/^tsort: *\(src.*\)/header cycle through \1/p'
}

printing_below() {
	for file in $(sources "$1"); do
		case $file in
		src/main.c | src/cli/* | src/tui/*) continue ;;
		esac
		case " $MAY_PRINT " in *" $file "*) continue ;; esac
		source_text "$1/$file" |
			grep -nE '(^|[^A-Za-z0-9_.>])(printf|vprintf|puts|putchar|putc|perror|exit|_exit|_Exit|abort|quick_exit) *\(|(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)' |
			sed "s|^\([0-9]*\):[ 	]*\(.*\)|$file:\1: prints or ends the program below cli and tui: \2|"
	done
}

clean "layers include downwards" upward_includes .
clean "one file includes cJSON, one ncurses" lone_libraries .
clean "no header cycles" header_cycles .
clean "nothing below cli and tui prints or exits" printing_below .

plant src/base/a.c <<'C'
#include "base/a.h"
#include "engine/run.h"
C
refused "an include of a later layer" upward_includes "src/base/a.c:2: base includes engine/run.h"
plant src/view/a.c <<'C'
#include "tui/loop.h"
C
refused "a view that includes tui" upward_includes "view includes tui/loop.h"
plant src/extra/a.c <<'C'
#include <stdio.h>
C
refused "a folder outside the list" upward_includes "folder extra is not in the list"
plant src/engine/a.c <<'C'
#include "tensor/tensor.h"
#include "engine/a.h"
/* #include "cli/cli.h" */
C
accepted "downward includes and a comment" upward_includes

plant src/model/a.c <<'C'
#include <cjson/cJSON.h>
C
refused "cJSON outside base/json.c" lone_libraries "src/model/a.c:1: includes cJSON"
plant src/tui/loop.c <<'C'
#include <ncurses.h>
C
refused "ncurses outside term_curses.c" lone_libraries "src/tui/loop.c:1: includes ncurses"

plant src/base/a.h <<'C'
#include "base/b.h"
C
also src/base/b.h <<'C'
#include "base/a.h"
C
refused "two headers that include each other" header_cycles "header cycle through src/base/"

plant src/engine/a.c <<'C'
void f(void) { snprintf(text, 4, "exit(1)"); fputs(text, out); /* printf("") */ }
void g(void) { printf("%d", 1); }
C
refused "a printf below cli" printing_below "src/engine/a.c:2"
plant src/app/a.c <<'C'
void f(void) { fputs("x", stderr); }
C
refused "a write to stderr below cli" printing_below "src/app/a.c:1"
plant src/engine/a.c <<'C'
void f(void) { snprintf(text, 4, "exit(1)"); run->exit(1); fputs(text, out); /* printf("") */ }
C
accepted "snprintf, and words in strings and comments" printing_below
