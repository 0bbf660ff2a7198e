#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What uses threads, under the thread sanitizer: the server of --live, a scan, training
# with --threads. The same build is the one for any x86-64 processor, so the unit tests
# of what computes run in it too.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tsan >/dev/null
cmake --build --preset tsan --target \
  sven_program live_server_test linalg_test core_test nn_test
ctest --preset tsan -R '^(live_server_test|linalg_test|core_test|nn_test|cli_scan|cli_report)'
build/tsan/bin/sven train --task toy1d --hidden 128,128 --epochs 1 --threads 2 --quiet \
  --optimizer sven,sven-adaptive --out none
echo "Threads: ok"
