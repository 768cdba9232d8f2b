# make run: install and open the window (or run the example without a display). make test: everything CI runs.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed.stamp

.PHONY: run test lint install translations wheel lock clean

run: $(STAMP)
	@sh tools/run.sh $(BIN)

test: $(STAMP)
	@sh tools/system_packages.sh tests
	@sh tools/test.sh $(BIN)

lint: $(STAMP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

install: $(STAMP)

$(STAMP): pyproject.toml requirements.lock tools/system_packages.sh
	@sh tools/system_packages.sh venv
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@sh tools/system_packages.sh window
	@touch $(STAMP)

translations: $(STAMP)
	$(BIN)/python tools/translations.py extract
	$(BIN)/python tools/translations.py compile

wheel: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

lock: $(STAMP)
	$(BIN)/python -m pip freeze --all --exclude-editable --exclude flopwise --exclude pip > requirements.lock

clean:
	rm -rf build dist $(VENV) *.egg-info
