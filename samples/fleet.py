"""What a platform team sees of a job: callbacks, debug info, usage events, a trace, and metadata in the archive.

    python samples/fleet.py [FOLDER]

The job scores batches of handwritten digits with a classifier. Its code knows nothing of the fleet: what watches it is
set up around it, and could be set up by a plugin (the entry-point group ``tscript.hooks``).
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from digits import classify, train
from digits_report import HELD_OUT, load_digits

import tscript
from tscript import Future, Tensor
from tscript.profiler import profile

BATCH = 90


@tscript.script
def score(images: Tensor, weights: Tensor, bias: Tensor) -> Tensor:
    """Digit of each image; the two halves of a batch are scored at the same time."""
    half = images.size(0) // 2
    first: Future[Tensor] = tscript.fork(classify, images[:half], weights, bias)
    second = classify(images[half:], weights, bias)
    return tscript.cat([tscript.wait(first), second])


# -- the job -----------------------------------------------------------------------------------------------------------


def build(folder: Path) -> Path:
    """Train, and write the archive that is deployed."""
    images, labels = load_digits()
    weights, bias, loss, steps = train(tscript.from_numpy(images[:-HELD_OUT]), tscript.from_numpy(labels[:-HELD_OUT]))
    path = folder / "score.tsa"
    tscript.save(
        score,
        path,
        metadata={"loss": f"{loss:.4f}", "steps": str(steps)},
        extra_files={"weights.json": json.dumps({"weights": weights.tolist(), "bias": bias.tolist()})},
    )
    return path


def serve(path: Path) -> float:
    """Load the archive and score all batches, each a request of its own; the accuracy."""
    files = {"weights.json": ""}
    model = tscript.load(path, extra_files=files)
    parameters = json.loads(files["weights.json"])
    weights, bias = tscript.tensor(parameters["weights"]), tscript.tensor(parameters["bias"])
    images, labels = load_digits()
    right = 0
    for number, start in enumerate(range(len(images) - HELD_OUT, len(images), BATCH)):
        batch = tscript.from_numpy(images[start : start + BATCH])
        with tscript.DebugInfoGuard("request", f"r-{number}"), tscript.record_function("request"):
            found = model(batch, weights, bias)
        right += int((found.numpy() == labels[start : start + BATCH]).sum())
    return right / HELD_OUT


# -- the fleet ---------------------------------------------------------------------------------------------------------


class Watch:
    """Which operators ran for which request, from a sample of them."""

    def __init__(self, sampling_prob: float) -> None:
        self.by_request: Counter[tuple[str, str]] = Counter()
        self.on_the_pool = 0
        self._thread = threading.get_ident()
        self.handle = tscript.add_global_callback(
            self.enter, scopes=["OPERATOR", "FUNCTION"], sampling_prob=sampling_prob
        )

    def enter(self, record: Any) -> None:
        """Runs on whatever thread runs the operator; a forked task has the debug info of the request that forked it."""
        request = tscript.debug_info("request")
        if request is not None:
            self.by_request[request, record.name] += 1
            self.on_the_pool += record.thread_id != self._thread


def main() -> None:
    """Watch the job."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="fleet-"))
    folder.mkdir(parents=True, exist_ok=True)

    events: list[str] = []
    tscript.set_api_usage_handler(events.append)
    tscript.set_export_extra_files_hook(
        lambda module: {"producer.json": json.dumps({"team": "digits", "commit": "4f1c2d"})}
    )

    print("== build")
    path = build(folder)
    archive = tscript.load(path)
    print(f"{path.name}: metadata {archive.metadata}, extra files {sorted(archive.extra_files)}")
    print(f"made by {json.loads(archive.extra_files['producer.json'].text())}")

    print("\n== serve, watched")
    tscript.enable_operator_stats()
    watch = Watch(sampling_prob=0.5)
    print(f"accuracy {serve(path):.3f}")
    watch.handle.remove()
    print(f"{watch.handle.seen} events, {watch.handle.sampled} of them sampled, {watch.handle.faulted} faults")
    print(f"{watch.on_the_pool} of these ran in forked tasks on other threads, and have their request all the same")
    for (request, name), count in sorted(watch.by_request.items()):
        print(f"  {request}  {name:20} {count}")

    print("\n== the always-on profile")
    for name, stats in tscript.operator_stats().items():
        print(f"  {name:20} {stats.count:4} runs")
    tscript.enable_operator_stats(False)

    print("\n== one profiled run")
    with profile(with_stack=True) as profiled:
        serve(path)
    print(profiled.key_averages().table(sort_by="self_cpu_time_total", row_limit=8))
    trace = folder / "trace.json.gz"
    profiled.export_chrome_trace(str(trace))
    print(f"{trace.name}: {len(profiled.events())} events, opens in Perfetto")

    print("\n== usage events")
    for event in events:
        print(f"  {event}")


if __name__ == "__main__":
    main()
