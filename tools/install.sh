#!/usr/bin/env bash
# Make .venv from the locked versions, with the program itself in editable form. Fast when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=.venv/.flopwise-installed
fingerprint=$(cksum requirements.lock pyproject.toml; pwd)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$fingerprint" ] && [ -x .venv/bin/flopwise ]; then
    exit 0
fi

find_python() {  # 3.11 is what the versions were locked with; otherwise the newest that is new enough
    local name
    for name in ${PYTHON:-} python3.11 python3.14 python3.13 python3.12 python3; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    echo "Flopwise needs Python 3.11 or newer: none found. On Debian: sudo apt-get install python3.11 python3.11-venv" >&2
    return 1
}

make_venv() {
    local python=$1 package
    "$python" -m venv .venv >/dev/null 2>&1 && return
    rm -rf .venv
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing system packages: $package"
        apt-get update -qq || true
        DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes apt-get install -y -qq --no-install-recommends "$package" >/dev/null || true
    fi
    "$python" -m venv .venv >/dev/null && return
    rm -rf .venv
    echo "Cannot make a virtual environment with $python. On Debian: sudo apt-get install $package" >&2
    return 1
}

if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    python=$(find_python)
    echo "Making .venv with $python"
    rm -rf .venv
    make_venv "$python"
fi
echo "Installing the locked packages into .venv"
pip() { .venv/bin/python -m pip --disable-pip-version-check --no-input -q "$@"; }
pip install -r requirements.lock
# The build backend is one of the locked packages, so nothing else is downloaded.
pip install --no-build-isolation --no-deps -e .
printf '%s\n' "$fingerprint" > "$stamp"
