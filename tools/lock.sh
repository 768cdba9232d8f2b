#!/usr/bin/env bash
# Write requirements.lock anew: the newest versions that pyproject.toml allows, tried in an empty environment.
set -euo pipefail
cd "$(dirname "$0")/.."
trial=build/lock-venv
rm -rf "$trial"
.venv/bin/python -m venv "$trial"
"$trial/bin/python" -m pip --disable-pip-version-check -q install ".[dev]" "$@"
"$trial/bin/python" -m pip --disable-pip-version-check freeze --exclude flopwise --exclude setuptools > requirements.lock
rm -rf "$trial"
