# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets up what it needs by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
CONSTRAINTS ?= requirements/constraints.txt
# Asked for by exact version and before anything that depends on it: other requests may pull GPU builds.
TORCH := $(shell grep '^torch==' $(CONSTRAINTS))

.PHONY: help setup demo test test-fast test-processors coverage browser gemma embeddinggemma check bench clean

help:
	@echo "make demo    set up, fetch the default models (about 200 MB) and score examples/demo.jsonl"
	@echo "make test    set up everything and run the tests"
	@echo "make test-fast   run the tests that need no model, no browser and no network"
	@echo "make test-processors   run the tests of numbers again as on other processors"
	@echo "make gemma   fetch a second language model (240 MB, terms of its own), which one more test then uses"
	@echo "make embeddinggemma   fetch a multilingual encoder (1.15 GB, terms of its own), which one more test then uses"
	@echo "make coverage    run the tests and tell which lines they reach"
	@echo "make check   ruff, mypy, import-linter, and the limits of the layout"
	@echo "make bench   print the benchmarks as JSON lines"
	@echo "make setup   only set up: environment and default models"
	@echo "make clean   remove the environment (models stay in the store)"

$(BIN)/python:
	@echo "== creating $(VENV)"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.torch: $(CONSTRAINTS) | $(BIN)/python
	@echo "== installing $(TORCH)"
	$(PIP) install $(TORCH)
	@touch $@

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) $(VENV)/.torch
	@echo "== installing mars-score and what it needs"
	$(PIP) install --progress-bar off -c $(CONSTRAINTS) -e '.[convert]'
	@touch $@

$(VENV)/.developer: pyproject.toml $(CONSTRAINTS) $(VENV)/.installed
	@echo "== installing what the tests and checks need"
	$(PIP) install --progress-bar off -c $(CONSTRAINTS) -e '.[test,check]'
	@touch $@

setup: $(VENV)/.installed
	@echo "== fetching the default models (skipped if they are in the store)"
	$(BIN)/mars-score models get

demo: setup
	@echo "== scoring examples/demo.jsonl"
	$(BIN)/mars-score score examples/demo.jsonl --format table
	@echo "== where one of these scores comes from"
	$(BIN)/mars-score explain examples/demo.jsonl --id qa-greenhouse/good

browser:
	@tools/need_chromium

test: setup browser $(VENV)/.developer
	@echo "== running the tests"
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

test-fast: $(VENV)/.developer
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not models and not browser and not network and not slow"

coverage: setup browser $(VENV)/.developer
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --cov=mars_score --cov-report=term:skip-covered

test-processors: setup $(VENV)/.developer
	@echo "== running the tests of numbers as on other processors"
	$(BIN)/python tools/processors.py

gemma: setup
	@echo "== fetching gemma3-270m (240 MB); this accepts the Gemma Terms of Use"
	$(BIN)/mars-score models get gemma3-270m --accept-terms

embeddinggemma: setup
	@echo "== fetching embeddinggemma-300m (1.15 GB); this accepts the Gemma Terms of Use"
	$(BIN)/mars-score models get embeddinggemma-300m --accept-terms

check: setup $(VENV)/.developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/layout.py

bench: setup $(VENV)/.developer
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV)
