"""Prices an Asian call option by simulation, on several threads: ``python samples/options.py [PATHS]``.

It pays what the average price of a share is above a strike. Prices of the share follow a random walk; the random
numbers are given, so that all variants compute the same. The paths are independent, so their loop is one over `prange`:
sums of them are the same bit for bit on any number of threads.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from comparing import compare

from tscript import prange


def price(normal, start, strike, rate, volatility, years):
    """The value of the option today, and its standard error; `normal` has a row of numbers for each path."""
    paths, steps = normal.shape
    dt = years / steps
    drift = (rate - 0.5 * volatility * volatility) * dt
    spread = volatility * np.sqrt(dt)
    total = 0.0
    squares = 0.0
    for i in prange(paths):
        share = start
        average = 0.0
        for j in range(steps):
            share *= np.exp(drift + spread * normal[i, j])
            average += share
        gain = max(average / steps - strike, 0.0)
        total += gain
        squares += gain * gain
    mean = total / paths
    error = np.sqrt((squares / paths - mean * mean) / paths)
    discount = np.exp(-rate * years)
    return discount * mean, discount * error


def price_of_numpy(normal, start, strike, rate, volatility, years):
    """The same on entire arrays."""
    paths, steps = normal.shape
    dt = years / steps
    growth = (rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * normal
    shares = start * np.exp(np.cumsum(growth, axis=1))
    gains = np.maximum(shares.mean(axis=1) - strike, 0.0)
    discount = np.exp(-rate * years)
    return discount * gains.mean(), discount * gains.std() / np.sqrt(paths)


def main() -> None:
    """Price an option of one year."""
    paths = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    normal = np.random.default_rng(1).standard_normal((paths, 64))
    value, error = compare(price, price_of_numpy, normal, 100.0, 105.0, 0.03, 0.25, 1.0, clock=time.perf_counter)
    print(f"{value:.3f} +- {error:.3f} from {paths} paths")


if __name__ == "__main__":
    main()
