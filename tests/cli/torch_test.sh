#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs torch_test.py where a Python with PyTorch is present; else exits with 77,
# which counts as skipped.
# Usage: torch_test.sh SVEN
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import torch' 2>/dev/null; then
    "$python" "$(dirname "$0")/torch_test.py" "$1" "$work"
    exit
  fi
done
echo "no Python with PyTorch here: skipped"
exit 77
