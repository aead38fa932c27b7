"""Softmax regression on scanned handwritten digits: training and classification as two scripted functions.

Compile them to an archive with ``tscript compile samples/digits.py -o digits.tsa``; `samples/demo.py` shows the whole
way.
"""

import tscript
from tscript import Tensor

CLASSES = 10


@tscript.script
def train(
    images: Tensor, labels: Tensor, rate: float = 0.5, tolerance: float = 1e-5, max_steps: int = 5000
) -> tuple[Tensor, Tensor, float, int]:
    """Fit weights by gradient descent until the loss stops improving.

    Args:
        images: float32 of shape (n, pixels), scaled to 0 … 1.
        labels: int64 of shape (n,), the digits.
        rate: Step length.
        tolerance: Stop when a step lowers the mean cross-entropy by less than this.
        max_steps: Stop after so many steps at the latest.

    Returns:
        Weights (pixels, 10), bias (10,), the last loss and the number of steps taken.
    """
    count = images.size(0)
    targets = (labels.unsqueeze(1) == tscript.arange(CLASSES)).float()
    weights = tscript.zeros(images.size(1), CLASSES)
    bias = tscript.zeros(CLASSES)
    loss = 0.0
    previous = 1e30
    steps = 0
    while steps < max_steps:
        logits = images @ weights + bias
        shifted = logits - logits.amax(1, keepdim=True)
        odds = shifted.exp()
        total = odds.sum(1, keepdim=True)
        loss = float(((total.log() - shifted) * targets).sum()) / count
        error = (odds / total - targets) / count
        weights -= rate * (images.t() @ error)
        bias -= rate * error.sum(0)
        steps += 1
        if previous - loss < tolerance:
            break
        previous = loss
    return weights, bias, loss, steps


@tscript.script
def classify(images: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
    """The most likely digit of each image.

    Args:
        images: float32 of shape (n, pixels), scaled to 0 … 1.
        weights, bias: As `train` returns them.

    Returns:
        int64 of shape (n,).
    """
    return (images @ weights + bias).argmax(1)
