#!/usr/bin/env bash
# Everything: lint, all tests offscreen on two workers, then the end-to-end flow in a real X window.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/system_packages.sh test
# The same examples on every machine and run; plain pytest draws new ones each time.
export CI=${CI:-1}
tools/lint.sh
.venv/bin/pytest -q -n 2 --dist worksteal -m "not e2e"
if command -v xvfb-run >/dev/null && command -v Xvfb >/dev/null; then
    QT_QPA_PLATFORM=xcb xvfb-run --auto-servernum --server-args="-screen 0 1440x900x24" \
        .venv/bin/pytest -q -m e2e
else
    echo "Xvfb cannot be had here: the end-to-end tests run without a real X window (offscreen)."
    .venv/bin/pytest -q -m e2e
fi
