#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program as a user runs it: results, messages, exit codes, and that nothing
# is written when something is wrong.
# Usage: cli_test.sh SVEN TEST_DATA
set -uo pipefail
sven=$1
data=$2
source "$(dirname "$0")/expect.sh"

# refuse CODE TEXT ARGUMENTS...: the same, and no output file appears.
refuse() {
  rm -f "$work/out"
  expect "$@"
  if [ -e "$work/out" ]; then fail "sven ${*:3}: wrote an output"; else pass; fi
}

toy=$data/parity/sven_toy_k8.safetensors
ce=$data/parity/sven_ce.safetensors
masked=$data/parity/sven_masked.safetensors
sgd=$data/parity/sgd_momentum.safetensors
out=(--out "$work/out")

# Usage.
expect 0 "singular value descent" --help
expect 0 "0." --version
expect 0 "CASE" step --help
expect 0 "--case" bench --help
expect 2 "subcommand" # no command
expect 2 "" nonsense
expect 2 "--out" step "$toy"
expect 2 "" step

# Steps.
expect 0 "kept 5 singular values, road gram" step "$toy" "${out[@]}"
grep -qa '"status":"ok"' "$work/out" && pass || fail "status in the metadata"
grep -qa '"kept":"5"' "$work/out" && pass || fail "kept in the metadata"
expect 0 "road dense" step "$toy" "${out[@]}" --road dense
expect 0 "road randomised" step "$toy" "${out[@]}" --road randomised
expect 0 "3 steps" step "$toy" "${out[@]}" --steps 3 --lr 0.01
expect 0 "status ok" step "$toy" "${out[@]}" --dtype f32
expect 0 "status ok" step "$masked" "${out[@]}"
expect 0 "10 steps" step "$sgd" "${out[@]}"
expect 0 "status ok" step "$toy" "${out[@]}" --kappa 1 --microbatch 5 \
  --parameter-batch neurons --fraction 0.5 --k 3
expect 0 "status ok" step "$toy" "${out[@]}" --optimizer sgd --lr 0.1
# Without --k the case's own k: the same bytes twice.
"$sven" step "$toy" --out "$work/a" >/dev/null
"$sven" step "$toy" --out "$work/b" >/dev/null
cmp -s "$work/a" "$work/b" && pass || fail "the same case gives other bytes"

# Wrong settings: exit code 2, option and value named.
refuse 2 "--k = 0: must satisfy k >= 1" step "$toy" "${out[@]}" --k 0
refuse 2 "--rtol = 1: must satisfy 0 <= rtol < 1" step "$toy" "${out[@]}" --rtol 1
refuse 2 "--rtol = -0.1" step "$toy" "${out[@]}" --rtol -0.1
refuse 2 "--rtol = nan" step "$toy" "${out[@]}" --rtol nan
refuse 2 "--kappa = 0" step "$toy" "${out[@]}" --kappa 0
refuse 2 "--fraction = 1.5" step "$toy" "${out[@]}" --fraction 1.5 \
  --parameter-batch layers
refuse 2 "--fraction = 0" step "$toy" "${out[@]}" --fraction 0 \
  --parameter-batch layers
refuse 2 "fraction = 0.5" step "$toy" "${out[@]}" --fraction 0.5
refuse 2 "--microbatch = 0" step "$toy" "${out[@]}" --microbatch 0
refuse 2 "--lr = 'fast': expected a number" step "$toy" "${out[@]}" --lr fast
refuse 2 "--steps = 0" step "$toy" "${out[@]}" --steps 0
refuse 2 "--optimizer = 'nonsense'" step "$toy" "${out[@]}" --optimizer nonsense
refuse 2 "--loss = 'mae': expected mse" step "$toy" "${out[@]}" --loss mae
refuse 2 "--activation = 'gleu'" step "$toy" "${out[@]}" --activation gleu
refuse 2 "--road = 'highway'" step "$toy" "${out[@]}" --road highway
refuse 2 "--dtype = 'f16'" step "$toy" "${out[@]}" --dtype f16
refuse 2 "--dampening: not a setting" step "$toy" "${out[@]}" --dampening 0.1
refuse 2 "" step "$toy" "${out[@]}" --no-such-option 1

refuse 2 "--out" step "$toy" --out ''
cp "$toy" "$work/self"
expect 2 "that is the case itself" step "$work/self" --out "$work/self"
cmp -s "$toy" "$work/self" && pass || fail "the case was overwritten"
expect 0 "status ok" step "$toy" "${out[@]}" --microbatch 9223372036854775807
expect 0 "status ok" step "$toy" "${out[@]}" --road randomised --k 2 \
  --oversampling 9223372036854775807
