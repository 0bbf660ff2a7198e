#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sven reproduce as a user runs it, with few runs: what it writes, that it goes on
# where it was stopped, and what it refuses.
# Usage: reproduce_test.sh SVEN [SEEDS], those of the reproduction that is stopped
set -uo pipefail
sven=$(realpath "$1")
seeds=${2:-4}
source "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# Wrong usage, before anything runs.
expect 2 "did you mean 'toy1d'" reproduce --out a --only toy1
expect 2 "--out is missing" reproduce --only microbatch-toy1d
expect 2 "--seeds" reproduce --out a --seeds 0
expect 2 "--markdown goes with --results" reproduce --out a --markdown
expect 1 "sven data mnist" reproduce --out a --only toy1d,mnist
expect 1 "nowhere" reproduce --out a --only mnist-ce --data-dir nowhere
[ ! -e a ]
settle $? "something was written"
touch file
expect 1 "file" reproduce --out file --only microbatch-toy1d
expect 1 "none.json: cannot open" reproduce --results none.json
echo '{"format": "other"}' >other.json
expect 1 "other.json: 'format' = 'other'" reproduce --results other.json

expect 0 "48 runs" reproduce --only lbfgs-plain --dry-run
expect 0 "18 runs" reproduce --only microbatch-toy1d --seeds 3 --dry-run

# One experiment: the others are not measured.
expect 0 "Written: a/results.json and a/claims.json" \
  reproduce --out a --only microbatch-toy1d --seeds 1
also "1-D: "
also "not measured: On MNIST it matches Adam"
also "microbatch-toy1d: Micro-batches, 1-D regression, 6 runs"
[ "$(ls a/microbatch-toy1d/runs | wc -l)" -eq 6 ]
settle $? "6 records"
cp stdout first.txt
cp a/results.json first.json

# The same again has nothing to do, and says the same.
expect 0 "Written" reproduce --out a --only microbatch-toy1d --seeds 1 --quiet
same a/results.json first.json
grep -v took stdout >second.txt
grep -v took first.txt >again.txt
same second.txt again.txt
expect 0 "1-D: " reproduce --results a/results.json
expect 0 "| the paper says |" reproduce --results a/results.json --markdown

# Other seeds are another scan.
expect 1 "holds another scan, with other --seeds" reproduce \
  --out a --only microbatch-toy1d --seeds 2
same a/results.json first.json

# In use.
"$sven" reproduce --out b --only fraction-toy1d --seeds "$seeds" --jobs 1 \
  >stdout 2>stderr &
scan=$!
for _ in $(seq 200); do
  [ -n "$(ls b/fraction-toy1d/runs 2>stderr)" ] && break
  sleep 0.05
done
expect 1 "another process" reproduce --out b --only microbatch-toy1d --seeds 1
# Stopped, it goes on.
kill -INT "$scan"
wait "$scan"
[ $? -eq 1 ]
settle $? "exit code of an interrupted reproduction"
[ ! -e b/results.json ]
settle $? "results of an interrupted reproduction"
expect 0 "Written" reproduce --out b --only fraction-toy1d --seeds "$seeds"
[ "$(ls b/fraction-toy1d/runs | wc -l)" -eq $((5 * seeds)) ]
settle $? "5 records for each seed"

# The best points of a scan are run again. The scan's own records are made up, all
# alike but for one, which is the best.
record=a/microbatch-toy1d/runs/sven_microbatch=32.jsonl
mkdir -p c/toy1d/runs
for k in 1 2 4 8 16 32; do
  for lr in 0.05 0.1 0.5 1; do
    for rtol in 0.0001 0.001 0.01; do
      cp "$record" "c/toy1d/runs/sven_k=${k}_lr=${lr}_rtol=$rtol.jsonl"
    done
  done
done
cp a/microbatch-toy1d/runs/sven_microbatch=1.jsonl \
  c/toy1d/runs/sven_k=8_lr=0.5_rtol=0.01.jsonl
for optimizer in sgd rmsprop adam; do
  for lr in 0.0001 0.001 0.01 0.1; do
    cp "$record" "c/toy1d/runs/${optimizer}_lr=$lr.jsonl"
  done
done
cp "$record" c/toy1d/runs/polyak.jsonl
for lr in 0.1 0.5 1; do
  for iterations in 1 2 5 10; do
    for history in 1 2 5 10; do
      cp "$record" "c/toy1d/runs/lbfgs_history_size=${history}_line_search=strong~wolfe_lr=${lr}_max_iter=$iterations.jsonl"
    done
  done
done
expect 0 "Written" reproduce --out c --only toy1d --seeds 1
also "seeds-toy1d: 1-D regression: best points, other initial weights, 6 runs"
also "draws-toy1d: 1-D regression: best points, other data, 6 runs"
also "1-D, 1 seed: "
for repeat in seeds orders draws; do
  [ "$(ls c/$repeat-toy1d/runs | wc -l)" -eq 6 ]
  settle $? "6 records of $repeat"
done
has c/seeds-toy1d/scan.toml 'k = "8"'
expect 0 "| sven | k 8, lr 0.5, rtol 0.01 |" \
  reproduce --results c/results.json --markdown

summary
