#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, and trains the paper's 1-D task with SGD,
# Adam, Sven and adaptive Sven, from the same weights and with the same batches;
# then writes a report of it.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install_packages.sh
cmake --preset release >/dev/null
cmake --build --preset release --target sven_program
echo
echo "y = exp(-10 x^2) sin(2x), 10,000 samples, network 1-16-16-16-1, batches of 32:"
build/release/bin/sven train --task toy1d --epochs 20 \
  --optimizer sgd,adam,sven,sven-adaptive --set sgd.lr=0.1 --set sgd.momentum=0.9 \
  --set adam.lr=0.01 --set sven.lr=0.1 --set sven.k=16 \
  --out runs/quickstart --overwrite
echo
build/release/bin/sven report runs/quickstart --out runs/quickstart/report.html
cat <<'END'
Open it in a browser: ranking, curves, spectra, every run.

Next, with your own table:
  build/release/bin/sven train --data FILE.csv --target COLUMN --optimizer sven-adaptive,adam
What there is: build/release/bin/sven --help, sven list optimizers, docs/training.md
END
