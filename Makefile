# The two commands for everyone: `make demo` shows the main job, `make test` runs every check.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint types imports docs pytest programs test-pythons dist format clean

demo: $(VENV)/.base
	@$(BIN)/stopwise demo

test: lint types imports docs pytest

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# The core of the tests with the other supported versions of Python, where they are at hand.
test-pythons: $(VENV)/.dev
	$(BIN)/python -m tests.release.pythons

dist: $(VENV)/.dev
	$(BIN)/python -m build --no-isolation

pytest: $(VENV)/.dev programs
	$(BIN)/pytest -n auto

# The tests start servers and a browser of their own; only the programs are needed.
programs:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || ($(INSTALL) postgresql)
	@command -v chromium >/dev/null || ($(INSTALL) chromium)

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .pythons site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv $(VENV))
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	@echo "Installing stopwise into $(VENV): once, a minute or more, by the network ..."
	$(BIN)/python -m pip install --quiet --editable ".[plots,study]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.base
	@echo "Installing what the checks need: once, some minutes ..."
	$(BIN)/python -m pip install --quiet --editable ".[plots,postgres,gym,ray]" --group dev
	@touch $@
