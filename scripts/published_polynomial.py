#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The very data of the paper's polynomial task, as its published code draws them from
NumPy's generator (Sven's task polynomial-additive is the same polynomial with
coefficients and samples from Sven's own generator):

    scripts/published_polynomial.py FOLDER

writes FOLDER/train.npz and FOLDER/val.npz with x and y. Needs NumPy.
"""
import itertools
import pathlib
import sys

import numpy as np

DEGREE, VARIABLES, SAMPLES, SEED = 4, 6, 10000, 57728


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(SEED)
    # Of total degree d only exponents below d.
    exponents = [e for d in range(DEGREE + 1)
                 for e in itertools.product(range(d), repeat=VARIABLES) if sum(e) == d]
    coefficients = random.normal(size=len(exponents))
    inputs = {name: random.normal(size=(SAMPLES, VARIABLES)) for name in ("train", "val")}

    def polynomial(x):
        # A term is one plus the sum of its powers.
        terms = [1 + sum(x[:, j]**e[j] for j in range(VARIABLES)) for e in exponents]
        return coefficients @ np.array(terms)

    targets = {name: polynomial(x) for name, x in inputs.items()}
    mean, deviation = targets["train"].mean(), targets["train"].std()
    for name, x in inputs.items():
        y = (targets[name] - mean) / deviation
        np.savez(folder / f"{name}.npz", x=x.astype(np.float32),
                 y=y.astype(np.float32)[:, None])


if __name__ == "__main__":
    main()
