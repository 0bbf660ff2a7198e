#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sven train, eval and predict as a user runs them.
# Usage: train_test.sh SVEN
set -uo pipefail
sven=$(realpath "$1")
source "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# ---- Data: y = 1000 + 30 a - 20 b, and classes low, mid and high of it.
awk 'BEGIN {
  srand(1)
  print "a,b,y,kind" > "all.csv"
  for (i = 0; i < 200; ++i) {
    a = rand() * 10; b = rand() * 5; y = 1000 + 30 * a - 20 * b
    k = y < 1050 ? "low" : y < 1150 ? "mid, so" : "high"
    printf "%.6f,%.6f,%.6f,\"%s\"\n", a, b, y, k > "all.csv"
  }
}'
head -n 151 all.csv >train.csv
{ head -n 1 all.csv; tail -n 50 all.csv; } >test.csv
sed 1d all.csv >bare.csv

# ---- Regression: predictions come in the units of the data.
expect 0 completed train --data train.csv --inputs a,b --target y --epochs 60 \
  --val-data test.csv --out reg --quiet
expect 0 "target" eval reg --data test.csv
rmse=$("$sven" eval reg --data test.csv --json |
  sed -E 's/.*"rmse":([^,]*).*/\1/')
awk -v r="$rmse" 'BEGIN { exit !(r > 0 && r < 5) }'
settle $? "rmse $rmse: expected below 5, of values around 1100"
expect 0 "predictions ->" predict reg --data test.csv --out p.csv
[ "$(head -n 1 p.csv)" = y ]
settle $? "the column is called $(head -n 1 p.csv)"
paste -d, p.csv <(cut -d, -f3 test.csv) | sed 1d >both.csv
awk -F, -v r="$rmse" '{ s += ($1 - $2)^2 } END { e = sqrt(s / NR);
  exit !(e > 0.99 * r && e < 1.01 * r) }' both.csv
settle $? "predictions do not have the rmse that eval says"
# Columns are found by name, whatever their order.
awk -F, '{ print "z," $2 "," $1 }' test.csv | sed '1s/z,/q,/; s/^z,/0,/' \
  >turned.csv
expect 0 "predictions ->" predict reg --data turned.csv --out p2.csv
same p.csv p2.csv
expect 0 "predictions ->" predict reg --data test.csv --out p.npy

# ---- Records.
[ "$(grep -c '"type":"epoch"' reg/run.jsonl)" -eq 60 ]
settle $? "epoch lines"
for name in epoch step seconds train_loss val_loss; do
  has reg/run.jsonl "\"$name\":"
done
for name in final_val_loss best_val_loss total_seconds status; do
  has <(tail -n 1 reg/run.jsonl) "\"$name\":"
done
has <(head -n 1 reg/run.jsonl) '"type":"config"'
has reg/run.jsonl '"spectrum":[1.0,'

# ---- Classification, with names of classes.
expect 0 "val acc." train --data train.csv --inputs a,b --target kind \
  --epochs 40 --optimizer adam --lr 0.01 --out cls --quiet
expect 0 accuracy eval cls --data test.csv
expect 0 "predictions ->" predict cls --data test.csv --scores --out c.csv
[ "$(head -n 1 c.csv)" = 'kind,high,low,"mid, so"' ]
settle $? "heading of scores: $(head -n 1 c.csv)"
has c.csv '"mid, so",'
has cls/run.jsonl '"train_accuracy":'
has cls/run.jsonl '"val_accuracy":'

# ---- Same seed, same bytes; another seed, others.
for run in 1 2; do
  "$sven" train --task toy1d --train-size 200 --val-size 50 --epochs 3 \
    --out same$run --quiet >/dev/null || fail "same$run"
done
same same1/model.safetensors same2/model.safetensors
"$sven" train --task toy1d --train-size 200 --val-size 50 --epochs 3 --seed 5 \
  --out other --quiet >/dev/null
differ same1/model.safetensors other/model.safetensors

# ---- Several optimizers: each as it would be alone.
expect 0 adam train --task toy1d --train-size 200 --val-size 50 --epochs 3 \
  --optimizer sven,adam --set adam.lr=0.02 --out two --quiet
same two/sven/model.safetensors same1/model.safetensors
"$sven" train --task toy1d --train-size 200 --val-size 50 --epochs 3 \
  --optimizer adam --lr 0.02 --out adam --quiet >/dev/null
same two/adam/model.safetensors adam/model.safetensors
expect 0 sven train --resume two --quiet

# ---- A configuration file; options override it, and it is as good as them.
cat >run.toml <<'TOML'
task = "toy1d"
train_size = 200
val_size = 50
epochs = 99
optimizer = ["sven", "adam"]
[adam]
lr = 0.02
TOML
expect 0 adam train --config run.toml --epochs 3 --out toml --quiet
same toml/adam/model.safetensors adam/model.safetensors
expect 0 adam train --config two/config.toml --out again --quiet
same again/sven/model.safetensors same1/model.safetensors

