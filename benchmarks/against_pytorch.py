#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Times the dense PyTorch step beside ours, in one run and on one thread.

The dense step stores the Jacobian M (B conditions x N parameters) of the losses R per sample,
takes its singular value decomposition and applies - lr V_r S_r^-1 U_r^T R: what Sven does without
M. Before anything is timed, both programs do the same step in double precision and must agree.
"""
from __future__ import annotations

import argparse
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

# Read once, when the libraries load; our program inherits it.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
try:
    import torch
except ImportError:
    torch = None  # so that --help works without it

PROGRAM = Path(__file__).resolve().parent.parent / "build/release/bin/sven"
# Network, batch, k and rtol come from `sven bench`; this is what it does not tell.
LOSSES = {"toy1d": "mse", "mnist": "label_regression", "wide": "label_regression"}
RATE = 1e-3  # as in `sven bench`: the measured steps should not run away from the start
SLICES, SLICE_SECONDS = 5, 0.05  # per round; as long as those of `sven bench`
LARGEST_JACOBIAN = 2e9  # bytes; the decomposition takes a few times as much
SAME = 1e-6  # relative difference up to which two steps are the same one

Step = Callable[[], None]
Jacobian = Callable[[], "tuple[tuple[torch.Tensor, ...], torch.Tensor]"]  # M by parameter, R


class Failure(Exception):
    """What ends the run with one line for the user and exit code 1."""


class Problem:
    """A case's network and batch. Each optimizer gets its own, since steps move the parameters."""

    def __init__(self, case: dict[str, Any], dtype: torch.dtype):
        torch.manual_seed(1)
        self.case, widths, batch = case, case["widths"], case["batch"]
        layers: list[torch.nn.Module] = []
        for inputs, outputs in zip(widths, widths[1:]):
            layers += [torch.nn.Linear(inputs, outputs), torch.nn.GELU()]
        self.net = torch.nn.Sequential(*layers[:-1]).to(dtype)
        self.parameters = tuple(self.net.parameters())
        self.x = torch.randn(batch, widths[0], dtype=dtype)
        if LOSSES[case["name"]] == "mse":
            self.y = self.target = torch.randn(batch, widths[-1], dtype=dtype)
        else:
            self.y = torch.randint(widths[-1], (batch,))
            self.target = torch.nn.functional.one_hot(self.y, widths[-1]).to(dtype)


def squared_error(outputs: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """One loss per sample; against the one-hot label it is label regression."""
    return (outputs - target).square().sum(-1)


def jacobian_by_vmap(problem: Problem) -> Jacobian:
    """The backward pass of one sample, vectorised over the batch."""
    import functorch
    model, _ = functorch.make_functional(problem.net)
    rows = functorch.vmap(
        functorch.grad_and_value(lambda p, x, y: squared_error(model(p, x), y)), (None, 0, 0))
    # Views of the same numbers: without them autograd would record functorch's work as well.
    parameters = tuple(p.detach() for p in problem.parameters)
    return lambda: rows(parameters, problem.x, problem.target)


def jacobian_by_batched_grad(problem: Problem) -> Jacobian:
    """One backward pass of the whole batch per unit vector, all of them vectorised."""
    unit_vectors = torch.eye(len(problem.x), dtype=problem.x.dtype)

    def jacobian() -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
        R = squared_error(problem.net(problem.x), problem.target)
        return torch.autograd.grad(R, problem.parameters, unit_vectors, is_grads_batched=True), R

    return jacobian


JACOBIANS = {"functorch vmap(grad_and_value)": jacobian_by_vmap,
             "torch.autograd.grad(is_grads_batched=True)": jacobian_by_batched_grad}


def fastest_jacobian(problem: Problem) -> str:
    """PyTorch is to look as good as it can, so the way that is faster here and now counts."""
    us = {}
    for name, make in JACOBIANS.items():
        try:
            jacobian = make(problem)
            us[name] = min(slice_us(jacobian, 0) for _ in range(7))
        except (ImportError, AttributeError, TypeError, RuntimeError):
            continue  # a PyTorch that does not have this way
    if not us:
        raise Failure(f"PyTorch {torch.__version__} has no way to the Jacobian that we know")
    return min(us, key=us.__getitem__)


def dense_step(problem: Problem, way: str) -> Step:
    """Sven as the paper writes it: the k largest singular values, of these s > rtol s_1."""
    k, rtol, jacobian = problem.case["k"], problem.case["rtol"], JACOBIANS[way](problem)
    sizes = [p.numel() for p in problem.parameters]

    def step() -> None:
        parts, R = jacobian()
        with torch.no_grad():
            M = torch.cat([part.flatten(1) for part in parts], 1)
            U, S, Vh = torch.linalg.svd(M, full_matrices=False)
            r = int((S[:k] > rtol * S[0]).sum())
            update = Vh[:r].T @ ((U[:, :r].T @ R) / S[:r])
            for parameter, part in zip(problem.parameters, update.split(sizes)):
                parameter.add_(part.view_as(parameter), alpha=-RATE)

    return step


def sgd_step(problem: Problem, _: str | None) -> Step:
    optimizer = torch.optim.SGD(problem.parameters, lr=RATE)

    def step() -> None:
        optimizer.zero_grad()
        squared_error(problem.net(problem.x), problem.target).mean().backward()
        optimizer.step()

    return step


STEPS = {"sven": dense_step, "sgd": sgd_step}


def slice_us(step: Callable[[], Any], seconds: float = SLICE_SECONDS) -> float:
    """Steps for about `seconds`, at least one; microseconds per step."""
    start, elapsed, count = time.perf_counter(), 0.0, 0
    while count == 0 or elapsed < seconds:
        step()
        count, elapsed = count + 1, time.perf_counter() - start
    return elapsed / count * 1e6


def run_sven(program: Path, *arguments: Any) -> str:
    try:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"{program}: {error.strerror}: run scripts/quickstart.sh first, "
                      "or give the program's path with --sven") from None
    if done.returncode != 0:
        raise Failure(f"{program} {arguments[0]}: {done.stderr.strip() or 'failed'}")
    return done.stdout


