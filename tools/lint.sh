#!/usr/bin/env bash
# Style, types and import contracts; all three are run, so that one round shows everything.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
.venv/bin/ruff check --quiet --output-format concise . || status=1
.venv/bin/mypy --no-error-summary || status=1
contracts=$(.venv/bin/lint-imports 2>&1) || { echo "$contracts"; status=1; }
exit $status
