# rowscope: build, test, install.
#
#   make deps demo     install what is missing, build, open the worked example
#   make deps test     install what is missing, build, run every test
#   make help          all targets and settings
#
# Written for GNU make 3.81 and later, the one that macOS has.

# "make deps test": first deps alone, then a second make reads this file anew and finds what was installed.
ifneq ($(filter deps,$(MAKECMDGOALS)),)
.NOTPARALLEL:
AFTER_DEPS := $(filter-out deps,$(MAKECMDGOALS))
deps:
	@sh .ci/deps
$(AFTER_DEPS): deps
	@$(MAKE) --no-print-directory $@
.PHONY: deps $(AFTER_DEPS)
else

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

# VARIANT picks compiler, flags and build folder; every variant can be built beside the others.
VARIANT ?= release
VARIANTS := release asan ubsan coverage fuzz msan clang analyze
ifeq ($(filter $(VARIANT),$(VARIANTS)),)
$(error VARIANT=$(VARIANT) is unknown: choose one of $(VARIANTS))
endif
BUILD := $(if $(filter release,$(VARIANT)),build,build-$(VARIANT))
ifneq ($(filter clang fuzz msan,$(VARIANT)),)
CC := clang
endif
ifeq ($(VARIANT),analyze)
CC := gcc
endif

SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_ubsan := -fsanitize=undefined -fno-sanitize-recover=all
SANITIZE_coverage := --coverage -fprofile-update=atomic
SANITIZE_fuzz := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_msan := -fsanitize=memory -fsanitize-recover=memory -fno-omit-frame-pointer
SANITIZE_analyze := -fanalyzer
OPTIMISE_asan := -O1
OPTIMISE_msan := -O1
OPTIMISE_coverage := -O0
OPTIMISE_fuzz := -O1
SANITIZE := $(SANITIZE_$(VARIANT))
OPTIMISE ?= $(or $(OPTIMISE_$(VARIANT)),-O3)

PACKAGES := ncursesw libcjson libpcre2-8 libutf8proc libcmark libzip libxxhash pangocairo
PKG_CONFIG ?= pkg-config
SYSTEM := $(shell uname -s)
ifeq ($(SYSTEM),Darwin)
BREW := $(shell brew --prefix 2>/dev/null)
export PKG_CONFIG_PATH := $(BREW)/opt/ncurses/lib/pkgconfig:$(PKG_CONFIG_PATH)
SYSTEM_FLAGS := -I$(BREW)/opt/gettext/include
SYSTEM_LIBS := -L$(BREW)/opt/gettext/lib -lintl
endif

# Warnings are errors with the compilers that CI knows; a newer one may warn about what nobody has seen yet.
COMPILER := $(shell echo __clang_major__ __GNUC__ | $(CC) -E -P -x c - 2>/dev/null | tr ' ' '-')
WERROR ?= $(if $(filter __clang_major__-12 __clang_major__-14 14-4 19-4,$(COMPILER)),-Werror)
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WERROR)

HARDEN := -fstack-protector-strong
ifeq ($(SYSTEM),Linux)
HARDEN += -fPIE
HARDEN_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif
ifeq ($(SANITIZE)$(filter -O0,$(OPTIMISE)),)
HARDEN += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
endif

FLAGS := -std=c11 $(OPTIMISE) -g -ffp-contract=off -fno-math-errno $(WARN) $(HARDEN) $(SANITIZE) \
	-D_GNU_SOURCE -DROWSCOPE_VERSION='"$(VERSION)"' -DROWSCOPE_DATADIR='"$(PREFIX)/share/rowscope"' \
	-Isrc $(SYSTEM_FLAGS) $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null) $(CFLAGS)
LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null) $(SYSTEM_LIBS) -lpthread -lm $(LDFLAGS)
CHECK_FLAGS := $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# Kernels (src/tensor/k_*.c) are compiled once per instruction set, from the same source.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)
SETS := scalar
FLAGS_scalar :=
ifneq ($(filter x86_64 amd64,$(MACHINE)),)
SETS += avx2 avx512
FLAGS_avx2 := -march=x86-64-v3
FLAGS_avx512 := -march=x86-64-v4
endif
ifneq ($(filter aarch64 arm64,$(MACHINE)),)
SETS += neon
FLAGS_neon :=
endif

