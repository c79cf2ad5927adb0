#!/bin/sh
# Names: no mutable globals in the library, exported names carry their file's stem, headers open with their name
# and document every function, and no path of one machine is in the repository.
. tests/checks.sh

CC=${CC:-cc}
LIBRARY=${BUILD:-build}/librowscope.a

# Data that changes while the program runs belongs to a struct that somebody owns. Allowed, with the reason:
#   mem.o  on_exhausted      the terminal is restored when memory runs out, wherever that is
#   i18n.o catalogue         the language of the process, read by _() everywhere
#   stop.o wanted            a signal handler may touch nothing else
#   restore.o state          what a crash handler writes must lie ready where it can find it
ALLOWED_DATA="mem.o:on_exhausted i18n.o:catalogue stop.o:wanted restore.o:state"

# mutable_data LIBRARY: "object: name section" for each variable that can change.
mutable_data() {
	objdump -t "$1" | awk -v allowed="$ALLOWED_DATA" '
		BEGIN { n = split(allowed, list, " "); for (i = 1; i <= n; i++) ok[list[i]] = 1 }
		/file format/ { object = $1; sub(/:$/, "", object); next }
		/^[0-9a-f]+ / {
			name = $NF; base = name; sub(/\.[0-9]+$/, "", base); sub(/^_/, "", base)
			section = ""
			for (i = 2; i < NF; i++) if ($i ~ /^(\.t?data|\.t?bss|\*COM\*|__DATA,__(data|bss|common|thread))/) section = $i
			if (section == "" || section ~ /rel\.ro/ || name == section || name ~ /^\./) next
			if ((object ":" base) in ok) next
			print object ": " name " in " section " can change; make it const, or part of a struct that is passed"
		}'
}

# foreign_names LIBRARY: exported names that do not begin with their file's stem: json_get.c exports json_*.
# Kernels (k_*.c, once per instruction set) carry the set at the end instead.
foreign_names() {
	nm -A -g --defined-only "$1" 2>/dev/null | awk '
		{
			object = $1; sub(/:[0-9a-f]*$/, "", object); sub(/.*:/, "", object)
			name = $NF; stem = object; sub(/_.*|[.].*/, "", stem)
			if (object ~ /^k_/ || name ~ /^__/ || index(name, stem "_") == 1) next
			print object ": " name " does not begin with " stem "_"
		}'
}

# planted_data: compiles standard input and looks at the object.
planted_data() {
	$CC -std=c11 -O0 -c -o "$check_scratch/planted.o" "$1/planted.c" && mutable_data "$check_scratch/planted.o"
}

planted_names() {
	$CC -std=c11 -O0 -c -o "$check_scratch/planted.o" "$1/planted.c" && (cd "$check_scratch" && foreign_names planted.o)
}

library_data() {
	mutable_data "$LIBRARY"
}

machine_paths() {
	if git -C "$1" rev-parse --git-dir >/dev/null 2>&1 && [ "$1" = . ]; then
		git ls-files
	else
		(cd "$1" && find . -type f ! -path './.git/*' ! -path './build*')
	fi | (cd "$1" && tr '\n' '\0' | xargs -0 grep -InE '(^|[^A-Za-z0-9_.~/-])/(wor[k]|roo[t]|hom[e]/[a-z])/|[.]librar[y]/' /dev/null) |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: names a path of one machine/'
}

