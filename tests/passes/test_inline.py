from __future__ import annotations

from tscript.diagnostics import SourceFile, Span
from tscript.ir.graph import Call, Op, walk
from tscript.passes import Inline, LowerScalars

SOURCE = SourceFile("m.py")


def at(line: int, function: str) -> Span:
    return Span(SOURCE, line, 0, line, 1, function)


def test_inlined_nodes_remember_the_calls_they_came_in_by(parse, context):
    program = parse("""
    program @c
    graph @a(%x: int) -> int { %0: int = floor_divide.int(%x, %x) return %0 }
    graph @b(%x: int) -> int { %0: int = call @a(%x) return %0 }
    graph @c(%x: int) -> int { %0: int = call @b(%x) return %0 }
    """)
    for line, (name, graph) in enumerate(program.graphs.items(), 1):
        graph.span = graph.body.nodes[0].span = at(line, name)
    assert Inline().run(program, context)
    (node,) = (n for n in walk(program.entry.body) if isinstance(n, Op))
    assert [(s.line, s.function) for s in node.span.frames()] == [(1, "a"), (2, "b"), (3, "c")]
    LowerScalars().run(program, context)
    assert {tuple(s.line for s in n.span.frames()) for n in walk(program.entry.body) if isinstance(n, Op)} == {
        (1, 2, 3)
    }


def test_a_graph_that_has_grown_takes_in_no_more(parse, context):
    program = parse("""
    program @f
    graph @g(%x: int) -> int { %0: int = add.int(%x, %x) %1: int = add.int(%0, %x) return %1 }
    graph @f(%x: int) -> int { %0: int = call @g(%x) %1: int = call @g(%0) %2: int = call @g(%1) return %2 }
    """)
    Inline(max_caller=8).run(program, context)
    assert sum(isinstance(n, Call) for n in walk(program.entry.body)) == 2
    assert "g" in program.graphs


def test_mutually_recursive_graphs_stay(parse, context):
    program = parse("""
    program @f
    graph @g(%x: int) -> int { %0: int = call @h(%x) return %0 }
    graph @h(%x: int) -> int { %0: int = call @g(%x) return %0 }
    graph @f(%x: int) -> int { %0: int = call @g(%x) return %0 }
    """)
    assert not Inline().run(program, context)
    assert list(program.graphs) == ["g", "h", "f"]
