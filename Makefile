# Everything starts from a Python 3.11+ and make: each target sets up what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test soak lint types unit clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

# A real tournament: played, stored, rated and printed, from nothing. The database stays in demo.duckdb.
demo: setup
	$(BIN)/python -m cli.demo

test: lint types unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

# On all cores. What the tests play is compiled first, each part once; then each worker takes neighbouring tests, which
# share what they play, and steals at the end.
unit: setup
	$(BIN)/python -m tests.compiled
	$(BIN)/python -m pytest -n auto --dist worksteal --durations 10

# What takes long: the same promises on more matches, deals and repetitions.
soak: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -m soak

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache demo.duckdb demo.duckdb.wal
