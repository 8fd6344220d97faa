# One set of commands for the hand, the hook and CI. `make` alone lists them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
PYTHON := $(BIN)/python
STAMP := .venv/.installed
RLLIB_STAMP := .venv-rllib/.installed
PEERS := .venv-peers/bin/python
PEERS_STAMP := .venv-peers/.installed

# The first interpreter that is 3.11 or newer and can make an environment. Overridden by: make setup BASE_PYTHON=...
BASE_PYTHON = $(shell for python in python3.13 python3.12 python3.11 python3; do \
	$$python -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$python; break; }; done)

# One thread a process: small matrices run slower on two, and far slower beside other work.
demo reproduce test test-all test-uncompiled test-bounds test-openspiel test-rllib bench package: export OMP_NUM_THREADS := 1
demo reproduce test test-all test-uncompiled test-bounds test-openspiel test-rllib bench package: export OPENBLAS_NUM_THREADS := 1

.PHONY: help
help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(STAMP) ## make .venv and install the project with all its tools

$(PYTHON):
	@test -n "$(BASE_PYTHON)" || { echo "Python 3.11 or newer, with venv, is needed." >&2; exit 1; }
	@echo "Making .venv with $(BASE_PYTHON)."
	@$(BASE_PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

$(STAMP): pyproject.toml constraints.txt | $(PYTHON)
	@echo "Installing pontoon-env and its tools into .venv (one to three minutes the first time)."
	@$(PYTHON) -m pip install -qq --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@
	@echo "Done. Try: make demo"

.PHONY: demo
demo: $(STAMP) ## train a small player, compare it with the baselines, write out/demo
	@$(PYTHON) -m eval.demo

.PHONY: reproduce
reproduce: $(STAMP) ## train and measure all published policies, shortened, and write out/reproduce
	@$(PYTHON) -m eval.reproduce

.PHONY: bench
bench: $(STAMP) $(PEERS_STAMP) ## measure speed beside other environments, write out/bench
	@$(PYTHON) -m eval.bench --peers $(PEERS)

$(PEERS_STAMP): constraints-peers.txt | $(PYTHON)
	@echo "Installing the environments to measure beside into .venv-peers (1.6 GB, some minutes the first time)."
	@test -x $(PEERS) || $(PYTHON) -m venv .venv-peers || { rm -rf .venv-peers; exit 1; }
	@$(PEERS) -m pip install -qq --disable-pip-version-check --no-deps -r constraints-peers.txt
	@touch $@

# Two workers for two cores. Each compiles on its own what it needs, so a warm-up beforehand would gain nothing.
.PHONY: test
test: $(STAMP) ## run the tests, without the slow ones
	$(PYTHON) -m pytest -q -n 2 --dist worksteal

.PHONY: test-all
test-all: $(STAMP) ## run all tests, the slow ones too
	$(PYTHON) -m pytest -q -n 2 --dist worksteal -m ""

# Worlds and memory are kernels too. Uncompiled, what compares frequencies over many games is left out.
KERNEL_TESTS := $(addprefix tests/test_,hidden.py memory.py)

RULES_TESTS := $(addprefix tests/test_,rules.py rules_object.py variations_play.py variations_pay.py variations_bank.py shoot.py deal.py history.py golden.py)

.PHONY: test-uncompiled
test-uncompiled: $(STAMP) ## run the tests of rules, worlds and memory with the kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -q $(RULES_TESTS)
	NUMBA_DISABLE_JIT=1 $(PYTHON) -m pytest -q -n 2 --dist worksteal -m "not slow and not statistical" $(KERNEL_TESTS)

.PHONY: test-bounds
test-bounds: $(STAMP) ## run the tests of the kernels with every index checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$$(mktemp -d) $(PYTHON) -m pytest -q \
		$(RULES_TESTS) $(KERNEL_TESTS) tests/test_lockstep.py tests/test_counter.py

.PHONY: test-openspiel
test-openspiel: $(STAMP) ## install OpenSpiel, check the solver against it and the example's game
	@$(PYTHON) -m pip install -qq --disable-pip-version-check -c constraints.txt -e ".[openspiel]"
	$(PYTHON) -m pytest -q -n 2 --dist worksteal tests/test_openspiel.py

# RLlib asks for one version of Gymnasium, another than the project is developed with.
$(RLLIB_STAMP): pyproject.toml constraints-rllib.txt
	@test -n "$(BASE_PYTHON)" || { echo "Python 3.11 or newer, with venv, is needed." >&2; exit 1; }
	@echo "Installing pontoon-env and RLlib into .venv-rllib (a few minutes the first time)."
	@test -x .venv-rllib/bin/python || $(BASE_PYTHON) -m venv .venv-rllib || { rm -rf .venv-rllib; exit 1; }
	@.venv-rllib/bin/python -m pip install -qq --disable-pip-version-check -c constraints-rllib.txt -e ".[rllib,test]"
	@touch $@

# A token for this run alone, or Ray would leave one in the home folder.
.PHONY: test-rllib
test-rllib: export RAY_USAGE_STATS_ENABLED := 0
test-rllib: export RAY_AUTH_MODE := token
test-rllib: $(RLLIB_STAMP) ## install RLlib in .venv-rllib, train with it, on a cluster too
	RAY_AUTH_TOKEN=$$(.venv-rllib/bin/python -c 'import secrets; print(secrets.token_hex(32))') \
	.venv-rllib/bin/python -m pytest -q tests/test_rllib.py

.PHONY: check
check: $(STAMP) ## check format, lint, types, layers and spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

.PHONY: format
format: $(STAMP) ## format the code and apply safe lint fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: package
package: $(STAMP) ## build wheel and sdist, then try the wheel in a fresh environment
	@rm -rf dist
	@echo "Building the sdist, and from it the wheel."
	@$(PYTHON) -m build --no-isolation >dist.log 2>&1 || { cat dist.log; rm dist.log; exit 1; }; rm dist.log
	@for file in agents/trained/*/*.*; do \
		tar -tzf dist/*.tar.gz | grep -q "/$$file$$" || { echo "The sdist lacks $$file." >&2; exit 1; }; \
	done
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT \
	&& smoke=$$PWD/tests/wheel_smoke.py \
	&& echo "Installing the wheel alone into a fresh environment." \
	&& $(PYTHON) -m venv "$$folder/venv" \
	&& "$$folder/venv/bin/python" -m pip install -qq --disable-pip-version-check -c constraints.txt dist/*.whl \
	&& cd "$$folder" && venv/bin/python -I "$$smoke"
	@ls -l dist

.PHONY: clean
clean: ## remove caches and dist; keep environments, out and runs
	rm -rf dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info
	find . -path './.venv*' -prune -o -type d -name __pycache__ -exec rm -rf {} +