# ---- Going on: more epochs are the same as all at once.
expect 0 completed train --task toy1d --train-size 200 --val-size 50 \
  --epochs 7 --out seven --quiet
expect 0 completed train --resume same1 --epochs 7 --quiet
same seven/model.safetensors same1/model.safetensors
expect 0 completed train --task toy1d --train-size 50 --val-size 10 \
  --epochs 2 --schedule cosine --out cosine --quiet
expect 1 "ends with the last epoch" train --resume cosine --epochs 3

# ---- When to stop, and what to keep.
{
  echo x,y
  for i in $(seq 200); do echo "$i,$((3 * i + 1))"; done
} >line.csv
expect 0 target_loss train --task toy1d --train-size 300 --val-size 50 \
  --target-loss 0.5 --out none --quiet
expect 0 early_stopped train --task toy1d --train-size 100 --val-size 50 \
  --optimizer sgd --lr 1e-30 --patience 2 --out none --quiet
expect 0 "nothing but rounding was left to gain" train --data line.csv \
  --target y --hidden linear --optimizer sven-adaptive --epochs 60 \
  --stop-at-rounding true --out line --quiet
also rounding
has line/run.jsonl '"rounding_since_epoch":'
expect 0 completed train --task toy1d --noise 0.1 --train-size 64 --epochs 1 \
  --optimizer sven-adaptive --out none --quiet
expect 2 "noise = -1" train --task toy1d --noise -1 --out none
expect 2 "accept <= poor" train --task toy1d --optimizer sven-adaptive \
  --accept 0.5 --out none
expect 2 "not a setting of the optimizer sven-adaptive" train --task toy1d \
  --optimizer sven-adaptive --k 4 --out none
expect 0 time_limit train --task toy1d --epochs 1000000 --time-limit 0.05 \
  --out none --quiet
expect 1 "diverged at step" train --task toy1d --train-size 200 --val-size 50 \
  --optimizer sgd --lr 1e30 --out div --quiet
has div/run.jsonl '"status":"diverged"'
has div/run.jsonl '"diverged_at_step":'
expect 0 "Nothing was saved" train --task toy1d --train-size 64 --epochs 1 \
  --out none --quiet
[ ! -e none ]
settle $? "--out none made a folder"
expect 0 "runs/toy1d-sven-1" train --task toy1d --train-size 64 --epochs 1
expect 0 "runs/toy1d-sven-2" train --task toy1d --train-size 64 --epochs 1
also "epoch 1/1"

# ---- Other kinds of files.
"$sven" predict reg --data test.csv --out inputs.npy
expect 0 completed train --data inputs.npy --target-file p.npy --epochs 1 \
  --out none --quiet
expect 0 completed train --data bare.csv --target 3 --inputs 1,2 --epochs 1 \
  --out none --quiet
expect 0 completed train --data all.csv --target y --inputs a,b --epochs 1 \
  --validation 0 --out none --quiet
gzip -k train.csv
expect 0 completed train --data train.csv.gz --target y --inputs a,b \
  --epochs 1 --standardise none --out none --quiet

# ---- Wrong usage: said with what to do, and nothing is made.
expect 2 "no data" train --out bad
expect 2 "did you mean '--epochs'" train --task toy1d --epoch 3
expect 2 "did you mean 'train'" trian
expect 2 "did you mean 'toy1d'" train --task toy1 --out bad
expect 2 "did you mean 'sven'" train --task toy1d --optimizer svne --out bad
expect 2 "--epochs = 0: must satisfy 1 <= epochs" train --task toy1d --epochs 0
expect 2 "--k = 3: not a setting of the optimizer adam" train --task toy1d \
  --optimizer adam --k 3 --out bad
expect 2 "adam.lr=0.01" train --task toy1d --set lr=3 --out bad
expect 2 "there can be only one" train --task toy1d --data all.csv --out bad
expect 2 "'degree'" train --data all.csv --target y --degree 3 --out bad
expect 2 "--target" train --data all.csv --out bad
expect 1 "column 4 ('kind')" train --data all.csv --target y --out bad
expect 1 "cannot open" train --data none.csv --target y --out bad
expect 2 "needs classes" train --data all.csv --inputs a,b --target y --loss ce
expect 2 "16,16,16" train --task toy1d --hidden 16,x --out bad
expect 2 "30s, 5epochs or 100steps" train --task toy1d --checkpoint-every 3
expect 2 "--resume reg goes on with it" train --task toy1d --out reg
expect 2 "--lr with --resume" train --resume reg --lr 3
expect 1 "no run to go on with" train --resume nowhere
printf 'epoch = 3\n' >run2.toml
expect 2 "run2.toml: line 1: epoch" train --config run2.toml --out bad
expect 2 "is not a classifier" predict reg --data test.csv --scores
[ ! -e bad ]
settle $? "a folder was made for a run that cannot be"

