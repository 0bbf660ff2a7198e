#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sven report, sven serve and sven train --live as a user runs them.
# Usage: report_test.sh SVEN
set -uo pipefail
sven=$(realpath "$1")
source "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

small=(train --task toy1d --train-size 100 --val-size 20 --hidden 4,4 --quiet)
"$sven" "${small[@]}" --epochs 3 --optimizer sven,adam --out runs/a >stdout
cat >grid.toml <<'END'
title = "a small scan"
[run]
task = "toy1d"
train_size = 100
val_size = 20
hidden = "4,4"
epochs = 3
seed = [1, 2, 3]
[[grid]]
optimizer = "sven"
k = [4, 16]
END
"$sven" scan grid.toml --out scan --jobs 2 --quiet >stdout

# ---- The page ----
expect 0 "report.html: 8 runs" report runs/a scan
has report.html '<script type="application/json" id="sven-data">{"format":"sven-report-1"'
has report.html '"title":"a small scan"'
loss=$(sed -nE 's/.*"final_val_loss":([0-9]\.[0-9]{3}).*/\1/p' runs/a/adam/run.jsonl)
grep -oE '"id":"a/adam"[^{]*"status":"completed"[^{]*' report.html >adam.txt
has adam.txt "\"final_val_loss\":$loss"
expect 0 "other.html: 2 runs" report runs --out other.html
expect 0 "1 run," report runs/a/sven
# Written again it is replaced.
expect 0 "report.html: 8 runs" report runs/a scan

# Broken, half-written and foreign files are listed, and the page comes.
cp -r runs broken
head -c -30 runs/a/adam/run.jsonl >broken/a/adam/run.jsonl
mkdir broken/b broken/c
echo "not a record" >broken/b/run.jsonl
echo "notes" >broken/notes.txt
expect 0 "2 runs, " report broken --out broken.html
also "2 files skipped"
has broken.html '"path":"broken/b/run.jsonl"'
has broken.html '"path":"broken/notes.txt"'

# Names are text.
mkdir -p 'evil/<img src=x onerror=alert(1)>'
cp runs/a/adam/run.jsonl 'evil/<img src=x onerror=alert(1)>/'
expect 0 "1 run" report evil --out evil.html
grep -qF '<img' evil.html && fail "a name is part of the page" || pass
has evil.html '\u003cimg src=x onerror=alert(1)>'

expect 1 "nowhere: cannot open: No such file or directory" report nowhere
mkdir empty
expect 1 "no runs found" report empty
mkdir foreign && cp broken/notes.txt foreign/
expect 1 "notes.txt: not a file that Sven writes" report foreign --out x.html
[ -e x.html ] && fail "a page without runs" || pass
mkdir escape && echo x >"escape/$(printf 'a\033[31mb')"
expect 1 "no runs found" report escape
grep -q "$(printf '\033')" stdout stderr && fail "a name reaches the terminal" || pass
expect 1 "cannot create a file in none" report runs --out none/x.html
expect 1 "is a directory" report runs --out empty
expect 2 "DIR is required" report
expect 2 "excludes" report runs --text --out x.html
expect 2 "not understood" report runs --txt
expect 0 "--text" report --help

# ---- Text ----
expect 0 "toy1d: 8 runs" report runs/a scan --text
also "best of 3"
also "▁"
awk 'length($0) > 80 { exit 1 }' <(LC_ALL=C.UTF-8 sed 's/[^ -~]/x/g' stdout)
settle $? "lines of more than 80 characters"

# ---- A record that grows ----
"$sven" "${small[@]}" --epochs 1000000 --optimizer adam --out grows &
pid=$!
for _ in $(seq 1000); do
  [ "$(grep -c '"type":"epoch"' grows/run.jsonl 2>/dev/null)" -gt 2 ] 2>/dev/null && break
  sleep 0.01
done
has grows/run.jsonl '"type":"epoch"'
grep -q '"type":"summary"' grows/run.jsonl && fail "a summary before the end" || pass
expect 0 "grows.html: 1 run" report grows --out grows.html
has grows.html '"status":"running"'
kill -KILL "$pid"
{ wait "$pid"; } 2>/dev/null
expect 0 "grows.html: 1 run" report grows --out grows.html

