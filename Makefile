# Every target sets up what it needs. Only Python 3.11 or newer with pip is expected on the machine.
#
#   make demo     build the wheel, install it into an environment of its own and run the demonstration
#   make test     run the tests
#   make test-all run the slow ones too: kernels for more dtypes, more programs, every code point; and `make checked`
#   make checked  run the tests and some random programs in the checked mode, which watches over native memory
#   make check    lint, type-check and check the structure of the project
#   make bench    run the benchmarks
#   make docs     run every snippet of the documentation
#   make exhaustive  run 20,000 random programs in every way there is, 20,000 of random IR and 100,000 mutants of archives;
#                goes on where it stopped
#   make wheel    build a wheel with the native library in it, for all levels of processors; takes minutes
#   make kernels  compile the native library for this machine ahead, into the compilation cache
#   make mutants  put faults into copies of the code and count which the tests catch; goes on where it stopped
#   make clean    remove what the other targets made
#
# Another interpreter gets another environment: make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
VENV_DEMO ?= .venv-demo
# Test processes.
JOBS ?= 2
# How many random programs, and where their record is kept.
PROGRAMS ?= 20000
ARCHIVES ?= 100000
FUZZ ?= .fuzz
# How many random programs `make checked` runs.
CHECKED ?= 500
# How many faults `make mutants` makes.
MUTANTS ?= 40

CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check --no-input

# Changes when a packaged file is edited, added, renamed or deleted.
DIGEST := $(shell { find tscript runtime passes -type f ! -path '*/__pycache__/*' 2>/dev/null; \
	echo pyproject.toml; echo README.md; } | LC_ALL=C sort | xargs cksum | cksum | cut -d ' ' -f 1)

INSTALLED := $(VENV)/.installed
INSTALLED_DEMO := $(VENV_DEMO)/.installed-$(DIGEST)

.PHONY: help demo test test-all checked check bench docs exhaustive wheel kernels mutants clean
# Two builds at once would share the folder `build`.
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   make/make/p' Makefile

demo: $(INSTALLED_DEMO)
	PATH="$(abspath $(VENV_DEMO))/bin:$$PATH" $(VENV_DEMO)/bin/python samples/demo.py </dev/null

# The installed `pytest`: `python -m pytest` would import from the working folder instead of what is installed.
test: $(INSTALLED)
	@$(VENV)/bin/pytest -n $(JOBS) -m "not slow" </dev/null

test-all: $(INSTALLED) checked
	@TSCRIPT_KERNELS=full $(VENV)/bin/pytest -n $(JOBS) </dev/null

checked: $(INSTALLED)
	@TSCRIPT_KERNELS=full TSCRIPT_CHECKED=1 $(VENV)/bin/pytest -n $(JOBS) -m "not slow" </dev/null
	TSCRIPT_CHECKED=1 $(VENV)/bin/python -m tests.fuzz --count $(CHECKED) --state $(FUZZ)-checked

check: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/python tools/check.py

bench: $(INSTALLED)
	$(VENV)/bin/python samples/bench/run.py

docs: $(INSTALLED)
	$(VENV)/bin/python tools/docs.py

exhaustive: $(INSTALLED)
	$(VENV)/bin/python -m tests.fuzz --jobs $(JOBS) --count $(PROGRAMS) --state $(FUZZ)
	$(VENV)/bin/python -m tests.fuzz --kind ir --jobs $(JOBS) --count $(PROGRAMS) --state $(FUZZ)
	$(VENV)/bin/python -m tests.fuzz --kind archives --jobs $(JOBS) --count $(ARCHIVES) --state $(FUZZ)

# What is compiled is kept in a folder of its own, so that the next wheel takes less.
wheel: $(INSTALLED)
	@rm -rf build dist *.egg-info
	TSCRIPT_CACHE_DIR="$(abspath .images)" $(VENV)/bin/python tools/library.py --jobs $(JOBS) wheel

kernels: $(INSTALLED)
	$(VENV)/bin/python tools/library.py --jobs $(JOBS) kernels

mutants: $(INSTALLED)
	$(VENV)/bin/python tools/mutants.py --count $(MUTANTS) --jobs $(JOBS)

clean:
	rm -rf .venv .venv-* $(VENV) $(VENV_DEMO) build dist *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov .fuzz .fuzz-checked .mutants .images
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A system Python without `ensurepip` cannot put pip into a new environment; its own pip can.
$(VENV)/bin/pip:
	@$(CHECK_PYTHON)
	@echo "creating $(@:/bin/pip=)"
	@$(PYTHON) -m venv --clear $(@:/bin/pip=) >/dev/null 2>&1 || { \
		$(PYTHON) -m venv --clear --without-pip $(@:/bin/pip=) && \
		$(PYTHON) -m pip --python $(@D)/python install --quiet --disable-pip-version-check pip; }

# Editable: edits need no new installation, only changes to the metadata or the list of packages do. A folder `build` or
# `*.egg-info` left by an earlier build would bring deleted modules back.
$(INSTALLED): pyproject.toml tscript/_version.py | $(VENV)/bin/pip
	@echo "installing tscript into $(VENV)"
	@rm -rf build *.egg-info
	@$(VENV)/bin/python $(PIP_INSTALL) -e '.[dev]'
	@rm -rf build
	@touch $@

# The demonstration runs what ships: a wheel built from this tree, installed without the tree. The pip of $(PYTHON) installs
# it, if it can: another pip takes seconds to make. So does bytecode of modules that are never imported.
$(VENV_DEMO)/bin/python:
	@$(CHECK_PYTHON)
	@echo "creating $(@:/bin/python=)"
	@$(PYTHON) -m venv --clear --without-pip $(@:/bin/python=)

$(INSTALLED_DEMO): | $(VENV_DEMO)/bin/python
	@echo "building the wheel and installing it into $(VENV_DEMO)"
	@rm -rf build *.egg-info $(VENV_DEMO)/.installed-*
	@pip="$(PYTHON) -m pip --python $(VENV_DEMO)/bin/python"; \
	$$pip --version >/dev/null 2>&1 || { \
		pip="$(VENV_DEMO)/bin/python -m pip"; $$pip --version >/dev/null 2>&1 || \
		$(VENV_DEMO)/bin/python -m ensurepip >/dev/null; }; \
	PIP_NO_COMPILE=1 $$pip install --quiet --disable-pip-version-check --no-input .
	@rm -rf build
	@touch $@
