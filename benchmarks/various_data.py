#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes made-up data sets of many kinds as CSV, for experiments/adaptive/various-*.toml.

  benchmarks/various_data.py --out data/various

Regressions (target y), classifications (target y, in words) and one set with three
targets (y0, y1, y2). Needs no packages.
"""
import argparse
import csv
import math
import pathlib
import random


def uniform(rng, count):
    return [rng.uniform(-1, 1) for _ in range(count)]


def normal(rng, count):
    return [rng.gauss(0, 1) for _ in range(count)]


def bits(rng, count):
    return [1.0 if rng.random() < 0.1 else 0.0 for _ in range(count)]


def waves(x):
    return 2 * math.sin(3 * x[0]) * math.cos(2 * x[1])


def friedman(x):
    """Five of the inputs count."""
    return (10 * math.sin(math.pi * (x[0] + 1) * (x[1] + 1) / 4) + 5 * x[2] ** 2 + 5 * x[3]
            + 2.5 * x[4]) / 5


def steps(x):
    return (1.0 if x[0] > 0.2 else -1.0) + (0.5 if x[1] > -0.3 else 0.0)


def signs(x):
    return math.copysign(1, x[0] * x[1] * x[2])


def sectors(x):
    return "abcde"[int((math.atan2(x[1], x[0]) / math.pi + 1) * 2.4999 + 0.3 * x[2]) % 5]


def circle(x):
    return "in" if x[0] ** 2 + x[1] ** 2 < 0.6 else "out"


def gauss(deviation):
    return lambda rng, y: y + deviation * rng.gauss(0, 1)


def outliers(rng, y):
    return y + (30 if rng.random() < 0.03 else 0.05) * rng.gauss(0, 1)


def flips(rng, y):
    return rng.choice("abcde") if rng.random() < 0.3 else y


def bumps(x):
    return sum(weight * math.exp(-8 * sum((v - centre) ** 2 for v in x))
               for weight, centre in ((1, 0.4), (-1, -0.4), (1.5, 0)))


# name: samples, inputs, how they are drawn, target, its noise
SETS = {
    "smooth": (5000, 2, uniform, waves, None),
    "steps": (5000, 2, uniform, steps, None),
    "waves_25": (5000, 1, uniform, lambda x: 1.4 * math.sin(25 * x[0]), None),
    "checkers": (8000, 2, uniform, lambda x: 2 * math.sin(9 * x[0]) * math.sin(9 * x[1]), None),
    "signs": (8000, 10, normal, signs, gauss(0.5)),
    "bits": (3000, 12, bits,
             lambda x: sum(x[:6]) + 2 * x[0] * x[1] - 3 * x[2] * x[3], None),
    "friedman_10": (4000, 10, uniform, friedman, None),
    "friedman_20": (4000, 20, uniform, friedman, gauss(0.3)),
    "outliers": (4000, 4, uniform, lambda x: waves(x) + x[2], outliers),
    "noise": (5000, 2, uniform, waves, gauss(1)),
    "three": (4000, 4, uniform, lambda x: [waves(x), 3 * x[0] * x[1], math.exp(x[2])], None),
    "circle": (2000, 2, uniform, circle, None),
    "circle_60": (60, 2, uniform, circle, None),
    "sectors": (4000, 4, uniform, sectors, None),
    "sectors_flipped": (4000, 4, uniform, sectors, flips),
    "stripes": (1000, 1, normal, lambda x: "a" if math.sin(3 * x[0]) > 0 else "b", None),
    "rare": (5000, 5, normal,
             lambda x: "yes" if x[0] + x[1] + 0.7 * x[2] * x[3] > 3.3 else "no", None),
    "three_classes": (20000, 10, normal,
                      lambda x: "xyz"[(x[0] * x[1] > 0) + (x[2] + x[3] * x[4] > 0)], None),
    # Nothing was ever chosen by these.
    "unseen_sine": (3000, 1, uniform, lambda x: math.sin(12 * x[0]), gauss(0.2)),
    "unseen_kinks": (600, 1, uniform, lambda x: abs(math.sin(5 * x[0])), gauss(0.1)),
    "unseen_rings": (8000, 2, uniform, lambda x: math.cos(12 * math.hypot(*x)), None),
    "unseen_bumps": (6000, 3, uniform, bumps, None),
    "unseen_ratio": (5000, 4, uniform,
                     lambda x: x[0] * x[1] / (1 + x[2] ** 2) + abs(x[3]), None),
    "unseen_ridge": (8000, 8, normal, lambda x: math.tanh(sum(x)) + max(x[0], 0), None),
    "unseen_linear": (1000, 12, normal, lambda x: sum(x) / 3, gauss(1)),
    "unseen_sparse": (2500, 25, normal, lambda x: x[0] * x[1] + math.sin(2 * x[2]), gauss(0.5)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default="data/various", type=pathlib.Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name, (samples, inputs, draw, target, noise) in SETS.items():
        rng = random.Random(name)
        rows = []
        for _ in range(samples):
            x = draw(rng, inputs)
            y = target(x)
            y = y if isinstance(y, list) else [y]
            rows.append(x + [noise(rng, value) if noise else value for value in y])
        outputs = len(rows[0]) - inputs
        names = ["y"] if outputs == 1 else [f"y{k}" for k in range(outputs)]
        path = args.out / f"{name}.csv"
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([f"x{i}" for i in range(inputs)] + names)
            writer.writerows(rows)
        print(f"{path}: {samples} samples")


if __name__ == "__main__":
    main()
