# The two commands for everyone: `make demo` shows the main job, `make test` runs every check.
PYTHON ?= python3
PYTHON_NEWER ?= python3.12
VENV := .venv
BIN := $(VENV)/bin
INSTALL := apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# A selection that says in half a minute whether the numerics, the contracts of the methods, files,
# questions and commands still hold; `make test` runs everything.
LONG := across_tasks alike best counts futility intervals proxy rerun sentences
QUICK := tests/contracts tests/core tests/data tests/rows \
	$(filter-out $(LONG:%=tests/questions/test_%.py),$(wildcard tests/questions/test_*.py)) \
	tests/study/test_plan.py tests/study/test_study.py tests/rollout/test_stop_rule.py \
	tests/cli/test_compare.py tests/test_package.py

.PHONY: demo test test-all check lint types imports docs pytest pytest-all pytest-quick programs mutants test-pythons test-lowest test-lerobot test-lerobot-newest check-tag dist paper format clean

demo: $(VENV)/.base
	@$(BIN)/stopwise demo

# The tests beside the rest; each part of that says what it found when it is over.
define beside_the_rest
	@$(MAKE) --keep-going --output-sync=target --no-print-directory lint imports types $(1) & \
	rest=$$!; $(MAKE) --no-print-directory $(2); passed=$$?; wait $$rest && exit $$passed
endef

test: $(VENV)/.dev programs
	+$(call beside_the_rest,docs,pytest)

# Also what is marked slow: before a release, and every night.
test-all: $(VENV)/.dev programs
	+$(call beside_the_rest,docs,pytest-all)
	@$(MAKE) --no-print-directory test-pythons
	@$(MAKE) --no-print-directory test-lowest

# Before every commit; types are checked from the second time on by what has changed.
check: $(VENV)/.dev
	+$(call beside_the_rest,,pytest-quick)

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
	$(BIN)/python -m tests.release.compatibility pythons

# The core of the tests with the lowest versions of all dependencies that pyproject.toml allows.
test-lowest: $(VENV)/.dev
	$(BIN)/python -m tests.release.compatibility lowest

# Faults put into the source, one at a time: two hours, by hand and once a month.
mutants: $(VENV)/.dev
	$(BIN)/python -m benchmarks.mutants

# LeRobot, gym-pusht, ManiSkill and robosuite, which ask for an environment of their own; what they
# warn of, on import too, is theirs.
test-lerobot: .lerobot/.done programs
	.lerobot/bin/python -m pytest -W default tests/lerobot
	@if command -v $(PYTHON_NEWER) >/dev/null; then $(MAKE) --no-print-directory test-lerobot-newest; \
	else echo "the newest LeRobot was not tested: it needs $(PYTHON_NEWER)"; fi

test-lerobot-newest: .lerobot-newest/.done
	.lerobot-newest/bin/python -m pytest -W default tests/lerobot/test_lerobot.py

# Before a release: the tag that is to be published is the version.
check-tag:
	test "$$GITHUB_REF_NAME" = "v$$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)"

dist: $(VENV)/.dev
	$(BIN)/python -m build --no-isolation

# Every table and figure of the paper, next to the published figures.
paper: $(VENV)/.dev
	$(BIN)/python -m benchmarks.paper --all

# One more at a time than there are cores: many tests wait for a server or a browser. Each computes
# on one core.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $$(($$(nproc) + 1)) --dist worksteal

pytest: $(VENV)/.dev programs
	$(PYTEST) -m "not slow"

pytest-all: $(VENV)/.dev programs
	$(PYTEST)

pytest-quick: $(VENV)/.dev
	$(PYTEST) -q -m "not slow" -k "not postgresql" --ignore tests/core/step/test_design.py --ignore tests/rows/test_looks.py $(QUICK)

# The tests start servers and a browser of their own; only the programs are needed.
programs:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || ($(INSTALL) postgresql)
	@command -v chromium >/dev/null || ($(INSTALL) chromium)

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .others .lerobot .lerobot-newest site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv $(VENV))
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	@echo "Installing stopwise into $(VENV): once, a minute or more, by the network ..."
	$(BIN)/python -m pip install --quiet --editable ".[plots,study]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.base
	@echo "Installing what the checks need: once, some minutes ..."
	$(BIN)/python -m pip install --quiet --editable ".[plots,excel,postgres,gym,ray,openpi]" --group dev
	@# Alone: it asks for an older NumPy, which its client does without.
	$(BIN)/python -m pip install --quiet --no-deps openpi-client==0.1.2
	@touch $@

# The last LeRobot for the oldest Python here. It asks for an older torch, and much that only robots need.
.lerobot/.done: tests/lerobot/requirements.txt
	$(PYTHON) -m venv .lerobot
	.lerobot/bin/python -m pip install --quiet torch==2.13.0
	.lerobot/bin/python -m pip install --quiet --no-deps lerobot==0.4.4 torchvision==0.28.0 robosuite==1.5.2 mink==0.0.5
	.lerobot/bin/python -m pip install --quiet --requirement $<
	.lerobot/bin/python -m pip install --quiet --no-deps --editable .
	@touch $@

.lerobot-newest/.done: tests/lerobot/newest.txt
	$(PYTHON_NEWER) -m venv .lerobot-newest
	.lerobot-newest/bin/python -m pip install --quiet --requirement $<
	.lerobot-newest/bin/python -m pip install --quiet --no-deps --editable .
	@touch $@
