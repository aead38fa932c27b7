"""Substitution, clones, erasing, the rewriting walk and splicing."""

from __future__ import annotations

import pytest

from tscript.diagnostics import UNKNOWN, SourceFile, Span
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_block, clone_node, clone_nodes
from tscript.ir.graph import Call, Const, Graph, If, Loop, Node, Op, Program, Value, Yield, walk
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_graph, parse_program
from tscript.ir.rewrite import blocks_inside_out, erase, replace_values, resolve, rewrite, use_counts, uses
from tscript.ir.splicing import drop_dead_ends, splice_graph
from tscript.ir.verifier import verify
from tscript.types import INT

TABLE = {op.name: op for op in (*machine.LEAVES, machine.TUPLE_MAKE, machine.TUPLE_GET)}


def graph(body: str, head: str = "graph @f(%x: int, %c: bool) -> int") -> Graph:
    return parse_graph(f"{head} {{ {body} }}", TABLE)


def body(g: Graph) -> str:
    return "\n".join(line.strip() for line in str(g).splitlines()[1:-1])


NESTED = """
%a: int = machine.add(%x, %x)
%r: int = if %c { %b: int = machine.mul(%a, %x) yield %b } else { yield %a }
return %r
"""


def test_uses_count_nested_blocks_and_positions():
    g = graph(NESTED)
    x, _ = g.body.params
    a = g.body.nodes[0].output
    found = uses(g.body)
    assert [(type(n), i) for n, i in found[x]] == [(Op, 0), (Op, 1), (Op, 1)]
    assert len(found[a]) == 2
    assert use_counts(g.body) == {v: len(u) for v, u in found.items()}
    assert g.body.nodes[0].output in found
    assert not uses(Graph("g").body)


def test_replacements_are_followed():
    a, b, c, d = (Value(INT, n) for n in "abcd")
    assert resolve({a: b, b: c}, a) is c
    assert resolve({a: b, b: c}, d) is d
    assert resolve({a: a}, a) is a
    with pytest.raises(ValueError, match="circle"):
        resolve({a: b, b: a}, a)
    g = graph(NESTED)
    x = g.body.params[0]
    replace_values(g.body, {g.body.nodes[0].output: d, d: x})
    assert "machine.mul(%x, %x)" in str(g)


def test_erase_reaches_nested_blocks():
    g = graph("if %c { %a: int = machine.neg(%x) yield } else { yield } %b: int = machine.neg(%x) return %x")
    erase(g.body, [n for n in walk(g.body) if isinstance(n, Op)])
    assert "neg" not in str(g)
    verify(g)
    erase(g.body, [])


def test_clones_map_what_is_outside_and_keep_hints():
    g = graph(NESTED)
    x, c = g.body.params
    other = Value(INT, "other")
    mapping = {x: other}
    copies = clone_nodes(g.body.nodes[:2], mapping)
    assert copies[0].inputs == [other, other]
    assert mapping[g.body.nodes[0].output] is copies[0].output
    assert copies[0].output.name == "a"
    assert copies[1].inputs == [c]
    here = Span(SourceFile("f.py"), 1, 0, 1, 1)
    assert clone_node(g.body.nodes[0], span_of=lambda s: here).span is here
    assert clone_block(g.body, {}).params[0] is not x


def test_clones_of_loops_have_labels_of_their_own():
    g = graph("loop L0 { loop L1 { if %c { break L0 } else { continue L1 } unreachable } unreachable } return %x")
    loop = g.body.nodes[0]
    assert isinstance(loop, Loop)
    copy = clone_node(loop)
    assert isinstance(copy, Loop)
    assert copy.label is not loop.label
    g.body.nodes.insert(1, copy)
    verify(g)
    inner = loop.body.nodes[0]
    assert isinstance(inner, Loop)
    # An exit to a loop outside of what is copied stays, unless it is mapped.
    assert clone_block(inner.body).nodes[0].blocks[0].terminator.label is loop.label  # type: ignore[attr-defined]
    moved = clone_block(inner.body, labels={loop.label: copy.label})
    assert moved.nodes[0].blocks[0].terminator.label is copy.label  # type: ignore[attr-defined]


def test_blocks_inside_out():
    g = graph(NESTED)
    assert list(blocks_inside_out(g.body)) == [*g.body.nodes[1].blocks, g.body]


def double_negation(node: Node, builder: Builder):
    match node:
        case Op(op=machine.NEG, inputs=[Value(node=Op(op=machine.NEG) as inner)]):
            return inner.inputs
    return None