# The record of a run that is replaced gives way to the new one.
cp runs/a/adam/run.jsonl before.jsonl
mkdir replaced && cp -r runs/a/adam/. replaced/
"$sven" "${small[@]}" --epochs 2 --optimizer adam --seed 5 --out replaced \
  --overwrite >stdout
differ before.jsonl replaced/run.jsonl
[ "$(grep -c '"type":"epoch"' replaced/run.jsonl)" -eq 2 ]
settle $? "the new record has two epochs"
has replaced/run.jsonl '"peak_memory":'

# A run of another shape replaces all of it: what is not trained again is gone.
ranked() { # ranked RUNS: so many are left in the folder shape
  expect 0 "toy1d: $1 run" report shape --text
}
"$sven" "${small[@]}" --epochs 2 --optimizer adam --out shape >stdout
"$sven" "${small[@]}" --epochs 1 --optimizer sgd,adam --out shape --overwrite >stdout
ranked 2
[ -e shape/model.safetensors ] && fail "the model of a replaced run" || pass
"$sven" "${small[@]}" --epochs 1 --optimizer sven,adam --out shape --overwrite >stdout
ranked 2
"$sven" "${small[@]}" --epochs 1 --optimizer sgd --out shape --overwrite >stdout
ranked 1
expect 0 "" train --resume shape --epochs 2 --quiet
# A model that the new run starts from is there until it has.
expect 0 "Saved in shape" train --task toy1d --train-size 100 --val-size 20 \
  --quiet --epochs 1 --optimizer sgd,adam --init shape/model.safetensors \
  --out shape --overwrite
ranked 2

# ---- Served ----
get() { # get PORT PATH: an HTTP request without any other program
  exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
  cat <&3
  exec 3>&-
}
await() { # await FILE: its first address
  for _ in $(seq 1000); do
    port=$(sed -nE 's,.*http://127\.0\.0\.1:([0-9]+)/.*,\1,p' "$1" | head -n 1)
    [ -n "$port" ] && return 0
    sleep 0.01
  done
  return 1
}
"$sven" serve runs --port 0 >address 2>&1 &
pid=$!
await address
settle $? "no address"
get "$port" / >page.txt
has page.txt "HTTP/1.1 200 OK"
has page.txt 'id="sven-data" data-live>'
get "$port" /api/data >data.txt
has data.txt '"id":"a/adam"'
get "$port" /../../etc/passwd >other.txt
has other.txt "HTTP/1.1 404"
expect 1 "cannot listen" serve runs --port "$port"
also "--port 0 takes a free port"
# A training that cannot be shown leaves everything as it was.
cp -r runs/a/adam kept && "$sven" "${small[@]}" --epochs 1 --out kept --overwrite >stdout
cp -r kept kept-before
expect 1 "--live without a port takes a free port" \
  "${small[@]}" --out kept --overwrite --seed 7 --live "$port"
diff -r kept kept-before >/dev/null
settle $? "the run is still there"
ls runs >before.txt
expect 1 "cannot listen" "${small[@]}" --live "$port"
ls runs | cmp -s - before.txt
settle $? "no new folder"
kill -INT "$pid"
wait "$pid"
settle $? "Ctrl-C: the exit code is not 0"
expect 1 "nowhere: cannot open" serve nowhere
expect 2 "DIR is required" serve
expect 2 "--port" serve runs --port 70000
expect 2 "--host: expected an address" serve runs --host ""

# ---- Along with a training ----
"$sven" "${small[@]}" --epochs 1000000 --out live --live >stdout 2>address &
pid=$!
await address
settle $? "no address"
for _ in $(seq 1000); do
  get "$port" /api/data >data.txt
  grep -q '"status":"running"' data.txt && break
  sleep 0.01
done
has data.txt '"status":"running"'
kill -INT "$pid"
{ wait "$pid"; } 2>/dev/null
[ $? -eq 1 ]
settle $? "an interrupted training has exit code 1"
has stdout "sven train --resume live"
expect 2 "--live with --out none" "${small[@]}" --live --out none
expect 2 "expected a port" "${small[@]}" --live=x --out x

summary
