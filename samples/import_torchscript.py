"""A model of TorchScript brought over: loaded without PyTorch, compared with what PyTorch computed, saved.

    python samples/import_torchscript.py [MODEL.pt] [-o MODEL.tsa]

Without arguments it takes a small ResNet that `torch.jit.save` wrote, with the result of PyTorch for one
input beside it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import tscript
from tscript.nn.torchscript import report

KEPT = Path(__file__).resolve().parents[1] / "tests" / "data" / "torchscript" / "resnet.pt"


def tensor(said: dict[str, Any]) -> tscript.Tensor:
    """A tensor of the file with results."""
    return tscript.from_numpy(np.array(said["elements"], dtype=said["dtype"]).reshape(said["shape"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, default=KEPT)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()

    print(report(options.model.read_bytes(), options.model.name))
    began = time.perf_counter()
    model: Any = tscript.load(options.model)
    print(f"loaded in {time.perf_counter() - began:.2f} s: {type(model).__name__}")

    beside = options.model.with_suffix(".json")
    calls = json.loads(beside.read_text())["calls"] if beside.exists() else []
    for call in calls:
        given, expected = [tensor(a) for a in call["arguments"]], tensor(call["result"])
        began = time.perf_counter()
        found = model(*given)
        print(f"first call {time.perf_counter() - began:.2f} s")
        print(f"largest difference from PyTorch: {(found - expected).abs().max().item():.1e}")

    if options.output is not None:
        tscript.save(model, options.output)
        again: Any = tscript.load(options.output)
        same = all(
            again(*g).tolist() == model(*g).tolist() for g in ([tensor(a) for a in c["arguments"]] for c in calls)
        )
        print(f"{options.output}: {options.output.stat().st_size:,} bytes, same results: {same}")


if __name__ == "__main__":
    main()
