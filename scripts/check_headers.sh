#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every public header compiles alone. (The build, which reads sources ten at a time,
# would not see that a header leans on what another one included.)
set -euo pipefail
cd "$(dirname "$0")/.."
find include -name '*.h' | xargs -P "$(nproc)" -I{} \
  g++ -std=c++20 -fsyntax-only -Iinclude -isystem /usr/include/eigen3 -x c++ {}
echo "Headers: ok"
