"""Programs made to be awkward for a compiler: families of a size `n`, whose text grows in proportion to it, indentation
aside.

A family is one way to make numbers multiply: loops inside each other, final statements in final statements, functions
that call others twice, types that hold two of themselves. `FAMILIES` has the text of each for any size; every text
defines ``f``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

INDENT = "    "
HEAD = "import tscript\nfrom typing import *\nfrom dataclasses import dataclass\nfrom tscript import Tensor\n"

EXPRESSIONS: Mapping[str, tuple[str, str]] = {
    "parentheses": ("x", "({e} + 1)"),
    "conditional": ("x", "({e} if x > {i} else {i})"),
    "conditional condition": ("x > 0", "({e} if x > {i} else x < {i})"),
    "and or": ("x > 0", "(({e} and x != {i}) or x == {i})"),
    "not": ("x > 0", "(not ({e} and not x == {i}))"),
    "subscript": ("x", "[0, 1, 2][{e} % 3]"),
    "list": ("x", "[{e}]"),
    "tuple": ("x", "({e},)"),
    "tuple of two": ("x", "({e}, x)"),
    "dict": ("{x: x}", "{{{i}: {e}}}"),
    "comprehension": ("x", "[{e} for y{i} in range(x)]"),
    "filter": ("[x]", "[y for y in {e} if y > {i}]"),
    "sum of a comprehension": ("x", "sum([{e} for y{i} in range(x)])"),
    "sum of a generator": ("x", "sum({e} for y{i} in range(x))"),
    "any of a generator": ("x > 0", "any({e} for y{i} in range(x))"),
    "map": ("[x]", "list(map(lambda a{i}: a{i} + 1, {e}))"),
    "sorted": ("x", "len(sorted([1, 2], key=lambda a{i}: {e}))"),
    "walrus": ("x", "(y{i} := {e} + 1)"),
    "text": ("str(x)", "(str({i}) + {e} + f'{{x}}')"),
    "min": ("x", "min({e}, x + {i})"),
    "starred list": ("[x]", "[*{e}, {i}]"),
    "starred list in a sum": ("x", "sum([*[{e}, {i}], x])"),
    "tensor of a list": ("[x]", "[int(a) for a in tscript.tensor({e} + [{i}])]"),
}
"""What an expression begins with, and what is put around it."""

CHAINS: Mapping[str, tuple[str, str, str]] = {
    "straight": ("a = b = x", "a = a * 3 + b\nb = a - b", "return a"),
    "if": ("s = 0", "if x > {i}:\n    s += {i}\nelse:\n    s -= 1", "return s"),
    "if on None": ("s = None", "if x > {i}:\n    s = {i} if s is None else s + 1", "return 0 if s is None else s"),
    "returns": ("", "if x == {i}:\n    return {i}", "return -1"),
    "asserts": ("", "assert x > {i}, f'{{x}} {i}'", "return x"),
    "tuple of itself": ("v0 = (x, x)", "v{j} = (v{i}, v{i})", "return 1"),
    "tuple twice as long": ("v0 = (x, x)", "v{j} = (*v{i}, *v{i})", "return 1"),
    "sum of tuples": ("v0 = (x, x)", "v{j} = v{i} + v{i}", "return 1"),
    "text twice as long": ("s = 'a'", "s = s + s", "return len(s)"),
    "format twice as long": ("s = 'a'", "s = f'{{s}}{{s}}'", "return len(s)"),
    "bytes twice as long": ("s = b'a'", "s = s + s", "return len(s)"),
    "squares": ("s = 3", "s = s * s", "return s + x"),
    "lambdas": ("g0 = lambda a: a + x", "g{j} = lambda a: g{i}(a) + g{i}(a + 1)", "return g{n}(x)"),
    "inner functions": (
        "def g0(a: int) -> int:\n    return a + x", "def g{j}(a: int) -> int:\n    return g{i}(a) + g{i}(a + 1)",
        "return g{n}(x)"
    ),
    "try in a row": ("s = 0", "try:\n    s += 10 // x\n    if s > {i}:\n        return s\nfinally:\n    s += 1",
                     "return s"),
    "isinstance": (
        "v: Union[int, str, float] = x\ns = 0", "if isinstance(v, int):\n    s += v\nelif isinstance(v, str):\n"
                                                "    s += {i}", "return s"
    ),
    "loops in a row": ("s = 0", "for i{i} in [1, 2, 3]:\n    s += i{i}", "return s"),
    "swaps": ("a = b = x", "a, b = b, a + b", "return a"),
}  # fmt: skip
"""What a function begins with, lines that are repeated, what it ends with; ``{i}`` counts from 0, ``{j}`` from 1."""

NESTS: Mapping[str, tuple[str, str, str]] = {
    "for": ("for i{i} in range(x):", "s += 1", ""),
    "short for": ("for i{i} in range(2):", "s += 1", ""),
    "for over mixed types": ("for i{i} in (1, 2.5):", "s += 1", ""),
    "for and else": ("for i{i} in range(x):\n    if s > {i}:\n        break", "s += 1", "else:\n    s += 2"),
    "while": ("while s < {i} + 10:\n    s += 1", "s += 1", ""),
    "None in loops": ("v{i} = None\nfor i{i} in range(x):\n    if v{i} is None:\n        v{i} = {i}", "s += 1", ""),
    "empty lists in loops": ("v{i} = []\nfor i{i} in range(x):\n    v{i}.append({i})", "s += 1", ""),
    "condition": ("if x > {i}:", "s += 1", ""),
    "elif": ("if x == {i}:\n    s += {i}\nelse:", "s += 1", ""),
    "finally": ("try:", "s += 10 // x\nif s > 3:\n    return s", "finally:\n    s += 1"),
    "finally in finally": ("try:\n    s += 10 // x\n    if s > {i}:\n        return s\nfinally:", "s += 1", ""),
    "except": ("try:", "s += 10 // x", "except ValueError:\n    s += 1"),
    "except in except": ("try:\n    s += 10 // x\nexcept ZeroDivisionError:", "s += 1", ""),
    "None in try": ("v{i} = None\ntry:\n    v{i} = 10 // x", "s += 1", "except ZeroDivisionError:\n    v{i} = 1"),
    "match": ("match x + {i}:\n  case {i} | 3:\n    s += 1\n  case _:", "s += 1", ""),
}
"""What opens a block, what stands in the innermost one, what comes behind each."""

CALLS: Mapping[str, tuple[str, str, str]] = {
    "calls twice": ("(x: int) -> int:\n    return x", "(x: int) -> int:\n    return f{i}(x) + f{i}(x + 1)", "(x)"),
    "one of two calls": (
        "(x: int) -> int:\n    return x", "(x: int) -> int:\n    if x > {i}:\n        return f{i}(x)\n"
                                          "    return f{i}(x + 1)", "(x)"
    ),
    "calls in loops": (
        "(x: int) -> int:\n    return x",
        "(x: int) -> int:\n    s = 0\n    for i in range(x):\n        for k in range(4):\n"
        "            s += f{i}(k)\n    return s",
        "(x)",
    ),
    "generic functions": (
        "(x: T) -> int:\n    return 1", "(x: T) -> int:\n    return f{i}([x]) + f{i}((x, x))", "(x)"
    ),
    "functions as values": (
        "(g: Callable[[int], int], x: int) -> int:\n    return g(x)",
        "(g: Callable[[int], int], x: int) -> int:\n    return f{i}(lambda a: g(a) + g(a + 1), x)",
        "(lambda a: a, x)",
    ),
    "ranks": (
        "(x: Tensor, y: Tensor) -> Tensor:\n    return x + y",
        "(x: Tensor, y: Tensor) -> Tensor:\n    return f{i}(x, y) + f{i}(y.unsqueeze(0), x)",
        "(tscript.zeros(x), tscript.zeros(x)).dim()",
    ),
    "dtypes": (
        "(x: Tensor, y: Tensor) -> Tensor:\n    return x + y",
        "(x: Tensor, y: Tensor) -> Tensor:\n    return f{i}(x.double(), y) + f{i}(y, x.int())",
        "(tscript.zeros(x), tscript.zeros(x)).dim()",
    ),
    "keepdim": (
        "(x: Tensor, k: bool) -> Tensor:\n    return x.sum(0, keepdim=k)",
        "(x: Tensor, k: bool) -> Tensor:\n    return f{i}(x, k) + f{i}(x, not k)",
        "(tscript.zeros(x), True).dim()",
    ),
}  # fmt: skip
"""The first function, one that calls the one before it, and how ``f`` calls the last."""

CLASSES: Mapping[str, tuple[str, str, str]] = {
    "dataclasses of two": (
        "@dataclass\nclass C0:\n    v: int", "@dataclass\nclass C{j}:\n    a: C{i}\n    b: C{i}",
        "c0 = C0(x)\n{made}return len(str(c{n})) if c{n} == c{n} else 0",
    ),
    "named tuples of two": (
        "class C0(NamedTuple):\n    v: int", "class C{j}(NamedTuple):\n    a: C{i}\n    b: C{i}",
        "c0 = C0(x)\n{made}return 1 if c{n} == c{n} else 0",
    ),
    "methods that call super twice": (
        "class C0:\n    def m(self, x: int) -> int:\n        return x",
        "class C{j}(C{i}):\n    def m(self, x: int) -> int:\n        return super().m(x) + super().m(x + 1)",
        "return C{n}().m(x)",
    ),
    "constants of two": ("C0 = (1, 2)", "C{j} = (C{i}, C{i})", "return len(C{n}) + x"),
    "constant texts of two": ("C0 = 'abc'", "C{j} = C{i} + C{i}", "return len(C{n}) + x"),
    "constant squares": ("C0 = 3", "C{j} = C{i} * C{i}", "return C{n} + x"),
}  # fmt: skip
"""The first class or constant of a module, one made of the one before it, and the body of ``f``."""


def indented(text: str, level: int) -> str:
    """Lines of a text inside `level` blocks."""
    return "".join(f"{INDENT * level}{line}\n" for line in text.splitlines())


def function(body: str) -> str:
    """A module in which ``f`` has this body."""
    return f"{HEAD}def f(x: int) -> int:\n{indented(body, 1)}"


def _expression(start: str, around: str, n: int) -> str:
    made = start
    for i in range(n):
        made = around.format(e=made, i=i)
    return function(f"v = {made}\nreturn 1")


def _chain(head: str, line: str, tail: str, n: int) -> str:
    lines = [line.format(i=i, j=i + 1) for i in range(n)]
    return function("\n".join([head, *lines, tail.format(n=n)]))


def _nest(opening: str, inside: str, closing: str, n: int) -> str:
    text = "".join(indented(opening.format(i=i), i) for i in range(n)) + indented(inside, n)
    text += "".join(indented(closing.format(i=i), i) for i in reversed(range(n)))
    return function(f"s = 0\n{text}return s")


def _read_everywhere(n: int) -> str:
    """Loops in which names become ints, all of which the innermost one asks about."""
    text = "".join(indented(f"v{i} = None\nfor i{i} in range(x):", i) for i in range(n))
    text += "".join(indented(f"if v{i} is None:\n{INDENT}s += 1", n) for i in range(n))
    text += "".join(indented(f"v{i} = {i}", i + 1) for i in reversed(range(n)))
    return function(f"s = 0\n{text}return s")


def _inner_calls(n: int) -> str:
    """Calls of a function inside the function, whose parameters say no types, inside each other."""
    made = "x"
    for i in range(n):
        made = f"g({made}, {i})"
    return function(f"def g(a, b):\n{INDENT}return a + b\nreturn {made}")


def _attributes(n: int) -> str:
    """Loops in which attributes become None that are not before."""
    text = "".join(
        indented(f"c{i}.v = 1\nfor i{i} in range(x):\n{INDENT}if c{i}.v is None:\n{INDENT}{INDENT}s += 1", i)
        for i in range(n)
    )
    text += "".join(indented(f"c{i}.v = None", i + 1) for i in reversed(range(n)))
    made = "".join(f"c{i} = C(None)\n" for i in range(n))
    return f"{HEAD}@dataclass\nclass C:\n    v: Optional[int]\n" + function(
        f"s = 0\n{made}{text}return s"
    ).removeprefix(HEAD)


def _calls(first: str, step: str, call: str, n: int) -> str:
    steps = "".join(f"def f{i + 1}{step.replace('{i}', str(i))}\n" for i in range(n))
    return f"{HEAD}T = TypeVar('T')\ndef f0{first}\n{steps}def f(x: int) -> int:\n    return f{n}{call}\n"


def _classes(first: str, step: str, body: str, n: int) -> str:
    steps = "".join(step.format(i=i, j=i + 1) + "\n" for i in range(n))
    made = "".join(f"c{i + 1} = C{i + 1}(c{i}, c{i})\n" for i in range(n))
    return f"{HEAD}{first}\n{steps}def f(x: int) -> int:\n{indented(body.format(n=n, made=made), 1)}"


FAMILIES: Mapping[str, Callable[[int], str]] = {
    **{f"expression: {name}": partial(_expression, *parts) for name, parts in EXPRESSIONS.items()},
    **{f"chain: {name}": partial(_chain, *lines) for name, lines in CHAINS.items()},
    **{f"nested: {name}": partial(_nest, *lines) for name, lines in NESTS.items()},
    "nested: None read everywhere": _read_everywhere,
    "nested: attributes": _attributes,
    "nested: calls of an inner function": _inner_calls,
    **{f"calls: {name}": partial(_calls, *lines) for name, lines in CALLS.items()},
    **{f"module: {name}": partial(_classes, *lines) for name, lines in CLASSES.items()},
}
"""The text of each family for a size."""
