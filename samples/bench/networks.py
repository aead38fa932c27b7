"""Networks at inference: the same layers with the same weights here, in PyTorch after freezing, and in JAX.

    TSCRIPT_THREADS=1 python samples/bench/run.py networks

PyTorch and JAX use as many threads as `TSCRIPT_THREADS` says. The script draws the weights itself; results are compared
before anything is timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Call, Row, interleave
from peers import jax, torch

import tscript
from tscript import nn

STEPS, BATCH, HIDDEN = 100, 16, 256
LENGTH, WIDTH, HEADS, INNER = 128, 256, 4, 1024


def resnet(library: Any) -> Any:
    """ResNet-18 (He et al., 2015) of either library, in evaluation mode."""

    class Block(library.Module):  # type: ignore[misc,name-defined]
        def __init__(self, inputs: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.conv1 = library.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
            self.bn1 = library.BatchNorm2d(outputs)
            self.relu = library.ReLU()
            self.conv2 = library.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.bn2 = library.BatchNorm2d(outputs)
            self.shortcut = library.Identity()
            if stride != 1:
                self.shortcut = library.Sequential(
                    library.Conv2d(inputs, outputs, 1, stride, bias=False), library.BatchNorm2d(outputs)
                )

        def forward(self, x):  # type: ignore[no-untyped-def]
            out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
            return self.relu(out + self.shortcut(x))

    blocks, inputs = [], 64
    for outputs in (64, 128, 256, 512):
        blocks += [Block(inputs, outputs, 1 if outputs == 64 else 2), Block(outputs, outputs, 1)]
        inputs = outputs
    return library.Sequential(
        library.Conv2d(3, 64, 7, 2, 3, bias=False),
        library.BatchNorm2d(64),
        library.ReLU(),
        library.MaxPool2d(3, 2, 1),
        *blocks,
        library.AdaptiveAvgPool2d(1),
        library.Flatten(),
        library.Linear(512, 1000),
    ).eval()


def encoder(library: Any) -> Any:
    """A block of a transformer encoder, of either library, in evaluation mode."""
    return library.TransformerEncoderLayer(WIDTH, HEADS, INNER, 0.0, "gelu", batch_first=True, norm_first=True).eval()


def mlp(library: Any) -> Any:
    """A small network for one sample."""
    return library.Sequential(library.Linear(64, 128), library.ReLU(), library.Linear(128, 10)).eval()


def conv(library: Any) -> Any:
    """A convolution of a ResNet."""
    return library.Conv2d(64, 64, 3, 1, 1, bias=False).eval()


def depthwise(library: Any) -> Any:
    """A depthwise convolution of a MobileNet."""
    return library.Conv2d(96, 96, 3, 1, 1, groups=96).eval()


def mobilenet(library: Any) -> Any:
    """MobileNetV2 (Sandler et al., 2018) of either library, in evaluation mode."""

    def layers(inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1) -> list[Any]:
        conv = library.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
        return [conv, library.BatchNorm2d(outputs)]

    class Block(library.Module):  # type: ignore[misc,name-defined]
        def __init__(self, inputs: int, outputs: int, stride: int, wider: int) -> None:
            super().__init__()
            inside = inputs * wider
            first = [*layers(inputs, inside), library.ReLU6()] if wider > 1 else []
            deep = [*layers(inside, inside, 3, stride, inside), library.ReLU6()]
            self.layers = library.Sequential(*first, *deep, *layers(inside, outputs))
            self.adds = stride == 1 and inputs == outputs

        def forward(self, x):  # type: ignore[no-untyped-def]
            if self.adds:
                return x + self.layers(x)
            return self.layers(x)

    blocks, inputs = [], 32
    for wider, outputs, count, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for number in range(count):
            blocks.append(Block(inputs, outputs, stride if number == 0 else 1, wider))
            inputs = outputs
    return library.Sequential(
        *layers(3, 32, 3, 2),
        library.ReLU6(),
        *blocks,
        *layers(320, 1280),
        library.ReLU6(),
        library.AdaptiveAvgPool2d(1),
        library.Flatten(),
        library.Linear(1280, 1000),
    ).eval()


def recurrent(library: Any) -> Any:
    """An LSTM layer."""
    return library.LSTM(HIDDEN, HIDDEN).eval()


MODULES = (
    ("MLP 64-128-10, batch 1", mlp, (1, 64)),
    ("conv2d 3x3, 64 to 64, 56x56", conv, (1, 64, 56, 56)),
    ("ResNet-18, 224x224", resnet, (1, 3, 224, 224)),
    ("conv2d 3x3, depthwise, 96 channels, 112x112", depthwise, (1, 96, 112, 112)),
    ("MobileNetV2, 224x224", mobilenet, (1, 3, 224, 224)),
    ("encoder block, 128x256", encoder, (1, LENGTH, WIDTH)),
    ("LSTM of the library, 100x16x256", recurrent, (STEPS, BATCH, HIDDEN)),
)


def lstm(library: Any) -> Any:
    """An LSTM written out, in either library."""

    def run(x, wi, wh, b):
        h = library.zeros([x.size(1), wh.size(0)])
        c = library.zeros([x.size(1), wh.size(0)])
        out = []
        for t in range(x.size(0)):
            g = library.matmul(x[t], wi) + library.matmul(h, wh) + b
            i, f, u, o = g.chunk(4, 1)
            c = library.sigmoid(f) * c + library.sigmoid(i) * library.tanh(u)
            h = library.sigmoid(o) * library.tanh(c)
            out.append(h)
        return library.stack(out)

    return run


def _lstm_of_jax() -> Any:
    jnp, nn_of_jax = jax.numpy, jax.nn

    def run(x: Any, wi: Any, wh: Any, b: Any) -> Any:
        def step(state: Any, here: Any) -> Any:
            h, c = state
            i, f, u, o = jnp.split(here @ wi + h @ wh + b, 4, axis=1)
            c = nn_of_jax.sigmoid(f) * c + nn_of_jax.sigmoid(i) * jnp.tanh(u)
            h = nn_of_jax.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[1], wh.shape[0]))
        return jax.lax.scan(step, (zeros, zeros), x)[1]

    return jax.jit(run)


def _encoder_of_jax(weights: dict[str, Any]) -> Any:
    jnp = jax.numpy
    w = {name: jnp.asarray(value) for name, value in weights.items()}

    def norm(x: Any, name: str) -> Any:
        mean = x.mean(-1, keepdims=True)
        var = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(var + 1e-5) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def run(x: Any) -> Any:
        y = norm(x, "norm1") @ w["self_attn.in_proj_weight"].T + w["self_attn.in_proj_bias"]
        heads = y.reshape(1, LENGTH, 3, HEADS, WIDTH // HEADS).transpose(2, 0, 3, 1, 4)
        q, k, v = heads[0], heads[1], heads[2]
        a = jax.nn.softmax(q @ k.swapaxes(-1, -2) / (WIDTH // HEADS) ** 0.5, axis=-1) @ v
        a = a.transpose(0, 2, 1, 3).reshape(1, LENGTH, WIDTH)
        x = x + a @ w["self_attn.out_proj.weight"].T + w["self_attn.out_proj.bias"]
        y = jax.nn.gelu(norm(x, "norm2") @ w["linear1.weight"].T + w["linear1.bias"], approximate=False)
        return x + y @ w["linear2.weight"].T + w["linear2.bias"]

    return jax.jit(run)


def _blocking(function: Any) -> Any:
    return lambda *args: function(*args).block_until_ready()


def _clock() -> Callable[[], float]:
    """Processor time, which other work disturbs least, where there is one thread."""
    return time.process_time if tscript.get_num_threads() == 1 else time.perf_counter


def _pause() -> float:
    """Seconds between the turns of several threads."""
    return 0.0 if tscript.get_num_threads() == 1 else 0.05


def _first(found: Any) -> Any:
    """What a module returns, or the first of it, as an array."""
    return np.asarray(found[0] if isinstance(found, tuple) else found)


def _agreed(name: str, calls: dict[str, Call]) -> dict[str, Call]:
    """The same calls, after all gave about the same results."""
    results = {variant: _first(function(*args)) for variant, (function, args) in calls.items() if callable(function)}
    expected = results["tscript"]
    for variant, result in results.items():
        error = np.abs(result - expected).max() / np.abs(expected).max()
        if not error < 1e-3:
            raise AssertionError(f"{name}: {variant} differs by {error:.1e} of the greatest element")
    return calls


def _module(name: str, build: Any, shape: tuple[int, ...]) -> Row:
    random = np.random.default_rng(0)
    x = random.normal(size=shape).astype(np.float32)
    module = build(nn)
    for path, value in module.state_dict().items():
        if value.is_floating_point() and not path.endswith("running_var"):
            value.copy_(tscript.from_numpy(random.normal(size=tuple(value.shape)).astype(np.float32) * 0.05))
    scripted = tscript.script(module)
    ours = tscript.from_numpy(x)
    calls: dict[str, Call] = {"tscript": (tscript.freeze(scripted), (ours,))}
    if build in (conv, resnet):
        calls["tscript, fast"] = (tscript.freeze(scripted, fast=True), (ours,))
    weights = {path: value.numpy() for path, value in module.state_dict().items()}
    if torch is not None:
        theirs = build(torch.nn)
        theirs.load_state_dict({path: torch.from_numpy(np.array(value)) for path, value in weights.items()})
        y = torch.from_numpy(x)
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(theirs, (y,), check_trace=False)))
        for _ in range(3):
            frozen(y)
        calls["PyTorch, frozen"] = (frozen, (y,))
        calls["PyTorch"] = (theirs, (y,))
    if jax is not None and build is encoder:
        calls["JAX"] = (_blocking(_encoder_of_jax(weights)), (jax.numpy.asarray(x),))
    return interleave(name, _agreed(name, calls), rounds=ROUNDS, clock=_clock(), pause=_pause())


def _written_out() -> Row:
    random = np.random.default_rng(2)
    bound = HIDDEN**-0.5
    given = [
        random.normal(size=(STEPS, BATCH, HIDDEN)),
        *(random.uniform(-bound, bound, size=(HIDDEN, 4 * HIDDEN)) for _ in range(2)),
        random.uniform(-bound, bound, size=4 * HIDDEN),
    ]
    arrays = [each.astype(np.float32) for each in given]
    name = "LSTM written out, 100x16x256"
    calls: dict[str, Call] = {
        "tscript": (tscript.script(optimize="full")(lstm(tscript)), tuple(map(tscript.from_numpy, arrays)))
    }
    if torch is not None:
        scripted, tensors = torch.jit.script(lstm(torch)), tuple(map(torch.from_numpy, arrays))
        for _ in range(3):
            scripted(*tensors)
        calls["PyTorch, scripted"] = (scripted, tensors)
        calls["PyTorch"] = (lstm(torch), tensors)
    if jax is not None:
        calls["JAX"] = (_blocking(_lstm_of_jax()), tuple(map(jax.numpy.asarray, arrays)))
    return interleave(name, _agreed(name, calls), rounds=ROUNDS, clock=_clock(), pause=_pause())


ROUNDS = 40
"""Many, since the least of few is noise on a busy machine."""


def run() -> list[Row]:
    """Time all of it."""
    if torch is not None:
        torch.set_num_threads(tscript.get_num_threads())
    rows = [_module(*each) for each in MODULES]
    return [*rows, _written_out()]
