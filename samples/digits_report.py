"""Run the archive of `digits.py` in a process that never sees that file: train, classify, report.

python samples/digits_report.py digits.tsa
"""

from __future__ import annotations

import gzip
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tscript

DATA = Path(__file__).parent / "data" / "digits.csv.gz"
HELD_OUT = 450
FloatArray = npt.NDArray[np.float32]


def load_digits() -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Images (1797, 64) as float32 in 0 … 1, and their digits."""
    with gzip.open(DATA, "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int64)
    return (table[:, :-1] / 16).astype(np.float32), table[:, -1].copy()


def train_numpy(
    images: FloatArray, labels: npt.NDArray[np.int64], rate: float = 0.5, tolerance: float = 1e-5, max_steps: int = 5000
) -> tuple[FloatArray, FloatArray, float, int]:
    """The same training in plain NumPy, line by line."""
    count = len(images)
    targets = (labels[:, None] == np.arange(10)).astype(np.float32)
    weights = np.zeros((images.shape[1], 10), np.float32)
    bias = np.zeros(10, np.float32)
    loss, previous, steps = 0.0, 1e30, 0
    while steps < max_steps:
        logits = images @ weights + bias
        shifted = logits - logits.max(1, keepdims=True)
        odds = np.exp(shifted)
        total = odds.sum(1, keepdims=True)
        loss = float(((np.log(total) - shifted) * targets).sum()) / count
        error = (odds / total - targets) / np.float32(count)
        weights -= np.float32(rate) * (images.T @ error)
        bias -= np.float32(rate) * error.sum(0)
        steps += 1
        if previous - loss < tolerance:
            break
        previous = loss
    return weights, bias, loss, steps


def draw(image: FloatArray) -> list[str]:
    """One image as eight lines of text, two characters a pixel."""
    shades = " ░▒▓█"
    return ["".join(shades[min(4, int(p * 4.999))] * 2 for p in row) for row in image.reshape(8, 8)]


def confusion(truth: npt.NDArray[np.int64], found: npt.NDArray[np.int64]) -> str:
    """How often each digit (rows) was taken for each (columns)."""
    table = np.zeros((10, 10), int)
    np.add.at(table, (truth, found), 1)
    lines = ["     " + "".join(f"{d:>4}" for d in range(10))]
    for digit, row in enumerate(table):
        lines.append(f"{digit:>4} " + "".join(f"{n or '·':>4}" for n in row))
    return "\n".join(lines)


def main(archive: str) -> int:
    """Train, classify and print; exit code 1 when the accuracy is not above 0.93."""
    started = time.perf_counter()
    # The archive was made on this machine just now, so its native code is as trustworthy as this file.
    digits = tscript.load(archive, trust_native=True)
    loaded = time.perf_counter()
    print(f"{Path(archive).name} loaded in {(loaded - started) * 1e3:.1f} ms: {', '.join(digits)}\n")
    images, labels = load_digits()
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order], labels[order]
    train_images, train_labels = images[HELD_OUT:], labels[HELD_OUT:]
    test_images, test_labels = images[:HELD_OUT], labels[:HELD_OUT]

    inputs = tscript.from_numpy(train_images), tscript.from_numpy(train_labels)
    weights, bias, loss, steps = digits["train"](*inputs)
    print(f"trained on {len(train_images)} images: {steps} steps, loss {loss:.4f}")
    found = digits["classify"](tscript.from_numpy(test_images), weights, bias).numpy()
    accuracy = float((found == test_labels).mean())
    print(f"accuracy on {len(test_images)} held-out images: {accuracy:.4f}\n\n{confusion(test_labels, found)}\n")

    wrong = np.flatnonzero(found != test_labels)[:2]
    shown = [*range(4 - len(wrong)), *wrong]
    pictures = [draw(test_images[i]) for i in shown]
    for line in zip(*pictures, strict=True):
        print("     ".join(line))
    captions = [f"read as {found[i]}" + ("" if found[i] == test_labels[i] else f", is {test_labels[i]}") for i in shown]
    print("     ".join(f"{caption:<16}" for caption in captions) + "\n")

    ours, numpy = [], []
    for _ in range(3):
        t0 = time.perf_counter()
        digits["train"](*inputs)
        t1 = time.perf_counter()
        reference = train_numpy(train_images, train_labels)
        ours.append(t1 - t0)
        numpy.append(time.perf_counter() - t1)
    print(f"training, best of 3: tscript {min(ours):.3f} s, the same code in NumPy {min(numpy):.3f} s", end="")
    print(
        f" ({min(numpy) / min(ours):.2f} x); steps {steps} and {reference[3]}, loss {loss:.4f} and {reference[2]:.4f}"
    )
    return 0 if accuracy > 0.93 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
