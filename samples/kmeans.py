"""Groups the scanned digits by their pixels, without being told what they are: ``python samples/kmeans.py``."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from comparing import compare

DIGITS = Path(__file__).resolve().parent / "data" / "digits.csv.gz"


def kmeans(points, k, steps):
    """The group of each point: that of the nearest of k centres, which are the means of their groups."""
    n, dims = points.shape
    centres = points[:k].copy()
    groups = np.zeros(n, dtype=np.int64)
    for _ in range(steps):
        for i in range(n):
            best = np.inf
            for c in range(k):
                distance = 0.0
                for d in range(dims):
                    diff = points[i, d] - centres[c, d]
                    distance += diff * diff
                if distance < best:
                    best = distance
                    groups[i] = c
        sums = np.zeros((k, dims))
        counts = np.zeros(k, dtype=np.int64)
        for i in range(n):
            c = groups[i]
            counts[c] += 1
            for d in range(dims):
                sums[c, d] += points[i, d]
        for c in range(k):
            if counts[c] > 0:
                for d in range(dims):
                    centres[c, d] = sums[c, d] / counts[c]
    return groups


def kmeans_of_numpy(points, k, steps):
    """The same on entire arrays."""
    centres = points[:k].copy()
    groups = np.zeros(len(points), dtype=np.int64)
    for _ in range(steps):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        groups = distances.argmin(axis=1)
        for c in range(k):
            if (groups == c).any():
                centres[c] = points[groups == c].mean(axis=0)
    return groups


def main() -> None:
    """Find ten groups, and say how many digits are in a group of mostly their own."""
    with gzip.open(DIGITS, "rt") as file:
        data = np.loadtxt(file, delimiter=",")
    points, labels = np.ascontiguousarray(data[:, :64]), data[:, 64].astype(np.int64)
    groups = compare(kmeans, kmeans_of_numpy, points, 10, 15)
    right = sum(int(np.bincount(labels[groups == g]).max()) for g in range(10) if (groups == g).any())
    print(f"{right} of {len(labels)} digits are in a group of mostly their own kind")


if __name__ == "__main__":
    main()
