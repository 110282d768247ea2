# Every verb sets up .venv by itself when it is missing or older than pyproject.toml.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
READY := .venv/.ready
NOTEBOOKS_READY := .venv/.ready-notebooks
BROWSER_READY := .venv/.ready-browser
BENCH_READY := .venv/.ready-bench
DOCS_READY := .venv/.ready-docs
DIST_READY := .venv/.ready-dist

# Files in which annotated shapes are checked at run time too: they cover the packages named, and are quick.
SHAPED := tests/test_spatial.py tests/test_hydro.py tests/test_gaits.py

.PHONY: demo test test-all lint bench notebooks browser-test docs dist lowest clean

$(INSTALLED): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $(INSTALLED)

$(READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[test,lint]"
	touch $(READY)

$(NOTEBOOKS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[notebooks]"
	touch $(NOTEBOOKS_READY)

demo: $(INSTALLED)  ## the eel swims: figures, an animation and a NetCDF file in out/
	$(BIN)/anguilla swim --gait planar --t1 10 --out out

test: $(READY)  ## all but the slow tests
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder -m "not slow"

test-all: $(READY)  ## every test, and the shapes of arrays against their annotations
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m pytest -m "not slow" --jaxtyping-packages=spatial,hydro,gaits,beartype.beartype $(SHAPED)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

$(BENCH_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	touch $(BENCH_READY)

bench: $(BENCH_READY)  ## ratios taken in one run; never part of the tests
	$(BIN)/python -m tests.benchmarks

notebooks: $(NOTEBOOKS_READY)
	$(BIN)/python -m pytest -n auto --dist loadfile --nbmake notebooks --nbmake-timeout=600 -p no:cacheprovider

$(BROWSER_READY): $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[browser]"
	touch $(BROWSER_READY)

browser-test: $(BROWSER_READY)  ## the interactive page in headless Chromium, installed by apt-get where it is missing
	.ci/chromium
	$(BIN)/python -m pytest tests/browser -o addopts=--import-mode=importlib

$(DOCS_READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $(DOCS_READY)

docs: $(DOCS_READY)  ## the site in out/docs; EXECUTE=1 runs notebooks and how-to pages first, where they have changed
	EXECUTE=$(EXECUTE) $(BIN)/python -m sphinx -W --keep-going -b html docs out/docs

$(DIST_READY): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable ".[dist]"
	touch $(DIST_READY)

dist: $(DIST_READY)  ## wheel and sdist in dist/, checked by twine and installed in an empty environment
	.ci/dist $(CURDIR)/$(BIN)/python

lowest: $(DIST_READY)  ## the quick tests with the lowest versions of all dependencies, in .venv-lowest
	.ci/lowest $(CURDIR)/$(BIN)/python

clean:
	rm -rf .venv .venv-lowest out dist