KERNEL_SOURCES := $(wildcard src/tensor/k_*.c)
SOURCES := $(filter-out src/main.c $(KERNEL_SOURCES),$(wildcard src/*/*.c))
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
KERNEL_OBJECTS := $(foreach set,$(SETS),$(KERNEL_SOURCES:src/tensor/%.c=$(BUILD)/tensor/%.$(set).o))
LIBRARY := $(BUILD)/librowscope.a
PROGRAM := $(BUILD)/rowscope
TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))
MESSAGES := $(patsubst lessons/%/rowscope.po,$(BUILD)/locale/%/LC_MESSAGES/rowscope.mo,$(wildcard lessons/*/rowscope.po))
FUZZERS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz_*.c))

# Short lines while building; V=1 shows the commands.
ifeq ($(V),)
.SILENT:
say = @printf '  %-5s %s\n' $(1) $(2)
endif

all: $(PROGRAM) $(MESSAGES)

$(PROGRAM): $(BUILD)/main.o $(LIBRARY)
	$(call say,LINK,$@)
	$(CC) $(FLAGS) $(HARDEN_LINK) -o $@ $^ $(LIBS)

$(LIBRARY): $(OBJECTS) $(KERNEL_OBJECTS)
	$(call say,AR,$@)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: src/%.c Makefile
	mkdir -p $(@D)
	$(call say,CC,$<)
	$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

define KERNEL_RULE
$(BUILD)/tensor/%.$(1).o: src/tensor/%.c Makefile
	mkdir -p $$(@D)
	$$(call say,CC,"$$< ($(1))")
	$$(CC) $$(FLAGS) $$(FLAGS_$(1)) -DKERNELS_SET=$(1) -DKERNELS_SET_$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach set,$(SETS),$(eval $(call KERNEL_RULE,$(set))))

# Before the rule for tests: make 3.81 takes the first rule that fits.
$(BUILD)/tests/fuzz_%: tests/fuzz_%.c $(LIBRARY)
	mkdir -p $(@D)
	$(call say,FUZZ,$<)
	$(CC) $(FLAGS) -fsanitize=fuzzer -Itests -MMD -MP $(HARDEN_LINK) -o $@ $< $(LIBRARY) $(LIBS)

$(BUILD)/tests/%: tests/%.c $(LIBRARY) tests/harness.h
	mkdir -p $(@D)
	$(call say,TEST,$<)
	$(CC) $(FLAGS) $(CHECK_FLAGS) -Itests -MMD -MP $(HARDEN_LINK) -o $@ $< $(LIBRARY) $(CHECK_LIBS) $(LIBS)

# Messages: a language's folder holds its lessons and its rowscope.po. xgettext keeps PRId64 and its like as names; the
# catalogue holds what they are here.
printf_letters = $(shell echo $(1) | $(CC) -E -P -include inttypes.h -x c - | tail -n 1 | tr -d '" ')
$(BUILD)/locale/%/LC_MESSAGES/rowscope.mo: lessons/%/rowscope.po
	mkdir -p $(@D)
	$(call say,MSG,$<)
	sed -e 's/<PRId64>/$(call printf_letters,PRId64)/g' -e 's/<PRIu64>/$(call printf_letters,PRIu64)/g' \
		-e 's/<PRIx32>/$(call printf_letters,PRIx32)/g' $< >$(BUILD)/$*.po
	msgfmt --check -o $@ $(BUILD)/$*.po

##@ Everyday
## demo: builds and opens the worked example (as text when standard output is not a terminal)
demo: all
	$(PROGRAM) view

## test: every test program, then every tests/check_*.sh; the last line is a plain count
test: all $(TESTS)
	BUILD=$(BUILD) CC="$(CC)" VARIANT=$(VARIANT) sh tests/run.sh $(TESTS)

## clean: removes every build folder
clean:
	rm -rf build build-*

