#!/bin/sh
# The documentation says what is: derived pages are current, and files that are named are there.
. tests/checks.sh

stale_ops() {
	[ -e "$1/docs/OPS.md" ] || { echo "docs/OPS.md is missing: run make docs"; return; }
	sh docs/ops_doc.sh "$1/src/engine/op.def" >"$check_scratch/OPS.md"
	cmp -s "$check_scratch/OPS.md" "$1/docs/OPS.md" || echo "docs/OPS.md is not what src/engine/op.def says: run make docs"
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

# examples ROOT: in the blocks ```console of $page, "$ rowscope ..." is run, and what follows must be what it prints.
# With UPDATE=FILE the page as it should be is written there.
examples() {
	rm -rf "$check_scratch/desk"
	mkdir "$check_scratch/desk"
	ln -s "$top/tiny_models" "$top/docs" "$check_scratch/desk"
	mkdir "$check_scratch/desk/bin"
	ln -s "$program" "$check_scratch/desk/bin/rowscope"
	: >"$check_scratch/page"
	inside=no
	while IFS= read -r line; do
		case $inside-$line in
		no-'```console')
			inside=yes
			printf '%s\n' "$line"
			;;
		yes-'```')
			inside=no
			printf '%s\n' "$line"
			;;
		yes-'$ '*)
			printf '%s\n' "$line"
			(cd "$check_scratch/desk" && PATH=$check_scratch/desk/bin:$PATH LC_ALL=C.UTF-8 sh -c "${line#??}" </dev/null 2>&1) |
				sed 's/ *$//'
			;;
		yes-*) ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$1/$page" >"$check_scratch/page"
	[ -z "${UPDATE:-}" ] || cp "$check_scratch/page" "$UPDATE"
	diff "$1/$page" "$check_scratch/page" >"$check_scratch/difference" ||
		sed -n "s|^[<>]|$page:&|p" "$check_scratch/difference" | head -n 12
}

# pictures ROOT: a block "```text NAME" in README.md is the screen of tests/golden/screens/NAME.txt, which a test compares with
# the program. With UPDATE=FILE the page as it should be is written there.
pictures() {
	awk -v screens="$1/tests/golden/screens" '
		inside && /^```$/ { inside = 0 }
		inside { next }
		{ print }
		/^```text / {
			inside = 1; file = screens "/" $2 ".txt"; lines = 0
			while (lines < 24 && (getline line <file) > 0) { sub(/ +$/, "", line); print line; lines++ }
			if (lines == 0) print "there is no screen " $2
		}' "$1/README.md" >"$check_scratch/page"
	[ -z "${UPDATE:-}" ] || cp "$check_scratch/page" "$UPDATE"
	diff "$1/README.md" "$check_scratch/page" | sed -n "s|^[<>]|README.md:&|p" | head -n 12
}

# listed_commands ROOT: the commands in the table of README.md are those of --help.
listed_commands() {
	"$program" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | sort >"$check_scratch/help"
	sed -n 's/^| `rowscope \([a-z]*\)[ `].*/\1/p' "$1/README.md" | sort -u >"$check_scratch/readme"
	comm -23 "$check_scratch/help" "$check_scratch/readme" | sed 's/^/README.md: does not list the command /'
	comm -13 "$check_scratch/help" "$check_scratch/readme" | sed 's/$/ is in README.md, but not in --help/'
}

# described_faults ROOT: every fault has its chapter in docs/FAULTS.md, and the other way round.
described_faults() {
	sed -n 's/^	{"\([a-z-]*\)",.*/\1/p' "$1/src/analysis/faults.c" | sort >"$check_scratch/faults"
	sed -n 's/^## \([a-z-]*\)$/\1/p' "$1/docs/FAULTS.md" | sort >"$check_scratch/chapters"
	comm -23 "$check_scratch/faults" "$check_scratch/chapters" | sed 's/$/ has no chapter in docs\/FAULTS.md/'
	comm -13 "$check_scratch/faults" "$check_scratch/chapters" | sed 's/^/docs\/FAULTS.md: there is no fault /'
}

# manual_page ROOT: docs/man_page.sh makes a section of every command, with its options.
manual_page() {
	sh docs/man_page.sh "$program" >"$check_scratch/page.1" || echo "docs/man_page.sh failed"
	"$program" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | while read -r name; do
		grep -q "^\.SS rowscope $name" "$check_scratch/page.1" || echo "the manual page has no section on $name"
	done
	"$1" run --help | sed -n 's/^ *\(-.*\)\(--[a-z-]*\).*/\2/p; s/^ *\(--[a-z-]*\).*/\1/p' | sed 's/-/\\-/g' | while read -r option; do
		grep -qF -e "$option" "$check_scratch/page.1" || echo "the manual page does not name $option"
	done
}

top=$(pwd)
program=$top/${BUILD:-build}/rowscope
if [ "${1:-}" = update ]; then
	for page in README.md docs/FAULTS.md; do
		UPDATE=$page examples . >/dev/null
	done
	UPDATE=README.md pictures . >/dev/null
	exit
fi

for page in docs/FAULTS.md README.md; do
	clean "the examples of $page are what the program prints" examples .
done
clean "the screens in README.md are those of the tests" pictures .
clean "README.md lists the commands that there are" listed_commands .
clean "the manual page has every command and option" manual_page "$program"
clean "every fault is described" described_faults .
clean "files that the documents name are there" named_files .
clean "docs/OPS.md is derived from op.def" stale_ops .

plant README.md <<'C'
```console
$ rowscope --version
rowscope 9.9.9
```
C
refused "an example that prints something else" examples "README.md:< rowscope 9.9.9"
plant README.md <<'C'
```text start-80x24
something else
```
C
also tests/golden/screens/start-80x24.txt <<'C'
the screen
C
refused "a picture of another screen" pictures "README.md:< something else"
plant README.md <<'C'
| `rowscope run` | runs |
| `rowscope fly` | flies |
C
refused "a command that there is not" listed_commands "fly is in README.md, but not in --help"
refused "a command that is not listed" listed_commands "does not list the command show"

plant fake <<'C'
#!/bin/sh
echo "      --flying  an option that is nowhere"
C
chmod +x "$check_scratch/tree/fake"
planted_page() {
	manual_page "$1/fake"
}
refused "an option that the manual page lacks" planted_page "does not name \-\-flying"

plant src/analysis/faults.c <<'C'
	{"padding-attended", N_("the padding mask is forgotten"), attend_padding, NULL},
C
also docs/FAULTS.md <<'C'
## other-fault
C
refused "a fault that is not described" described_faults "padding-attended has no chapter"
refused "a chapter without a fault" described_faults "there is no fault other-fault"

plant docs/OPS.md <<'C'
# Operations
C
also src/engine/op.def <<'C'
OP(add, "y = a + b", N_("the sum"))
C
refused "a page of operations that is stale" stale_ops "run make docs"

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
