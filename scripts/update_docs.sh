#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Puts what the program says of itself into the documentation: docs/cli.md, and the
# table of settings of every optimizer. With --check nothing is written; the exit code is
# 1 if something would be.
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
  if [ "$new" != "$(cat "$page")" ]; then
    if [ "$check" -eq 1 ]; then
      echo "$page: the settings are not those of the program;" \
        "run scripts/update_docs.sh" >&2
      bad=1
    else
      printf '%s\n' "$new" >"$page"
      echo "$page"
    fi
  fi
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
new=$("$sven" list commands --markdown)
if [ "$new" != "$(cat docs/cli.md 2>/dev/null)" ]; then
  if [ "$check" -eq 1 ]; then
    echo "docs/cli.md is not what the program says; run scripts/update_docs.sh" >&2
    bad=1
  else
    printf '%s\n' "$new" >docs/cli.md
    echo docs/cli.md
  fi
fi
exit "$bad"
