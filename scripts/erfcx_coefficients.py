#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Coefficients of src/nn/erfcx.h: (1 + 2 z) exp(z^2) erfc(z) for z >= 0 as a
polynomial in t = (z - K) / (z + K), by Chebyshev interpolation.

Needs Debian's python3-mpmath. Prints the two tables.
"""
from mpmath import mp, mpf, cos, erfc, exp, nstr, pi, sqrt

mp.dps = 50


def scaled_erfc(z):
    if z < 100:
        return (1 + 2 * z) * erfc(z) * exp(z * z)
    # Asymptotic series, exact to far beyond 50 digits' need at z >= 100.
    term, total = mpf(1), mpf(1)
    for n in range(1, 12):
        term *= -mpf(2 * n - 1) / (2 * z * z)
        total += term
    return (1 + 2 * z) / (z * sqrt(pi)) * total


def polynomial(K, degree, nodes=80):
    def value(angle):
        t = cos(angle)
        return scaled_erfc(K * (1 + t) / (1 - t))

    angles = [pi * (j + mpf(1) / 2) / nodes for j in range(nodes)]
    values = [value(a) for a in angles]
    cheb = [
        (1 if k == 0 else 2) / mpf(nodes)
        * sum(v * cos(k * a) for v, a in zip(values, angles))
        for k in range(degree + 1)
    ]
    result = [mpf(0)] * (degree + 1)
    previous, current = [mpf(1)], [mpf(0), mpf(1)]
    for k in range(degree + 1):
        basis = previous
        for i, x in enumerate(basis):
            result[i] += cheb[k] * x
        following = [mpf(0)] + [2 * x for x in current]
        for i, x in enumerate(previous):
            following[i] -= x
        previous, current = current, following
    return result


for name, K, degree, digits in (("double", mpf("3.75"), 23, 20),
                                ("float", mpf(3), 11, 12)):
    print(f"// {name}: K = {nstr(K, 4)}, highest power first")
    for c in reversed(polynomial(K, degree)):
        print(f"    {nstr(c, digits, strip_zeros=False)},")
