#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing of scripts/packages.txt, with the argument web also what
# changes of the report page need. Does nothing, quickly, if nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

extra=${1:-}
mapfile -t wanted < <(
  sed -E "/^(#|$)/d; ${extra:+s/^$extra: //;} /^[a-z]+: /d" scripts/packages.txt
)
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Installing: ${missing[*]}"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Please install as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo)
fi
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
