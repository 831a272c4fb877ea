# SPDX-License-Identifier: MIT
# A thin door: cmake/build.sh and scripts/ do the work. `make help` lists all.

BUILD_DIR ?= build
PREFIX ?= /usr/local
# What was installed in which prefix.
INSTALLED = $(BUILD_DIR)/installed$(subst /,_,$(PREFIX)).txt
export BUILD_DIR

.PHONY: all demo test test-all test-slow test-switches conformance bench fuzz lint
.PHONY: format install clean soak fuzz-coverage help python lua size static docs
.PHONY: packages uninstall cross

all: deps          ## build the libraries and programs (build/bin)
	@cmake/build.sh release

demo: deps         ## show a server at work, driven by mcpctl
	@cmake/build.sh release build demo
	@BIN=$(BUILD_DIR)/bin scripts/demo

test: deps         ## run the tests under the address and UB sanitizers
	@cmake/build.sh asan test

test-all: deps-all ## other compilers, sanitizers, machines and peers, and lint
	@cmake/test-all.sh

test-slow: deps-all ## what takes longest and finds least: s390x, fuzzers, switches
	@cmake/test-slow.sh

test-switches: deps-all ## build and look at libmcp without each feature in turn
	@cmake/test-switches.sh

static: deps       ## build mcpctl as one file (build/static-ARCH/bin), and test it
	@cmake/test-static.sh

packages: deps-all ## make .deb and .rpm files (build/packages), and test them
	@cmake/test-packages.sh

cross: deps-all    ## build for Windows and macOS, and test Windows' under Wine
	@cmake/test-cross.sh

conformance: all   ## run the official conformance suite
	@BIN=$(BUILD_DIR)/bin tests/conformance/run

python: all        ## build the Python package (bindings/python) and test it
	@BIN=$(BUILD_DIR)/bin bindings/python/run-tests

lua: all           ## build the module for Lua (bindings/lua) and test it
	@BIN=$(BUILD_DIR)/bin bindings/lua/run-tests

bench: all         ## measure, each figure beside its floor
	@BIN=$(BUILD_DIR)/bin tests/bench/run

soak: all          ## many clients and tasks, hostile clients for SOAK_SECONDS (600)
	@tests/soak/soak.py --bin $(BUILD_DIR)/bin
	@tests/soak/tasks.py --bin $(BUILD_DIR)/bin \
	  $$([ ! -e $(BUILD_DIR)/bin/bench-sqlite ] || echo --sqlite)
	@tests/soak/hostile.py --bin $(BUILD_DIR)/bin \
	  --seconds $${SOAK_SECONDS:-600}

fuzz: deps-all     ## fuzz each parser for FUZZ_SECONDS (default 60)
	@cmake/fuzz.sh

fuzz-coverage: deps-all ## print the lines of each folder that the fuzzers reach
	@cmake/fuzz-coverage.sh

size: deps-all     ## measure a firmware for Cortex-M3 and RISC-V 32 in QEMU
	@cmake/size.sh

docs: deps-docs    ## build the site of all pages and the reference (build/site)
	@scripts/docs

lint: deps-all     ## clang-format, clang-tidy and cppcheck
	@scripts/lint

format: deps-all   ## reformat the sources in place
	@git ls-files -co --exclude-standard '*.[ch]' '*.cpp' | \
	  xargs -r clang-format -i

install: all       ## install in PREFIX (default /usr/local)
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD_DIR) --prefix '$(PREFIX)' \
	  >/dev/null
	@cp $(BUILD_DIR)/install_manifest.txt $(INSTALLED)
	@echo "installed in $(DESTDIR)$(PREFIX)"

uninstall:         ## remove what `make install` has installed in PREFIX
	@DESTDIR='$(DESTDIR)' scripts/uninstall $(INSTALLED)

clean:             ## remove the build folder
	@rm -rf $(BUILD_DIR)

help:              ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*##/\1\t/p' Makefile | expand -t 16

.PHONY: deps deps-all deps-docs
deps:
	@scripts/deps

deps-all:
	@scripts/deps --all

deps-docs:
	@scripts/deps --docs