def run_bench(program: Path, name: str, slices: int, seconds: float) -> dict[str, Any]:
    """The case as our program describes and times it."""
    text = run_sven(program, "bench", "--json", "--case", name, "--slices", slices,
                    "--slice-seconds", seconds)
    try:
        return json.loads(text)["cases"][0]
    except (ValueError, LookupError):
        raise Failure(f"{program} bench: not the JSON that we know; is it up to date?") from None


def write_safetensors(path: Path, tensors: dict[str, torch.Tensor], metadata: dict) -> None:
    """By hand, to need no package: length of the header, header as JSON, numbers."""
    header: dict[str, Any] = {"__metadata__": {key: str(value) for key, value in metadata.items()}}
    names, end = {torch.float64: "F64", torch.int64: "I64"}, 0
    for name, tensor in tensors.items():
        start, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.numpy().tobytes())


def read_float64(path: Path, name: str) -> torch.Tensor:
    data = bytearray(path.read_bytes())
    (size,) = struct.unpack_from("<Q", data)
    start, end = (8 + size + i for i in json.loads(data[8:8 + size])[name]["data_offsets"])
    return torch.frombuffer(data[start:end], dtype=torch.float64)


def check_same(program: Path, case: dict[str, Any], optimizer: str, way: str | None) -> float:
    """The relative difference of PyTorch's step and ours from the same start, in double precision:
    in single precision the rounding of the weakest directions would hide a step that is wrong."""
    problem = Problem(case, torch.float64)
    settings = {"optimizer": optimizer, "loss": LOSSES[case["name"]], "activation": "gelu",
                "lr": RATE, "k": case["k"], "rtol": case["rtol"]}  # sgd passes over k and rtol
    with tempfile.TemporaryDirectory() as folder:
        start, after = Path(folder, "start.safetensors"), Path(folder, "after.safetensors")
        batch = {"x": problem.x, "y": problem.y}
        write_safetensors(start, problem.net.state_dict() | batch, settings)
        run_sven(program, "step", start, "--out", after)
        ours = read_float64(after, "update")  # at rate 1
    before = [p.detach().clone() for p in problem.parameters]
    STEPS[optimizer](problem, way)()
    moves = [(p.detach() - start).flatten() for p, start in zip(problem.parameters, before)]
    theirs = torch.cat(moves) / RATE
    result = ((ours - theirs).norm() / theirs.norm()).item()
    if not result <= SAME:  # also if it is not a number
        raise Failure(f"{case['name']}, {optimizer}: PyTorch's step and ours differ by "
                      f"{result:.1e} relative, more than {SAME:g}: nothing to compare")
    return result


