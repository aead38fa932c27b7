"""What operator callbacks cost: a scripted function of a thousand operators, and ranges.

No two operators of the function fuse, so each is one event. Costs are given for an operator: the time of a call with
the callback less that of a call without, divided by a thousand. All variants take turns in one process.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import Row
from llvmlite import binding

import tscript

OPERATORS = 1000
ROUNDS = 200
SIZES = {"4 floats": 4, "256 floats": 256}

NATIVE = """
@count = global i64 0
define ptr @enter(ptr %record, ptr %data) {
  %n = load i64, ptr @count
  %m = add i64 %n, 1
  store i64 %m, ptr @count
  ret ptr null
}
define void @leave(ptr %record, ptr %context, ptr %data) {
  ret void
}
"""


def workload(folder: str, size: int) -> Any:
    """A scripted function that runs a thousand operators: additions, each followed by a view that keeps them apart."""
    path = Path(folder) / f"workload{size}.py"
    lines = ["import tscript", "", "", "@tscript.script", "def f(x: tscript.Tensor) -> tscript.Tensor:"]
    lines += [f"    for _ in range({OPERATORS // 20}):"]
    for i in range(10):
        shape = f"{size}" if i % 2 else f"{size // 2}, 2"
        lines += ["        x = x + 1.0", f"        x = x.view({shape})"]
    path.write_text("\n".join([*lines, "    return x", ""]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def native_functions() -> tuple[Any, int, int]:
    """What keeps them alive, and the addresses of a C callback that counts."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly(NATIVE)
    engine = binding.create_mcjit_compiler(module, binding.Target.from_default_triple().create_target_machine(opt=2))
    engine.finalize_object()
    return engine, engine.get_function_address("enter"), engine.get_function_address("leave")


def nothing(*_: object) -> None:
    """A Python callback that does nothing."""


def shortest(call: Callable[[], object], repeat: int) -> float:
    """Nanoseconds of a call in one round."""
    began = time.perf_counter_ns()
    for _ in range(repeat):
        call()
    return (time.perf_counter_ns() - began) / repeat


def run() -> list[Row]:
    """Time all of it."""
    engine, enter, leave = native_functions()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for label, size in SIZES.items():
            rows += cost_of_callbacks(label, workload(folder, size), size, enter, leave)
    rows.append(ranges())
    del engine
    return rows


def cost_of_callbacks(label: str, function: Any, size: int, enter: int, leave: int) -> list[Row]:
    """The rows of one size: without callbacks, and what each kind of callback adds to an operator."""
    x = tscript.zeros(size)
    handles: dict[str, Any] = {
        "native, never sampled": tscript.add_native_callback(enter, leave, sampling_prob=0.0),
        "native, 1 %": tscript.add_native_callback(enter, leave, sampling_prob=0.01),
        "native, 100 %": tscript.add_native_callback(enter, leave),
        "Python, 1 %": tscript.add_global_callback(nothing, nothing, sampling_prob=0.01),
        "Python, 100 %": tscript.add_global_callback(nothing, nothing),
    }
    for handle in handles.values():
        handle.disable()
    variants = {"none": (nothing, nothing)}
    variants |= {name: (handle.enable, handle.disable) for name, handle in handles.items()}
    variants["operator_stats"] = (tscript.enable_operator_stats, lambda: tscript.enable_operator_stats(False))
    best = dict.fromkeys(variants, float("inf"))
    repeat = max(1, 64 // size)
    for turn in range(ROUNDS):
        for name, (begin, end) in variants.items():
            begin()
            function(x)
            taken = shortest(lambda: function(x), repeat)
            end()
            if turn:
                best[name] = min(best[name], taken / OPERATORS)
    for handle in handles.values():
        handle.remove()
    tscript.reset_operator_stats()
    base = best.pop("none")
    added = {name: max(0.0, time - base) for name, time in best.items()}
    return [Row(f"an operator of {label} ({base:.1f} ns without callbacks), added", added)]


def ranges() -> Row:
    """A `record_function` range with nobody listening, and with a Python callback."""

    def use() -> None:
        for _ in range(1000):
            with tscript.record_function("range"):
                pass

    def loop() -> None:
        for _ in range(1000):
            pass

    best = {"nobody": float("inf"), "Python, 100 %": float("inf")}
    empty = float("inf")
    handle = tscript.add_global_callback(nothing, nothing)
    for _ in range(ROUNDS):
        handle.disable()
        best["nobody"] = min(best["nobody"], shortest(use, 1) / 1000)
        empty = min(empty, shortest(loop, 1) / 1000)
        handle.enable()
        best["Python, 100 %"] = min(best["Python, 100 %"], shortest(use, 1) / 1000)
    handle.remove()
    return Row("a range", {name: time - empty for name, time in best.items()})
