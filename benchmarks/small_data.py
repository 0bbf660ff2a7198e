#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes four small real data sets as CSV, from the files that come with scikit-learn.

  apt-get install python3-sklearn
  benchmarks/small_data.py --out data/small

diabetes and boston are regressions (442 and 506 samples), breast_cancer and digits
classifications (569 and 1,797). Needs no packages of Python itself.
"""
import argparse
import csv
import gzip
import pathlib

FOLDER = "/usr/lib/python3/dist-packages/sklearn/datasets/data"


def lines(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as file:
        return file.read().split("\n")


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    print(f"{path}: {len(rows)} samples")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", default=FOLDER, type=pathlib.Path)
    parser.add_argument("--out", default="data/small", type=pathlib.Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    values = [l.split() for l in lines(args.folder / "diabetes_data_raw.csv.gz") if l]
    target = [l.strip() for l in lines(args.folder / "diabetes_target.csv.gz") if l]
    write(args.out / "diabetes.csv", [f"x{i}" for i in range(len(values[0]))] + ["target"],
          [v + [t] for v, t in zip(values, target)])

    rows = [l.split(",") for l in lines(args.folder / "boston_house_prices.csv") if l]
    write(args.out / "boston.csv", [f"x{i}" for i in range(len(rows[1]) - 1)] + ["target"],
          rows[2:])

    rows = [l.split(",") for l in lines(args.folder / "breast_cancer.csv") if l][1:]
    write(args.out / "breast_cancer.csv",
          [f"x{i}" for i in range(len(rows[0]) - 1)] + ["target"], rows)

    rows = [l.split(",") for l in lines(args.folder / "digits.csv.gz") if l]
    rows = [r[:-1] + [str(int(float(r[-1])))] for r in rows]
    write(args.out / "digits.csv", [f"x{i}" for i in range(64)] + ["target"], rows)


if __name__ == "__main__":
    main()
