"""Scripted functions on a Dask cluster: word counts of a book, and classification in batches.

    python samples/cluster.py [FILE] [--workers N] [--chunks N] [--repeat N] [--ray]

The functions stand in this file, which the workers never import: each travels as it is, with what it captured. The
cluster runs on this machine. ``--ray`` sends them through Ray Data, too. Needs ``pip install 'tscript[cluster]'``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from wordcount import BOOK, load_text

import tscript
from tscript import Tensor

PUNCTUATION = ".,;:!?\"'()[]{}*_-"
PIXELS, CLASSES, BATCH = 64, 10, 4096


# -- in the language ---------------------------------------------------------------------------------------------------


@tscript.script
def count_words(text: str) -> dict[str, int]:
    """How often each word stands in a text: in lower case, without the punctuation around it."""
    counts: dict[str, int] = {}
    for part in text.lower().replace("—", " ").replace("--", " ").split():
        word = part.strip(PUNCTUATION)
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts


def classifier(weights: Tensor, bias: Tensor) -> Callable[[Tensor], Tensor]:
    """A function that classifies images; it captures the model."""

    @tscript.script
    def classify(images: Tensor) -> Tensor:
        best = tscript.zeros(images.size(0), dtype=tscript.int64)
        for i in range(images.size(0)):
            odds = images[i] @ weights + bias
            place = 0
            for k in range(1, bias.size(0)):
                if odds[k].item() > odds[place].item():
                    place = k
            best[i] = place
        return best

    return classify


# -- the program -------------------------------------------------------------------------------------------------------


def pieces(text: str, count: int) -> list[str]:
    """A text in parts that end between words."""
    words = text.split(" ")
    size = -(-len(words) // count)
    return [" ".join(words[i : i + size]) for i in range(0, len(words), size)]


def total(parts: Sequence[dict[str, int]]) -> dict[str, int]:
    """The sum of word counts."""
    found: dict[str, int] = {}
    for part in parts:
        for word, count in part.items():
            found[word] = found.get(word, 0) + count
    return found


def made_here() -> int:
    """How many objects this process compiled and put into the cache."""
    from tscript.api import compiler

    return compiler().cache.stats.written


def again(function: Any, value: Any, times: int) -> Any:
    """Several calls, so that what a cluster does for each of its tasks counts less."""
    for _ in range(times):
        found = function(value)
    return found


Send = Callable[[Any, Sequence[Any], int], list[Any]]
"""Calls a function on a cluster for each of some values, several times, and returns the results."""


def compare(title: str, send: Send, function: Any, values: Sequence[Any], repeat: int) -> list[Any]:
    """Run a function compiled and as plain Python on a cluster: results are equal."""
    begin = time.perf_counter()
    first = send(function, values, 1)
    times = [time.perf_counter() - begin]
    for called in (function, function.__wrapped__):
        begin = time.perf_counter()
        results = send(called, values, repeat)
        times.append((time.perf_counter() - begin) / repeat)
        for ours, others in zip(first, results, strict=True):
            same = np.array_equal(ours, others) if isinstance(ours, Tensor) else ours == others
            assert same, f"{title}: the results differ"
    compiling, compiled, plain = (f"{seconds * 1e3:.0f} ms" for seconds in times)
    print(f"{title}: {compiled} compiled, {plain} as plain Python, {times[2] / times[1]:.1f} times as fast")
    print(f"  (the first time {compiling}); results equal")
    return first


def with_dask(options: argparse.Namespace, texts: list[str], batches: list[Tensor], classify: Any) -> None:
    """Both jobs on a cluster of Dask."""
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        raise SystemExit("samples/cluster.py needs Dask: pip install 'tscript[cluster]'") from None
    cluster = LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:

        def send(function: Any, values: Sequence[Any], times: int) -> list[Any]:
            return list(client.gather([client.submit(again, function, v, times, pure=False) for v in values]))

        found = total(compare("words", send, count_words, texts, options.repeat))
        assert found == total([count_words(text) for text in texts])
        compare("digits", send, classify, batches, options.repeat)
        made = list(client.run(made_here).values())
    print(f"{sum(found.values())} words, {len(found)} different ones; objects compiled by each worker: {made}")


def with_ray(texts: list[str], batches: list[Tensor], classify: Any) -> None:
    """Both jobs through Ray Data."""
    try:
        import ray.data
    except ImportError:
        raise SystemExit("--ray needs Ray: pip install 'tscript[cluster]'") from None
    ray.init(include_dashboard=False, log_to_driver=False)
    words = ray.data.from_items(texts).map(lambda row: {"counts": str(total([count_words(row["item"])]))})
    assert sorted(r["counts"] for r in words.take_all()) == sorted(str(count_words(text)) for text in texts)
    images = ray.data.from_numpy([np.asarray(batch) for batch in batches])
    digits = images.map_batches(lambda batch: {"digit": np.asarray(classify(tscript.tensor(batch["data"])))})
    assert sorted(r["digit"] for r in digits.take_all()) == sorted(
        d for batch in batches for d in classify(batch).tolist()
    )
    print("Ray Data: results equal")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run both jobs."""
    parser = argparse.ArgumentParser(description="Scripted functions on a cluster.")
    parser.add_argument("file", nargs="?", type=Path, default=BOOK, help="a text in UTF-8, packed with xz or not")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes of the cluster")
    parser.add_argument("--chunks", type=int, default=4, metavar="N", help="parts of the work")
    parser.add_argument("--repeat", type=int, default=20, metavar="N", help="calls for each part, for the times")
    parser.add_argument("--ray", action="store_true", help="go through Ray Data, too")
    options = parser.parse_args(arguments)
    texts = pieces(load_text(options.file), options.chunks)
    random = np.random.default_rng(0)
    weights, bias = (tscript.tensor(random.random(s, np.float32)) for s in ((PIXELS, CLASSES), (CLASSES,)))
    classify = classifier(weights, bias)
    count = max(1, BATCH // options.chunks)
    batches = [tscript.tensor(random.random((count, PIXELS), np.float32)) for _ in range(options.chunks)]
    with_dask(options, texts, batches, classify)
    if options.ray:
        with_ray(texts, batches, classify)


if __name__ == "__main__":
    main()
