# `make demo` and `make test` need Python 3.11+, make and git, and install the rest into .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test check fuzz test-real test-lowest bench help-in-readme clean
help:
	@echo "make demo         build the sitemap of a copy of sample_site/ and show it"
	@echo "make test         ruff, mypy, all tests that need nothing but what pip installs"
	@echo "make fuzz         the property tests with 10,000 examples each; takes minutes"
	@echo "make test-real    tests against real generators and readers; installs what it lacks"
	@echo "make test-lowest  the tests with the lowest versions that pyproject.toml allows"
	@echo "make bench        ratios against find, as a Markdown table"

$(BIN)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

# A copy is built, so that the demo leaves the repository as it is.
demo: $(BIN)/.ready
	rm -rf .demo
	cp -R sample_site .demo
	cd .demo && ../$(BIN)/python -m sitemapper build --excluded -
	@echo && echo "--- sitemap.xml" && cat .demo/public/sitemap.xml
	@echo && echo "--- robots.txt" && cat .demo/public/robots.txt

test: check
	$(BIN)/python -m pytest

check: $(BIN)/.ready
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy

FUZZED := $(addprefix tests/test_,fuzz_config.py fuzz_site.py fuzz_sitemaps.py head.py robots.py hosts.py cache.py)
fuzz: $(BIN)/.ready
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m "hypothesis and not real" --durations=0 --durations-min=1 $(FUZZED)

test-real: $(BIN)/.ready
	bash tests/real/install.sh
	$(BIN)/python -m pytest -m real tests/real

test-lowest:
	$(PYTHON) tests/lowest.py .venv-lowest
	.venv-lowest/bin/python -m pytest

bench: $(BIN)/.ready
	$(BIN)/python benchmarks/run.py

help-in-readme: $(BIN)/.ready
	$(BIN)/python tests/test_docs.py

clean:
	rm -rf .venv .venv-lowest .demo .cache-real .mypy_cache .pytest_cache .ruff_cache .hypothesis
