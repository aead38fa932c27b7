"""`Try`, `SetSlot` and `Throw`: building, printing, parsing, checking, running, copying."""

from __future__ import annotations

import pytest

from tscript.abi.exceptions import EXCEPTIONS, builtin_base, is_exception, nearest, number_of, range_of
from tscript.ir.analysis import falls_through
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Graph, Label, Param, Program, SetSlot, Try, walk
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.reader import IRSyntaxError
from tscript.ir.splicing import drop_dead_ends
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.operators.table import TABLE
from tscript.types import ANY, INT, STR, ClassInfo, ClassType

VALUE_ERROR, KEY_ERROR, LOOKUP_ERROR = (EXCEPTIONS[n] for n in ("ValueError", "KeyError", "LookupError"))

TEXT = """program @f

graph @f(%x: int, %y: int) -> int {
  %0: int = const 0
  %1: int = try T0 (%0, %y) {
    set T0 0 (%x)
    %2: int = call @g(%x)
    set T0 1 (%2)
    %3: int = call @g(%y)
    yield %3
  } except ValueError, KeyError (%a: int, %b: int) {
    %4: int = machine.add(%a, %b)
    yield %4
  } except LookupError as %e: LookupError (%a.1: int, %b.1: int) {
    throw %e
  }
  return %1
}

graph @g(%n: int) -> int {
  %0: int = const 3
  %1: bool = machine.lt(%n, %0)
  if %1 {
    raise KeyError "small {0}" (%n)
  } else {
    yield
  }
  %2: int = const 9
  %3: bool = machine.gt(%n, %2)
  if %3 {
    raise IndexError
  } else {
    yield
  }
  return %n
}
"""


@pytest.fixture
def program() -> Program:
    found = parse_program(TEXT, TABLE)
    verify(found)
    return found


def test_text_round_trips(program):
    assert print_program(program) == TEXT


@pytest.mark.parametrize(("args", "expected"), [((5, 6), 6), ((1, 6), 7), ((5, 1), 10), ((2, 1), 3)])
def test_handlers_see_what_slots_held(program, args, expected):
    assert interpret(program, args) == expected


def test_a_thrown_exception_goes_on(program):
    with pytest.raises(IndexError):
        interpret(program, (5, 10))


def test_a_clone_has_labels_of_its_own(program):
    clone = clone_graph(program.entry, "h")
    assert str(clone).replace("@h", "@f") == str(program.entry)
    verify(Program("f", [*program.graphs.values(), clone]))


def test_building():
    graph = Graph("f", [Param("x", INT)], INT)
    b = Builder(graph.body)
    (x,) = graph.body.params
    with b.try_([x]) as attempt:
        with attempt.body:
            b.set(attempt, 0, b.const(5))
            b.raise_("KeyError")
        with attempt.handler(LOOKUP_ERROR, catch=LOOKUP_ERROR) as block:
            b.yield_(block.params[0])
        with attempt.handler(VALUE_ERROR):
            b.throw(b.op(TABLE["new.exception"], b.const(None), b.const(KEY_ERROR)))
    b.return_(attempt.output)
    verify(graph)
    assert interpret(graph, (1,)) == 5
    assert [n.index for n in walk(graph.body) if isinstance(n, SetSlot)] == [0]


def test_falling_through():
    graph = Graph("f", [], INT)
    b = Builder(graph.body)
    with b.try_() as attempt:
        with attempt.body:
            b.raise_("KeyError")
        with attempt.handler(LOOKUP_ERROR):
            b.return_(b.const(1))
    assert not falls_through(attempt.node)
    b.return_(b.const(2))
    assert drop_dead_ends(graph.body)
    verify(graph)


