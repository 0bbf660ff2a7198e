#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the paper's figures from the results of sven reproduce:

    docs/figures.py docs/reproduction/results.json [FOLDER]

writes figure1.svg to figure4.svg to FOLDER, or to docs/figures. Needs nothing but Python.
"""
import json
import math
import pathlib
import sys

WIDTH, HEIGHT = 300, 255  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 54, 40  # margins inside it
# Colour-blind safe (Okabe and Ito), the same method always in the same colour.
COLOURS = {"sven": "#d55e00", "adam": "#0072b2", "rmsprop": "#56b4e9", "sgd": "#666666",
           "polyak": "#cc79a7", "lbfgs": "#009e73"}
RAMP = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#bddf26", "#e69f00", "#d55e00"]
TITLES = {"toy1d": "1-D regression", "polynomial-additive": "polynomial, as published",
          "polynomial": "polynomial, as printed", "mnist": "MNIST, label regression"}


class Axis:
    """A range of numbers, logarithmic or not, on a stretch of pixels."""

    def __init__(self, values, first, last, log):
        values = [v for v in values if v is not None and (v > 0 or not log)]
        self.log, self.first, self.last = log, first, last
        scale = math.log10 if log else float
        self.low, self.high = scale(min(values)), scale(max(values))
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.5, self.high + 0.5

    def place(self, value):
        value = math.log10(value) if self.log else value
        share = (value - self.low) / (self.high - self.low)
        share = min(max(share, -0.02), 1.02)
        return self.first + (self.last - self.first) * share

    def ticks(self):
        if self.log:
            decades = list(range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1))
            if len(decades) >= 2:
                step = max(1, math.ceil(len(decades) / 6))
                return [(10.0**d, f'10<tspan dy="-4" font-size="8">{d}</tspan>')
                        for d in decades[::step]]
            return [(m * 10.0**d, f"{m * 10.0**d:g}")
                    for d in range(math.floor(self.low), math.ceil(self.high) + 1)
                    for m in (1, 2, 5)
                    if self.low - 1e-9 <= math.log10(m * 10.0**d) <= self.high + 1e-9]
        rough = (self.high - self.low) / 4
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
        first = math.ceil(self.low / step - 1e-9)
        count = int((self.high - first * step) / step + 1e-9) + 1
        return [((first + i) * step, f"{(first + i) * step:g}") for i in range(count)]


class Panel:
    """Curves in one coordinate system."""

    def __init__(self, title, x_title, y_title="", log_x=False, log_y=True, y_max=math.inf):
        self.title, self.x_title, self.y_title = title, x_title, y_title
        self.log_x, self.log_y, self.y_max = log_x, log_y, y_max
        self.curves = []

    def add(self, name, x, y, colour, band=None, width=1.6, opacity=1.0):
        kept = [i for i in range(min(len(x), len(y))) if y[i] is not None and x[i] is not None
                and (y[i] > 0 or not self.log_y) and (x[i] > 0 or not self.log_x)]
        if not kept:
            return
        self.curves.append({"name": name, "x": [x[i] for i in kept], "y": [y[i] for i in kept],
                            "colour": colour, "width": width, "opacity": opacity,
                            "band": band and [(band[0][i], band[1][i]) for i in kept]})

    def draw(self, left, top):
        if not self.curves:
            return []
        x_axis = Axis([v for c in self.curves for v in c["x"]], left + LEFT,
                      left + WIDTH - RIGHT, self.log_x)
        y_axis = Axis([min(v, self.y_max) for c in self.curves for v in c["y"]],
                      top + HEIGHT - BOTTOM, top + TOP, self.log_y)
        parts = [text(left + LEFT, top + 17, self.title, weight="bold")]
        for value, label in y_axis.ticks():
            y = y_axis.place(value)
            parts.append(f'<line x1="{left + LEFT}" x2="{left + WIDTH - RIGHT}" y1="{y:.1f}" '
                         f'y2="{y:.1f}" stroke="#e5e5e5"/>')
            parts.append(text(left + LEFT - 5, y + 4, label, "end", size=10))
        for value, label in x_axis.ticks():
            parts.append(text(x_axis.place(value), top + HEIGHT - BOTTOM + 14, label, "middle",
                              size=10))
        parts.append(text(left + (LEFT + WIDTH - RIGHT) / 2, top + HEIGHT - 9, self.x_title,
                          "middle", size=10))
        if self.y_title:
            x, y = left + 11, top + (TOP + HEIGHT - BOTTOM) / 2
            parts.append(f'<g transform="rotate(-90 {x} {y})">'
                         + text(x, y, self.y_title, "middle", size=10) + "</g>")
        for curve in self.curves:
            parts += draw_curve(curve, x_axis, y_axis)
        return parts + self.draw_legend(left, top)

    def draw_legend(self, left, top):
        """Names in their colours, below the title, in as many lines as they need."""
        parts, x, y = [], left + LEFT, top + 32
        for curve in self.curves:
            if not curve["name"]:
                continue
            width = 6.2 * len(curve["name"]) + 10
            if x + width > left + WIDTH and x > left + LEFT:
                x, y = left + LEFT, y + 13
            parts.append(text(x, y, curve["name"], size=10, fill=curve["colour"], weight="bold"))
            x += width
        return parts


def draw_curve(curve, x_axis, y_axis):
    parts = []
    xs = [x_axis.place(x) for x in curve["x"]]
    if curve["band"]:
        floor = 10.0**y_axis.low if y_axis.log else y_axis.low
        low = [y_axis.place(max(b[0], floor)) for b in curve["band"]]
        high = [y_axis.place(max(b[1], floor)) for b in curve["band"]]
        outline = list(zip(xs, high)) + list(zip(xs, low))[::-1]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
        parts.append(f'<polygon points="{points}" fill="{curve["colour"]}" opacity="0.15"/>')
    points = " ".join(f"{x:.1f},{y_axis.place(y):.1f}" for x, y in zip(xs, curve["y"]))
    parts.append(f'<polyline points="{points}" fill="none" stroke="{curve["colour"]}" '
                 f'stroke-width="{curve["width"]}" opacity="{curve["opacity"]}"/>')
    return parts


def text(x, y, content, anchor="start", size=12, fill="#222222", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'font-weight="{weight}" fill="{fill}">{content}</text>')


def save(path, rows):
    """Rows of panels, one below the other."""
    width = max(len(row) for row in rows) * WIDTH
    height = len(rows) * HEIGHT
    parts = []
    for r, row in enumerate(rows):
        for c, panel in enumerate(row):
            parts += panel.draw(c * WIDTH, r * HEIGHT)
    body = "\n".join(parts)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                    f'viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
                    f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')


def median(values):
    values = sorted(math.inf if v is None else v for v in values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def loss(point):
    return median(point["val_loss"])


def middle(band):
    return band.get("median", band["mean"])


def best(points):
    points = [p for p in points if math.isfinite(loss(p))]
    return min(points, key=loss) if points else None


def of(experiment, optimizer):
    return [p for p in experiment["points"] if p["optimizer"] == optimizer]


def setting(point, name):
    return float(point["settings"].get(name, "nan"))


def sorted_values(points, name):
    return sorted({setting(p, name) for p in points})


def ramp(i, count):
    return RAMP[round(i * (len(RAMP) - 1) / max(count - 1, 1))]


def figure1(results, path):
    """Validation loss of the best points by epoch and by time, median of ten seeds."""
    rows = [[], []]
    for name, title in TITLES.items():
        experiment = results.get("seeds-" + name) or results.get(name)
        if not experiment:
            continue
        y_title = "" if rows[0] else "validation loss"
        by_epoch = Panel(title, "epoch", y_title)
        by_time = Panel(title, "seconds of training", y_title, log_x=True)
        for optimizer, colour in COLOURS.items():
            point = best(of(experiment, optimizer))
            if point is None:
                continue
            curve = middle(point["validation"])
            width = 2.4 if optimizer == "sven" else 1.5
            by_epoch.add(optimizer, list(range(1, len(curve) + 1)), curve, colour, width=width)
            by_time.add(optimizer, point["seconds"], curve, colour, width=width)
        rows[0].append(by_epoch)
        rows[1].append(by_time)
    save(path, rows)


def spectra_panel(title, points, epochs=None):
    panel = Panel(title, "i", "s_i / s_1")
    for name, colour, point in points:
        spectra = point["spectra"]
        chosen = range(len(spectra)) if epochs is None else [e for e in epochs if e < len(spectra)]
        for n, e in enumerate(chosen):
            values = spectra[e]
            panel.add(name if n == 0 else "", list(range(1, len(values) + 1)), values, colour,
                      width=1.0, opacity=0.35 + 0.65 * n / max(len(chosen) - 1, 1))
    return panel


def whole_spectrum(experiment):
    """The point with the largest k and the smallest rtol of those with spectra."""
    points = [p for p in of(experiment, "sven") if "spectra" in p]
    largest = max((setting(p, "k") for p in points), default=0)
    points = [p for p in points if setting(p, "k") == largest]
    return min(points, key=lambda p: setting(p, "rtol"), default=None)


def figure2(results, path):
    """The effect of k and of rtol, and the spectra."""
    tasks = [t for t in ("toy1d", "polynomial-additive", "mnist") if t in results]
    top, bottom, spectra = [], [], []
    for name, colour in zip(tasks, ("#d55e00", "#009e73", "#0072b2")):
        # Over ten seeds where there are so many.
        points = of(results.get("sweep-" + name, results[name]), "sven")
        batch = results[name]["batch_size"]
        panel = Panel(TITLES[name] + ": k", "epoch", "" if top else "validation loss")
        ks = sorted_values(points, "k")
        for i, k in enumerate(ks):
            point = best([p for p in points if setting(p, "k") == k
                          and setting(p, "rtol") == 1e-3])
            if point:
                curve = middle(point["validation"])
                panel.add(f"k {k:g}", list(range(1, len(curve) + 1)), curve, ramp(i, len(ks)))
        top.append(panel)
        if whole_spectrum(results[name]):
            short = {"toy1d": "1-D", "mnist": "MNIST"}.get(name, "polynomial")
            spectra.append((short, colour, whole_spectrum(results[name])))
        if len(bottom) < 2:
            panel = Panel(TITLES[name] + ": rtol, k = B", "epoch", "")
            cuts = sorted_values(points, "rtol")
            for i, cut in enumerate(cuts):
                point = best([p for p in points if setting(p, "rtol") == cut
                              and setting(p, "k") == batch])
                if point:
                    curve = middle(point["validation"])
                    panel.add(f"rtol {cut:g}", list(range(1, len(curve) + 1)), curve,
                              ramp(i, len(cuts)))
            bottom.append(panel)
    if top:
        save(path, [top, [spectra_panel("Spectra, every epoch", spectra)] + bottom])


def sweep_panel(results, name, key, title, symbol, y_title):
    # Some seeds run off; what lies above the start is not of interest.
    panel = Panel(title, "epoch", y_title, y_max=3 * results[name]["initial_loss"])
    points = sorted(results[name]["points"], key=lambda p: setting(p, key))
    for i, point in enumerate(points):
        band = point["validation"]
        if "deviation" not in band:
            continue
        low = [m - d for m, d in zip(band["mean"], band["deviation"])]
        high = [m + d for m, d in zip(band["mean"], band["deviation"])]
        panel.add(f"{symbol} {setting(point, key):g}", list(range(1, len(low) + 1)),
                  band["mean"], ramp(i, len(points)), band=(low, high))
    return panel


def figure3(results, path):
    """Micro-batches and parameter batches: mean and deviation over ten seeds."""
    rows = []
    for key, symbol in (("microbatch", "size"), ("fraction", "f")):
        row = []
        for task in ("toy1d", "polynomial-additive", "polynomial"):
            name = f"{key}-{task}"
            if name in results:
                row.append(sweep_panel(results, name, key, TITLES[task], symbol,
                                       "" if row else "validation loss"))
        if row:
            rows.append(row)
    if rows:
        save(path, rows)


def figure4(results, path):
    """Cross-entropy: training and validation loss, and the spectra of both losses."""
    if "mnist-ce" not in results:
        return
    panels = []
    for key, title in (("train", "training loss"), ("validation", "validation loss")):
        panel = Panel("MNIST, cross-entropy", "epoch", title)
        for optimizer, colour in COLOURS.items():
            point = best(of(results["mnist-ce"], optimizer))
            if point:
                curve = middle(point[key])
                panel.add(optimizer, list(range(1, len(curve) + 1)), curve, colour,
                          width=2.4 if optimizer == "sven" else 1.5)
        scaled = best(of(results["mnist-ce-rms"], "sven")) if "mnist-ce-rms" in results else None
        if scaled:
            curve = middle(scaled[key])
            panel.add("sven, RMS", list(range(1, len(curve) + 1)), curve, "#e69f00", width=2.4)
        panels.append(panel)
    spectra = []
    for name, title, colour in (("mnist", "label regression", "#0072b2"),
                                ("mnist-ce", "cross-entropy", "#e69f00")):
        if name in results and whole_spectrum(results[name]):
            spectra.append((title, colour, whole_spectrum(results[name])))
    panels.append(spectra_panel("Spectra, epochs 1, 2, 5, 20", spectra, (0, 1, 4, 19)))
    save(path, [panels])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        results = {e["name"]: e for e in json.load(file)["experiments"]}
    default = pathlib.Path(__file__).with_name("figures")
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else default
    folder.mkdir(parents=True, exist_ok=True)
    for number, figure in enumerate((figure1, figure2, figure3, figure4), 1):
        figure(results, folder / f"figure{number}.svg")


if __name__ == "__main__":
    main()
