# SPDX-License-Identifier: Apache-2.0
# The short way to everything. `make help` lists the targets.
PRESET ?= release
PREFIX ?= /usr/local
SECONDS_EACH ?= 120
JOBS ?= $(shell nproc)
# TORCH=off: nothing that needs LibTorch is installed or built.
TORCH ?= on
# PYTHON=off: `make test` and `make bench` leave the Python package out; auto: they
# do so, and say it, where the packages it needs cannot be had; on: they then fail.
PYTHON ?= auto
SETUP := scripts/setup build $(if $(filter off,$(TORCH)),,torch)
CONFIGURE := cmake --log-level=WARNING \
  $(if $(filter off,$(TORCH)),-DSBOG_WITH_TORCH=OFF,-USBOG_WITH_TORCH) \
  $(if $(filter off,$(PYTHON)),-DSBOG_BUILD_PYTHON=OFF)
BUILD := build$(if $(filter-out release,$(PRESET)),/$(PRESET))

# An environment that cannot be had ends python-environment with 4.
define COMPILE_PYTHON
$(SETUP) python || exit 1; \
scripts/python-environment $(BUILD)/venv || { \
  [ $$? -eq 4 ] && [ "$(PYTHON)$(filter python,$@)" = auto ]; exit; }; \
$(CONFIGURE) --preset $(PRESET) -DSBOG_BUILD_PYTHON=ON \
  -DPython_EXECUTABLE=$(abspath $(BUILD)/venv/bin/python) && \
cmake --build $(BUILD) -j $(JOBS) --target sbog_python sbog_tool
endef

# The thread sanitizer would need an interpreter that is sanitized itself.
PYTHON_TESTS := $(if $(filter off,$(PYTHON)),,$(filter-out tsan,$(PRESET)))

.DEFAULT_GOAL := build
.PHONY: help setup build demo test python wheel web bench lint docs install fuzz clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup:  ## install the Debian packages that are missing
	@$(SETUP)

build: setup  ## compile everything; the tool is build/bin/sbog
	@$(CONFIGURE) --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS)

demo:  ## run the main job on built-in data
	@scripts/setup build
	@$(CONFIGURE) --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS) --target sbog_tool
	@$(BUILD)/bin/sbog demo --out $(BUILD)/demo

test: build  ## compile and run all tests; PRESET=debug, asan or tsan
	@$(if $(PYTHON_TESTS),$(COMPILE_PYTHON))
	@ctest --preset $(PRESET) -j $(JOBS) $(if $(filter tsan,$(PRESET)),-LE slow)

python:  ## compile the Python package in a virtual environment
	@$(COMPILE_PYTHON)

wheel:  ## make a wheel that needs nothing else, in build/wheel
	@scripts/setup build python
	@scripts/python-environment build/venv
	@scripts/wheel build/venv build/wheel

web:  ## test the page of the report in a browser (Node, Chromium)
	@$(SETUP) web
	@$(CONFIGURE) --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS) --target sbog_tool
	@cd web && npm ci --no-audit --no-fund --loglevel=error && \
	  SBOG=$(abspath $(BUILD)/bin/sbog) npm test

bench:  ## measure speed, beside other libraries
	@$(SETUP) bench
	@$(CONFIGURE) --preset release -DSBOG_BUILD_BENCH=ON
	@cmake --build build -j $(JOBS)
	@$(if $(filter-out off,$(PYTHON)),$(COMPILE_PYTHON))
	@bench/run

lint:  ## check formatting and run clang-tidy
	@$(SETUP) lint
	@$(CONFIGURE) --preset release -B build/lint \
	  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	@scripts/lint build/lint $(JOBS)

docs:  ## build the site of the documents in build/docs/html
	@$(SETUP) docs
	@$(CONFIGURE) --preset release
	@cmake --build build -j $(JOBS) --target sbog_tool
	@mkdir -p build/docs
	@doxygen docs/Doxyfile
	@/usr/bin/python3 -m sphinx -W --keep-going -q -b html docs build/docs/html
	@echo "docs: build/docs/html/index.html"

install: build  ## install library, headers and tool below PREFIX
	@cmake --install $(BUILD) --prefix $(PREFIX)

fuzz:  ## fuzz every reader for SECONDS_EACH seconds
	@$(SETUP) fuzz
	@$(CONFIGURE) --preset fuzz
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_programs
	@SECONDS_EACH=$(SECONDS_EACH) tests/fuzz/run

clean:  ## remove everything that was built
	@rm -rf build
