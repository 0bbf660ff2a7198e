#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the fuzz targets of the readers and runs each for SECONDS (30 unless
# said), with sanitizers, as many at a time as there are cores. What was learnt stays
# in build/fuzz/corpus for the next time; an input that breaks a reader is written to
# build/fuzz/findings.
# Usage: fuzz.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}

if ! command -v clang++-14 >/dev/null; then
  echo "Please run scripts/install_packages.sh first: clang is missing" >&2
  exit 1
fi
cmake --preset asan >/dev/null
cmake --build --preset asan --target fuzzers

# What the targets start from.
folder=build/fuzz
corpus=$folder/corpus
samples=tests/data/formats
mkdir -p "$corpus"/{csv,npy,npz,idx,gzip,safetensors,model,run_file,config,results} \
  "$folder/findings"
cp "$samples"/*.npy "$corpus/npy"
cp "$samples"/*.npz "$corpus/npz"
cp "$samples"/idx* "$corpus/idx"
cp "$samples"/*.gz "$corpus/gzip"
cp tests/data/parity/sven_single_sample.safetensors "$corpus/safetensors"
cp fuzz/seeds/model.safetensors "$corpus/model"
cp fuzz/seeds/run.jsonl "$corpus/run_file"
cp fuzz/seeds/*.toml "$corpus/config"
cp fuzz/seeds/results.json "$corpus/results"
printf 'a,"b ""c""",kind\n1,-2.5e3,x\n"3",+4,y\n' >"$corpus/csv/header"
printf '1;2;0\r\n3;4;1\r\n' >"$corpus/csv/numbers"
printf '\xef\xbb\xbfa\tb\n1\t2' >"$corpus/csv/tabs"

run() {
  local target=$1 log=$folder/$1.log
  if ! "build/asan/bin/${target}_fuzz" -max_total_time="$seconds" \
    -max_len=65536 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$folder/findings/$target-" "$corpus/$target" \
    >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "$target: a finding, see $log and $folder/findings" >&2
    return 1
  fi
  awk -v target="$target" '/number_of_executed_units/ {n = $2}
    /peak_rss_mb/ {printf "%s: %d inputs, at most %d MB\n", target, n, $2}' \
    "$log"
}
export -f run
export folder corpus seconds
printf '%s\n' csv npy npz idx gzip safetensors model run_file config results |
  xargs -P "$(nproc)" -I{} bash -c 'run {}'
echo "Fuzzing: ok"
