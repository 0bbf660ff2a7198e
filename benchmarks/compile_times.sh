#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How long a user's program takes to compile with g++ -O2: the README's, a small fit,
# a fit with groups and bounds. The least of five.
# Usage: compile_times.sh [FOLDER of the headers, include unless said]
set -euo pipefail
cd "$(dirname "$0")/.."
headers=${1:-include}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```cpp$/ {inside = 1; next} /^```$/ {inside = 0} inside' README.md \
  >"$folder/readme.cc"
cp benchmarks/consumers/*.cc "$folder"
TIMEFORMAT=%R
for source in "$folder"/*.cc; do
  for _ in 1 2 3 4 5; do
    { time g++ -std=c++20 -O2 -I"$headers" -isystem /usr/include/eigen3 -c "$source" \
      -o "$folder/out.o"; } 2>&1
  done | sort -n | head -1 | xargs printf '%-20s %s s\n' "$(basename "$source" .cc)"
done
