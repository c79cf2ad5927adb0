# rowscope: build, test, install.
#
#   make deps demo     install what is missing, build, open the worked example
#   make deps test     install what is missing, build, run every test
#   make help          all targets
#
# VARIANT picks a build folder: release (build/), asan, ubsan, coverage (build-<variant>/).

VERSION := 0.1.0
VARIANT ?= release
BUILD := $(if $(filter release,$(VARIANT)),build,build-$(VARIANT))
PREFIX ?= /usr/local

PACKAGES := ncursesw libcjson libpcre2-8 libutf8proc libcmark libzip libxxhash pangocairo
PKG_CONFIG ?= pkg-config

OPTIMISE ?= -O3
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
HARDEN := -fstack-protector-strong -fPIE
HARDEN_LINK := -pie
ifeq ($(shell uname -s),Linux)
HARDEN_LINK += -Wl,-z,relro,-z,now,-z,noexecstack
endif
ifneq ($(OPTIMISE),-O0)
HARDEN += -D_FORTIFY_SOURCE=2
endif

SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SANITIZE_ubsan := -fsanitize=undefined -fno-sanitize-recover=all
SANITIZE_coverage := --coverage
SANITIZE := $(SANITIZE_$(VARIANT))

FLAGS := -std=c11 $(OPTIMISE) -g -ffp-contract=off -fno-math-errno $(WARN) $(HARDEN) $(SANITIZE) \
	-D_GNU_SOURCE -DROWSCOPE_VERSION='"$(VERSION)"' -DROWSCOPE_DATADIR='"$(PREFIX)/share/rowscope"' \
	-Isrc $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null) $(CFLAGS)
LIBS := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null) -lpthread -lm $(LDFLAGS)
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

all: $(PROGRAM)

$(PROGRAM): $(BUILD)/main.o $(LIBRARY)
	$(CC) $(FLAGS) $(HARDEN_LINK) -o $@ $^ $(LIBS)

$(LIBRARY): $(OBJECTS) $(KERNEL_OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

define KERNEL_RULE
$(BUILD)/tensor/%.$(1).o: src/tensor/%.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(FLAGS) $$(FLAGS_$(1)) -DKERNELS_SET=$(1) -DKERNELS_SET_$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach set,$(SETS),$(eval $(call KERNEL_RULE,$(set))))

$(BUILD)/tests/%: tests/%.c $(LIBRARY) tests/harness.h
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(CHECK_FLAGS) -Itests -MMD -MP $(HARDEN_LINK) -o $@ $< $(LIBRARY) $(CHECK_LIBS) $(LIBS)

# Every test program, then every tests/*.sh; ends with one plain count.
test: $(PROGRAM) $(TESTS)
	@BUILD=$(BUILD) sh tests/run.sh $(TESTS)

clean:
	rm -rf build build-*

.PHONY: all test clean
.SECONDARY:

-include $(OBJECTS:.o=.d) $(KERNEL_OBJECTS:.o=.d) $(BUILD)/main.d $(TESTS:=.d)