def test_rewrite_replaces_transitively_in_one_walk():
    g = graph("%a: int = machine.neg(%x) %b: int = machine.neg(%a) %d: int = machine.neg(%b) if %c {"
              " %e: int = machine.neg(%d) return %e } else { yield } return %d")  # fmt: skip
    assert rewrite(g.body, double_negation)
    assert body(g).splitlines()[-1] == "return %d"
    assert "return %x" in body(g)
    verify(g)
    assert not rewrite(g.body, double_negation)


def test_rewrite_inserts_in_front_and_in_place():
    def visit(node: Node, builder: Builder):
        if isinstance(node, Op) and node.op is machine.MUL:
            builder.op(machine.SUB, *node.inputs)
            return [builder.op(machine.ADD, *node.inputs, name="sum")]
        if isinstance(node, Op) and node.op is machine.NEG:
            builder.op(machine.SUB, node.inputs[0], node.inputs[0])
        return None

    g = graph("%a: int = machine.mul(%x, %x) %b: int = machine.neg(%a) return %b")
    assert rewrite(g.body, visit)
    assert body(g).splitlines() == [
        "%0: int = machine.sub(%x, %x)",
        "%sum: int = machine.add(%x, %x)",
        "%1: int = machine.sub(%sum, %sum)",
        "%b: int = machine.neg(%sum)",
        "return %b",
    ]


def fold_branches(node: Node, builder: Builder):
    if isinstance(node, If) and isinstance(node.inputs[0].constant, bool):
        for inner in (node.then if node.inputs[0].constant else node.orelse).nodes:
            if isinstance(inner, Yield):
                return list(inner.inputs)
            builder.append(inner)
        return []
    return None


def test_rewrite_splices_constant_branches():
    g = graph(
        "%t: bool = const True %r: int = if %t { %b: int = machine.neg(%x) yield %b } else { yield %x } return %r"
    )
    assert rewrite(g.body, fold_branches)
    assert body(g).splitlines() == ["%t: bool = const True", "%b: int = machine.neg(%x)", "return %b"]


def test_rewrite_drops_what_follows_a_terminator():
    g = graph("%t: bool = const True if %t { return %x } else { yield } %b: int = machine.neg(%x) return %b")
    assert rewrite(g.body, fold_branches)
    assert body(g).splitlines() == ["%t: bool = const True", "return %x"]
    verify(g)


def test_rewrite_counts_outputs():
    g = graph(NESTED)
    with pytest.raises(ValueError, match="1 outputs were replaced by 0 values"):
        rewrite(g.body, lambda node, builder: () if isinstance(node, Op) else None)


CALLEES = {
    "straight": "%0: int = machine.neg(%x) return %0",
    "both": "if %c { %0: int = machine.neg(%x) return %0 } else { return %x } unreachable",
    "early": "if %c { return %x } else { yield } %0: int = machine.neg(%x) return %0",
    "value": "%1: int = if %c { return %x } else { %0: int = machine.neg(%x) yield %0 }"
    " %2: int = machine.neg(%1) return %2",
    "raising": 'if %c { raise ValueError "{0}" (%x) } else { yield } return %x',
    "twice": "if %c { return %x } else { yield } %0: int = const 0 %1: bool = machine.lt(%x, %0)"
    " if %1 { raise KeyError } else { if %1 { return %0 } else { yield } yield } return %x",
    "elif": "if %c { return %x } else { %0: int = const 0 %1: bool = machine.lt(%x, %0)"
    " if %1 { %2: int = machine.neg(%x) return %2 } else { yield } yield } %3: int = const 5 return %3",
    "both_go_on": "%1: int = if %c { %0: int = const 0 %2: bool = machine.lt(%x, %0) if %2 { return %0 } else { yield }"
    " yield %x } else { %4: int = const 7 yield %4 } %3: int = machine.neg(%1) return %3",
    "both_go_on_for_long": "%1: int = if %c { %0: int = const 0 %2: bool = machine.lt(%x, %0)"
    " if %2 { return %0 } else { yield } yield %x } else { %4: int = const 7 yield %4 }"
    " %5: int = if %c { %6: int = machine.neg(%1) yield %6 } else { yield %1 } return %5",
    "loop": "%0: int = const 0 loop L0 (%i: int = %x) {"
    " %1: bool = machine.lt(%i, %0) if %1 { return %i } else { yield } if %c { break L0 } else { yield }"
    " %2: int = const 1 %3: int = machine.sub(%i, %2) continue L0 (%3) } return %0",
    "never": 'raise ValueError "{0}" (%x)',
    "never_either": "if %c { raise KeyError } else { raise ValueError } unreachable",
}
CALLERS = {
    "plain": "%1: int = call @callee(%x, %c) %2: int = machine.add(%1, %1) return %2",
    "nested": "%z: int = const 0 %r: int = for L0 %k: int in range(%z, %x, %x) (%s: int = %z) {"
    " %1: int = call @callee(%k, %c) %2: int = machine.add(%1, %s) continue L0 (%2) } return %r",
    "tail": "%1: int = call @callee(%x, %c) return %1",
    "branch": "%r: int = if %c { %1: int = call @callee(%x, %c) yield %1 } else { yield %x } return %r",
}


