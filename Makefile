# Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: help demo test check bench train clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

# Two stamps: the program alone for the demo, the program and its tools for everything else.
$(VENV)/.run: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Zarbiter needs Python 3.11 or newer; say which with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "No virtual environment could be made; on Debian: sudo apt install python3-venv"; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: 'ogxm>=2.3.2' || \
		echo "ogxm cannot be had for this machine: its tests are skipped"
	@touch $@

demo: $(VENV)/.run  ## watch a simulated match being refereed, in a browser
	$(BIN)/zarbiter demo

test: $(VENV)/.dev  ## all tests
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.dev  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The engine that legal plays are compared with has wheels for some machines only; without it that part is skipped.
$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: 'bgsage>=2.0' || \
		echo "bgsage cannot be had for this machine: the comparison with it is skipped"
	@touch $@

bench: $(VENV)/.bench  ## measure every figure that the README gives (two to three hours)
	$(BIN)/python -m bench

$(VENV)/.train: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,train]'
	@touch $@

train: $(VENV)/.train  ## make every network anew (hours; see models/README.md)
	$(BIN)/python -m models.training --work build/training

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
