#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy on our sources, with the settings of .clang-tidy. Most of its time goes
# into foreign headers, so it reads a folder at a time, as the preset asan compiles it.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset asan >/dev/null
# The analyzer gives up on a function after this many states: what it finds, it
# finds early, and all of Eigen's would take half of the time.
few_states=()
for word in -Xclang -analyzer-config -Xclang max-nodes=10000; do
  few_states+=("--extra-arg=$word")
done
grep -oP '"file": "\K[^"]*' build/asan/compile_commands.json |
  grep -E '/Unity/|/src/' | grep -vE '/(testing|tests|fuzz)/' | xargs -P "$(nproc)" -n 1 \
  clang-tidy -p build/asan --quiet --warnings-as-errors='*' \
  "${few_states[@]}" 2>/dev/null
echo "clang-tidy: ok"
