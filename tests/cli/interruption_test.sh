#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Trainings that are stopped at random moments, by SIGINT, SIGTERM and SIGKILL,
# and by files that may not grow, end with the same model, byte for byte, as one
# that was left alone.
# Usage: interruption_test.sh SVEN [INTERRUPTIONS [EPOCHS]]
set -uo pipefail
sven=$1
wanted=${2:-100}
epochs=${3:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
RANDOM=20260101

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Settings with as much to remember as there can be. Checkpoints every few steps,
# so that many interruptions fall into the middle of one.
settings() {
  case $1 in
  sven) echo --optimizer sven --lr 0.05 --k 8 --momentum 0.5 \
    --parameter-batch parameters --fraction 0.7 --ema 0.9 ;;
  adam) echo --optimizer adam --lr 0.01 --schedule cosine:warmup=20 --keep best \
    --validate-every 7 --dtype f64 ;;
  lbfgs) echo --optimizer lbfgs --history-size 4 --line-search strong_wolfe ;;
  esac
}

# Sets `command`. (A function in the background would be a shell, and the signal
# would stop that.)
prepare() { # prepare NAME DIR SEED
  command=("$sven" train --task toy1d --train-size 300 --val-size 50
    --epochs "$epochs" --hidden 8,8 --batch-size 32 --checkpoint-every 10steps --quiet
    --out "$2" --seed "$3" $(settings "$1"))
}

interruptions=0
declare -A by_signal=([INT]=0 [TERM]=0 [KILL]=0 [FULL]=0)

# One more go at the run in a folder, stopped after a while by a signal.
interrupt() { # interrupt DIR
  local signals=(INT TERM KILL KILL) signal pid
  signal=${signals[RANDOM % 4]}
  "$sven" train --resume "$1" --quiet >"$work/out" 2>"$work/err" &
  pid=$!
  sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
  local running=1 code
  kill -s "$signal" "$pid" 2>/dev/null || running=0
  { wait "$pid"; } 2>/dev/null
  code=$?
  [ "$running" -eq 1 ] || return 1
  [ "$code" -eq 0 ] && return 1 # it was over before
  case $signal in
  KILL) [ "$code" -eq 137 ] || fail "SIGKILL: exit code $code" ;;
  # Before the training begins such a signal ends the program as usual.
  *) [ "$code" -eq 1 ] || [ "$code" -ge 128 ] ||
    fail "SIG$signal: exit code $code: $(cat "$work/err")" ;;
  esac
  if [ "$code" -eq 1 ] && ! grep -q -- "--resume" "$work/out"; then
    fail "SIG$signal: no word on how to go on: $(cat "$work/out" "$work/err")"
  fi
  by_signal[$signal]=$((by_signal[$signal] + 1))
  interruptions=$((interruptions + 1))
  return 0
}

# A go with files that may have at most 1 KiB: less than a checkpoint.
fill_disk() { # fill_disk DIR
  local before after
  before=$(cat "$1"/checkpoint.safetensors 2>/dev/null | cksum)
  (ulimit -f 1 && exec "$sven" train --resume "$1" --quiet \
    >"$work/out" 2>"$work/err") && fail "a full disk: exit code 0"
  grep -q "cannot write, nothing was changed" "$work/err" ||
    fail "a full disk: $(cat "$work/err")"
  after=$(cat "$1"/checkpoint.safetensors 2>/dev/null | cksum)
  [ "$before" = "$after" ] || fail "a full disk: the checkpoint has changed"
  by_signal[FULL]=$((by_signal[FULL] + 1))
  interruptions=$((interruptions + 1))
}

round=0
while [ "$interruptions" -lt "$wanted" ]; do
  names=(sven adam lbfgs)
  name=${names[round % 3]}
  round=$((round + 1))
  prepare "$name" "$work/whole" "$round"
  "${command[@]}" >/dev/null ||
    fail "$name: the training that nobody stops"
  # Begins a run and kills it as soon as it has its configuration.
  prepare "$name" "$work/broken" "$round"
  "${command[@]}" >/dev/null 2>&1 &
  pid=$!
  while [ ! -e "$work/broken/config.toml" ]; do sleep 0.001; done
  kill -s KILL "$pid"
  { wait "$pid"; } 2>/dev/null
  while interrupt "$work/broken"; do
    [ $((RANDOM % 8)) -eq 0 ] && fill_disk "$work/broken"
  done
  "$sven" train --resume "$work/broken" --quiet >/dev/null ||
    fail "$name: the last resumption"
  cmp "$work/whole/model.safetensors" "$work/broken/model.safetensors" ||
    fail "$name, seed $round: the models differ"
  # Nothing but the files of a run is left behind.
  left=$(cd "$work/broken" && ls -A | tr '\n' ' ')
  [ "$left" = ".lock checkpoint.safetensors config.toml model.safetensors run.jsonl " ] ||
    fail "left behind: $left"
  rm -rf "$work/whole" "$work/broken"
done
echo "$interruptions interruptions (SIGINT ${by_signal[INT]}," \
  "SIGTERM ${by_signal[TERM]}, SIGKILL ${by_signal[KILL]}, full disk" \
  "${by_signal[FULL]}) in $round trainings: the models are the same"
