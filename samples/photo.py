"""Smooths a photograph and finds its edges: ``python samples/photo.py [OUT.pgm]``.

The filter is a loop over pixels, as one writes it for Numba; NumPy's adds shifted copies of the picture.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

import numpy as np
from comparing import compare

PHOTO = Path(__file__).resolve().parent / "data" / "dust_bowl.pgm.xz"


def load_photo() -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """The photograph: grey pixels by row and column."""
    data = lzma.decompress(PHOTO.read_bytes())
    _, size, _, pixels = data.split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width).copy()


def edges(photo, kernel):
    """How much the brightness changes at each pixel, after the picture was smoothed by a kernel in both directions."""
    height, width = photo.shape
    k = len(kernel)
    rows = np.zeros((height, width - k + 1))
    for i in range(height):
        for j in range(width - k + 1):
            total = 0.0
            for d in range(k):
                total += kernel[d] * photo[i, j + d]
            rows[i, j] = total
    smooth = np.zeros((height - k + 1, width - k + 1))
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            total = 0.0
            for d in range(k):
                total += kernel[d] * rows[i + d, j]
            smooth[i, j] = total
    out = np.zeros(photo.shape, dtype=np.uint8)
    for i in range(1, smooth.shape[0] - 1):
        for j in range(1, smooth.shape[1] - 1):
            dx = smooth[i, j + 1] - smooth[i, j - 1]
            dy = smooth[i + 1, j] - smooth[i - 1, j]
            strength = 4.0 * np.sqrt(dx * dx + dy * dy)
            out[i + k // 2, j + k // 2] = min(int(strength + 0.5), 255)
    return out


def edges_of_numpy(photo, kernel):
    """The same on entire arrays."""
    height, width = photo.shape
    k = len(kernel)
    rows = sum(kernel[d] * photo[:, d : width - k + 1 + d] for d in range(k))
    smooth = sum(kernel[d] * rows[d : height - k + 1 + d] for d in range(k))
    dx = smooth[1:-1, 2:] - smooth[1:-1, :-2]
    dy = smooth[2:, 1:-1] - smooth[:-2, 1:-1]
    out = np.zeros(photo.shape, dtype=np.uint8)
    inside = np.minimum((4.0 * np.sqrt(dx * dx + dy * dy) + 0.5).astype(np.int64), 255)
    out[k // 2 + 1 : k // 2 + 1 + inside.shape[0], k // 2 + 1 : k // 2 + 1 + inside.shape[1]] = inside
    return out


def main() -> None:
    """Filter the photograph; write the result as a portable graymap if a name is given."""
    photo = load_photo()
    kernel = np.exp(-0.5 * np.linspace(-2.0, 2.0, 5) ** 2)
    found = compare(edges, edges_of_numpy, photo, kernel / kernel.sum())
    print(f"{photo.shape[1]} x {photo.shape[0]} pixels, {int((found > 64).sum())} of them at edges")
    if len(sys.argv) > 1:
        head = f"P5\n{photo.shape[1]} {photo.shape[0]}\n255\n".encode()
        Path(sys.argv[1]).write_bytes(head + found.tobytes())


if __name__ == "__main__":
    main()
