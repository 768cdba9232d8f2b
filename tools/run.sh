#!/bin/sh
# Open the window; without a display, run the example headless and say so.
set -eu
BIN=$1
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then
    exec "$BIN/flopwise"
fi
echo "No display found: running the example without a window."
mkdir -p build
"$BIN/flopwise" template pretraining-70b-h100 >build/example.json
echo
"$BIN/flopwise" estimate build/example.json
echo
"$BIN/flopwise" recommend build/example.json
echo
"$BIN/flopwise" report build/example.json --output build/flopwise-example.pdf