## help: this list
help:
	printf 'make TARGET... [VARIANT=release|asan|ubsan|coverage|clang] [V=1] [CC=...] [OPTIMISE=-O2]\n\n'
	printf '  %-14s %s\n' all 'the program, at build/rowscope (the default)'
	printf '  %-14s %s\n' deps 'installs what is missing; may stand before other targets: make deps test'
	awk '/^##@ / { print "\n" substr($$0, 5) } \
		/^## / { name = $$2; sub(":", "", name); sub("^## [^:]*: ", ""); printf "  %-14s %s\n", name, $$0 }' Makefile

##@ Installing (PREFIX=/usr/local, DESTDIR=)
## install: program, lessons, bundled models, manual page, messages
SHARE = $(DESTDIR)$(PREFIX)/share
install: all
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/rowscope" "$(SHARE)/man/man1"
	install -m 755 $(PROGRAM) "$(DESTDIR)$(PREFIX)/bin/rowscope"
	cp -R $(wildcard lessons) tiny_models $(if $(MESSAGES),$(BUILD)/locale) "$(SHARE)/rowscope/"
	sh docs/man_page.sh $(PROGRAM) >$(BUILD)/rowscope.1
	install -m 644 $(BUILD)/rowscope.1 "$(SHARE)/man/man1/rowscope.1"
## uninstall: takes them away again
uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/rowscope" "$(SHARE)/man/man1/rowscope.1"
	rm -rf "$(SHARE)/rowscope"

##@ Checking more
## asan: tests under AddressSanitizer and UBSan
## ubsan: tests under UBSan alone, at full optimisation
## clang: tests with clang
asan ubsan clang:
	$(MAKE) --no-print-directory VARIANT=$@ test
## valgrind: every test program under valgrind
valgrind: all $(TESTS)
	BUILD=$(BUILD) CC="$(CC)" VARIANT=$(VARIANT) RUNNER=valgrind sh tests/run.sh $(TESTS)
## coverage: line and branch coverage of the tests, per file
coverage:
	$(MAKE) --no-print-directory VARIANT=coverage test
	sh tests/coverage.sh build-coverage
## fuzz: each tests/fuzz_*.c for FUZZ_SECONDS (20) seconds, with clang
FUZZ_SECONDS ?= 20
fuzz:
	$(MAKE) --no-print-directory VARIANT=fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) run-fuzzers
run-fuzzers: $(FUZZERS)
	BUILD=$(BUILD) SECONDS_EACH=$(FUZZ_SECONDS) sh tests/fuzz.sh $(FUZZERS)
## taint: isolation by taint, with clang's MemorySanitizer (tests/taint.c, tests/taint_kernels.c)
taint:
	$(MAKE) --no-print-directory VARIANT=msan run-taint
run-taint: $(BUILD)/tests/taint $(BUILD)/tests/taint_kernels
	MSAN_OPTIONS=halt_on_error=1 $(BUILD)/tests/taint_kernels
	MSAN_OPTIONS=halt_on_error=1 $(BUILD)/tests/taint plain
	MSAN_OPTIONS=halt_on_error=0:exit_code=0 $(BUILD)/tests/taint 2>$(BUILD)/taint.log
## crash: kill -9 at CRASHES (1000) random moments of a recording run, resume, compare every byte
CRASHES ?= 1000
crash: all
	BUILD=$(BUILD) bash tests/crash.sh $(CRASHES)
## levels: the golden hash from gcc and clang at -O0 to -O3, and from builds that must break it
levels:
	bash tests/levels.sh
## analyze: gcc -fanalyzer, clang-tidy and cppcheck over src
# Left out: swapped arguments (a matter of taste), getenv and setlocale (called before there are threads), results of
# snprintf and fputs that cannot matter, va_list (clang 14 takes every va_start for none), the _s functions of C11.
TIDY := bugprone-*,cert-*,concurrency-*,-bugprone-easily-swappable-parameters,-concurrency-mt-unsafe,-cert-err33-c,\
	-clang-analyzer-valist.Uninitialized,-clang-analyzer-security.insecureAPI.*
analyze:
	$(MAKE) --no-print-directory VARIANT=analyze all
	clang-tidy --quiet --warnings-as-errors='*' --checks='$(TIDY)' $(SOURCES) src/main.c -- \
		$(filter-out -Werror,$(FLAGS))
	cppcheck --quiet --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr -Isrc src
