#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds library, program and tests for any x86-64 processor, each source on its own,
# and runs the tests.
# Usage: check_build.sh [COMPILER [TYPE [SHARED]]], such as clang++-14 Debug ON
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=${1:-g++}
type=${2:-Release}
shared=${3:-OFF}

scripts/install_packages.sh
folder=build/$compiler-$type-$shared
cmake -G Ninja -B "$folder" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$type" \
  -DBUILD_SHARED_LIBS="$shared" -DSVEN_NATIVE=OFF -DSVEN_WERROR=ON \
  -DSVEN_BUILD_BENCHMARKS=OFF >/dev/null
cmake --build "$folder"
ctest --test-dir "$folder" --output-on-failure -j "$(nproc)"
