# make run, make test: from a bare Debian 12 to a table of results, or of tests. `make help` lists all.
#   TORCH=/path  use this LibTorch or torch package instead of downloading one
#   PYTHON=0     install nothing for the Python evaluator; CUDA=0: no compiler of CUDA for the tests
#   ARGS="…"     options for kbench run in the place of --limit 30, or for tools/run_tests
#   RUNS=N       executions a target of make fuzz
export TORCH PYTHON CUDA RUNS TORCH_VERSIONS
ARGS ?=
.DEFAULT_GOAL := help
.PHONY: run programs test test-full fuzz bench lint format build deb wheel clean help
MAKEFLAGS += --no-print-directory

run: programs  ## set up, build, and judge some of the shipped kernels; all: ARGS=--resume
	@build/bin/kbench run --out build/run $(or $(ARGS),--limit 30)
	$(if $(ARGS),,@echo "A first look, at one workload of 30 definitions. All that ships: make run ARGS=--resume")

programs:  ## set up, and build the programs alone
	@tools/setup build
	@tools/build programs

test:  ## set up, build, and run every test
	@tools/setup build test deb wheel browser cuda
	@tools/build all
	@tools/run_tests $(ARGS)

test-full:  ## also the large counts and a bare Debian 12 (hours)
	@tools/setup build test deb wheel browser cuda cluster full
	@tools/build all
	@KBENCH_FULL=1 tools/run_tests $(ARGS)
	@RUNS=1000000 $(MAKE) fuzz

fuzz:  ## libFuzzer over what reads foreign bytes, RUNS executions a target (100000)
	@tools/setup build test fuzz
	@tools/build --preset fuzz fuzz_targets
	@tools/fuzz

bench:  ## kbench measured against its peers and its own limits
	@tools/setup build test
	@tools/build all
	@bench/run $(ARGS)

lint:  ## clang-tidy, format and size budgets over all files (CHANGED=1: over those changed; FILES="…")
	@tools/setup build test lint
	@tools/lint $(FILES)

format:  ## put every C++ file into shape
	@tools/setup build test
	@tools/format --fix

build:  ## set up and build everything, run nothing
	@tools/setup build test cuda
	@tools/build all

deb:  ## build/kbench_<version>_<architecture>.deb, without LibTorch
	@tools/setup build deb
	@tools/build programs
	@cd build && cpack -G DEB

wheel:  ## build-wheel/dist/kbench_judge-<version>-….whl, for pip; TORCH_VERSIONS="2.13 2.14": for these, too
	@tools/setup build wheel
	@packaging/wheel/build

clean:  ## remove what was built; .venv stays
	rm -rf build build-dev build-asan build-fuzz build-lint build-wheel* .cache

help:  ## this list
	@sed -n 's/^\([a-z-]*\):  ## /  make \1\t/p' Makefile | expand -t 20
	@echo; sed -n 's/^#   \([A-Z]*=.*\)/  \1/p' Makefile
