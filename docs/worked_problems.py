#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of the worked problems in docs/problems/ from the tables that the
examples write:

    for e in poisson_2d burgers; do
      build/release/bin/$e 120 $e-curves.csv $e-solution.csv
    done
    build/release/bin/poisson_5d 120 poisson_5d-curves.csv
    build/release/bin/heat 60 heat-curves.csv heat-solution.csv
    build/release/bin/inverse 10 inverse-curves.csv inverse-solution.csv
    build/release/bin/fit_curve fit_curve.csv
    build/release/bin/beacons beacons.csv
    build/release/bin/arm arm.csv
    docs/worked_problems.py .                     # where the tables are
"""
import csv
import math
import pathlib
import sys

FIGURES = pathlib.Path(__file__).parent / "figures"
HEIGHT = 360
TOP, BOTTOM, LEFT = 40, 50, 64
# Safe for the colour-blind; the first is Sven's.
COLOURS = ["#d55e00", "#999999", "#56b4e9", "#009e73", "#cc79a7"]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def floats(rows, *names):
    return [tuple(float(row[n]) for n in names) for row in rows]


class Panel:
    """Axes, and what is drawn in them."""

    def __init__(self, title, x_label, x_range, y_range, log=False, left=0, width=420):
        self.log = log
        self.x_range, self.y_range = (map(math.log10, r) if log else r for r in (x_range, y_range))
        self.x_range, self.y_range = tuple(self.x_range), tuple(self.y_range)
        self.left, self.right = left + LEFT, left + width - 10
        self.parts = []
        self.text(self.left, 22, title, font_weight="bold")
        self.text((self.left + self.right) / 2, HEIGHT - 10, x_label, "middle")
        for value in self.ticks(*self.y_range):
            y = self.at(self.x_range[0], value)[1]
            self.parts.append(f'<line x1="{self.left}" x2="{self.right}" y1="{y:.1f}" '
                              f'y2="{y:.1f}" stroke="#dddddd"/>')
            self.text(self.left - 8, y + 4, self.label(value), "end")
        for value in self.ticks(*self.x_range):
            x = self.at(value, self.y_range[0])[0]
            self.text(x, HEIGHT - BOTTOM + 20, self.label(value), "middle")

    def ticks(self, low, high):
        if self.log:
            return range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
        step = 10 ** math.floor(math.log10((high - low) / 2))
        for factor in (1, 2, 2.5, 5):
            if (high - low) / (step * factor) <= 8:
                step *= factor
                break
        first = math.ceil(low / step - 1e-9)
        return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]

    def label(self, value):
        if not self.log:
            return f"{value + 0.0:g}".replace("-", "\u2212")
        power = str(value).replace("-", "\u2212")
        return f'10<tspan dy="-5" font-size="10">{power}</tspan>'

    def at(self, x, y):
        """Of numbers on the axes, which are logarithms for log axes."""
        share_x = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        share_y = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return (self.left + (self.right - self.left) * share_x,
                HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share_y)

    def place(self, point):
        x, y = (math.log10(v) for v in point) if self.log else point
        x, y = self.at(x, min(max(y, self.y_range[0]), self.y_range[1]))
        return f"{x:.1f},{y:.1f}"

    def text(self, x, y, content, anchor="start", **style):
        extra = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in style.items())
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>'
                          f"{content}</text>")

    def line(self, points, colour, width=2.0, dash=None):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        places = " ".join(map(self.place, points))
        self.parts.append(f'<polyline points="{places}" fill="none" stroke="{colour}" '
                          f'stroke-width="{width}" stroke-linejoin="round"{dashes}/>')

    def area(self, points, colour):
        places = " ".join(map(self.place, points))
        self.parts.append(f'<polygon points="{places}" fill="{colour}" fill-opacity="0.25"/>')

    def dots(self, points, colour, radius=2.5):
        for point in points:
            x, y = self.place(point).split(",")
            self.parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{colour}"/>')

    def legend(self, entries, x=None, y=TOP + 10):
        x = self.right + 15 if x is None else x
        for i, (name, colour) in enumerate(entries):
            self.parts.append(f'<line x1="{x}" x2="{x + 20}" y1="{y + 20 * i}" '
                              f'y2="{y + 20 * i}" stroke="{colour}" stroke-width="3"/>')
            self.text(x + 27, y + 20 * i + 4, name)


def save(name, panels, width):
    with open(FIGURES / f"{name}.svg", "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" '
                   'font-family="sans-serif" font-size="13">\n'
                   f'<rect width="{width}" height="{HEIGHT}" fill="white"/>\n')
        for panel in panels:
            file.write("\n".join(panel.parts) + "\n")
        file.write("</svg>\n")


def decades(values):
    logs = [math.log10(v) for v in values]
    return 10.0 ** math.floor(min(logs)), 10.0 ** math.ceil(max(logs))


def errors_over_time(rows, what):
    curves = {}
    for row in rows:
        point = max(float(row["seconds"]), 0.1), float(row["error"])
        if point[1] > 0 and math.isfinite(point[1]):
            curves.setdefault(row["method"], []).append(point)
    points = [p for curve in curves.values() for p in curve]
    seconds = 0.1, max(p[0] for p in points)
    panel = Panel(what, "seconds", seconds, decades([p[1] for p in points]), log=True)
    colours = dict(zip(curves, COLOURS))
    for name in reversed(curves):  # Sven's on top
        panel.line(curves[name], colours[name], 2.5 if name.startswith("Sven") else 1.8)
    panel.legend(colours.items())
    return panel


def slices(rows, names, left):
    """u over x at a few values of y, with the solution behind it."""
    points = floats(rows, "x", "y", "u", "solution")
    levels = sorted({p[1] for p in points})
    chosen = [levels[round(i * (len(levels) - 1) / 4)] for i in range(5)]
    values = [v for p in points for v in p[2:]]
    span = max(values) - min(values)
    panel = Panel(f"u over {names[0]}, network dotted", names[0],
                  (min(p[0] for p in points), max(p[0] for p in points)),
                  (min(values) - 0.05 * span, max(values) + 0.05 * span), left=left)
    for level, colour in zip(chosen, COLOURS):
        here = sorted(p for p in points if p[1] == level)
        panel.line([(p[0], p[3]) for p in here], colour, 1.5)
        panel.dots([(p[0], p[2]) for p in here[:: max(1, len(here) // 40)]], colour, 2)
    panel.legend([(f"{names[1]} = {v:.2g}", c) for v, c in zip(chosen, COLOURS)])
    return panel


def equation(folder, name, what, coordinates=None):
    left = errors_over_time(read(folder / f"{name}-curves.csv"), what)
    if coordinates is None:
        save(name, [left], 640)
        return
    right = slices(read(folder / f"{name}-solution.csv"), coordinates, left=620)
    save(name, [left, right], 1150)


def fit(folder):
    rows = floats(read(folder / "fit_curve.csv"), "t", "y", "fit", "error", "true")
    panel = Panel("A fit with its error band (two standard errors)", "t", (0, 12), (-2, 2.2),
                  width=640)
    panel.area([(t, f + 2 * e) for t, _, f, e, _ in rows] +
               [(t, f - 2 * e) for t, _, f, e, _ in reversed(rows)], COLOURS[0])
    panel.line([(r[0], r[4]) for r in rows], "#000000", 1.2, dash="5,4")
    panel.line([(r[0], r[2]) for r in rows], COLOURS[0])
    panel.dots([(r[0], r[1]) for r in rows], "#555555")
    panel.legend([("data", "#555555"), ("fit", COLOURS[0]), ("truth", "#000000")], x=480)
    save("fit_curve", [panel], 640)


def beacons(folder):
    rows = read(folder / "beacons.csv")
    receiver = floats(rows[:1], "x", "y")[0]
    panel = Panel("Distances to eight beacons", "x", (-11, 11), (-11, 11), width=400)
    for x, y, distance in floats(rows[1:], "x", "y", "distance"):
        far = math.dist((x, y), receiver)
        end = tuple(b + (r - b) * distance / far for b, r in zip((x, y), receiver))
        panel.line([(x, y), end], "#56b4e9", 1.5)
        panel.dots([(x, y)], "#555555", 4)
    panel.dots([receiver], COLOURS[0], 5)
    panel.legend([("beacon", "#555555"), ("measured distance", "#56b4e9"),
                  ("receiver found", COLOURS[0])])
    save("beacons", [panel], 560)


def arm(folder):
    arms = {}
    for row in read(folder / "arm.csv"):
        arms.setdefault(row["what"], []).append((float(row["x"]), float(row["y"])))
    panel = Panel("An arm of twenty joints reaches a point", "x", (-1, 21), (-3, 12), width=640)
    names = ["start", "Sven", "LevenbergMarquardt"]
    colours = ["#999999", COLOURS[0], COLOURS[2]]
    for name, colour in zip(names, colours):
        panel.line(arms[name], colour)
        panel.dots(arms[name], colour)
    panel.dots([arms["Sven"][-1]], "#000000", 5)
    panel.legend(zip(names, colours), x=80)
    save("arm", [panel], 640)


def main():
    folder = pathlib.Path(sys.argv[1])
    fit(folder)
    beacons(folder)
    arm(folder)
    equation(folder, "poisson_2d", "Relative L2 error", ("x", "y"))
    equation(folder, "poisson_5d", "Relative L2 error")
    equation(folder, "heat", "Relative L2 error", ("x", "t"))
    equation(folder, "burgers", "Relative L2 error", ("x", "t"))
    equation(folder, "inverse", "Relative error of c", ("x", "t"))


if __name__ == "__main__":
    main()
