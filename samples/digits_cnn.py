"""A convolutional network for handwritten digits: trained, frozen, archived, and read where its source is not.

    python samples/digits_cnn.py [digits.tsa]

The step of the training is written out by hand in the language: the gradients of a convolution are two products with
the patches that `unfold` gives. `samples/serve` serves the archive.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from digits_report import HELD_OUT, load_digits

import tscript
import tscript.nn.functional as F  # noqa: N812
from tscript import Tensor, nn

Weights = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


class Network(nn.Module):
    """Two convolutions with pooling, and a linear layer.

    Args:
        first, second: Channels of the convolutions.
    """

    def __init__(self, first: int = 12, second: int = 24) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, first, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(first, second, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )  # fmt: skip
        self.classify = nn.Linear(second * 4, 10)

    def forward(self, images: Tensor) -> Tensor:
        """The log of the odds of each digit, (n, 10), for images (n, 1, 8, 8)."""
        return self.classify(self.features(images).flatten(1))


@tscript.script
def patches_product(x: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """A convolution 3 x 3, and the patches (n, c * 9, h * w) it was computed from."""
    patches = F.unfold(x, 3, padding=1)
    y = weight.flatten(1) @ patches + bias.unsqueeze(1)
    return y.view(x.size(0), weight.size(0), x.size(2), x.size(3)), patches


@tscript.script
def pooled_gradient(error: Tensor, before: Tensor, index: Tensor) -> Tensor:
    """The gradient in front of ``max_pool2d(relu(before), 2)``."""
    whole = F.max_unpool2d(error, index, 2, output_size=[before.size(2), before.size(3)])
    return whole * (before > 0).to(whole.dtype)


@tscript.script
def step(images: Tensor, labels: Tensor, weights: Weights, rate: float) -> float:
    """One step of gradient descent, in place.

    Args:
        images: (n, 1, 8, 8).
        labels: (n,), the digits.
        weights: Of both convolutions and the linear layer, each with its bias.
        rate: Length of the step.

    Returns:
        The mean loss before it.
    """
    w1, b1, w2, b2, w3, b3 = weights
    count = images.size(0)
    y1, patches1 = patches_product(images, w1, b1)
    p1, at1 = F.max_pool2d(y1.relu(), 2, return_indices=True)
    y2, patches2 = patches_product(p1, w2, b2)
    p2, at2 = F.max_pool2d(y2.relu(), 2, return_indices=True)
    flat = p2.flatten(1)
    odds = F.log_softmax(F.linear(flat, w3, b3), 1)
    loss = F.nll_loss(odds, labels)

    error = (odds.exp() - F.one_hot(labels, 10)) / count
    e2 = pooled_gradient((error @ w3).view_as(p2), y2, at2).flatten(2)
    back = F.fold(w2.flatten(1).t() @ e2, [p1.size(2), p1.size(3)], 3, padding=1)
    e1 = pooled_gradient(back, y1, at1).flatten(2)
    w3 -= rate * (error.t() @ flat)
    b3 -= rate * error.sum(0)
    w2 -= rate * (e2 @ patches2.transpose(1, 2)).sum(0).view_as(w2)
    b2 -= rate * e2.sum([0, 2])
    w1 -= rate * (e1 @ patches1.transpose(1, 2)).sum(0).view_as(w1)
    b1 -= rate * e1.sum([0, 2])
    return loss.item()


@tscript.script
def train(images: Tensor, labels: Tensor, weights: Weights, epochs: int, batch: int, rate: float) -> list[float]:
    """Train for some epochs; gives the mean loss of each."""
    losses: list[float] = []
    for _ in range(epochs):
        order = tscript.randperm(images.size(0))
        total = 0.0
        for start in range(0, images.size(0) - batch + 1, batch):
            chosen = order[start : start + batch]
            total += step(images[chosen], labels[chosen], weights, rate)
        losses.append(total * batch / images.size(0))
    return losses


def accuracy(classify: Callable[[Tensor], Tensor], images: Tensor, labels: Tensor) -> float:
    """The part of the images whose digit is found."""
    return (classify(images).argmax(1) == labels).float().mean().item()


def elsewhere(archive: str, images: Tensor) -> Tensor:
    """What the archive computes in a process that cannot import this file."""
    code = (
        "import sys, numpy, tscript\n"
        "network = tscript.load(sys.argv[1])\n"
        "numpy.save(sys.argv[3], network(tscript.from_numpy(numpy.load(sys.argv[2]))).numpy())"
    )
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "images.npy"), Path(folder, "odds.npy")
        np.save(given, images.numpy())
        subprocess.run([sys.executable, "-c", code, archive, given, found], check=True)
        return tscript.from_numpy(np.load(found))


def main(archive: str) -> None:
    """Train, freeze, save, load."""
    pixels, digits = load_digits()
    images = tscript.from_numpy(pixels).view(-1, 1, 8, 8)
    labels = tscript.from_numpy(digits)
    tscript.manual_seed(0)
    network = Network()
    weights = tuple(p.data for p in network.parameters())
    start = time.perf_counter()
    losses = train(images[:-HELD_OUT], labels[:-HELD_OUT], weights, epochs=12, batch=32, rate=0.2)
    print(f"trained in {time.perf_counter() - start:.1f} s: loss {losses[0]:.2f} to {losses[-1]:.3f}")

    held, answers = images[-HELD_OUT:], labels[-HELD_OUT:]
    frozen = tscript.freeze(tscript.script(network.eval()))
    difference = (frozen(held) - network(held)).abs().max().item()
    print(f"frozen: {accuracy(frozen, held, answers):.1%} of {HELD_OUT} held-out images, off by {difference:.0e}")

    tscript.save(frozen, archive, metadata={"data": "digits"})
    print(f"saved: {Path(archive).name}, {Path(archive).stat().st_size >> 10} KiB")
    same = tscript.allclose(elsewhere(archive, held), frozen(held))
    print("another process gives", "the same" if same else "something else")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(str(Path(folder, "digits.tsa")))