expect 0 "status ok" step "$sgd" "${out[@]}" --nesterov
# The file's lr goes with the optimizer that the option chooses; its k does not.
expect 0 "metadata 'k' is not a setting of the optimizer sgd" step "$toy" \
  "${out[@]}" --optimizer sgd
grep -qa '"lr":"0.5"' "$work/out" && pass || fail "lr of the metadata is lost"
expect 0 "status ok" step "$data/parity/adam.safetensors" "${out[@]}" \
  --optimizer sgd

# Wrong files: exit code 1, file and place named.
refuse 1 "missing.safetensors" step "$work/missing.safetensors" "${out[@]}"
refuse 1 "$work" step "$work" "${out[@]}"
head -c 100 "$toy" >"$work/short"
refuse 1 "$work/short" step "$work/short" "${out[@]}"
printf 'not a safetensors file at all' >"$work/text"
refuse 1 "$work/text" step "$work/text" "${out[@]}"
refuse 1 "tensor 'y'" step "$toy" "${out[@]}" --loss ce
refuse 1 "tensor 'y'" step "$ce" "${out[@]}" --loss mse
expect 1 "/no/such/folder" step "$toy" --out /no/such/folder/out
refuse 1 "tensor 'mask'" step "$masked" "${out[@]}" --parameter-batch layers
refuse 1 "tensor 'mask'" step "$masked" "${out[@]}" --optimizer sgd

# patch FILE TENSOR BYTES: overwrites the first bytes of a tensor's data.
patch() {
  local length begin
  length=$(od -An -t u8 -N 8 "$1" | tr -d ' ')
  begin=$(head -c $((8 + length)) "$1" | tail -c +9 |
    grep -oP "\"$2\": \{[^}]*\"data_offsets\": \[\K[0-9]+")
  printf "$3" | dd of="$1" bs=1 seek=$((8 + length + begin)) conv=notrunc \
    2>/dev/null
}
nan='\x00\x00\x00\x00\x00\x00\xf8\x7f'
for tensor in x y; do
  cp "$toy" "$work/nan"
  patch "$work/nan" $tensor "$nan"
  refuse 1 "tensor '$tensor' has the value nan in row 0, column 0" \
    step "$work/nan" "${out[@]}"
done
cp "$toy" "$work/nan"
patch "$work/nan" 2.weight "$nan"
refuse 1 "tensor '2.weight' has the value nan" step "$work/nan" "${out[@]}"
cp "$ce" "$work/label"
patch "$work/label" y '\x63'
refuse 1 "label 99 of sample 0: must be from 0 to 9" step "$work/label" \
  "${out[@]}"

