"""Smaller IR that still goes wrong in the same way.

Works on the text, a line being a node: graphs, nodes and branches are dropped, values stand for others of their type,
the program returns one value instead of many. What is no program any more is refused, which is another outcome, and so
not taken.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator

Program = tuple[str, str]
"""The text, and the type of the result."""

_NODE = re.compile(r"^(\s*)(?:(%\w+): (.+?) = )?(.*)$")
_OUTPUT = re.compile(r"(%\w+): ((?:[^,=%]|,(?! %))+)")
_HEAD = re.compile(r"^(graph @f\(.*\)) -> (.*) \{$", re.MULTILINE)


def shrink_ir(program: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """The smallest program found that `fails`, within the time given."""
    deadline = time.monotonic() + seconds
    best = program
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for step in (_without_graphs, _returning_less, _without_nodes, _with_branches, _with_others):
            position = 0
            while time.monotonic() < deadline:
                candidate = next((c for i, c in enumerate(step(best)) if i == position), None)
                if candidate is None:
                    break
                if _size(candidate) < _size(best) and fails(candidate):
                    best, progress = candidate, True
                else:
                    position += 1
    return best


def _size(program: Program) -> tuple[int, int]:
    """Lines, and values that are used; each step makes that less, so that shrinking ends."""
    lines = program[0].split("\n")
    used = {name for line in lines for name in re.findall(r"%\w+", line.rpartition(" = ")[2])}
    return len(lines), len(used)


def _without_graphs(program: Program) -> Iterator[Program]:
    text, result = program
    parts = re.split(r"\n(?=graph @)", text)
    for i, part in enumerate(parts):
        if part.startswith("graph @") and not part.startswith("graph @f("):
            yield "\n".join(parts[:i] + parts[i + 1 :]), result


def _end(lines: list[str], start: int) -> int:
    """The line behind the node that begins in one."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    at = start
    while lines[at].endswith("{"):
        at += 1
        while len(lines[at]) - len(lines[at].lstrip()) > indent or not lines[at].strip():
            at += 1
    return at + 1


def _starts(lines: list[str]) -> list[int]:
    """Lines that begin a node, the last first."""
    return [
        i for i in reversed(range(len(lines))) if lines[i].startswith("  ") and not lines[i].lstrip().startswith("}")
    ]


def _without_nodes(program: Program) -> Iterator[Program]:
    text, result = program
    lines = text.split("\n")
    for start in _starts(lines):
        if not lines[start].lstrip().startswith(("return", "yield", "break", "continue", "raise", "throw")):
            yield "\n".join(lines[:start] + lines[_end(lines, start) :]), result


def _with_branches(program: Program) -> Iterator[Program]:
    """A block in place of the node it belongs to; what it yields stands for the node's outputs."""
    text, result = program
    lines = text.split("\n")
    for start in _starts(lines):
        if not lines[start].endswith("{"):
            continue
        end = _end(lines, start)
        outputs = [name for name, _ in _OUTPUT.findall(lines[start].partition(" = ")[0])]
        indent = len(lines[start]) - len(lines[start].lstrip())
        edges = [i for i in range(start, end) if len(lines[i]) - len(lines[i].lstrip()) == indent]
        for first, last in itertools.pairwise(edges):
            inner = [line[2:] for line in lines[first + 1 : last]]
            if inner and inner[-1].lstrip().startswith("yield"):
                yielded = re.findall(r"%\w+", inner.pop())
                rest = "\n".join(lines[end:])
                for old, new in zip(outputs, yielded, strict=False):
                    rest = re.sub(rf"{old}\b", new, rest)
                yield "\n".join([*lines[:start], *inner, rest]), result


def _with_others(program: Program) -> Iterator[Program]:
    """An earlier value of the same type."""
    text, result = program
    lines = text.split("\n")
    for at in _starts(lines):
        found = _NODE.match(lines[at])
        if found is None or found[2] is None:
            continue
        end = next((i for i in range(at, len(lines)) if lines[i] == "}"), len(lines))
        below, rest = "\n".join(lines[at + 1 : end]), lines[end:]
        if not re.search(rf"{found[2]}\b", below):
            continue
        for before in reversed(range(at)):
            if lines[before].startswith("graph @"):
                break
            other = _NODE.match(lines[before])
            if other is not None and other[2] is not None and other[3] == found[3] and len(other[1]) <= len(found[1]):
                yield "\n".join([*lines[: at + 1], re.sub(rf"{found[2]}\b", other[2], below), *rest]), result
                break


def _returning_less(program: Program) -> Iterator[Program]:
    """One of the values of the body in place of the result."""
    text, _ = program
    parts = re.split(r"\n(?=graph @)", text)
    at = next((i for i, part in enumerate(parts) if part.startswith("graph @f(")), None)
    if at is None:
        return
    lines = parts[at].rstrip("\n").split("\n")
    last = next((i for i in reversed(range(len(lines))) if lines[i].startswith("  return ")), None)
    if last is None:
        return
    for start in reversed(range(1, last)):
        found = re.match(r"^  (%\w+): ([^%]+?) = ", lines[start])
        if found is not None and "type" != found[2] and _HEAD.match(lines[0]):
            head = _HEAD.sub(lambda m, found=found: f"{m[1]} -> {found[2]} {{", lines[0])
            made = [head, *lines[1 : _end(lines, start)], f"  return {found[1]}", "}", ""]
            yield "\n".join([*parts[:at], "\n".join(made), *parts[at + 1 :]]), found[2]


__all__ = ["shrink_ir"]
