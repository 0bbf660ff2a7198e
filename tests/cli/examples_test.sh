#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The example programs as a user runs them; those that take their time for a moment.
# Usage: examples_test.sh FOLDER
set -uo pipefail
folder=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../../examples")
source "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# with PROGRAM CODE TEXT ARGUMENTS...: expect, of an example.
with() {
  sven=$folder/$1
  shift
  expect "$@"
}

with fit_curve 0 "500 fits: 95.4 % of the true values within two error bars" fit.csv
also "omega =  1.5059 +- 0.0071   (true 1.5)"
has fit.csv "t,y,fit,error,true"
with beacons 0 "x = 3.188 +- 0.017 (true 3.2)" beacons.csv
has beacons.csv "receiver,3.18"
with arm 0 "20 joints, 3 conditions" arm.csv
has arm.csv "LevenbergMarquardt,12.000,8.000"

for example in poisson_2d poisson_5d heat burgers inverse; do
  solution=solution.csv
  [ $example = poisson_5d ] && solution=
  with $example 0 "L-BFGS, 50 pairs" 0.1 curves.csv $solution
  has curves.csv '"Adam, lr 0.003, cosine"'
  [ -z $solution ] || has $solution "x,y,u,solution"
done
also "true 0.25"

for seconds in soon -1 1e999 nan ""; do
  with heat 2 "heat: seconds = '$seconds': must be a positive, finite number" "$seconds"
done
with heat 1 "heat: missing/curves.csv: cannot be written" 1 missing/curves.csv

# not PRINTED: of the same run.
not() { grep -qF -- "$1" "$work/stdout" && fail "'$1' is printed" || pass; }
for example in arm beacons compare_1d fit_curve; do
  with $example 1 "$example: missing/file.csv: cannot be written" missing/file.csv
  not " "  # before the work
done

# What --help says is what the head of the source says, and nothing else happens.
mkdir empty
cd empty || exit 1
for source in "$examples"/*.cc; do
  example=$(basename "$source" .cc)
  usage=$(sed -n 's|^// Usage: ||p' "$source")
  for help in --help -h; do
    with "$example" 0 "Usage: $usage" $help
    [ "$(cat "$work/stdout")" = "Usage: $usage" ]
    settle $? "$example $help prints something else"
  done
  with "$example" 0 "Usage: $usage" curves.csv --help
  with "$example" 2 "$example: 4 arguments: must be at most" 1 2 3 4
  also "Usage: $usage"
done
[ -z "$(ls)" ]
settle $? "files were written: $(ls)"

summary