# A case from a header and 8-byte zeros as data.
make_case() {
  local length=${#2}
  printf "$(printf '\\x%02x' $((length % 256)) $((length / 256)))" >"$1"
  printf '\0\0\0\0\0\0%s' "$2" >>"$1"
  head -c $((8 * $3)) /dev/zero >>"$1"
}
weight='"0.weight":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]}'
make_case "$work/empty" "{$weight,\
\"x\":{\"dtype\":\"F64\",\"shape\":[0,1],\"data_offsets\":[8,8]},\
\"y\":{\"dtype\":\"F64\",\"shape\":[0,1],\"data_offsets\":[8,8]}}" 1
refuse 1 "tensor 'x' has shape [0, 1]" step "$work/empty" "${out[@]}"
make_case "$work/no_y" "{$weight,\
\"x\":{\"dtype\":\"F64\",\"shape\":[1,1],\"data_offsets\":[8,16]}}" 2
refuse 1 "no tensor 'y'" step "$work/no_y" "${out[@]}"
make_case "$work/none" '{}' 0
refuse 1 "no parameters" step "$work/none" "${out[@]}"
# Zero inputs, weights and targets, no bias: no gradient, a zero step.
make_case "$work/zero" "{$weight,\
\"x\":{\"dtype\":\"F64\",\"shape\":[1,1],\"data_offsets\":[8,16]},\
\"y\":{\"dtype\":\"F64\",\"shape\":[1,1],\"data_offsets\":[16,24]}}" 3
expect 0 "status rank_zero" step "$work/zero" "${out[@]}"

# Metadata that are no settings, such as a misspelt one, are named. (The letters
# are exchanged, so that all lengths in the file stay as they are.)
LC_ALL=C sed 's/"kappa"/"kapap"/' "$toy" >"$work/misspelt"
expect 0 "metadata 'kapap' is not a setting" step "$work/misspelt" "${out[@]}"
# A setting in the metadata that is out of range is the file's fault.
LC_ALL=C sed 's/"kappa": "2.0"/"kappa": "-20"/' "$toy" >"$work/negative"
refuse 1 "metadata 'kappa'" step "$work/negative" "${out[@]}"

# A step that overflows is not applied, and the status says so.
expect 0 "status non_finite" step "$toy" "${out[@]}" --lr 1e300 --steps 2
grep -qa '"status":"non_finite' "$work/out" && pass || fail "status of NaN"

# Any optimizer by name, with its own settings and those of the chain.
for name in $("$sven" list optimizers --names); do
  expect 0 "status ok" step "$toy" "${out[@]}" --optimizer "$name" --steps 2
  expect 0 "--" list optimizers "$name"
done
expect 0 "status ok" step "$toy" "${out[@]}" --optimizer adam --beta1 0.8 \
  --schedule cosine:warmup=2 --steps 5 --clip 1 --ema 0.9
# From where another run stopped (tests/cli/resume_test.cc compares the bits).
"$sven" step "$toy" --out "$work/other" --optimizer adam >/dev/null 2>&1
refuse 1 "the state of another optimizer than sven" step "$toy" "${out[@]}" \
  --resume "$work/other"
refuse 1 "tensor 'optimizer.largest" step "$toy" "${out[@]}" --optimizer adam \
  --amsgrad --resume "$work/other"
refuse 2 "write cosine:steps=" step "$toy" "${out[@]}" --optimizer adam \
  --schedule cosine --resume "$work/other"
expect 0 "status ok" step "$toy" "${out[@]}" --optimizer adam --ema 0.9
grep -qa 'evaluation.0.weight' "$work/out" && pass || fail "averaged weights"
refuse 2 "variable_k = true" step "$toy" "${out[@]}" --variable-k --rms post
refuse 1 "its network is not that of the case" step "$ce" "${out[@]}" \
  --optimizer adam --resume "$work/other"
refuse 1 "missing" step "$toy" "${out[@]}" --resume "$work/missing"

refuse 2 "did you mean 'adam'" step "$toy" "${out[@]}" --optimizer adma
refuse 2 "--beta1 = 1: must satisfy 0 <= beta1 < 1" step "$toy" "${out[@]}" \
  --optimizer adam --beta1 1
refuse 2 "--schedule = 'cosin'" step "$toy" "${out[@]}" --schedule cosin
refuse 2 "not a setting of a schedule" step "$toy" "${out[@]}" \
  --schedule cosine:speed=1
refuse 2 "--clip: not a setting of the optimizer sven" step "$toy" "${out[@]}" \
  --clip 1
refuse 2 "--lambda-schedule: not a setting of the optimizer sgd" step "$sgd" \
  "${out[@]}" --lambda-schedule step
expect 0 "Gram matrix" list optimizers
expect 0 "| \`rtol\` | 0.001 |" list optimizers sven --markdown
expect 2 "did you mean 'muon'" list optimizers moun
expect 2 "" list
expect 2 "" list colours
wolfe=$data/torch/lbfgs_wolfe.safetensors
expect 0 "status ok" step "$wolfe" "${out[@]}"
refuse 2 "--max-iter = 0: must satisfy max_iter >= 1" step "$wolfe" "${out[@]}" \
  --max-iter 0
refuse 2 "--line-search = 'wolfe': expected none or strong_wolfe" step "$wolfe" \
  "${out[@]}" --line-search wolfe
refuse 2 "--beta1: not a setting of the optimizer lbfgs" step "$wolfe" \
  "${out[@]}" --beta1 0.5
expect 2 "adamw" list optimizers adamww

# Benchmarks, briefly.
expect 0 "x SGD" bench --case toy1d --slices 1 --slice-seconds 0.001
expect 0 '"us_per_step"' bench --json --case toy1d --case mnist --slices 1 \
  --slice-seconds 0.001
expect 2 "--case" bench --case nonsense
expect 0 "adamw" bench --case toy1d --optimizer adamw,lion --slices 1 \
  --slice-seconds 0.001
expect 2 "did you mean 'lion'" bench --case toy1d --optimizer loin
expect 2 "--threads" bench --threads 0

summary
