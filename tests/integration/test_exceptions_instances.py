"""Exceptions whose attributes and arguments are instances, or hold them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.runtime.session.process import current


@dataclass
class Order:
    n: int
    items: list[int]


class Node:
    def __init__(self, n: int) -> None:
        self.n = n
        self.next: Node | None = None

    def __str__(self) -> str:
        return f"<{self.n}>"


class OrderError(Exception):
    def __init__(self, order: Order) -> None:
        super().__init__(f"order {order.n}", order)
        self.order = order


class NodeError(ValueError):
    def __init__(self, nodes: list[Node], first: Node | None) -> None:
        self.nodes = nodes
        self.first = first


class Outer(RuntimeError):
    def __init__(self, inner: OrderError) -> None:
        super().__init__("outer")
        self.inner = inner


def caught(o: Order, n: int) -> tuple[int, list[int], str]:
    try:
        raise OrderError(o if n == 1 else Order(n, [n]))
    except OrderError as e:
        e.order.n += 1
        e.order.items.append(n)
        return e.order.n + o.n, e.order.items, str(e.order)


def out(o: Order, n: int) -> int:
    o.n += 1
    raise OrderError(o if n else Order(7, o.items))


def arguments(o: Order, n: int) -> int:
    raise ValueError("a", o, [o, Order(n, [])], {"k": (o, None)}) if n else ValueError(o)


def nodes(o: Order, n: int) -> int:
    a = Node(1)
    b = a
    for i in range(n * 150):
        c = Node(i)
        c.next = b
        b = c
    raise NodeError([b, a, b], a if n else None)


def inner(o: Order, n: int) -> int:
    try:
        return out(o, n)
    except OrderError as e:
        raise Outer(e) from e


def again(o: Order, n: int) -> int:
    try:
        return out(o, n)
    except OrderError as e:
        e.order.items.append(5)
        raise


def text(o: Order, n: int) -> str:
    try:
        raise ValueError(o) if n else LookupError(1, o)
    except (ValueError, LookupError) as e:
        return str(e) + repr(e) + str(e.args)


@tscript.ignore
def outside(o: Order, n: int) -> int:
    if n == 0:
        raise OrderError(o)
    if n == 1:
        raise NodeError([Node(1), Node(2)], None)
    raise KeyError(o, n)


def from_python(o: Order, n: int) -> str:
    try:
        return str(outside(o, n))
    except OrderError as e:
        return f"{e.order.n} {e.order} {e} {e.args}"
    except NodeError as e:
        return f"{len(e.nodes)} {e.nodes[1]} {e.first is None}"
    except KeyError as e:
        return f"{e} {len(e.args)}"


def through(o: Order, n: int) -> str:
    try:
        return str(outside(Order(o.n, o.items), n))
    except OrderError:
        raise


def made(n: int) -> int:
    raise OrderError(Order(n, [n]))


def task(o: Order, n: int) -> str:
    running = tscript.fork(made, n)
    try:
        return str(tscript.wait(running))
    except OrderError as e:
        return f"{e.order} {e}"


def of_a_task(o: Order, n: int) -> int:
    return tscript.wait(tscript.fork(made, n))


CASES: tuple[Callable[[Order, int], object], ...] = (
    caught, out, arguments, nodes, inner, again, text, from_python, through, task, of_a_task,
)  # fmt: skip


def described(value: object, o: Order, depth: int = 0) -> object:
    """A value; `o` by name."""
    if value is o:
        return "o", repr(o)
    if isinstance(value, Node):
        length, at = 0, value
        while at.next is not None:
            length, at = length + 1, at.next
        return value.n, length
    if isinstance(value, list | tuple):
        return [described(v, o) for v in value]
    if isinstance(value, dict):
        return {k: described(v, o) for k, v in value.items()}
    if isinstance(value, BaseException) and depth < 4:
        found = {k: described(v, o, depth + 1) for k, v in vars(value).items()}
        return type(value), described(value.args, o), found, described(value.__cause__, o, depth + 1)
    return repr(value)


def outcome(function: Callable[[Order, int], object], n: int) -> object:
    o = Order(3, [1])
    try:
        found = function(o, n)
    except Exception as error:  # noqa: BLE001 - it is what is looked at
        found = error
    return described(found, o), repr(o)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_they_are_what_python_makes_of_them(function: Callable[[Order, int], object]) -> None:
    scripted = tscript.script(function)
    for n in (0, 1, 2, 1):
        assert outcome(scripted, n) == outcome(function, n)


def test_instances_are_one_object_in_attributes_arguments_and_for_the_caller() -> None:
    o = Order(3, [1])
    with pytest.raises(OrderError) as found:
        tscript.script(out)(o, 1)
    assert found.value.order is o is found.value.args[1]
    with pytest.raises(NodeError) as other:
        tscript.script(nodes)(o, 2)
    assert other.value.nodes[0] is other.value.nodes[2] and other.value.first is other.value.nodes[1]
    assert [type(n) for n in other.value.args[0]] == [Node] * 3 and other.value.args[0] is other.value.nodes


def test_nothing_is_left() -> None:
    functions = [tscript.script(f) for f in CASES]

    def use() -> None:
        for function in functions:
            for n in (0, 1, 2):
                outcome(function, n)

    use()
    use()
    gc.collect()
    before = current().live_blocks()
    for _ in range(20):  # more than are kept of those that Python raised
        use()
    gc.collect()
    assert current().live_blocks() <= before + 64


@pytest.mark.parametrize("function", [caught, out, arguments, text, again], ids=lambda f: f.__name__)
def test_archives_keep_them(function: Callable[[Order, int], object], tmp_path: Path) -> None:
    tscript.save(tscript.script(function), tmp_path / "f.ts")
    loaded: Any = tscript.load(tmp_path / "f.ts")
    for n in (0, 1):
        assert archived_outcome(loaded, n) == archived_outcome(function, n)


def archived_outcome(function: Callable[[Order, int], object], n: int) -> str:
    try:
        return repr(function(Order(3, [1]), n))
    except Exception as error:  # noqa: BLE001 - it is what is looked at
        return repr(error)
