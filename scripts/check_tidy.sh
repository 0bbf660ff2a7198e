#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy on our sources, with the settings of .clang-tidy. Needs a configured
# build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard 'src/*.cc' 'apps/*.cc' \
  'examples/*.cc' | xargs -P "$(nproc)" -n 2 \
  clang-tidy -p build/release --quiet --warnings-as-errors='*' 2>/dev/null
echo "clang-tidy: ok"
