#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tests/data/torch: trajectories of PyTorch's optimizers.

A case is a safetensors file with a small network, one batch, settings in the
metadata under our names, and what PyTorch made of it: the loss before each step
(expect.losses), the parameters after the last (expect.after.NAME) and, for
methods that average, those to evaluate with (expect.evaluation.NAME). What
torch.optim does not have (Polyak's rate, Lion, schedule-free AdamW, averages,
limits) is written down here from its formula, without any of our code.

    /usr/bin/python3 testing/make_torch_cases.py [FOLDER]

Made with PyTorch 1.13; nothing else is needed. The same seeds give the same
files.
"""

import json
import math
import os
import struct
import sys

import torch
from torch.optim import lr_scheduler

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

ACTIVATIONS = {
    "gelu": torch.nn.GELU,
    "gelu_tanh": lambda: torch.nn.GELU(approximate="tanh"),
    "relu": torch.nn.ReLU,
    "tanh": torch.nn.Tanh,
    "silu": torch.nn.SiLU,
    "sigmoid": torch.nn.Sigmoid,
    "softplus": torch.nn.Softplus,
    "identity": torch.nn.Identity,
}


def write_safetensors(path, metadata, tensors):
    header = {"__metadata__": metadata}
    body = b""
    for name, tensor in tensors:
        values = tensor.detach().contiguous().flatten().tolist()
        integer = tensor.dtype == torch.int64
        data = struct.pack(f"<{len(values)}{'q' if integer else 'd'}", *values)
        header[name] = {
            "dtype": "I64" if integer else "F64",
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


# --- losses, per sample the sum over outputs, then the mean over the batch ---


def loss_function(kind, delta, outputs):
    functional = torch.nn.functional

    def loss(f, y):
        if kind == "ce":
            return functional.cross_entropy(f, y)
        if kind == "label_regression":
            y = functional.one_hot(y, outputs).to(f.dtype)
        if kind == "huber":
            each = functional.huber_loss(f, y, reduction="none", delta=delta)
        else:
            each = functional.mse_loss(f, y, reduction="none")
        return each.sum(dim=1).mean()

    return loss


# --- methods that torch.optim does not have ---


class Polyak(torch.optim.Optimizer):
    def __init__(self, params, max_lr=1.0, f_star=0.0, eps=1e-8):
        super().__init__(params, {"max_lr": max_lr, "f_star": f_star, "eps": eps})

    @torch.no_grad()
    def step(self, loss):
        for group in self.param_groups:
            square = sum((p.grad**2).sum() for p in group["params"])
            rate = (loss - group["f_star"]) / (square + group["eps"])
            rate = max(0.0, min(float(rate), group["max_lr"]))
            for p in group["params"]:
                p -= rate * p.grad


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                direction = torch.sign(b1 * m + (1 - b1) * p.grad)
                p -= group["lr"] * (direction + group["decay"] * p)
                m.copy_(b2 * m + (1 - b2) * p.grad)


class ScheduleFreeAdamW(torch.optim.Optimizer):
    """z moves, x averages it, the network stands at y between them."""

    def __init__(self, params, lr=0.0025, betas=(0.9, 0.999), eps=1e-8,
                 weight_decay=0.0, r=0.0, weight_lr_power=2.0):
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "decay": weight_decay, "r": r,
            "power": weight_lr_power,
        })
        self.count = 0
        self.largest = 0.0
        self.total = 0.0

    @torch.no_grad()
    def step(self):
        (group,) = self.param_groups
        b1, b2 = group["betas"]
        lr = group["lr"]
        self.count += 1
        self.largest = max(self.largest, lr)
        weight = self.count ** group["r"] * self.largest ** group["power"]
        self.total += weight
        share = weight / self.total
        for y in group["params"]:
            state = self.state[y]
            if not state:
                state.update(z=y.clone(), x=y.clone(), v=torch.zeros_like(y))
            z, x, v = state["z"], state["x"], state["v"]
            v.copy_(b2 * v + (1 - b2) * y.grad**2)
            corrected = v / (1 - b2**self.count)
            z -= lr * (y.grad / (corrected.sqrt() + group["eps"])
                       + group["decay"] * y)
            x.copy_((1 - share) * x + share * z)
            y.copy_((1 - b1) * z + b1 * x)

    def evaluation(self, parameters):
        return [self.state[p]["x"] for p in parameters]


def make_optimizer(name, parameters, s):
    """From our settings, without those of the chain."""
    given = dict(s)
    if "beta1" in given or "beta2" in given:
        second = 0.99 if name == "lion" else 0.999
        given["betas"] = (given.pop("beta1", 0.9), given.pop("beta2", second))
    if name == "lbfgs":
        search = given.pop("line_search", "none")
        given["line_search_fn"] = None if search == "none" else search
    makers = {
        "sgd": torch.optim.SGD,
        "rmsprop": torch.optim.RMSprop,
        "adam": torch.optim.Adam,
        "adamw": torch.optim.AdamW,
        "lbfgs": torch.optim.LBFGS,
        "polyak": Polyak,
        "lion": Lion,
        "schedule_free_adamw": ScheduleFreeAdamW,
    }
    return makers[name](parameters, **given)


def make_scheduler(text, optimizer, lr):
    kind, _, rest = text.partition(":")
    s = {k: float(v) for k, v in (part.split("=") for part in rest.split(","))}
    if kind == "step":
        return lr_scheduler.StepLR(optimizer, int(s["every"]), s["factor"])
    if kind == "exponential":
        return lr_scheduler.ExponentialLR(optimizer, s["factor"] ** (1 / s["every"]))
    if kind == "cosine":
        return lr_scheduler.CosineAnnealingLR(
            optimizer, int(s["steps"]), eta_min=lr * s["end"])
    if kind == "one_cycle":
        return lr_scheduler.OneCycleLR(
            optimizer, lr, total_steps=int(s["steps"]), pct_start=s["rise"],
            div_factor=1 / s["start"], final_div_factor=s["start"] / s["end"],
            cycle_momentum=False)
    return lr_scheduler.LambdaLR(
        optimizer, lambda i: min(1.0, (i + 1) / s["warmup"]))


CHAIN = ("schedule", "clip", "max_update", "decoupled_decay", "ema")


def run(case, widths, samples, seed):
    """The trajectory of a case: losses, parameters after it, and averages."""
    torch.manual_seed(seed)
    layers = []
    activation = ACTIVATIONS[case.get("activation", "gelu")]
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers += [activation()] if i > 0 else []
        layers.append(torch.nn.Linear(a, b))
    net = torch.nn.Sequential(*layers)
    kind = case.get("loss", "mse")
    x = torch.randn(samples, widths[0])
    if kind in ("ce", "label_regression"):
        y = torch.randint(widths[-1], (samples,))
    else:
        y = torch.sin(2 * x.sum(dim=1, keepdim=True)) + 0.3 * torch.randn(
            samples, widths[-1])
    loss = loss_function(kind, case.get("huber_delta", 1.0), widths[-1])
    tensors = [(n, p.detach().clone()) for n, p in net.named_parameters()]
    tensors += [("x", x), ("y", y)]

    settings = case["settings"]
    chain = {k: v for k, v in settings.items() if k in CHAIN}
    own = {k: v for k, v in settings.items() if k not in CHAIN}
    parameters = list(net.parameters())
    optimizer = make_optimizer(case["optimizer"], parameters, own)
    scheduler = None
    if "schedule" in chain:
        scheduler = make_scheduler(chain["schedule"], optimizer, own["lr"])

    def closure():
        optimizer.zero_grad()
        value = loss(net(x), y)
        value.backward()
        return value

    losses = []
    average = None
    for _ in range(case.get("steps", 25)):
        before = [p.detach().clone() for p in parameters]
        rate = optimizer.param_groups[0].get("lr")
        if case["optimizer"] == "lbfgs":
            losses.append(float(optimizer.step(closure)))
        else:
            losses.append(float(closure()))
            if "clip" in chain:
                torch.nn.utils.clip_grad_norm_(parameters, chain["clip"])
            if case["optimizer"] == "polyak":
                optimizer.step(losses[-1])
            else:
                optimizer.step()
        with torch.no_grad():
            if "max_update" in chain:
                change = [p - q for p, q in zip(parameters, before)]
                size = math.sqrt(sum(float((c**2).sum()) for c in change))
                factor = min(1.0, chain["max_update"] / size)
                for p, q, c in zip(parameters, before, change):
                    p.copy_(q + factor * c)
            for p, q in zip(parameters, before):
                p -= rate * chain.get("decoupled_decay", 0.0) * q if rate else 0.0
            if average is None:
                average = [p.clone() for p in parameters]
            else:
                n = len(losses)
                keep = min(chain.get("ema", 0.0), n / (n + 9))
                average = [keep * a + (1 - keep) * p
                           for a, p in zip(average, parameters)]
        if scheduler is not None:
            scheduler.step()

    if hasattr(optimizer, "evaluation"):
        average = optimizer.evaluation(parameters)
    names = [n for n, _ in net.named_parameters()]
    tensors.append(("expect.losses", torch.tensor(losses)))
    tensors += [("expect.after." + n, p) for n, p in zip(names, parameters)]
    if "ema" in chain or hasattr(optimizer, "evaluation"):
        tensors += [("expect.evaluation." + n, a) for n, a in zip(names, average)]
    metadata = {"optimizer": case["optimizer"], "loss": kind,
                "activation": case.get("activation", "gelu"),
                "steps": str(len(losses))}
    if "huber_delta" in case:
        metadata["huber_delta"] = str(case["huber_delta"])
    for key, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        metadata[key] = text
    return metadata, tensors


def all_cases():
    def case(name, optimizer, extra=None, **settings):
        return name, {"optimizer": optimizer, "settings": settings, **(extra or {})}

    def with_loss(loss, activation="gelu", **more):
        return {"loss": loss, "activation": activation, **more}

    yield case("sgd_plain", "sgd", lr=0.1)
    yield case("sgd_momentum", "sgd", lr=0.02, momentum=0.9)
    yield case("sgd_dampening", "sgd", lr=0.05, momentum=0.8, dampening=0.4)
    yield case("sgd_nesterov", "sgd", lr=0.02, momentum=0.9, nesterov=True)
    yield case("sgd_weight_decay", "sgd", lr=0.05, weight_decay=0.1)
    yield case("sgd_everything", "sgd", lr=0.01, momentum=0.7, dampening=0.2,
               weight_decay=0.03)

    yield case("rmsprop_momentum", "rmsprop", lr=0.003, momentum=0.6)
    yield case("rmsprop_centered", "rmsprop", lr=0.003, centered=True)
    yield case("rmsprop_weight_decay", "rmsprop", lr=0.003, weight_decay=0.1)
    yield case("rmsprop_alpha", "rmsprop", lr=0.003, alpha=0.7)
    yield case("rmsprop_eps", "rmsprop", lr=0.02, eps=0.1)
    yield case("rmsprop_everything", "rmsprop", lr=0.002, alpha=0.9, eps=1e-4,
               weight_decay=0.02, momentum=0.5, centered=True)

    for name in ("adam", "adamw"):
        yield case(f"{name}_defaults", name)
        yield case(f"{name}_betas", name, lr=0.01, beta1=0.5, beta2=0.9)
        yield case(f"{name}_eps", name, lr=0.05, eps=0.1)
        yield case(f"{name}_weight_decay", name, lr=0.01, weight_decay=0.3)
        yield case(f"{name}_amsgrad", name, lr=0.05, beta2=0.7, amsgrad=True)
        yield case(f"{name}_everything", name, lr=0.02, beta1=0.8, beta2=0.95,
                   eps=1e-3, weight_decay=0.05, amsgrad=True)

    yield case("lion_defaults", "lion")
    yield case("lion_betas", "lion", lr=0.003, beta1=0.6, beta2=0.8)
    yield case("lion_weight_decay", "lion", lr=0.005, weight_decay=0.5)

    # Few steps: at its large rate the way is chaotic, even for rounding.
    yield case("polyak_defaults", "polyak", {"steps": 10})
    yield case("polyak_max_lr", "polyak", max_lr=0.05)
    yield case("polyak_f_star", "polyak", f_star=0.4, eps=1e-2)

    sf = "schedule_free_adamw"
    yield case("schedule_free_defaults", sf)
    yield case("schedule_free_betas", sf, lr=0.02, beta1=0.7, beta2=0.9)
    yield case("schedule_free_weight_decay", sf, lr=0.01, weight_decay=0.2, eps=1e-3)
    yield case("schedule_free_warmup", sf, lr=0.02, schedule="constant:warmup=8")
    yield case("schedule_free_weights", sf, lr=0.01, r=1.0, weight_lr_power=1.0,
               schedule="step:every=9,factor=0.5")

    few = {"steps": 6}
    wolfe = {"line_search": "strong_wolfe"}
    yield case("lbfgs_fixed", "lbfgs", few, lr=0.1, max_iter=6)
    yield case("lbfgs_wolfe", "lbfgs", few, max_iter=8, **wolfe)
    yield case("lbfgs_short_history", "lbfgs", few, max_iter=7, history_size=2, **wolfe)
    yield case("lbfgs_history_of_one", "lbfgs", few, lr=0.2, max_iter=5,
               history_size=1)
    yield case("lbfgs_one_iteration", "lbfgs", {"steps": 20}, max_iter=1, **wolfe)
    yield case("lbfgs_one_iteration_fixed", "lbfgs", {"steps": 20}, lr=0.1, max_iter=1)
    yield case("lbfgs_max_eval", "lbfgs", few, max_iter=20, max_eval=7, **wolfe)
    yield case("lbfgs_max_eval_fixed", "lbfgs", few, lr=0.1, max_iter=20, max_eval=4)
    yield case("lbfgs_tolerance_grad", "lbfgs", few, tolerance_grad=0.3, **wolfe)
    yield case("lbfgs_tolerance_change", "lbfgs", few, tolerance_change=0.02, **wolfe)
    yield case("lbfgs_long_first_step", "lbfgs", {"steps": 4}, lr=30, max_iter=5, **wolfe)
    # With 1e-4 the line search turns on comparisons that rounding decides.
    yield case("lbfgs_tiny_first_step", "lbfgs", {"steps": 4}, lr=3e-4, max_iter=5, **wolfe)
    yield case("lbfgs_ce", "lbfgs", {"steps": 4, **with_loss("ce", "tanh")},
               max_iter=5, **wolfe)
    yield case("lbfgs_huber", "lbfgs", {"steps": 4, **with_loss("huber", "silu")},
               max_iter=5, **wolfe)

    yield case("chain_clip", "sgd", lr=0.1, clip=0.3)
    yield case("chain_clip_adam", "adam", with_loss("ce"), lr=0.02, clip=0.1, eps=0.01)
    yield case("chain_max_update", "sgd", lr=0.1, momentum=0.9, max_update=0.05)
    yield case("chain_decoupled_decay", "sgd", lr=0.05, momentum=0.5,
               decoupled_decay=0.3)
    yield case("chain_ema", "sgd", lr=0.1, ema=0.9)
    yield case("chain_ema_adamw", "adamw", lr=0.02, ema=0.7)
    yield case("chain_ema_lbfgs", "lbfgs", few, max_iter=4, ema=0.5, **wolfe)
    twenty = {"steps": 20}
    yield case("schedule_step", "sgd", twenty, lr=0.1, momentum=0.5,
               schedule="step:every=6,factor=0.5")
    yield case("schedule_exponential", "adam", twenty, lr=0.05,
               schedule="exponential:every=1,factor=0.9")
    yield case("schedule_exponential_slow", "rmsprop", twenty, lr=0.01,
               schedule="exponential:every=5,factor=0.5")
    yield case("schedule_cosine", "adamw", twenty, lr=0.05,
               schedule="cosine:steps=20,end=0.01")
    yield case("schedule_one_cycle", "adam", twenty, lr=0.05,
               schedule="one_cycle:start=0.04,rise=0.3,end=4e-06,steps=20")
    yield case("schedule_warmup", "lion", twenty, lr=0.01,
               schedule="constant:warmup=7")

    for loss in ("ce", "label_regression"):
        yield case(f"loss_{loss}", "sgd", with_loss(loss, "tanh"), lr=0.1, momentum=0.5)
    for delta in (0.2, 1.0):
        yield case(f"loss_huber_{str(delta).replace('.', '_')}", "adam",
                   with_loss("huber", "tanh", huber_delta=delta), lr=0.02)
    for activation in ACTIVATIONS:
        yield case(f"activation_{activation}", "adam",
                   with_loss("mse", activation), lr=0.01)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        here, "..", "tests", "data", "torch")
    os.makedirs(folder, exist_ok=True)
    for seed, (name, case) in enumerate(all_cases(), start=1):
        outputs = 4 if case.get("loss") in ("ce", "label_regression") else 2
        metadata, tensors = run(case, [3, 8, 6, outputs], 14, seed)
        write_safetensors(os.path.join(folder, name + ".safetensors"), metadata,
                          tensors)
        losses = dict(tensors)["expect.losses"].tolist()
        print(f"{name}: loss {losses[0]:.4g} -> {losses[-1]:.4g}")


if __name__ == "__main__":
    main()
