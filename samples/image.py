"""An image through what image libraries do first: blurred, its edges found, made smaller, its grey levels spread.

    python samples/image.py [folder]

The image is a photograph under an open licence, see `data/README.md`. Each step is a scripted function over operators
of `torch.nn.functional`, is compared with the same in NumPy, and is written as a PNG file if a folder is given.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from photo import load_photo

import tscript
import tscript as torch
import tscript.nn.functional as F  # noqa: N812
from tscript import Tensor

Pixels = np.ndarray[Any, Any]


@tscript.script
def blurred(x: Tensor, sigma: float, radius: int) -> Tensor:
    """Rows, then columns, weighted as by a Gaussian."""
    at = torch.arange(2 * radius + 1) - radius
    weights = torch.exp(-(at * at).float() / (2.0 * sigma * sigma))
    weights = weights / weights.sum()
    padded = F.pad(x, (radius, radius, radius, radius), mode="reflect")
    rows = F.conv2d(padded, weights.reshape(1, 1, 1, -1))
    return F.conv2d(rows, weights.reshape(1, 1, -1, 1))


@tscript.script
def edges(x: Tensor) -> Tensor:
    """How steep the image is: Sobel's two filters."""
    across = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    filters = torch.stack((across, across.t())).reshape(2, 1, 3, 3)
    both = F.conv2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), filters)
    return (both * both).sum(1, True).sqrt()


@tscript.script
def smaller(x: Tensor, height: int, width: int) -> Tensor:
    """Each new pixel is the mean of those in its place."""
    return F.adaptive_avg_pool2d(x, (height, width))


@tscript.script
def equalised(levels: Tensor) -> Tensor:
    """Grey levels from 0 to 255, spread so that each is about as frequent."""
    counts = [0] * 256
    flat = levels.flatten()
    for i in range(flat.numel()):
        counts[int(flat[i])] += 1
    total = 0
    table = [0.0] * 256
    for level in range(256):
        total += counts[level]
        table[level] = float(total) * 255.0 / float(flat.numel())
    return torch.tensor(table).index_select(0, flat).reshape(levels.size())


def write_png(path: Path, image: Pixels) -> None:
    """Write grey levels from 0 to 1 as a PNG file."""
    levels = np.clip(np.rint(image * 255), 0, 255).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in levels)
    header = struct.pack(">IIBBBBB", levels.shape[1], levels.shape[0], 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    chunks = (struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d)) for n, d in parts)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def correlated(x: Pixels, weights: Pixels) -> Pixels:
    """What a filter makes of an image, in NumPy."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), weights.shape)
    return np.asarray(np.einsum("yxij,ij->yx", windows, weights))


def expected(image: Pixels) -> dict[str, Pixels]:
    """All steps in NumPy, in float64."""
    at = np.arange(-4, 5)
    weights = np.exp(-(at**2) / (2 * 1.5**2))
    weights /= weights.sum()
    blur = correlated(np.pad(image, 4, "reflect"), np.outer(weights, weights))
    across = np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    padded = np.pad(image, 1, "edge")
    steep = np.hypot(correlated(padded, across), correlated(padded, across.T))
    height, width = image.shape
    small = image.astype(np.float64).reshape(height // 2, 2, width // 2, 2).mean((1, 3))
    levels = np.rint(image * 255).astype(np.int64)
    counts = np.bincount(levels.ravel(), minlength=256).cumsum()
    return {"blur": blur, "edges": steep, "smaller": small, "equalised": counts[levels] / levels.size}


def main() -> None:
    """Run all steps, and compare them."""
    photo = load_photo()
    height, width = photo.shape[0] // 2, photo.shape[1] // 2
    image = photo[: 2 * height, : 2 * width].astype(np.float32) / np.float32(255)
    x = tscript.from_numpy(image)[None, None]
    levels = tscript.from_numpy(np.rint(image * 255).astype(np.int64))
    found = {
        "blur": blurred(x, 1.5, 4)[0, 0],
        "edges": edges(x)[0, 0],
        "smaller": smaller(x, height, width)[0, 0],
        "equalised": equalised(levels) / 255.0,
    }
    for name, wanted in expected(image).items():
        result = np.asarray(found[name].numpy())
        error = float(np.abs(result - wanted).max())
        print(f"{name}: {result.shape[0]} x {result.shape[1]}, at most {error:.0e} from NumPy")
        if error > 1e-5:
            sys.exit(f"{name} differs from NumPy")
        if len(sys.argv) > 1:
            write_png(Path(sys.argv[1]) / f"{name}.png", result)


if __name__ == "__main__":
    main()
