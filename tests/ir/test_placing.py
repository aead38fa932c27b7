"""Arguments placed into the slots of operators: as values of a graph, and as what another reader makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.resolve import Constant, resolve
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param
from tscript.ir.placing import place
from tscript.operators.table import TABLE
from tscript.types import BOOL, FLOAT, INT, TENSOR


class Text:
    """Inputs as text."""

    def given(self, arg: Arg) -> str:
        return str(arg.type)

    def constant(self, value: object) -> str:
        return repr(value)

    def gathered(self, elements: Sequence[str]) -> str:
        return f"({', '.join(elements)})"

    def apply(self, op: OpDef, inputs: Sequence[str]) -> str:
        return f"{op.name}({', '.join(inputs)})"


def placed(name: str, *types: object) -> list[str]:
    resolved = resolve(TABLE, name, [Constant(None, t) for t in types])  # type: ignore[arg-type]
    return place(resolved.slots, Text())


def test_every_kind_of_slot() -> None:
    assert placed("sum", TENSOR, INT) == ["Tensor", "(int)", "False", "None"]
    assert placed("add", FLOAT, INT) == ["float", "float.int(int)"]
    assert placed("view", TENSOR, INT, INT) == ["Tensor", "(int, int)"]


def test_defaults_of_floats_are_floats() -> None:
    (name,) = (op.schema.name for op in TABLE.operators if op.name == "complex.parts")
    assert placed(name, FLOAT) == ["float", "0.0"]


def test_builder_applies_what_was_resolved() -> None:
    graph = Graph("f", [Param("x", TENSOR), Param("n", INT), Param("b", BOOL)], TENSOR)
    build = Builder(graph.body)
    x, n, b = graph.body.params
    build.return_(build.apply(resolve(TABLE, "sum", [x, n], {"keepdim": b})))
    assert str(graph).splitlines()[1:-1] == [
        "  %0: tuple[int] = tuple.make(%n)",
        "  %1: None = const None",
        "  %2: Tensor = sum.dim(%x, %0, %b, %1)",
        "  return %2",
    ]