# ---- What is refused changes nothing.
toy=(--task toy1d --train-size 64 --val-size 16 --epochs 2 --quiet)
expect 0 completed train "${toy[@]}" --out keep
cp -r keep kept
expect 1 "cannot open" train "${toy[@]}" --init none.safetensors --out keep \
  --overwrite
same keep/config.toml kept/config.toml
same keep/checkpoint.safetensors kept/checkpoint.safetensors
expect 1 "cannot open" train "${toy[@]}" --init none.safetensors --out bad
expect 0 completed train "${toy[@]}" --init keep/model.safetensors --out keep \
  --overwrite
rm kept/model.safetensors # not needed to go on
expect 1 "cannot undo them" train --resume kept --epochs 1
expect 0 completed train --resume kept --quiet
expect 0 completed train --resume cosine --quiet # refused more epochs before
expect 2 "there is a run already" train "${toy[@]}" --out two/adam
mkdir -p mixed && cp -r kept mixed/adam
expect 2 "holds a run of its own" train "${toy[@]}" --optimizer sven,adam \
  --out mixed --overwrite
mkdir -p foreign && cp p.csv foreign/model.safetensors
expect 2 "there is a run already" train "${toy[@]}" --out foreign
expect 2 "that is the model or the data" predict reg --data test.csv \
  --out test.csv
expect 2 ".npy or .csv" predict reg --data test.csv --out x.safetensors

# ---- Settings that would do nothing.
expect 2 "goes with --val-data" train --data all.csv --target y \
  --val-target-file x.npy
expect 2 "nothing is split" train --data train.csv --val-data test.csv \
  --split-seed 3 --target y
expect 2 "goes with --loss huber" train "${toy[@]}" --huber-delta 3
expect 2 "not among the optimizers" train "${toy[@]}" --set adam.lr=0.1
expect 2 "is not a text file" train --data inputs.npy --target-file p.npy \
  --header no
expect 2 "it predicts numbers" predict reg --data test.csv --classes 1,2
expect 2 "no data" train --data "" --out bad
expect 2 "empty" train --config "" "${toy[@]}"
expect 2 "must satisfy" train --task toy1d --epochs 9223372036854775807

# ---- Models and data that do not belong together.
printf '2,y\n1,2\n2,4\n3,6\n4,8\n' >numbers.csv
expect 0 completed train --data numbers.csv --target y --out num --quiet
printf '7,8,9\n1,2,3\n' >others.csv
expect 1 "not those of the model" predict num --data others.csv
expect 1 "a checkpoint, not a model" eval reg/checkpoint.safetensors \
  --data test.csv
expect 1 "holds several runs; name one of" predict two --data test.csv
awk 'BEGIN { print "x,k"; for (i = 0; i < 60; ++i) print i "," 3 + 2 * (i > 20) + 2 * (i > 40) }' >odd.csv
expect 0 completed train --data odd.csv --target k --target-kind classes \
  --out odd --quiet
expect 0 "predictions" predict odd --data odd.csv --out odd.npy
expect 2 "which an NPY file cannot hold" predict cls --data test.csv --out c.npy
awk -F, 'NR == 1 || NR == 2 { print } NR > 2 { print "3e38,-3e38," $3 ",x" }' \
  test.csv >far.csv
expect 1 "not finite" predict reg --data far.csv
awk 'BEGIN { print "t,y"; for (i = 0; i < 50; ++i) print 1700000000 + i "," i }' >time.csv
expect 1 "--dtype f64" train --data time.csv --target y --out bad --quiet
expect 0 completed train --data time.csv --target y --out none --quiet \
  --dtype f64
[ ! -e bad ]
settle $? "a folder was made for a run that cannot be"

# ---- Nobody reads the progress any more.
"$sven" train "${toy[@]:0:6}" --epochs 300 --out pipe 2>&1 | head -n 1 >head.txt
has pipe/run.jsonl '"status":"completed"'

# ---- Completion.
"$sven" completion bash >completion.sh
touch "my data.csv"
complete_words() { # complete_words WORDS...: what the last one becomes
  bash -c 'source completion.sh; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _sven; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >words.txt
}
complete_words sven tra
has words.txt train
complete_words sven data ""
has words.txt fashion-mnist
complete_words sven train --optimizer sven,ad
has words.txt sven,adam
complete_words sven train --task toy
has words.txt toy1d
complete_words sven predict my
has words.txt "my data.csv"

# A run that belongs to someone else.
exec 9>seven/.lock
flock 9
expect 1 "another process is training there" train --resume seven
exec 9>&-

summary
