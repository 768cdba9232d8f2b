#!/usr/bin/env bash
# Open the window on the example; without a display, work the example through headless.
set -euo pipefail
cd "$(dirname "$0")/.."
flopwise=.venv/bin/flopwise
example=pretraining-70b-h100

if [ "$(uname -s)" = Darwin ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    tools/system_packages.sh window
    exec "$flopwise"
fi

echo "No display found (DISPLAY and WAYLAND_DISPLAY are not set): running the example without a window."
mkdir -p build
plan=build/$example.json
pdf=build/flopwise-example.pdf
"$flopwise" template "$example" > "$plan"
printf '\n== Estimate of %s ==\n' "$plan"
"$flopwise" estimate "$plan"
printf '\n== Recommendations ==\n'
"$flopwise" recommend "$plan"
printf '\n== Budget proposal ==\n'
"$flopwise" report "$plan" --output "$pdf"
echo "Written: $PWD/$pdf"
