# `make help` lists what there is. The commands behind it are plain ones: see README.md.

SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed
LINTER := tests/live/node_modules/.package-lock.json
PAGE := book/_build/html/index.html
PORT ?= 8000
CHAPTERS ?=
MINE ?= book/chapters/my_bert.py

# Two processes, which take whole files in the order in which conftest.py puts them: longest first.
TWO := -n 2 --dist loadscope --no-loadscope-reorder

# Of what the checker of types says outside the packages, only what would stop a program counts.
STOPS := "is not defined|No parameter named|Arguments? missing|more positional|attribute of module|unknown import symbol"
# This argument goes through the **options of transformers.
KNOWN := attn_implementation

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# One package for the tests has no wheel; old versions of pip would build it the way of setup.py.
export PIP_USE_PEP517 := 1
# Each process would compile all that it imports again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help book serve lab mine one-page mine-book notebooks quick test thorough portable coverage mutants check bench gpu records pins clean kit site pdf epub wheel python assets chromium

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1 | /p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s%s\n", $$1, $$2}'

book: assets  ## build the pages from the stored notebooks
	rm -rf book/_build
	$(BIN)/jupyter-book build book -W -n --keep-going --all --quiet
	@test -s $(PAGE)
	@echo "The book is built. Open $(CURDIR)/$(PAGE) in a browser, or run: make serve"

serve: $(PAGE)  ## show the pages at a local address
	@echo "The book is at http://127.0.0.1:$(PORT)/ (Ctrl+C ends it)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory book/_build/html

$(PAGE):
	@$(MAKE) book

pdf: chromium $(PAGE)  ## print the built book to one PDF
	$(BIN)/python book/_ext/printing.py

