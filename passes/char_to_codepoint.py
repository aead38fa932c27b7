"""Turns characters that are only tested into code points, so that no strings are created for them.

Before::

    %c: str = getitem.str(%s, %i)
    %0: str = const "x"
    %1: bool = eq.str(%c, %0)
    %2: str = const "+-"
    %3: bool = contains.str(%2, %c)
    %4: bool = isdigit.str(%c)

After::

    %c: int = code_at.str(%s, %i)
    %0: str = const "x"
    %5: int = const 120
    %1: bool = eq.int(%c, %5)
    %2: str = const "+-"
    %6: int = const 43
    %7: bool = eq.int(%c, %6)
    %8: int = const 45
    %9: bool = eq.int(%c, %8)
    %3: bool = bitwise_or.bool(%7, %9)
    %4: bool = isdigit.code(%c)

A character qualifies when all its uses are comparisons with constants and with other such characters, searches in short
constants, `ord`, and the tests in `_QUESTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, final

from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Program, Value, walk
from tscript.ir.rewrite import rewrite, uses
from tscript.late import dataclass
from tscript.operators.python.strings import CODE_AT, CODE_QUESTIONS
from tscript.passes.base import Pass, PassContext

MOST = 24
"""Characters of a constant in which a character is searched by comparisons."""

_QUESTIONS = {op.schema.name + ".str": op for op in CODE_QUESTIONS}


@dataclass(frozen=True, slots=True)
class CharToCodepoint(Pass):
    """Turns characters into code points."""

    name: ClassVar[str] = "char_to_codepoint"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Find those that qualify, then rewrite them and their uses."""
        candidates = {
            node.output: node for node in walk(graph.body) if isinstance(node, Op) and node.op.name == "getitem.str"
        }
        if not candidates:
            return False
        found = uses(graph.body)
        while True:  # characters that are compared with each other qualify together
            wrong = [
                value
                for value in candidates
                if not all(_fits(node, at, candidates) for node, at in found.get(value, ()))
            ]
            if not wrong:
                break
            for value in wrong:
                del candidates[value]
        if not candidates:
            return False
        asking = {node for value in candidates for node, _ in found.get(value, ())}
        return rewrite(graph.body, _Rewriting({*candidates.values()}, asking, context).visit)


def _fits(node: Node, at: int, characters: dict[Value, Op]) -> bool:
    """Whether a use of a character is possible with its code point alone."""
    if not isinstance(node, Op):
        return False
    match node.op.name:
        case "eq.str" | "ne.str":
            other = node.inputs[1 - at]
            return isinstance(other.constant, str) or other in characters
        case "contains.str":
            text = node.inputs[0].constant
            return at == 1 and isinstance(text, str) and len({*text}) <= MOST
        case "ord.str":
            return True
    return node.op.name in _QUESTIONS


@final
class _Rewriting:
    """Replaces characters and their tests."""

    def __init__(self, characters: set[Op], asking: set[Node], context: PassContext) -> None:
        self._characters = characters
        self._asking = asking
        self._table = context.table

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        if not isinstance(node, Op):
            return None
        if node in self._characters:
            code = builder.op(CODE_AT, *node.inputs)
            code.name = node.output.name
            return (code,)
        if node not in self._asking:
            return None
        rule = _RULES.get(node.op.name)
        return (rule(self, node, builder) if rule else builder.op(_QUESTIONS[node.op.name], *node.inputs),)

    def equal(self, node: Op, builder: Builder) -> Value:
        """``c == d``, ``c != d``"""
        differs = node.op.name == "ne.str"
        codes: list[Value] = []
        for value in node.inputs:
            text = value.constant
            if isinstance(text, str):
                if len(text) != 1:
                    return builder.const(differs)
                value = builder.const(ord(text))
            codes.append(value)
        return builder.op(self._table["ne.int" if differs else "eq.int"], *codes)

    def among(self, node: Op, builder: Builder) -> Value:
        """``c in "…"``"""
        text, code = node.inputs[0].constant, node.inputs[1]
        assert isinstance(text, str)
        tests = [builder.op(self._table["eq.int"], code, builder.const(ord(c))) for c in dict.fromkeys(text)]
        if not tests:
            return builder.const(False)
        found = tests[0]
        for test in tests[1:]:
            found = builder.op(self._table["bitwise_or.bool"], found, test)
        return found

    def code(self, node: Op, builder: Builder) -> Value:
        """``ord(c)``"""
        return node.inputs[0]


_RULES: dict[str, Callable[[_Rewriting, Op, Builder], Value]] = {
    "eq.str": _Rewriting.equal,
    "ne.str": _Rewriting.equal,
    "contains.str": _Rewriting.among,
    "ord.str": _Rewriting.code,
}

__all__ = ["CharToCodepoint"]
