# `make demo` and `make test` need Python 3.11+, make and git, and install the rest into .venv.
PYTHON ?= python3
BIN := .venv/bin
DIST ?= dist
KILLS ?= 24
# The first of the seeds of `make stress`, which are in the names of its tests: SEED=7 repeats a run.
SEED := $(or $(SEED),$(shell date +%s))
T ?= tests
BEFORE ?= HEAD
# A clone that cannot be written has no place for caches.
NO_CACHE := $(shell test -w . || echo --no-cache)

# The tests start many processes, and without it each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test quick test-all compare snapshots stress check lint types fix fuzz test-real record-hosts test-lowest bench dist docs docs-generate clean
help:
	@echo "make demo            build the sitemap of a copy of sample_site/, and print it"
	@echo "make test            ruff, mypy and the quick tests"
	@echo "make test T=FOLDER   the same with the tests of one folder or file: make test T=tests/rooms"
	@echo "make fix             fix and format the code with ruff"
	@echo "make snapshots       update the texts that tests expect; read the diff"
	@echo "make test-all        make test with the slow tests and more examples; fails if coverage falls"
	@echo "make stress          builds that are killed, starved or raced, hostile input, and sequences of edits; KILLS=500 for more"
	@echo "make compare         build every tree of the tests with BEFORE=REVISION and with this version, and list what" \
		"differs; MORE='--show files --only submit' for a part of it"
	@echo "make fuzz            the property tests with 10,000 examples each; takes minutes"
	@echo "make test-real       tests with real generators and readers, which it installs"
	@echo "make record-hosts    ask the engines of hosts for the URLs of small sites; ENGINES=vercel for one of them"
	@echo "make test-lowest     the quick tests with the lowest versions that pyproject.toml allows"
	@echo "make bench           time and instructions a page, compared with bare loops, as Markdown"
	@echo "make dist            build the wheel and the source archive in dist/"
	@echo "make docs            build the documentation in .docs/; fails if a link is broken"
	@echo "make docs-generate   write the generated parts of README.md and docs/"

# All that `make dist` needs.
$(BIN)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	touch $@

# What the demo needs; the tools of developers come after it.
$(BIN)/.installed: $(BIN)/.created pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(BIN)/.ready: $(BIN)/.installed
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

# A copy is built, so that the demo leaves the repository as it is.
demo: $(BIN)/.installed
	rm -rf .demo
	cp -R sample_site .demo
	cd .demo && ../$(BIN)/python -m sitemapper build --excluded -
	@echo && echo "--- sitemap.xml" && cat .demo/public/sitemap.xml
	@echo && echo "--- robots.txt" && cat .demo/public/robots.txt
	@echo && echo "Look at the dates in sitemap.xml: every file of this copy is new, but each page keeps the date of its" \
		"last change, because sitemapper.ledger remembers it."

# mypy is one process, so the tests begin beside it.
test: lint
	@$(MAKE) --no-print-directory --jobs=2 types quick

# test-all tries laws on four times as many examples.
quick: $(BIN)/.ready
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest $(if $(NO_CACHE),-p no:cacheprovider) -m "not real and not slow" $(T)

# Counts what processes run that the tests start. pyproject.toml has the least that may be covered.
test-all: check
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -m "not real" --ignore tests/disturbed
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report

# Changes tests; says nothing of whether the new texts are right.
snapshots: $(BIN)/.ready
	@$(BIN)/python -m pytest -n 0 -m "not real" --inline-snapshot=create,fix $(T) \
		|| echo "A changed text is an ERROR above. A test that FAILED has the text in an assertion."
	$(BIN)/python -m ruff format --quiet tests
	@echo "Now read the diff: git diff -- tests"

# KILLS=24 takes two minutes on two processors.
stress: $(BIN)/.ready
	@echo "SEED=$(SEED)"
	SITEMAPPER_KILLS=$(KILLS) SITEMAPPER_SEED=$(SEED) $(BIN)/python -m pytest -m "not real" --durations=0 --durations-min=20 tests/disturbed

# At the first call, records the trees of the older version's tests, in an environment with its
# dependencies, and runs it on them. That takes some ten minutes.
compare: $(BIN)/.ready
	$(BIN)/python scripts/compare_builds.py --before $(BEFORE) $(MORE)

check: lint types

lint: $(BIN)/.ready
	$(BIN)/python -m ruff check $(NO_CACHE)
	$(BIN)/python -m ruff format --check $(NO_CACHE)

types: $(BIN)/.ready
	$(BIN)/python -m mypy $(if $(NO_CACHE),--cache-dir=/dev/null)

fix: $(BIN)/.ready
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

fuzz: $(BIN)/.ready
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -m "hypothesis and not real" --durations=0 --durations-min=1 tests/laws tests/rooms
	SITEMAPPER_JUDGED=3600 $(BIN)/python -m pytest -n 0 tests/disturbed/test_growth_of_readers.py

test-real: $(BIN)/.ready
	bash tests/real/install.sh
	$(BIN)/python -m pytest -m real tests/real

# Installs the engines of hosts, and writes their answers to tests/data/hosts/. Takes minutes.
record-hosts: $(BIN)/.ready
	cd tests && ../$(BIN)/python -m real.record_hosts $(ENGINES)

test-lowest:
	$(PYTHON) tests/lowest.py .venv-lowest
	HYPOTHESIS_PROFILE=quick .venv-lowest/bin/python -m pytest -m "not real and not slow"

bench: $(BIN)/.ready
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/instructions.py

dist: $(BIN)/.created
	$(BIN)/python -m pip install --quiet build
	rm -rf $(DIST)
	$(BIN)/python -m build --outdir $(DIST)

docs-generate: $(BIN)/.ready
	$(BIN)/python scripts/generate_docs.py

# Where the documentation will be published.
docs: export SITEMAPPER_BASE_URL ?= https://sitemapper.example/
docs: $(BIN)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

$(BIN)/.docs: $(BIN)/.ready
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

clean:
	rm -rf dist .venv .venv-lowest .demo .docs .cache-real .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*
