"""A program for `test_stack.py`: recursion of all kinds on a thread with a stack of some size.

Usage: deep_calls.py SIZE STACK KIND..., where SIZE is the number of floats that live across the recursive call, or of
levels that a value has; STACK the thread's stack in KiB (0: the main thread), and KIND what recurses. It says each
kind, and ends with ``ok``.
"""

from __future__ import annotations

import functools
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

import tscript
from tscript import Tensor


@dataclass
class Node:
    value: int
    next: Optional["Node"]


@dataclass
class Tree:
    value: int
    inner: list["Tree"]


def build(n: int) -> Tree:
    found = Tree(0, [])
    for i in range(n):
        found = Tree(i, [found])
    return found


def shown(n: int) -> str:
    return repr(build(n))


def same(n: int) -> bool:
    return build(n) == build(n)


def hang(n: int) -> int:
    first: Optional[Node] = None
    for i in range(n):
        first = Node(i, first)
    return 0 if first is None else first.value


def returned(n: int) -> Tree:
    return build(n)


def depth_of(tree: Tree) -> int:
    return 1 + depth_of(tree.inner[0]) if tree.inner else 0


@tscript.ignore
def outside(n: int) -> int:
    return len(repr(list(range(n % 10)))) - len(repr(list(range(n % 10)))) + n


def calls_python(n: int) -> int:
    return outside(n) + calls_python(n + 1)


def multiplies(x: Tensor, n: int) -> Tensor:
    return multiplies(x @ x * 0.5, n + 1) + x


def apply(f: Callable[[int], int], n: int) -> int:
    return f(n) + apply(f, n + 1)


def one(n: int) -> int:
    return 1


def forever(n: int) -> int:
    return forever(n + 1) + 1


@functools.cache  # it is compiled once
def with_frame(floats: int) -> Any:
    """A function that never ends and keeps so many floats across the call."""
    names = [f"v{i}" for i in range(floats)]
    lines = ["def deep(n: int, x: float) -> float:"]
    lines += [f"    {name} = x * {i + 1}.5 + n" for i, name in enumerate(names)]
    lines += ["    if n < 0:", "        return x"]
    lines += ["    r = deep(n + 1, x + 1.0)"]
    lines += [f"    r = r + {name}" for name in names]  # one sum of thousands is too deep for Python's own compiler
    lines += ["    return r", ""]
    file = Path(tempfile.mkdtemp()) / "framed.py"
    file.write_text("\n".join(lines), encoding="utf-8")
    space: dict[str, Any] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), space)
    return tscript.script(space["deep"])


def run(kind: str, floats: int) -> None:
    """Recurse, twice, in a way that has to end with a `RecursionError`, or fits."""
    calls: dict[str, Callable[[], object]] = {
        "frame": lambda: (f := with_frame(floats), f(0, 1.0)),
        "plain": lambda: tscript.script(forever)(0),
        "repr": lambda: tscript.script(shown)(floats),
        "eq": lambda: tscript.script(same)(floats),
        "drop": lambda: tscript.script(hang)(200_000),
        "out": lambda: tscript.script(returned)(floats),
        "in": lambda: tscript.script(depth_of)(build(floats)),
        "python": lambda: tscript.script(calls_python)(0),
        "blas": lambda: tscript.script(multiplies)(tscript.ones(40, 40), 0),
        "callable": lambda: tscript.script(apply)(tscript.script(one), 0),
        "task": lambda: tscript.fork(with_frame(floats), 0, 1.0).wait(),
    }
    for _ in range(2):
        try:
            calls[kind]()
        except RecursionError as error:
            if not ("recursion depth exceeded" in str(error) or "nested too deeply" in str(error)):
                raise
        else:
            assert kind in ("repr", "eq", "drop", "out", "in"), "the recursion ended"


def main() -> None:
    floats, stack, kinds = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    failed: list[BaseException] = []

    def on_thread() -> None:
        try:
            for kind in kinds:
                print(kind, end=" ", flush=True)
                run(kind, floats)
        except BaseException as error:  # noqa: BLE001 - the main thread shows it
            failed.append(error)

    if stack == 0:
        on_thread()
    else:
        threading.stack_size(stack << 10)
        thread = threading.Thread(target=on_thread)
        thread.start()
        thread.join()
    if failed:
        raise failed[0]
    assert tscript.script(one)(3) == 1
    print("ok")


if __name__ == "__main__":
    main()