# Of a notebook that is not trusted JupyterLab shows figures without lines, and each reply of a quiz.
# It opens no link out of its folder, and the glossary is in the one above the chapters.
lab: $(INSTALLED)  ## open the chapters in JupyterLab
	@$(BIN)/jupyter trust book/chapters/*.ipynb > /dev/null
	$(BIN)/jupyter lab book --LabApp.default_url=/lab/tree/chapters

mine: $(INSTALLED)  ## say what holds of your own parts (MINE=my_bert.py for another file)
	@$(BIN)/python tests/scoreboard.py $(MINE)

one-page: $(INSTALLED)  ## write BERT on one page with your own classes (MINE=… for another file)
	@$(BIN)/python -m bertbook.reader.one_page $(MINE) my_bert_on_one_page.py

mine-book: $(INSTALLED)  ## run Chapters 8 to 21 on the classes of the solutions, and compare
	@mkdir -p book/_build
	$(BIN)/python tests/solutions.py book/_build/my_bert.py
	BOOK_MINE=$(CURDIR)/book/_build/my_bert.py $(BIN)/python -m pytest $(TWO) \
	  book/chapters/0[89]-*.ipynb book/chapters/1[0-9]-*.ipynb book/chapters/2[01]-*.ipynb

notebooks: $(INSTALLED)  ## run the chapters and store what they print (CHAPTERS=… for some)
	$(BIN)/python book/_ext/notebooks.py $(CHAPTERS)

quick: $(INSTALLED)  ## test the package and the rules of the house, in about 75 seconds
	$(BIN)/python -m pytest $(TWO) -m "not slow and not thorough" --hypothesis-profile=quick \
	  minibert bertfamily berttools bertbook tests --ignore=tests/book

kit: $(INSTALLED)  ## write the kit for teachers: notebooks to hand out, and solutions apart
	@$(BIN)/python book/_ext/kit.py

site: $(PAGE)  ## pack the built pages into one zip that needs no connection
	@$(BIN)/python book/_ext/release.py site

epub: chromium $(PAGE)  ## make the built book an e-book
	@$(BIN)/python book/_ext/ebook.py

# setuptools packs all that lies in build/, also a module that is gone since.
wheel: $(INSTALLED)  ## build the packages as a wheel
	@rm -rf book/_build/wheel build
	@$(BIN)/python -m pip wheel -qq --no-deps --wheel-dir book/_build/wheel .
	@ls book/_build/wheel/*.whl

test: chromium book  ## prove it: package, rules, chapters, records, a page of each kind
	$(BIN)/python -m pytest $(TWO) -m "not thorough" --hypothesis-profile=quick

thorough: chromium $(PAGE)  ## prove what is left: all other pages, long pieces of records, rarer cases
	$(BIN)/python -m pytest $(TWO) -m "(thorough or hypothesis) and not weekly" minibert bertfamily berttools bertbook tests

portable: $(INSTALLED)  ## compare the chapters with what the oldest and the newest instructions compute
	BOOK_ARITHMETIC=oldest $(BIN)/python -m pytest $(TWO) book/chapters
	BOOK_ARITHMETIC=newest $(BIN)/python -m pytest $(TWO) book/chapters

coverage: $(INSTALLED)  ## list the lines of the package that no test reaches
	$(BIN)/python -m pytest $(TWO) --cov=minibert --cov=bertfamily --cov=berttools --cov=bertbook minibert bertfamily berttools bertbook tests --ignore=tests/book

mutants: $(INSTALLED)  ## plant mistakes in the package and count those the tests notice (long)
	@$(BIN)/python -m pip install -qq -c constraints.txt -e ".[mutants]"
	nice $(BIN)/python -m benchmarks mutants

check: $(INSTALLED) $(LINTER)  ## check the style, the types and the rules of the house
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	! $(BIN)/basedpyright -p pyrightconfig.calls.json --pythonpath $(BIN)/python | grep -v $(KNOWN) | grep -E $(STOPS)
	PYTHONPATH=book/_ext $(BIN)/python tests/live/lint.py
	$(BIN)/python -m pytest -q tests/house tests/test_pins.py
	@$(BIN)/python tests/sizes.py

bench: $(INSTALLED)  ## measure tokenizer, encoder, training, loading and use against others
	$(BIN)/python -m benchmarks.toy_bert
	$(BIN)/python -m benchmarks.tokenizer
	$(BIN)/python -m benchmarks.encoder
	$(BIN)/python -m benchmarks.pretraining
	$(BIN)/python -m benchmarks.ragged
	$(BIN)/python -m benchmarks.loading
	$(BIN)/python -m benchmarks.sentences

gpu: $(INSTALLED)  ## prove and measure on a GPU what needs one, in at most 8 minutes
	$(BIN)/python -m benchmarks.gpu

records: $(INSTALLED)  ## repeat all recorded runs (hours; it says first how many)
	@$(BIN)/python -m pip install -qq -c constraints.txt -e ".[mutants]"
	$(BIN)/python -m benchmarks --all

pins: $(INSTALLED)  ## pin what pyproject.toml asks for (UPGRADE=--upgrade: at the newest)
	UV_PYTHON_DOWNLOADS=never $(BIN)/uv pip compile pyproject.toml --all-extras --universal \
	  --python-version 3.10 --no-annotate --custom-compile-command "make pins" \
	  --quiet --output-file constraints.txt $(UPGRADE)

clean:  ## remove what was built (not .venv)
	rm -rf build book/_build book/_vendor book/node_modules tests/live/node_modules .pytest_cache .ruff_cache .hypothesis .coverage*

# What is missing is said before anything is fetched or built, and in one sentence.

python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no $(PYTHON). Install Python 3.10 to 3.14, on Debian or Ubuntu with: sudo apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 15))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1), and this book needs Python 3.10 to 3.14. Name another one: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make a virtual environment. Install what it lacks, on Debian or Ubuntu with: sudo apt-get install python3-venv"; exit 1; }

assets: $(INSTALLED)
	@$(BIN)/python book/_ext/assets.py

chromium: $(INSTALLED)
	@$(BIN)/python book/_ext/browser.py

$(LINTER): tests/live/package-lock.json | $(INSTALLED)
	@$(BIN)/python book/_ext/node.py --prefix tests/live ci

$(INSTALLED): pyproject.toml constraints.txt | python
	@echo "Installing what the book needs into .venv, once. This takes a few minutes."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq -c constraints.txt -e ".[book,test,lab,dev]"
	@touch $(INSTALLED)
