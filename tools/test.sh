#!/bin/sh
# Everything CI runs: style, types, import directions, tests, then the whole road in a real X window.
set -eu
BIN=$1
"$BIN/ruff" check .
"$BIN/ruff" format --check .
"$BIN/mypy"
"$BIN/lint-imports"
if command -v xvfb-run >/dev/null 2>&1; then
    QT_QPA_PLATFORM=xcb xvfb-run -a -s "-screen 0 1600x1000x24" "$BIN/pytest" -q -m e2e tests/e2e
else
    echo "Xvfb is not to be had: the end-to-end test in a real X window is left out."
fi
exec "$BIN/pytest" -q -n 2 -m "not e2e" tests
