"""Time by layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tscript
from tests.profiler.conftest import Made
from tscript import Tensor, nn
from tscript.abi.record import RecordScope
from tscript.profiler import profile
from tscript.profiler.layers import layer_table, layers_of

FUNCTION = RecordScope.FUNCTION


def test_operators_count_for_all_modules_around_them() -> None:
    made = Made()
    made.add("forward", 1, 101, scope=FUNCTION)
    made.add("mul", 10, 20, module="body.0")
    made.add("relu", 20, 25, module="body.1")
    made.add("mul", 30, 50, module="body.0")
    made.add("add", 60, 61)
    found = layers_of(made.events(), ["", "body", "body.0", "body.1"])
    assert [(layer.path, layer.self_ns // 1000, layer.total_ns // 1000, layer.count) for layer in found] == [
        ("", 65, 100, 1), ("body", 0, 35, 1), ("body.0", 30, 30, 2), ("body.1", 5, 5, 1)
    ]  # fmt: skip
    assert layer_table(found, {"": "Net", "body.0": "Linear"}, row_limit=3).splitlines() == [
        "Layer   Class     Share      Total      Self  Calls",
        "(root)  Net     100.00%  100.000us  65.000us      1",
        "  body           35.00%   35.000us   0.000us      1",
        "    0   Linear   30.00%   30.000us  30.000us      2",
    ]


def test_paths_begin_where_a_function_was_called() -> None:
    made = Made()
    made.add("forward", 1, 101, scope=FUNCTION)
    made.add("Block_forward", 10, 50, scope=FUNCTION, module="blocks.1")
    made.add("mul", 20, 30, module="inner")
    assert [layer.path for layer in layers_of(made.events())] == ["", "blocks", "blocks.1", "blocks.1.inner"]
    assert layers_of([]) == [] and layer_table([]) == "Layer  Class  Share  Total  Self  Calls\n"


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.scale(x).tanh()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.tail = nn.Sequential(nn.ReLU(), nn.Linear(3, 2))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.tail(x)


def test_records_have_the_paths_of_modules(tmp_path: Any) -> None:
    tscript.save(Net(), tmp_path / "net.tsa")
    x = tscript.ones(2, 3)
    calls: list[Callable[[], object]] = [lambda: scripted(x), lambda: loaded(x)]
    scripted, loaded = tscript.script(Net()), tscript.load(tmp_path / "net.tsa")
    for call in calls:
        with profile(granularity="operator") as recorded:
            call()
            call()
        found = {layer.path: layer for layer in layers_of(recorded.events())}
        assert found.keys() == {
            "", "blocks", "blocks.0", "blocks.0.scale", "blocks.1", "blocks.1.scale", "tail", "tail.0", "tail.1"
        }  # fmt: skip
        assert {layer.count for layer in found.values()} == {2}
        tanh = [e.module for e in recorded.events() if e.name == "tanh"]
        assert tanh == ["blocks.0", "blocks.1"] * 2
