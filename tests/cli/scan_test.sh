#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sven scan as a user runs it: all points, what is missing, shards, crashes, and
# that a scan that was killed ends like one that was not.
# Usage: scan_test.sh SVEN
set -uo pipefail
sven=$(realpath "$1")
source "$(dirname "$0")/expect.sh"
cd "$work" || exit 1
RANDOM=20260102

# The records of a scan without times, which differ.
records() { # records DIR
  (cd "$1/runs" && for file in *.jsonl; do
    echo "$file"
    sed -E 's/"(seconds|evaluation_seconds|train_seconds|total_seconds|peak_memory)":[^,}]*//g; s/"phase_seconds":\{[^}]*\}//; /"type":"config"/d' "$file"
  done)
}

cat >grid.toml <<'END'
title = "a small scan"
[run]
task = "toy1d"
train_size = 100
val_size = 20
hidden = "4,4"
epochs = 3
seed = [1, 2]
[[grid]]
optimizer = "sven"
lr = [0.1, 0.5]
k = [4, 16]
[[grid]]
optimizer = ["sgd", "adam"]
lr = [1e-3, 1e-2]
[[grid]]
optimizer = "sgd"
lr = 1e30
END
expect 0 "18 runs" scan grid.toml --dry-run
expect 0 "best run" scan grid.toml --out a --jobs 2
also "sven"
[ "$(ls a/runs | wc -l)" -eq 18 ]
settle $? "18 records"
has a/runs/sgd_lr=1e+30_seed=1.jsonl '"status":"diverged"'
[ -z "$(ls a/.work)" ]
settle $? "something is left of the work: $(ls a/.work)"

# A point is the same as the run alone.
"$sven" train --task toy1d --train-size 100 --val-size 20 --hidden 4,4 \
  --epochs 3 --optimizer adam --lr 0.01 --seed 2 --out alone --quiet >stdout
mkdir -p b/runs && cp alone/run.jsonl b/runs/
mkdir -p c/runs && cp "a/runs/adam_lr=0.01_seed=2.jsonl" c/runs/run.jsonl
records b >b.txt
records c >c.txt
same b.txt c.txt

# Started again it does what is missing, and only that.
records a >whole.txt
rm "a/runs/sven_k=4_lr=0.1_seed=1.jsonl"
echo '{"type":"config"' >"a/runs/sven_k=4_lr=0.1_seed=2.jsonl"
expect 0 "best run" scan grid.toml --out a
also "18/18"
[ "$(grep -c 'val ' stderr)" -eq 2 ]
settle $? "two runs were missing, $(grep -c 'val ' stderr) were done"
records a >again.txt
same whole.txt again.txt

# Shards are parts of the whole.
expect 0 "" scan grid.toml --out s --shard 1/3 --quiet
[ "$(ls s/runs | wc -l)" -eq 6 ]
settle $? "a third of 18 runs"
expect 0 "" scan grid.toml --out s --shard 2/3 --quiet
expect 0 "" scan grid.toml --out s --shard 3/3 --quiet
records s >shards.txt
same whole.txt shards.txt

# Killed at random moments, and gone on with.
kills=0
while [ "$kills" -lt 10 ]; do
  "$sven" scan grid.toml --out k --quiet >stdout 2>stderr &
  pid=$!
  sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  signals=(KILL TERM KILL INT)
  kill -s "${signals[kills % 4]}" "$pid" 2>/dev/null
  { wait "$pid"; } 2>/dev/null
  kills=$((kills + 1))
  [ $((kills % 4)) -eq 0 ] && rm -f k/runs/sven*
done
expect 0 "best run" scan grid.toml --out k --quiet
records k >killed.txt
same whole.txt killed.txt

# A run that crashes is tried once more, reported, and does not stop the others.
cat >crash.toml <<'END'
[run]
task = "mnist"
data_dir = ["nowhere", "elsewhere"]
END
expect 1 "failed twice" scan crash.toml --out crash
also "sven data mnist"

# Wrong usage, before anything runs.
scan_error() { # scan_error TEXT TOML
  printf '%b' "$2" >wrong.toml
  expect 2 "$1" scan wrong.toml --out wrong
}
scan_error "line 1, column" 'a = ['
scan_error "[[grid]]" 'task = "toy1d"\n'
scan_error "did you mean 'epochs'" '[run]\ntask = "toy1d"\nepoch = 3\n'
scan_error "did you mean 'adam'" '[run]\ntask = "toy1d"\noptimizer = ["adm"]\n'
scan_error "leaves no run" '[run]\ntask = "toy1d"\nlr = []\n'
scan_error "not a setting of the optimizer sgd" '[run]\ntask = "toy1d"\noptimizer = "sgd"\nk = 3\n'
scan_error "is there twice" '[run]\ntask = "toy1d"\nlr = [0.1, 0.1]\n'
scan_error "no data" '[run]\nlr = [0.1]\n'
scan_error "one optimizer per run" '[run]\ntask = "toy1d"\noptimizer = "sven,adam"\n'
expect 2 "--out is missing" scan grid.toml
expect 2 "I/N" scan grid.toml --out wrong --shard 4/3
expect 2 "--jobs" scan grid.toml --out wrong --jobs 0
expect 1 "cannot open" scan none.toml --out wrong
[ ! -e wrong ]
settle $? "a folder was made for a scan that cannot be"
expect 1 "holds another scan" scan crash.toml --out a
exec 9>a/.lock
flock 9
expect 1 "another process" scan grid.toml --out a
exec 9>&-

summary