def outcome(program: Program, *args: object) -> object:
    try:
        return interpret(program, args, step_limit=10_000)
    except (ValueError, KeyError) as error:
        return (type(error), str(error))


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("callee", CALLEES)
def test_inlining(callee, caller):
    head = "(%x: int, %c: bool) -> int"
    text = f"graph @main{head} {{ {CALLERS[caller]} }} graph @callee{head} {{ {CALLEES[callee]} }}"
    program = parse_program(text, TABLE)
    arguments = [(x, c) for x in (-2, 0, 3) for c in (True, False)]
    before = [outcome(program, *a) for a in arguments]
    inlined = program.graphs["callee"]
    untouched = str(inlined)

    def visit(node: Node, builder: Builder):
        if not isinstance(node, Call):
            return None
        found = splice_graph(builder, inlined, node.inputs, node.span)
        return () if found is None else (found,)

    rewrite(program.entry.body, visit)
    verify(program)
    assert not any(isinstance(n, Call) for n in walk(program.entry.body))
    assert [outcome(program, *a) for a in arguments] == before
    assert str(inlined) == untouched


def spliced(callee: str) -> str:
    target = Graph("g", (), INT)
    b = Builder(target.body)
    source = graph(CALLEES[callee])
    result = splice_graph(b, source, [b.const(1), b.const(True)])
    if result is not None:
        b.return_(result)
    return str(target)


def test_early_returns_become_yields_where_they_can():
    for callee in ("both", "early", "value", "twice", "elif", "both_go_on"):
        assert "loop" not in spliced(callee)
        assert "yield" in spliced(callee)
    for callee in ("both_go_on_for_long", "loop"):
        assert "loop inline" in spliced(callee)
    assert "if" not in spliced("straight")


def test_many_early_returns_do_not_nest():
    text = "if %c { return %x } else { yield } " * 50 + "return %x"
    target = Graph("g", (), INT)
    b = Builder(target.body)
    b.return_(splice_graph(b, graph(text), [b.const(1), b.const(True)]))  # type: ignore[arg-type]
    verify(target)
    assert "loop inline" in str(target)


def test_inlined_nodes_know_the_call():
    source = SourceFile("f.py")
    call_span, inner = Span(source, 9, 0, 9, 5, "main"), Span(source, 2, 0, 2, 5, "f")
    callee = graph(CALLEES["straight"])
    callee.body.nodes[0].span = inner
    main = Graph("main", (), INT)
    b = Builder(main.body)
    args = [b.const(1), b.const(True)]
    b.call(callee, *args, span=call_span)
    b.op(machine.NEG, main.body.nodes[-1].output)
    b.return_(args[0])

    def visit(node: Node, builder: Builder):
        return (splice_graph(builder, callee, node.inputs, node.span),) if isinstance(node, Call) else None

    rewrite(main.body, visit)
    node = main.body.nodes[2]
    assert [s.line for s in node.span.frames()] == [2, 9]
    assert splice_graph(b, callee, args, call_span, span_of=lambda s: UNKNOWN).node.span is UNKNOWN  # type: ignore[union-attr]


def test_dead_ends():
    g = graph("if %c { return %x } else { raise KeyError } %a: int = machine.neg(%x) loop L0 { continue L0 } return %a")
    assert drop_dead_ends(g.body)
    assert body(g).splitlines()[-1] == "unreachable"
    assert "neg" not in str(g)
    verify(g)
    assert not drop_dead_ends(g.body)


def test_dead_ends_inside_loops_are_dropped_first():
    g = graph("loop L0 { loop L1 { continue L1 } if %c { break L0 } else { yield } continue L0 } return %x")
    assert drop_dead_ends(g.body)
    assert not drop_dead_ends(g.body)
    assert body(g).splitlines() == ["loop L0 {", "loop L1 {", "continue L1", "}", "unreachable", "}", "unreachable"]


def test_constants_are_shared_by_copies():
    tensor = object()
    g = Graph("f", (), INT)
    b = Builder(g.body)
    b.const(tensor, type=INT)
    copy = clone_node(g.body.nodes[0])
    assert isinstance(copy, Const)
    assert copy.value is tensor