## compositions: 10,000 random batches: every tensor by all proofs, and again in another layout, schedule and order (COMPOSITIONS=100: 1 %)
COMPOSITIONS ?= 10000
compositions: $(BUILD)/tests/compositions
	BUILD=$(BUILD) sh tests/compositions.sh $(COMPOSITIONS)
## family-proof: every family over FAMILY_COUNT (25) random configurations against transformers (tests/golden/family_proof.py), where it is installed
FAMILY_COUNT ?= 25
FAMILY_SEED ?= 1
PYTHON ?= python3
family-proof: all
	$(PYTHON) tests/golden/family_proof.py $(BUILD)/rowscope $(FAMILY_COUNT) $(FAMILY_SEED)
## check-real: exp, log, tanh, erf, sin and cos over all 2^32 floats (half an hour; REAL_STEP=1009 samples)
REAL_STEP ?= 1
check-real: $(BUILD)/tests/exhaustive_real
	$(BUILD)/tests/exhaustive_real all $(REAL_STEP)
## bench-matmul: the matrix product at many shapes beside this machine's limits
bench-matmul: $(BUILD)/tests/bench_matmul
	$(BUILD)/tests/bench_matmul $(SET)
## bench-verify: what the proofs cost beside the runs that they make
bench-verify: $(BUILD)/tests/bench_verify
	$(BUILD)/tests/bench_verify
## tokenizer-proof: 10,000 random strings and more through every kind of tokenizer, beside Hugging Face tokenizers (PYTHON with that)
PYTHON ?= python3
PROOF_TEXTS ?= 10000
tokenizer-proof: $(BUILD)/tests/tokenizer_proof
	$(PYTHON) tests/tokenizer_proof.py $(BUILD)/tests/tokenizer_proof $(PROOF_TEXTS) --write docs/MODELS.md
## docs: writes what is derived anew: docs/OPS.md from src/engine/op.def, the examples in README.md from the program
docs: all
	sh docs/ops_doc.sh >docs/OPS.md
	BUILD=$(BUILD) sh tests/check_docs.sh update
## messages: brings lessons/zh/rowscope.po up to the sentences in the sources (needs gettext's xgettext and msgmerge)
messages:
	mkdir -p $(BUILD)
	xgettext --language=C --from-code=UTF-8 --keyword=_ --keyword=N_ --keyword=P_:1,2 --sort-by-file --no-location \
		--package-name=rowscope --output=$(BUILD)/rowscope.pot $(sort $(wildcard src/*/*.c src/*/*.def src/*/*.h))
	mkdir -p lessons/zh
	if [ -e lessons/zh/rowscope.po ]; then msgmerge --quiet --update --backup=none --no-fuzzy-matching \
		lessons/zh/rowscope.po $(BUILD)/rowscope.pot; \
	else msginit --no-translator --locale=zh_CN.UTF-8 --input=$(BUILD)/rowscope.pot --output=lessons/zh/rowscope.po; fi
	sed -i.bak '/^"POT-Creation-Date/d' lessons/zh/rowscope.po && rm lessons/zh/rowscope.po.bak
	msgfmt --statistics -o /dev/null lessons/zh/rowscope.po
## format: rewrites sources in the house style (clang-format 14)
## format-check: says which files differ from it
# Every version of clang-format breaks lines in its own way: the one of CI is the one that counts.
FORMATTED = $(wildcard src/*.c src/*/*.[ch] tests/*.[ch])
format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --version | grep -q 'version 14\.' || { clang-format --version; echo 'clang-format 14 is wanted'; exit 1; }
	clang-format --dry-run --Werror $(FORMATTED)
	echo '1 passed, 0 failed'
## nightly: what takes longer than CI: all of the above, longer
nightly:
	bash .ci/run
	$(MAKE) --no-print-directory valgrind analyze coverage crash
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600

.PHONY: all demo test clean help install uninstall asan ubsan clang valgrind coverage fuzz run-fuzzers taint run-taint crash levels \
	analyze compositions check-real bench-matmul bench-verify tokenizer-proof family-proof ops-doc format format-check nightly
.SECONDARY:

-include $(OBJECTS:.o=.d) $(KERNEL_OBJECTS:.o=.d) $(BUILD)/main.d $(wildcard $(BUILD)/tests/*.d)

endif
