#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The report page: web/dist/report.html is what its sources make, their types and
# format are right, and the tests in a browser pass, with the program's own output.
# Usage: check_web.sh [SVEN]
set -euo pipefail
cd "$(dirname "$0")/.."
SVEN=$(realpath "${1:-build/release/bin/sven}")
export SVEN
[ -x "$SVEN" ] || { echo "$SVEN: not there; build it first" >&2 && exit 1; }

scripts/install_packages.sh web
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number);
    process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null ||
  ! command -v npm >/dev/null; then
  echo "The report page needs Node.js 20.19 or later, with npm: https://nodejs.org" >&2
  exit 1
fi
cd web
npm ci --no-audit --no-fund --silent
kept=$(mktemp)
trap 'rm -f "$kept"' EXIT
cp dist/report.html "$kept"
npm run --silent build >/dev/null
if ! cmp "$kept" dist/report.html; then
  echo "web/dist/report.html is not what web/src makes; commit what npm run build makes" >&2
  exit 1
fi
npm run --silent check
npm test --silent