# header_rules ROOT: the opening comment names the file, the guard follows the path, no umbrella of typedefs.
header_rules() {
	(cd "$1" && find src -name '*.h' | sort | while read -r file; do
		name=${file##*/}
		guard=$(printf '%s' "${file#src/}" | tr 'a-z/.' 'A-Z__')
		head -n 2 "$file" | tr '\n' ' ' | grep -qF "/*  * $name: " ||
			echo "$file:1: opens without \"/*\" and \" * $name: purpose\""
		grep -qx "#ifndef $guard" "$file" || echo "$file: the guard is not $guard"
		source_text "$file" | grep -nE '^[ 	]*typedef[ 	]+(struct|union|enum)' | sed "s|^\([0-9]*\):.*|$file:\1: a typedef hides a struct|"
	done)
}

# undocumented ROOT: prototypes in headers without a comment above them. A comment covers the prototypes that
# follow it without an empty line between.
undocumented() {
	(cd "$1" && find src -name '*.h' | sort | while read -r file; do
		awk -v file="$file" '
			{ line = $0 }
			in_comment { if (line ~ /\*\//) { in_comment = 0; covered = 1 } next }
			line ~ /^[ \t]*$/ { if (depth == 0) covered = 0; next }
			line ~ /^\/\*/ { if (line !~ /\*\//) in_comment = 1; else covered = 1; next }
			line ~ /^\/\// { covered = 1; next }
			line ~ /^#/ { continued = line ~ /\\$/; next }
			continued { continued = line ~ /\\$/; next }
			{
				starts = depth == 0 && statement == ""
				if (starts) { first = NR; commented = covered || line ~ /\/\*.*\*\//; statement = line }
				depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
				if (line ~ /;[ \t]*(\/\*.*)?$/ || (line ~ /^\}/ && depth == 0)) {
					if (depth == 0) {
						if (statement ~ /^[A-Za-z_].*[A-Za-z0-9_]\(/ && statement !~ /^(typedef|#)/ && !commented)
							print file ":" first ": " statement " has no comment"
						statement = ""
					}
				}
			}' "$file"
	done)
}

# error_sentences ROOT: a message stands behind its place and a colon, so it begins in lower case; options belong to cli.
error_sentences() {
	(cd "$1" && grep -nE 'err_(usage|input|system)\(.*"[A-Z][a-z]+ [a-z]' -r src --include='*.c' |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: an error begins in lower case/'
	grep -n -e '--force' -r src --include='*.c' | grep -v '^src/\(cli\|tui\)/' |
		sed 's/^\([^:]*:[0-9]*\):.*/\1: --force is named below cli; use err_taken/')
}

case ${VARIANT:-release} in
release | clang) clean "no mutable globals in the library" library_data . ;;
esac
clean "no path of one machine in the repository" machine_paths .
clean "errors begin in lower case, and --force is named by cli alone" error_sentences .
clean "headers open with name and purpose, guards follow paths" header_rules .

plant planted.c <<'C'
static int counter;
int next(void);
int next(void) { return ++counter; }
C
refused "a static counter" planted_data "counter in .bss"
plant planted.c <<'C'
char *last(void);
char *last(void) { static char text[8] = "x"; text[0]++; return text; }
C
refused "a static return buffer" planted_data "text"
plant planted.c <<'C'
const char *name(int i);
static const char *const names[] = {"a", "b"};
const char *name(int i) { return names[i]; }
C
accepted "a constant table" planted_data

plant planted.c <<'C'
int count_rows(void);
int count_rows(void) { return 3; }
C
refused "an exported name without its file's stem" planted_names "count_rows does not begin with planted_"

plant README.md <<C
See $(printf '/%s/x' work).
C
refused "a path of one machine" machine_paths "README.md:1"
plant README.md <<C
See docs$(printf '/%s/x' work) and https://example.org$(printf '/%s/' root).
C
accepted "other paths" machine_paths

plant src/base/a.h <<'C'
/* something */
#ifndef A_H
typedef struct a a;
C
refused "a header without its name" header_rules "opens without"
refused "a guard that is not the path" header_rules "the guard is not BASE_A_H"
refused "a typedef of a struct" header_rules "src/base/a.h:3: a typedef hides a struct"

plant src/base/a.h <<'C'
/*
 * a.h: two functions.
 */
#ifndef BASE_A_H
#define BASE_A_H
struct a {
	int (*f)(int);
};
/* Both of these are documented. */
int a_one(void);
int a_two(int x,
	int y);
#endif
C
accepted "documented functions" undocumented
also src/base/b.h <<'C'
/* b.h */

bool b_bare(int x,
	int y);
C
refused "a function without a comment" undocumented "src/base/b.h:3: bool b_bare"

plant src/base/planted.c <<'C'
return err_usage(err, path, "The file is there");
C
refused "an error in upper case" error_sentences "src/base/planted.c:1: an error begins"
plant src/base/planted.c <<'C'
return err_usage(err, path, "the file is there; use --force to replace it");
C
refused "an option named below cli" error_sentences "src/base/planted.c:1: --force"
