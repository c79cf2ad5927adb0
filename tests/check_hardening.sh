#!/bin/sh
# The program is built as distributions want it: position-independent, full RELRO, no executable stack, stack protector,
# fortified. Looks at ELF files; elsewhere, and in builds with sanitizers, there is nothing to look at.
. tests/checks.sh

CC=${CC:-cc}
PROGRAM=${BUILD:-build}/rowscope

# hardening PROGRAM: one line for each measure that is missing.
hardening() {
	LC_ALL=C readelf -hldW "$1" >"$check_scratch/elf"
	LC_ALL=C nm -D "$1" >"$check_scratch/symbols"
	grep -q 'Type: *DYN' "$check_scratch/elf" || echo "$1 is not position-independent (-fPIE -pie)"
	grep -q 'GNU_RELRO' "$check_scratch/elf" || echo "$1 has no RELRO (-z relro)"
	grep -qE 'BIND_NOW|FLAGS.*NOW' "$check_scratch/elf" || echo "$1 binds late (-z now)"
	grep -qE 'GNU_STACK .* RW +0' "$check_scratch/elf" || echo "$1 has an executable stack (-z noexecstack)"
	grep -q '__stack_chk_fail' "$check_scratch/symbols" || echo "$1 has no stack protector (-fstack-protector-strong)"
	grep -qE '__[a-z]+_chk(@|$)' "$check_scratch/symbols" || echo "$1 is not fortified (-D_FORTIFY_SOURCE)"
}

built_program() {
	hardening "$PROGRAM"
}

planted_program() {
	# shellcheck disable=SC2086
	$CC -O2 -U_FORTIFY_SOURCE -fno-stack-protector $flags -o "$check_scratch/planted" "$1/planted.c" 2>&1 &&
		hardening "$check_scratch/planted"
}

case $(uname -s)-${VARIANT:-release} in
Linux-release | Linux-clang) ;;
*)
	echo "ok hardening is not looked at in this build"
	exit 0
	;;
esac

clean "the program is hardened" built_program .
plant planted.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) { char text[8]; return snprintf(text, (size_t)argc * 2, "%s", argv[0]) > 3; }
C
flags="-fno-PIE -no-pie"
refused "a program at a fixed address" planted_program "not position-independent"
refused "a program without stack protector" planted_program "no stack protector"
refused "a program that is not fortified" planted_program "not fortified"
flags="-Wl,-z,norelro"
refused "a program without RELRO" planted_program "no RELRO"
flags="-Wl,-z,lazy"
refused "a program that binds late" planted_program "binds late"
flags="-Wl,-z,execstack"
refused "a program with an executable stack" planted_program "executable stack"
