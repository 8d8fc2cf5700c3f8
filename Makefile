# SPDX-License-Identifier: Apache-2.0
# The front door. Each target says in one line what it does; the work is in scripts/ and CMake.
.DEFAULT_GOAL := help
.PHONY: help demo build test test-long sanitize coverage mutate bench fuzz lint format install clean

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
# For cmake: make build BUILD_OPTIONS=-DCHANCERY_LIBCRYPTO_ROOT=/opt/openssl
BUILD_OPTIONS ?=

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: ## set up, build, and run the main job on real input
	@scripts/setup test
	@scripts/build dev $(BUILD_OPTIONS)
	@scripts/demo

build: ## set up and build: build/libchancery-pkcs11.so, build/chancery
	@scripts/setup build
	@scripts/build dev $(BUILD_OPTIONS)

test: ## set up, build and pass every test (under 30 minutes on two cores)
	@scripts/setup test
	@scripts/build dev $(BUILD_OPTIONS)
	@scripts/runtests build -LE "long|valgrind"

test-long: ## also the long tests: kills, power cuts, sanitizers, mutations, long fuzzing, Debian 13
	@scripts/setup long
	@scripts/build dev $(BUILD_OPTIONS)
	@scripts/testlong

sanitize: ## build and test under asan+ubsan, tsan and valgrind
	@scripts/setup long
	@scripts/sanitize

coverage: ## which lines the tests execute: build/coverage/index.html
	@scripts/setup long
	@scripts/build coverage
	@scripts/runtests build/coverage -LE "long|lint|valgrind"
	@gcovr --root . --filter src/ --html-details build/coverage/index.html --print-summary \
		build/coverage

mutate: ## break each guard once, and expect a test to notice (tests/mutations)
	@scripts/setup long
	@scripts/mutate

bench: ## measure, each figure beside its floor
	@scripts/setup test
	@scripts/build release $(BUILD_OPTIONS)
	@scripts/bench
	@scripts/bench roll

fuzz: ## fuzz every parser for FUZZ_SECONDS (60) each
	@scripts/setup long
	@scripts/fuzz $(FUZZ_SECONDS)

lint: ## check layers, sizes, format, scripts
	@scripts/setup long
	@scripts/lint

format: ## put the C files into the project's format
	@scripts/setup long
	@scripts/lint reformat

install: ## build the release and install it below PREFIX (/usr/local); honours DESTDIR
	@scripts/setup build
	@scripts/build release $(BUILD_OPTIONS) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@cmake --install build/release

clean: ## remove what was built here; the cached libcrypto stays
	rm -rf build
