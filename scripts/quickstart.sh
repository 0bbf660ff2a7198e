#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, and trains the paper's 1-D task with Sven and
# SGD side by side.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_packages.sh
cmake --preset release >/dev/null
cmake --build --preset release --target sven_program compare_1d
build/release/bin/compare_1d
echo
echo "The program is build/release/bin/sven; try it with --help."
