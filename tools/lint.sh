#!/usr/bin/env bash
# Style, types and import contracts; the same checks as in the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/ruff check --quiet .
.venv/bin/mypy --no-error-summary
.venv/bin/lint-imports --no-logo 2>/dev/null || .venv/bin/lint-imports
