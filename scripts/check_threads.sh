#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What uses threads, under the thread sanitizer: the server of --live, scans, reports,
# training with --threads.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset tsan >/dev/null
cmake --build --preset tsan --target sven_program live_server_test
# It does not see how OpenBLAS's own threads wait for each other.
echo 'called_from_lib:libopenblas.so' >build/tsan/suppressions
export TSAN_OPTIONS="suppressions=$PWD/build/tsan/suppressions"
ctest --preset tsan -R '^(live_server_test|cli_scan|cli_report)'
build/tsan/bin/sven train --task toy1d --hidden 512,512 --epochs 1 --threads 2 --quiet \
  --optimizer sven,sven-adaptive --out none
echo "Threads: ok"
