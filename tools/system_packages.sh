#!/bin/sh
# Make sure the system libraries are there that Python packages cannot bring.
# usage: system_packages.sh venv|window|tests
# Installs them when root on Debian, else names them in one message. A missing display server never stops
# the program or the tests: they say what they leave out.
set -u

WINDOW="libgl1 libegl1 libfontconfig1 libdbus-1-3 libglib2.0-0 libx11-6 libx11-xcb1 libxcb1 libxkbcommon0
libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0
libxcb-render-util0 libxcb-render0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1 libxcb-xfixes0 libxcb-xkb1"
TESTS="$WINDOW xvfb xauth poppler-utils"

case "${1:-window}" in
venv)
    PYTHON=$(command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
    [ -x .venv/bin/python ] && exit 0
    "$PYTHON" -c 'import ensurepip' 2>/dev/null && exit 0
    PACKAGES="$(basename "$PYTHON")-venv"
    ;;
tests) PACKAGES=$TESTS ;;
*) PACKAGES=$WINDOW ;;
esac

[ "$(uname -s)" = Linux ] || exit 0
command -v dpkg-query >/dev/null 2>&1 || exit 0

MISSING=""
for package in $PACKAGES; do
    # A 64-bit time transition renamed some libraries: libglib2.0-0 is libglib2.0-0t64 there.
    dpkg-query -W -f='${Status}' "$package" "${package}t64" 2>/dev/null | grep -q "ok installed" ||
        MISSING="$MISSING $package"
done
[ -z "$MISSING" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    echo "Installing system libraries:$MISSING"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null 2>&1
    # shellcheck disable=SC2086
    if apt-get install -y -qq --no-install-recommends $MISSING >/dev/null 2>&1; then
        exit 0
    fi
    for package in $MISSING; do # one unknown name must not keep the others out
        apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 || echo "not available: $package"
    done
    exit 0
fi
echo "Flopwise needs system libraries that are not installed. Run:"
echo "    sudo apt-get install --no-install-recommends$MISSING"
exit 0
