#!/usr/bin/env bash
# Make sure the system libraries that Qt's wheels expect are there.
# usage: system_packages.sh window|test     (test adds an X server and the PDF tools)
# Ends with 1 only when a library without which Qt cannot load is missing and cannot be installed.
set -uo pipefail

# soname:Debian package, read off the NEEDED entries of QtCore, QtGui, QtDBus and the xcb platform plugin.
QT_LIBRARIES="
libEGL.so.1:libegl1                     libGL.so.1:libgl1
libX11.so.6:libx11-6                    libX11-xcb.so.1:libx11-xcb1
libdbus-1.so.3:libdbus-1-3              libfontconfig.so.1:libfontconfig1
libfreetype.so.6:libfreetype6           libglib-2.0.so.0:libglib2.0-0
libgthread-2.0.so.0:libglib2.0-0        libz.so.1:zlib1g
libzstd.so.1:libzstd1                   libxcb.so.1:libxcb1
libxcb-cursor.so.0:libxcb-cursor0       libxcb-glx.so.0:libxcb-glx0
libxcb-icccm.so.4:libxcb-icccm4         libxcb-image.so.0:libxcb-image0
libxcb-keysyms.so.1:libxcb-keysyms1     libxcb-randr.so.0:libxcb-randr0
libxcb-render.so.0:libxcb-render0       libxcb-render-util.so.0:libxcb-render-util0
libxcb-shape.so.0:libxcb-shape0         libxcb-shm.so.0:libxcb-shm0
libxcb-sync.so.1:libxcb-sync1           libxcb-util.so.1:libxcb-util1
libxcb-xfixes.so.0:libxcb-xfixes0       libxcb-xkb.so.1:libxcb-xkb1
libxkbcommon.so.0:libxkbcommon0         libxkbcommon-x11.so.0:libxkbcommon-x11-0
"
# command:Debian package
TEST_COMMANDS="Xvfb:xvfb xauth:xauth xvfb-run:xvfb pdftotext:poppler-utils"

purpose=${1:-window}
[ "$(uname -s)" = Linux ] || exit 0
PATH=$PATH:/usr/sbin:/sbin

missing_libraries() {
    local known pair
    command -v ldconfig >/dev/null || return 0
    known=$(ldconfig -p)
    for pair in $QT_LIBRARIES; do
        [[ $known == *$'\t'"${pair%%:*} "* ]] || echo "${pair##*:}"
    done | sort -u
}

missing_commands() {
    local pair
    [ "$purpose" = test ] || return 0
    for pair in $TEST_COMMANDS; do
        command -v "${pair%%:*}" >/dev/null || echo "${pair##*:}"
    done | sort -u
}

apt_updated=no
install() {  # as root on Debian and its kin; quiet when all is well
    [ $# -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "Installing system packages: $*"
    if [ $apt_updated = no ]; then
        apt-get update -qq || true
        apt_updated=yes
    fi
    DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# shellcheck disable=SC2046  # package names are single words
install $(missing_libraries) || true
# shellcheck disable=SC2046
install $(missing_commands) || true

libraries=$(missing_libraries | tr '\n' ' ')
commands=$(missing_commands | tr '\n' ' ')
if [ -n "$libraries$commands" ]; then
    {
        echo "Missing system packages: $libraries$commands"
        echo "Install them with:  sudo apt-get install --no-install-recommends $libraries$commands"
        echo "(other systems: the packages that hold the same libraries)"
    } >&2
fi
[ -z "$libraries" ]
