#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Links in the documentation lead somewhere, files that it names exist, and blocks of
# code after <!-- from FILE --> stand in that file, line by line (indentation aside).
set -euo pipefail
cd "$(dirname "$0")/.."
bad=0
for page in *.md docs/*.md docs/*/*.md; do
  while read -r target; do
    case $target in http*|\#*) continue ;; esac
    if [ ! -e "$(dirname "$page")/${target%%#*}" ]; then
      echo "$page: link to $target, which does not exist" >&2
      bad=1
    fi
  done < <(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)]+\)' | sed -E 's/^\]\(|\)$//g')
  while read -r path; do
    if [ ! -e "$path" ]; then
      echo "$page: names $path, which does not exist" >&2
      bad=1
    fi
  done < <(grep -oE '\b(src|include|tests|scripts|benchmarks|examples|docs)/[A-Za-z0-9_./-]+\.(cc|h|sh|py|txt|md)\b' "$page" | sort -u)
done
flatten() { sed -E 's/^ +//' "$@"; }
for page in docs/*.md docs/*/*.md; do
  while read -r file lines; do
    block=$(sed -n "${lines}p" "$page" | flatten)
    if [[ "$(flatten "$file")" != *"$block"* ]]; then
      echo "$page: lines $lines are not in $file" >&2
      bad=1
    fi
  done < <(awk '/^<!-- from .* -->$/ { file = $3; next }
                /^```cpp$/ && file { first = NR + 1; next }
                /^```$/ && first { print file, first "," NR - 1; first = 0; file = "" }' \
    "$page")
done
if grep -nE '\b[A-Z]+_TABLE\b|\bTODO\b|\bTBD\b' *.md docs/*.md docs/*/*.md; then
  echo "a placeholder is left in the documentation" >&2
  bad=1
fi
[ "$bad" -eq 0 ] && echo "Documentation: ok"
exit "$bad"
