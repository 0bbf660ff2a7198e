# SPDX-License-Identifier: MIT
"""Models go to PyTorch and back: sven's file loads into an nn.Sequential as it
is and gives the same outputs, and sven starts from weights saved there.

Usage: torch_test.py SVEN FOLDER
"""
import json
import struct
import subprocess
import sys

import torch

SVEN, FOLDER = sys.argv[1:3]
DTYPES = {"F32": torch.float32, "F64": torch.float64}


def read(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        flat = torch.frombuffer(bytearray(data[first:last]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors, metadata


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {
            "dtype": "F32" if tensor.dtype == torch.float32 else "F64",
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(values)],
        }
        data += values
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def run(*arguments):
    return subprocess.run([SVEN, *arguments], check=True, capture_output=True, text=True).stdout


def network(dtype):
    return torch.nn.Sequential(
        torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)
    ).to(dtype)


def check(name, dtype, tolerance):
    torch.manual_seed(1)
    x = torch.rand(50, 3, dtype=torch.float64)
    y = torch.stack([x.sum(1), 5 + 3 * x[:, 0] * x[:, 1]], 1)
    csv = f"{FOLDER}/{name}.csv"
    with open(csv, "w") as file:
        file.write("a,b,c,u,v\n")
        for row in torch.cat([x, y], 1).tolist():
            file.write(",".join(repr(value) for value in row) + "\n")

    # There: trained by sven, loaded by PyTorch, strictly.
    run("train", "--data", csv, "--target", "u,v", "--hidden", "8,5", "--activation", "tanh",
        "--dtype", name, "--epochs", "5", "--out", f"{FOLDER}/{name}", "--quiet")
    tensors, metadata = read(f"{FOLDER}/{name}/model.safetensors")
    net = network(dtype)
    net.load_state_dict(tensors, strict=True)
    scale = {key: torch.tensor(json.loads(metadata[key]), dtype=torch.float64)
             for key in ("input_mean", "input_deviation", "target_mean", "target_deviation")}
    inputs = (x - scale["input_mean"]) / scale["input_deviation"]
    outputs = net(inputs.to(dtype)).double() * scale["target_deviation"] + scale["target_mean"]
    lines = run("predict", f"{FOLDER}/{name}", "--data", csv).splitlines()
    assert lines[0] == "u,v", lines[0]
    predicted = torch.tensor([[float(v) for v in line.split(",")] for line in lines[1:]], dtype=torch.float64)
    difference = (predicted - outputs).abs().max().item()
    assert difference < tolerance, f"{name}: outputs differ by {difference}"

    # And back: weights of PyTorch, from which a training starts.
    torch.manual_seed(2)
    net = network(dtype)
    start = f"{FOLDER}/{name}-start.safetensors"
    write(start, net.state_dict())
    run("train", "--data", csv, "--target", "u,v", "--init", start, "--activation", "tanh", "--dtype", name,
        "--optimizer", "sgd", "--lr", "1e-30", "--epochs", "1", "--out", f"{FOLDER}/{name}-same", "--quiet")
    tensors, _ = read(f"{FOLDER}/{name}-same/model.safetensors")
    for key, value in net.state_dict().items():
        assert torch.equal(tensors[key], value), f"{name}: {key} is not what PyTorch saved"


check("f32", torch.float32, 2e-5)
check("f64", torch.float64, 1e-12)
print("models go to PyTorch", torch.__version__, "and back")
