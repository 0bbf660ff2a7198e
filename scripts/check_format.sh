#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All C++ files are as clang-format writes them; --fix writes them so.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run --Werror)
[ "${1:-}" = "--fix" ] && mode=(-i)
git ls-files --cached --others --exclude-standard '*.h' '*.cc' |
  xargs clang-format "${mode[@]}"
echo "Format: ok"
