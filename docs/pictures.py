#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/toy1d.svg from the curves of examples/compare_1d:

    build/release/bin/compare_1d curves.csv && docs/pictures.py curves.csv
"""
import csv
import math
import pathlib
import sys

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 240, 40, 50
COLOURS = ["#999999", "#56b4e9", "#009e73", "#d55e00"]  # colour-blind safe
DECADES = (-7, 0)


def x_of(epoch, last):
    return LEFT + (WIDTH - LEFT - RIGHT) * (epoch - 1) / (last - 1)


def y_of(loss):
    low, high = DECADES
    share = (math.log10(loss) - low) / (high - low)
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def text(x, y, content, anchor="start", **style):
    extra = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{content}</text>'


def axes(last):
    parts = []
    for decade in range(DECADES[0], DECADES[1] + 1):
        y = y_of(10.0**decade)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" '
                     f'y2="{y:.1f}" stroke="#dddddd"/>')
        label = f'10<tspan dy="-5" font-size="10">{decade}</tspan>'
        parts.append(text(LEFT - 8, y + 4, label, "end"))
    for epoch in (1, 5, 10, 15, 20):
        parts.append(text(x_of(epoch, last), HEIGHT - BOTTOM + 20, epoch, "middle"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "epoch", "middle"))
    parts.append(text(LEFT, 22, "Validation loss on y = exp(-10 x²) sin(2x), median "
                      "of three seeds", font_weight="bold"))
    return parts


def main():
    curves = {}
    with open(sys.argv[1], newline="") as file:
        for row in csv.DictReader(file):
            curves.setdefault(row["optimizer"], []).append(float(row["validation_loss"]))
    last = max(map(len, curves.values()))
    parts = axes(last)
    for colour, (name, losses) in zip(COLOURS, curves.items()):
        points = " ".join(f"{x_of(i + 1, last):.1f},{y_of(l):.1f}"
                          for i, l in enumerate(losses))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                     'stroke-width="2.5"/>')
        parts.append(text(WIDTH - RIGHT + 8, y_of(losses[-1]) + 4, name, fill=colour,
                          font_weight="bold"))
    body = "\n".join(parts)
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">\n'
           f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')
    pathlib.Path(__file__).with_name("toy1d.svg").write_text(svg)


if __name__ == "__main__":
    main()