HEAD = "graph @f(%x: int) -> int {"
BROKEN = [
    ("try T0 (%x) { yield } except KeyError (%a: float) { yield } return %x", "slots: expected float"),
    ("set T0 0 (%x) return %x", None),
    ("try T0 (%x) { yield } except KeyError (%a: int) { set T0 0 (%x) yield } return %x", None),
    ("try T0 (%x) { set T0 1 (%x) yield } except KeyError (%a: int) { yield } return %x", "there is no slot 1"),
    (
        "try T0 { yield } except LookupError as %e: KeyError { yield } return %x",
        "the exception is not always a KeyError",
    ),
    ("try T0 { yield } except KeyError as %e: int { yield } return %x", "the exception is not always a int"),
    ("try T0 { throw %x } except KeyError { yield } return %x", "what is thrown is one exception"),
    ("try T0 { yield %x } except KeyError { yield } return %x", "results"),
    ("try T0 { %a: int = const 1 yield } except KeyError { return %a } return %x", None),
]


@pytest.mark.parametrize(("body", "rule"), BROKEN, ids=range(len(BROKEN)))
def test_what_is_broken(body, rule):
    """Without a rule the text itself is refused."""
    if rule is None:
        with pytest.raises((IRSyntaxError, VerifyError)):
            verify(parse_program(f"{HEAD} {body} }}", TABLE))
        return
    program = parse_program(f"{HEAD} {body} }}", TABLE)
    with pytest.raises(VerifyError) as caught:
        verify(program)
    assert caught.value.rule.startswith(rule)


@pytest.mark.parametrize(
    "body",
    [
        "try T0 { yield } return %x",
        "try T0 { yield } except int { yield } return %x",
        "try T0 (%x) { yield } except KeyError { yield } return %x",
        "try T0 (%x) { set T0 a (%x) yield } except KeyError (%a: int) { yield } return %x",
        "try T0 (%x) { set T0 0 (%x, %x) yield } except KeyError (%a: int) { yield } return %x",
    ],
)
def test_what_is_no_text(body):
    with pytest.raises(IRSyntaxError):
        parse_program(f"{HEAD} {body} }}", TABLE)


def test_a_slot_belongs_to_a_try_around():
    graph = Graph("f", [Param("x", INT)], INT)
    (x,) = graph.body.params
    graph.body.nodes.append(SetSlot(Label("T"), 0, x))
    Builder(graph.body).return_(x)
    with pytest.raises(VerifyError, match="in the body of its try"):
        verify(graph)
    empty = Graph("f", [Param("x", INT)], INT)
    b = Builder(empty.body)
    b.try_()
    b.return_(empty.body.params[0])
    assert isinstance(empty.body.nodes[0], Try)
    with pytest.raises(VerifyError, match="has handlers"):
        verify(empty)


def test_numbers_of_classes_are_ranges():
    import builtins

    for name, type in EXCEPTIONS.items():
        first, last = range_of(type.info)
        assert number_of(name) == first
        for other in EXCEPTIONS:
            inside = first <= number_of(other) <= last
            assert inside == issubclass(getattr(builtins, other), getattr(builtins, name)), (name, other)


def test_classes_of_users_and_of_later_pythons():
    class Mine(KeyError):
        pass

    assert nearest(Mine) is KEY_ERROR
    assert nearest(KeyboardInterrupt) is EXCEPTIONS["KeyboardInterrupt"]
    mine = ClassInfo("m.Mine", Mine, KEY_ERROR.info)
    assert builtin_base(mine) is KEY_ERROR.info
    assert is_exception(ClassType(mine))
    assert not is_exception(STR) and not is_exception(ClassType(ClassInfo("KeyError")))


def test_operators_on_exceptions():
    graph = Graph("f", [Param("x", INT)], STR)
    b = Builder(graph.body)
    given = b.op(TABLE["box"], graph.body.params[0], b.const(ANY))
    error = b.op(TABLE["new.exception"], given, b.const(KEY_ERROR))
    cause = b.op(TABLE["new.exception"], b.op(TABLE["box"], b.const(("a", 2)), b.const(ANY)), b.const(VALUE_ERROR))
    b.op(TABLE["chain.exception"], error, cause)
    b.return_(b.op(TABLE["repr.exception"], error))
    verify(graph)
    assert interpret(graph, (3,)) == "KeyError(3)"
