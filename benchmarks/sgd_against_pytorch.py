#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SGD of Sven and of PyTorch on the 1-D task, from the same initial weights (PyTorch's, for
model seeds 1 to 4) and on the same data (those of the published code), in several orders
of the batches: the table in docs/reproduction.md.

    benchmarks/sgd_against_pytorch.py [build/release/bin/sven]

Needs PyTorch and NumPy.
"""
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

import numpy as np
import torch

SAMPLES, BATCH, EPOCHS, RATE = 10000, 32, 20, 0.1
DATA_SEED = 54631  # of the published configuration
SVEN_ORDERS, TORCH_ORDERS = range(1, 7), range(1, 5)


def make_data():
    random = torch.Generator().manual_seed(DATA_SEED)
    inputs = [2 * torch.rand((SAMPLES, 1), generator=random) - 1 for _ in range(2)]
    targets = [torch.exp(-10 * x**2) * torch.sin(2 * x) for x in inputs]
    mean, deviation = targets[0].mean(), targets[0].std()
    return inputs, [(y - mean) / deviation for y in targets]


def make_net(seed):
    torch.manual_seed(seed)
    widths = [1, 16, 16, 16]
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(before, after), torch.nn.GELU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))


def save_weights(net, path):
    header, data = {}, b""
    for name, tensor in net.state_dict().items():
        values = tensor.numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def torch_loss(net, inputs, targets, order):
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
    random = torch.Generator().manual_seed(order)
    loss = torch.nn.MSELoss()
    for _ in range(EPOCHS):
        for rows in torch.randperm(SAMPLES, generator=random).split(BATCH):
            optimizer.zero_grad()
            loss(net(inputs[0][rows]), targets[0][rows]).backward()
            optimizer.step()
    with torch.no_grad():
        return loss(net(inputs[1]), targets[1]).item()


def sven_loss(program, folder, order):
    record = folder / f"run{order}"
    subprocess.run(
        [program, "train", "--data", folder / "train.npz", "--val-data", folder / "val.npz",
         "--standardise", "none", "--init", folder / "init.safetensors", "--activation", "gelu",
         "--batch-size", str(BATCH), "--epochs", str(EPOCHS), "--optimizer", "sgd", "--lr",
         str(RATE), "--shuffle-seed", str(order), "--out", record, "--overwrite", "--quiet"],
        check=True, stdout=subprocess.DEVNULL)
    lines = (record / "run.jsonl").read_text().splitlines()
    return json.loads(lines[-1])["final_val_loss"]


def describe(losses):
    return (f"{min(losses):.1e} to {max(losses):.1e}, median "
            f"{statistics.median(losses):.1e}")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/sven"
    torch.set_num_threads(1)
    inputs, targets = make_data()
    print("| initial weights | Sven's SGD | PyTorch's SGD |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, x, y in zip(("train", "val"), inputs, targets):
            np.savez(folder / f"{part}.npz", x=x.numpy(), y=y.numpy())
        for seed in range(1, 5):
            save_weights(make_net(seed), folder / "init.safetensors")
            ours = [sven_loss(program, folder, order) for order in SVEN_ORDERS]
            theirs = [torch_loss(make_net(seed), inputs, targets, order)
                      for order in TORCH_ORDERS]
            print(f"| PyTorch, seed {seed} | {describe(ours)} | {describe(theirs)} |", flush=True)


if __name__ == "__main__":
    main()
