#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Puts what the program says into the documentation: docs/cli.md, the table of settings
# of every optimizer, the verdicts and tables of docs/reproduction.md and, where there is
# Python, its figures. With --check nothing is written; the exit code is 1 if something
# would be.
# Usage: update_docs.sh [--check] [SVEN]
set -euo pipefail
cd "$(dirname "$0")/.."
check=0
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
sven=${1:-build/release/bin/sven}
bad=0

# update PAGE TEXT: what the page is to be.
update() {
  [ "$2" != "$(cat "$1" 2>/dev/null)" ] || return 0
  if [ "$check" -eq 1 ]; then
    echo "$1 is not what the program says; run scripts/update_docs.sh" >&2
    bad=1
  else
    printf '%s\n' "$2" >"$1"
    echo "$1"
  fi
}

# replace PAGE TABLE: the first table after "## Settings" becomes TABLE.
replace() {
  awk -v table="$2" '
    /^## / { inside = ($0 == "## Settings") }
    inside && /^\|/ { if (!done) { printf "%s\n", table; done = 1 } next }
    { print }' "$1"
}

names=$("$sven" list optimizers --names)
for name in $names; do
  page=docs/optimizers/$name.md
  if [ ! -e "$page" ]; then
    echo "$page is missing" >&2
    bad=1
    continue
  fi
  for section in Update Settings Use Notes Reference; do
    if ! grep -qx "## $section" "$page"; then
      echo "$page has no section $section" >&2
      bad=1
    fi
  done
  new=$(replace "$page" "$("$sven" list optimizers "$name" --markdown)")
  update "$page" "$new"
  if ! grep -q "($name.md)" docs/optimizers/README.md; then
    echo "docs/optimizers/README.md does not lead to $page" >&2
    bad=1
  fi
done
for page in docs/optimizers/*.md; do
  name=$(basename "$page" .md)
  case " README $(echo $names) " in *" $name "*) continue ;; esac
  echo "$page: there is no optimizer of that name" >&2
  bad=1
done
commands=$("$sven" list commands --markdown)
update docs/cli.md "$commands"
tables=$("$sven" reproduce --results docs/reproduction/results.json --markdown)
page=docs/reproduction.md
if grep -q '^<!-- from here on' "$page"; then
  update "$page" "$(sed '/^<!-- from here on/q' "$page")

$tables"
else
  echo "$page: the line <!-- from here on ... --> is gone" >&2
  bad=1
fi
if command -v python3 >/dev/null; then
  drawn=$(mktemp -d)
  trap 'rm -rf "$drawn"' EXIT
  docs/figures.py docs/reproduction/results.json "$drawn"
  for figure in "$drawn"/*.svg; do
    page=docs/figures/$(basename "$figure")
    update "$page" "$(cat "$figure")"
  done
fi
exit "$bad"
