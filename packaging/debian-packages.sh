#!/usr/bin/env bash
# Installs the missing Debian packages for the given purposes.
#
# Usage: packaging/debian-packages.sh [--list] build|run|test|long ...
# Runs as root or with sudo. If no package is missing, it prints nothing. --list prints all names instead.
set -euo pipefail

build=(pkg-config libglib2.0-dev libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
    libgstreamer-plugins-bad1.0-dev libsoup-3.0-dev libsecret-1-dev libsdl2-dev libpango1.0-dev
    libsqlite3-dev libphonenumber-dev)
run=(gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad
    gstreamer1.0-plugins-ugly gstreamer1.0-libav gstreamer1.0-nice gstreamer1.0-pulseaudio
    gstreamer1.0-alsa
    gstreamer1.0-x
    glib-networking ca-certificates libpangocairo-1.0-0 libsqlite3-0 libphonenumber8 fonts-roboto-unhinted)
test=(ffmpeg chromium xvfb python3-venv imagemagick xdotool x11-utils iproute2 openssl
    fonts-dejavu-core coturn nftables pulseaudio pulseaudio-utils gir1.2-gst-rtsp-server-1.0 python3-gi
    dbus gnome-keyring openbox gstreamer1.0-tools redis-server nginx-light libnginx-mod-rtmp
    libnginx-mod-stream curl
    bash-completion zsh fish mandoc man-db desktop-file-utils appstream dpkg-dev debootstrap weston wrk)
# Only for `make long`, because they are large.
long=(obs-studio)

is_list=
[[ ${1-} != --list ]] || {
    is_list=yes
    shift
}
wanted=()
for purpose in "$@"; do
    case $purpose in
    build) wanted+=("${build[@]}") ;;
    run) wanted+=("${run[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    long) wanted+=("${long[@]}") ;;
    *)
        echo "debian-packages.sh: unknown purpose '$purpose' (build, run, test or long)" >&2
        exit 64
        ;;
    esac
done

if [[ $is_list ]]; then
    printf '%s\n' "${wanted[@]}"
    exit
fi
if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system: please install the counterparts of: ${wanted[*]}" >&2
    exit 0
fi

missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

privileged() { "$@"; }
if ((EUID != 0)); then
    command -v sudo >/dev/null || {
        echo "Installing packages requires root or sudo; missing: ${missing[*]}" >&2
        exit 1
    }
    privileged() { sudo --preserve-env=DEBIAN_FRONTEND "$@"; }
fi

export DEBIAN_FRONTEND=noninteractive
echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { privileged apt-get update && privileged apt-get install --yes --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    exit 1
fi
