# Two commands are all a newcomer needs: `make demo` and `make test`. Each sets up what it needs by itself.

PYTHON ?= python3
VENV := .venv
DOCS := .venv-docs
BIN := $(VENV)/bin
INTEGRATIONS := .venv-integrations
PIP := $(BIN)/python -m pip --disable-pip-version-check
CONSTRAINTS ?= requirements/constraints.txt
# Asked for by exact version and before anything that depends on it: other requests may pull GPU builds.
TORCH := $(shell grep '^torch==' $(CONSTRAINTS))

.PHONY: help setup demo test test-fast test-processors test-integrations coverage browser gemma embeddinggemma check \
	schemas docs bench clean

help:
	@echo "make demo    set up, fetch the default models (about 200 MB), score examples/demo.jsonl and explain it"
	@echo "make test    set up everything and run the tests"
	@echo "make test-fast   run the tests that need no model, no browser and no network"
	@echo "make test-processors   run the tests of numbers again as on other processors"
	@echo "make test-integrations   test other tools that need an environment of their own (2.6 GB)"
	@echo "make gemma   fetch a second language model (240 MB, terms of its own), which one more test then uses"
	@echo "make embeddinggemma   fetch a multilingual encoder (1.15 GB, terms of its own), which one more test then uses"
	@echo "make coverage    run the tests and tell which lines they reach"
	@echo "make check   ruff, mypy, import-linter, and the limits of the layout"
	@echo "make docs    build the documentation as a site in site/, with every link checked"
	@echo "make schemas write the JSON Schemas in docs/schemas/ from the types"
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

$(VENV)/.pages: $(VENV)/.installed
	$(PIP) install --progress-bar off -c $(CONSTRAINTS) -e '.[convert,pages]'
	@touch $@

$(VENV)/.developer: pyproject.toml $(CONSTRAINTS) $(VENV)/.installed
	@echo "== installing what the tests and checks need"
	$(PIP) install --progress-bar off -c $(CONSTRAINTS) -e '.[test,check]'
	@touch $@

setup: $(VENV)/.installed
	@echo "== fetching the default models (skipped if they are in the store)"
	$(BIN)/mars-score models get

demo: $(VENV)/.pages setup
	@echo "== scoring examples/demo.jsonl"
	@$(BIN)/mars-score score examples/demo.jsonl --format table
	@echo "== why the first one is ahead"
	@$(BIN)/mars-score explain examples/demo.jsonl --id story-boat/good
	@$(BIN)/mars-score explain examples/demo.jsonl --html demo.html
	@echo "== the same for all of them, with their words marked; open in a browser:"
	@echo "file://$(CURDIR)/demo.html"

browser:
	@tools/need_chromium
	@$(PYTHON) tools/need_axe.py

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

$(INTEGRATIONS)/.installed: requirements/integrations.txt pyproject.toml
	@echo "== installing other tools into $(INTEGRATIONS)"
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip --disable-pip-version-check install $(TORCH)
	$(INTEGRATIONS)/bin/python -m pip --disable-pip-version-check install --progress-bar off --no-deps -r requirements/integrations.txt
	$(INTEGRATIONS)/bin/python -m pip --disable-pip-version-check install --no-deps -e .
	$(INTEGRATIONS)/bin/python -m pip check
	@touch $@

# Every version is listed, so that pip need not search. Without a tool its file is not collected, and pytest says so.
# Warnings of other tools are theirs; what they count and send home is switched off.
test-integrations: setup $(INTEGRATIONS)/.installed
	DEEPEVAL_TELEMETRY_OPT_OUT=1 MLFLOW_DISABLE_TELEMETRY=true HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 \
	$(INTEGRATIONS)/bin/python -m pytest -o filterwarnings=default -m integration tests/test_integrations_page.py \
		$(foreach tool,inspect_ai lm_eval lighteval deepeval mlflow,tests/integrations/test_$(tool).py)

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

schemas: $(VENV)/.developer
	$(BIN)/python tools/make_schemas.py

# An environment of its own, without torch: the reference is made from the sources, which are not imported.
$(DOCS)/.installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip --disable-pip-version-check install -q -c $(CONSTRAINTS) mkdocs-material 'mkdocstrings[python]'
	@touch $@

docs: $(DOCS)/.installed
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --site-dir site

bench: setup $(VENV)/.developer
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(INTEGRATIONS) $(DOCS) site
