"""Where control goes, what blocks need, what exception names mean."""

from __future__ import annotations

import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.dialect import machine
from tscript.ir.analysis import (
    block_falls_through,
    breaks,
    builtin_exception,
    falls_through,
    format_message,
    message_fields,
    returns,
    walk_blocks,
)
from tscript.ir.graph import For, Graph, Loop
from tscript.ir.parser import parse_graph
from tscript.types import INT, NEVER

TABLE = {op.name: op for op in machine.LEAVES}


def graph(body: str) -> Graph:
    return parse_graph(f"graph @f(%x: int, %c: bool) -> int {{ {body} }}", TABLE)


@pytest.mark.parametrize(
    ("text", "falls"),
    [
        ("%0: int = machine.neg(%x)", True),
        ("%0: never = machine.neg(%x)", False),
        ("if %c { yield } else { return %x }", True),
        ("if %c { return %x } else { yield }", True),
        ("if %c { return %x } else { raise KeyError }", False),
        ("if %c { return %x } else { unreachable }", False),
        ("loop L0 { continue L0 }", False),
        ("loop L0 { if %c { break L0 } else { yield } continue L0 }", True),
        ("loop L0 { loop L1 { break L1 } continue L0 }", False),
        ("loop L0 { loop L1 { break L0 } unreachable }", True),
        ("for L0 %k: int in range(%x, %x, %x) { return %x }", True),
        ("return %x", False),
        ("unreachable", False),
    ],
)
def test_falls_through(text, falls):
    node = graph(text).body.nodes[0]
    assert falls_through(node) is falls
    if text.startswith("if"):
        assert any(map(block_falls_through, node.blocks)) is falls


LOOPS = """
loop L0 (%i: int = %x) {
  for L1 %k: int in range(%i, %x, %x) {
    if %c { break L0 } else { yield }
    if %c { continue L0 (%k) } else { break L1 }
    continue L1
  }
  if %c { return %x } else { continue L0 (%i) }
  unreachable
}
return %x
"""


def test_ways_out_of_loops():
    g = graph(LOOPS)
    outer = g.body.nodes[0]
    assert isinstance(outer, Loop)
    inner = outer.body.nodes[0]
    assert isinstance(inner, For)
    assert len(list(breaks(outer.body, outer.label))) == 1
    assert len(list(breaks(outer.body, inner.label))) == 1
    assert len(list(returns(g.body))) == 2
    assert len(list(walk_blocks(g.body))) == 9


def test_never_is_the_type_of_what_does_not_return():
    assert NEVER != INT


def test_builtin_exceptions_take_one_message():
    found = [n for n in dir(builtins) if builtin_exception(n)]
    assert {"ValueError", "KeyError", "ZeroDivisionError", "AssertionError"} <= set(found)
    for name in found:
        exception = builtin_exception(name)
        assert exception is not None
        assert exception("message").args
    for name in ("SystemExit", "KeyboardInterrupt", "print", "UnicodeDecodeError", "Nothing", "", "a b", "__name__"):
        assert builtin_exception(name) is None


@given(st.text("{}01a "), st.lists(st.integers(), min_size=2, max_size=2))
def test_messages_are_formatted_as_by_python(message, args):
    try:
        fields = message_fields(message)
    except ValueError:
        return
    if all(i < 2 for i in fields):
        assert format_message(message, args) == message.format(*args)


@pytest.mark.parametrize("message", ["{", "}", "{}", "{0", "{0!r}", "{0:3}", "{a}", "}{", "{0.real}"])
def test_other_fields_are_refused(message):
    with pytest.raises(ValueError, match="stray"):
        message_fields(message)
    assert message_fields("{{0}} {1}{0}") == [1, 0]
