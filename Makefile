.PHONY: run test lint format install translations wheel lock clean

run: install  ## open the window on the example; without a display, run the example headless
	@tools/run.sh

test: install  ## everything: lint, unit, property, contracts, GUI offscreen, end to end in a real X window
	@tools/test.sh

lint: install  ## ruff, mypy, import contracts
	@tools/lint.sh

format: install
	@.venv/bin/ruff check --quiet --fix . ; .venv/bin/ruff format --quiet .

install:  ## .venv with the locked versions and the program itself
	@tools/install.sh

translations: install  ## bring assets/i18n up to date with the sources
	@.venv/bin/python tools/translations.py extract
	@.venv/bin/python tools/translations.py compile

wheel: install  ## dist/flopwise-*.whl
	@.venv/bin/python -m pip --disable-pip-version-check wheel -q --no-deps --no-build-isolation -w dist .
	@ls dist/*.whl

lock: install  ## newest allowed versions into requirements.lock
	@tools/lock.sh

clean:  ## remove what can be made again, except .venv
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
