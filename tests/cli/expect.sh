# SPDX-License-Identifier: MIT
# Sourced by the tests of the program, which set $sven: a folder $work that
# disappears, and checks that are counted.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  echo "FAILED: $1"
  sed 's/^/    /' "$work/stdout" "$work/stderr"
}

# expect CODE TEXT ARGUMENTS...: exit code, and TEXT in what is printed. The
# program sees $path as its PATH, if that is set.
expect() {
  local code=$1 text=$2
  shift 2
  PATH=${path-$PATH} "$sven" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
  local got=$?
  if [ "$got" -ne "$code" ]; then
    fail "sven $*: exit code $got, expected $code"
  elif ! grep -qF -- "$text" "$work/stdout" "$work/stderr"; then
    fail "sven $*: '$text' is not printed"
  else
    pass
  fi
}

# also TEXT: of the same run.
also() {
  grep -qF -- "$1" "$work/stdout" "$work/stderr" && pass || fail "no '$1'"
}

# settle CODE MESSAGE: whether the command before was content.
settle() { [ "$1" -eq 0 ] && pass || fail "$2"; }

# has FILE TEXT
has() { grep -qF -- "$2" "$1" && pass || fail "$1 has no '$2'"; }

same() { cmp -s "$1" "$2" && pass || fail "$1 and $2 differ"; }
differ() { cmp -s "$1" "$2" && fail "$1 and $2 are the same" || pass; }

# The end of a test.
summary() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