def take_turns(program: Path, name: str, steps: dict[str, Step], rounds: int) -> dict[str, Any]:
    """Slices of all in turns, so that a slow moment of the machine meets all; the median counts."""
    times: dict[str, dict] = {"pytorch": {o: [] for o in steps}, "ours": {o: [] for o in STEPS}}
    for _ in range(rounds):
        measured = run_bench(program, name, SLICES, SLICE_SECONDS)["us_per_step"]
        for optimizer, values in times["ours"].items():
            values.append(measured[optimizer])
        for _ in range(SLICES):
            for optimizer, step in steps.items():
                times["pytorch"][optimizer].append(slice_us(step))
    return {who: {o: statistics.median(values) for o, values in of.items()}
            for who, of in times.items()}


def compare(program: Path, name: str, rounds: int) -> dict[str, Any]:
    """One case from check to medians; the keys are those of --json."""
    if sys.stderr.isatty():
        print(f"{name} ...", file=sys.stderr)
    case = run_bench(program, name, 1, 0)
    dtype = {"f32": torch.float32, "f64": torch.float64}[case["dtype"]]
    jacobian_bytes = case["batch"] * case["parameters"] * torch.finfo(dtype).bits // 8
    way = fastest_jacobian(Problem(case, dtype)) if jacobian_bytes <= LARGEST_JACOBIAN else None
    optimizers = [o for o in STEPS if way or o == "sgd"]
    same = {o: check_same(program, case, o, way) for o in optimizers}
    steps = {o: STEPS[o](Problem(case, dtype), way) for o in optimizers}
    us = take_turns(program, name, steps, rounds)
    return {key: case[key] for key in ("name", "dtype", "widths", "batch", "parameters")} | {
        "jacobian": way, "jacobian_bytes": jacobian_bytes, "same_step_to": same, "us_per_step": us,
        "ratio": {o: us["pytorch"][o] / us["ours"][o] for o in optimizers}}


def print_table(results: list[dict[str, Any]]) -> None:
    for result in results:
        way = (f"Jacobian by {result['jacobian']}" if result["jacobian"] else
               f"SGD only, the Jacobian alone would take {result['jacobian_bytes'] / 1e9:.1f} GB")
        print(f"{result['name']}: same step to {max(result['same_step_to'].values()):.1e}; {way}")
    head = f"{'ours':>9} {'ratio':>7}"
    print(f"\n{'us per step':<13} | {'PyTorch dense':>13} {head} | {'PyTorch SGD':>13} {head}")
    for result in results:
        row = f"{result['name']:<7} {result['dtype']:>5}"
        for optimizer in STEPS:
            theirs, ours = (result["us_per_step"][w].get(optimizer) for w in ("pytorch", "ours"))
            first, last = (f"{theirs:.1f}", f"{theirs / ours:.1f}x") if theirs else ("-", "-")
            row += f" | {first:>13} {ours:>9.1f} {last:>7}"
        print(row)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Time the dense PyTorch step and PyTorch's SGD beside ours, on one thread. "
        "A ratio of 50x says that ours takes a fiftieth of the time.",
        epilog="Trust the ratios more than the times: the programs take turns in short slices. "
        "Exit codes: 0 done, 1 something is missing or the steps differ, 2 wrong options.")
    parser.add_argument("--sven", type=Path, default=PROGRAM, metavar="PATH",
                        help="our program, as scripts/quickstart.sh builds it [%(default)s]")
    parser.add_argument("--case", action="append", choices=LOSSES, metavar="NAME",
                        help=f"only this one, may be repeated: {', '.join(LOSSES)} [all]")
    parser.add_argument("--rounds", type=int, default=3, metavar="N",
                        help="how often the programs take turns; more for steadier medians [3]")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds {arguments.rounds}: must be at least 1")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    if torch is None:
        raise Failure("needs PyTorch for /usr/bin/python3: apt-get install python3-torch")
    torch.set_num_threads(1)
    cases = [compare(arguments.sven, n, arguments.rounds) for n in arguments.case or LOSSES]
    if arguments.json:
        print(json.dumps({"pytorch": torch.__version__, "threads": 1, "cases": cases}, indent=2))
    else:
        print_table(cases)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"against_pytorch: {failure}")
