#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The installed package builds and runs the README's program.
# Usage: install_test.sh BUILD_DIR
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null

# The consumer's source is the block of the README, word for word.
mkdir "$work/consumer"
cp "$here/CMakeLists.txt" "$work/consumer/"
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' \
  "$here/../../README.md" >"$work/consumer/main.cc"
[ -s "$work/consumer/main.cc" ] || { echo "README.md has no cpp block"; exit 1; }
cmake -S "$work/consumer" -B "$work/consumer/build" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/consumer/build"
"$work/consumer/build/consumer"
"$work/prefix/bin/sven" --version
