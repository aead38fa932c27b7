"""What newcomers write: each mistake is told by a message that names it, with a help that names what to write instead,
or none; and what the help says compiles."""

from __future__ import annotations

import ast
import textwrap
from typing import NamedTuple

import pytest

from tscript.diagnostics import CompileError, Diagnostic
from tscript.frontend import LanguageResolver, check_functions, module_functions
from tscript.frontend.diagnostics import elsewhere

HEADER = """
import bisect, collections, copy, datetime, functools, heapq, itertools, json, logging, math, os, random, re
import statistics, sys, time
from collections.abc import Callable
from typing import Any
import numba
import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
import tscript
from numba import prange
from tscript import Tensor

CACHE = [1, 2]
PAIR = (1, 2)

class Node:
    def __init__(self, value: int):
        self.value = value
        self.left: Node | None = None

def add(a: int, b: int, scale: int = 1) -> int:
    return (a + b) * scale
"""


class Mistake(NamedTuple):
    """A function as it was written, what is said of it, and the function that does what was meant."""

    parameters: str
    result: str
    wrong: str
    """The body, or an expression that is returned."""
    message: str
    """What the first error says, among other things."""
    help: str
    """What its help says, among other things; empty when there is none."""
    fixed: str
    """The body as the help has it."""
    fixed_parameters: str = ""
    fixed_result: str = ""


XS, FS, X, S, D, N, ROWS = (
    "xs: list[int]",
    "fs: list[float]",
    "x: Tensor",
    "s: str",
    "d: dict[str, int]",
    "n: int",
    "rows: list[list[int]]",
)

CONTAINERS = [
    Mistake(XS, "list[int]", "xs.sort()", "this returns None", "'xs.sort' changes 'xs' and gives None", "sorted(xs)"),
    Mistake(XS, "list[int]", "xs.reverse()", "this returns None", "'xs[::-1]'", "xs[::-1]"),
    Mistake(
        XS,
        "int",
        "ys = xs.sort()\nreturn ys[0]",
        "None has no elements",
        "'sorted(xs)'",
        "ys = sorted(xs)\nreturn ys[0]",
    ),
    Mistake(
        XS,
        "list[int]",
        "xs = xs.append(3)\nreturn xs",
        "this returns None",
        "on a line of its own",
        "xs.append(3)\nreturn xs",
    ),
    Mistake(
        f"{XS}, n: int",
        "list[int]",
        "for i in range(n):\n    xs = xs.append(i)\nreturn xs",
        "no method 'append'",
        "on a line of its own",
        "for i in range(n):\n    xs.append(i)\nreturn xs",
    ),
    Mistake(XS, "int", "xs.push(3)\nreturn 0", "no method 'push'", "xs.append(x)", "xs.append(3)\nreturn 0"),
    Mistake(XS, "int", "xs.length", "no attribute 'length'", "len(xs)", "len(xs)"),
    Mistake(XS, "int", "xs.size()", "no method 'size'", "len(xs)", "len(xs)"),
    Mistake(ROWS, "int", "rows.shape[0]", "no attribute 'shape'", "len(xs)", "len(rows)"),
    Mistake(FS, "float", "fs.sum()", "no method 'sum'", "sum(xs)", "sum(fs)"),
    Mistake(
        FS,
        "list[int]",
        "fs.argsort()",
        "no method 'argsort'",
        "sorted(range(len(xs))",
        "sorted(range(len(fs)), key=lambda i: fs[i])",
    ),
    Mistake(XS, "list[int]", "xs.map(abs)", "no method 'map'", "[f(x) for x in xs]", "[abs(x) for x in xs]"),
    Mistake(
        XS, "int", "xs.apend(1)\nreturn 0", "no method 'apend'", "did you mean 'append'?", "xs.append(1)\nreturn 0"
    ),
    Mistake(XS, "int", "xs.quux()", "no method 'quux'", "", "len(xs)"),
    Mistake(D, "bool", "d.has_key('a')", "no method 'has_key'", "key in d", "'a' in d"),
    Mistake(
        D,
        "int",
        "t = 0\nfor k, v in d.iteritems():\n    t += v\nreturn t",
        "no method 'iteritems'",
        "d.items()",
        "t = 0\nfor k, v in d.items():\n    t += v\nreturn t",
    ),
    Mistake(D, "int", "d.a", "no attribute 'a'", "d['a']", "d['a']"),
    Mistake(D, "str", "d.keys()[0]", "'.keys()' of a dict as a value", "list(d.keys())", "list(d.keys())[0]"),
    Mistake(
        D,
        "int",
        "d.get('a') + 1",
        "int | None",
        "test it first, with 'is not None'",
        "v = d.get('a')\nreturn 1 if v is None else v + 1",
    ),
    Mistake(
        S,
        "int",
        "d = {'a': 1, 'b': 'x'}\nreturn len(d)",
        "must be int, not str",
        "d: dict[str, int | str]",
        "e: dict[str, int | str] = {'a': 1, 'b': 'x'}\nreturn len(e)",
    ),
    Mistake("s: set[int]", "int", "s.append(3)\nreturn 0", "no method 'append'", "s.add(x)", "s.add(3)\nreturn 0"),
    Mistake("s: set[int]", "int", "s[0]", "a set[int] has no elements", "list(s)", "list(s)[0]"),
    Mistake(
        "t: tuple[int, int]",
        "int",
        "t.append(3)\nreturn t[0]",
        "no method 'append'",
        "(*t, x)",
        "u = (*t, 3)\nreturn u[0]",
    ),
    Mistake(
        ROWS,
        "list[int]",
        "[sum(c) for c in zip(*rows)]",
        "rows into columns",
        "[row[0] for row in rows]",
        "[sum([row[i] for row in rows]) for i in range(len(rows[0]))]",
    ),
    Mistake(
        N,
        "list[int]",
        "xs = [None] * n\nfor i in range(n):\n    xs[i] = i\nreturn xs",
        "must be None, not int",
        "begin with a value of int",
        "xs = [0] * n\nfor i in range(n):\n    xs[i] = i\nreturn xs",
    ),
    Mistake(
        "a: list[list[float]], i: int", "float", "a[i, 0]", "cannot be indexed with a tuple", "xs[i][j]", "a[i][0]"
    ),
    Mistake(
        "a: list[float]", "list[float]", "a * 2.0", "'*' does not take", "[x * 2 for x in xs]", "[x * 2.0 for x in a]"
    ),
    Mistake(XS, "int", "xs[len(xs) / 2]", "cannot be indexed with a float", "a // b", "xs[len(xs) // 2]"),
    Mistake(XS, "int", "next(iter(xs))", "'next' cannot be compiled", "index it", "xs[0]"),
    Mistake(N, "int", "CACHE.pop(n)", "'CACHE' is a list of the module", "change a copy", "CACHE.copy().pop(n)"),
    Mistake(XS, "list[int]", "(x for x in xs)", "a generator expression", "make a list", "[x for x in xs]"),
    Mistake(N, "list[int]", "range(n)", "'range' cannot be compiled here", "list(range(n))", "list(range(n))"),
    Mistake(
        "xs: list[int] = []",
        "int",
        "len(xs)",
        "the default of 'xs' is a list",
        "'xs: list[int] | None = None'",
        "0 if xs is None else len(xs)",
        "xs: list[int] | None = None",
    ),
    Mistake(XS, "int", "add(*xs)", "no fixed length", "unpack a tuple", "add(*PAIR)"),
    Mistake(
        XS,
        "list[int]",
        "sorted(xs, reversed=True)",
        "no keyword 'reversed'",
        "'key' and 'reverse'",
        "sorted(xs, reverse=True)",
    ),
]

TEXTS_AND_NUMBERS = [
    Mistake(S, "str", "s.trim()", "no method 'trim'", "s.strip()", "s.strip()"),
    Mistake(S, "bool", "s.contains('a')", "no method 'contains'", "'x' in s", "'a' in s"),
    Mistake(S, "int", "s.length()", "no method 'length'", "len(s)", "len(s)"),
    Mistake(S, "str", "s.reverse()", "no method 'reverse'", "s[::-1]", "s[::-1]"),
    Mistake(S, "str", "s.append('a')\nreturn s", "no method 'append'", "s += 'x'", "s += 'a'\nreturn s"),
    Mistake(
        S, "str", "s[0] = 'a'\nreturn s", "cannot assign to an element", "make a new one", "s = 'a' + s[1:]\nreturn s"
    ),
    Mistake(N, "str", "'n = ' + n", "'+' does not take str and int", "str(...)", "'n = ' + str(n)"),
    Mistake(S, "str", "s.upper", "no attribute 'upper'", "call it", "s.upper()"),
    Mistake(N, "int", "'many'", "returns str", "", "n"),
    Mistake(N, "int", "n, n", "returns tuple[int, int]", "...[0]", "(n, n)[0]"),
    Mistake(N, "int", "n / 2", "returns float", "a // b", "n // 2"),
    Mistake("x: float", "float", "x ^ 2", "'^' does not take float and int", "x ** y", "x ** 2"),
    Mistake("x: float", "float", "math.squareroot(x)", "'math' has no 'squareroot'", "", "math.sqrt(x)"),
    Mistake("x: float", "float", "math.sqr(x)", "'math' has no 'sqr'", "did you mean 'math.sqrt'?", "math.sqrt(x)"),
    Mistake(
        N,
        "float",
        "t = None or ''\nfor i in range(n):\n    t = i / 2\nreturn t",
        "from str to float in a loop",
        "use another name",
        "t = 0.0\nfor i in range(n):\n    t += i / 2\nreturn t",
    ),
    Mistake(
        N,
        "int",
        "t = 0\nfor i in n:\n    t += i\nreturn t",
        "cannot loop over an int",
        "range(...)",
        "t = 0\nfor i in range(n):\n    t += i\nreturn t",
    ),
    Mistake(
        N,
        "float",
        "t = 0.0\nfor x in range(0.0, 1.0, 0.1):\n    t += x\nreturn t",
        "range() expects ints",
        "x = start + i * step",
        "t = 0.0\nfor i in range(10):\n    t += 0.0 + i * 0.1\nreturn t",
    ),
    Mistake(
        N,
        "int",
        "t = 0\nfor i in range(n / 2):\n    t += i\nreturn t",
        "range() expects ints",
        "a // b",
        "t = 0\nfor i in range(n // 2):\n    t += i\nreturn t",
    ),
    Mistake(N, "int", "pritn(n)\nreturn n", "'pritn' is not defined", "did you mean 'print'?", "print(n)\nreturn n"),
    Mistake(
        N,
        "int",
        "if n > 3:\n    r = None if n > 9 else 1\nreturn 0 if r is None else r",
        "'r' may be undefined",
        "before the 'if'",
        "r = None\nif n > 3:\n    r = None if n > 9 else 1\nreturn 0 if r is None else r",
    ),
    Mistake(N, "int", "add(n)", "is missing the argument 'b'", "the signature is", "add(n, 1)"),
    Mistake(N, "int", "add(n, 1, scal=3)", "no parameter 'scal'", "did you mean 'scale'?", "add(n, 1, scale=3)"),
    Mistake("n: integer", "int", "n", "'integer' is not defined", "did you mean 'int'?", "n", N),
    Mistake("s: string", "str", "s", "'string' is not defined", "did you mean 'str'?", "s", S),
    Mistake("b: boolean", "bool", "b", "'boolean' is not defined", "did you mean 'bool'?", "b", "b: bool"),
    Mistake(
        "g: callable",
        "int",
        "g(1)",
        "'callable' is not a type",
        "Callable[[int], int]",
        "g(1)",
        "g: Callable[[int], int]",
    ),
    Mistake(
        "a: Any", "int", "a + 1", "'+' does not take Any", "isinstance", "return a + 1 if isinstance(a, int) else 0"
    ),
    Mistake(
        "a: int | str",
        "str",
        "a.upper()",
        "int | str has no method",
        "isinstance",
        "return a.upper() if isinstance(a, str) else ''",
    ),
    Mistake(
        "n: int, **kw: int",
        "int",
        "n",
        "'**kw' cannot be a parameter",
        "kw: dict[str, int]",
        "n",
        "n: int, kw: dict[str, int]",
    ),
    Mistake(
        "root: Node",
        "int",
        "root.left.left = Node(3)\nreturn 1",
        "cannot assign to the attribute",
        "'left = root.left'",
        "left = root.left\nif left is not None:\n    left.left = Node(3)\nreturn 1",
    ),
    Mistake("a: Node", "int", "a.valeu", "no attribute 'valeu'", "did you mean 'value'?", "a.value"),
    Mistake(N, "int", "raise 'bad'", "cannot raise a str", "ValueError", "raise ValueError('bad')"),
    Mistake(
        "x: float",
        "float",
        "import math\nreturn math.sqrt(x)",
        "an import inside a function",
        "top of the module",
        "math.sqrt(x)",
    ),
]

TENSORS = [
    Mistake(
        X, "Tensor", "x.astype(np.float32)", "no method 'astype'", "x.to(tscript.float32)", "x.to(tscript.float32)"
    ),
    Mistake(
        X,
        "bool",
        "x.dtype == 'float32'",
        "'==' does not take dtype and str",
        "x.dtype == tscript.float32",
        "x.dtype == tscript.float32",
    ),
    Mistake(X, "Tensor", "x.numpy()", "no method 'numpy'", "leave it to the caller", "x"),
    Mistake(N, "Tensor", "torch.zeros(n, device='cuda')", "no device 'cuda'", "leave it out", "torch.zeros(n)"),
    Mistake(X, "Tensor", "x.sum().backward()\nreturn x", "no method 'backward'", "no gradients", "x"),
    Mistake(X, "Tensor", "x.sum(axes=1)", "axes=int", "'dim'", "x.sum(dim=1)"),
    Mistake(X, "Tensor", "torch.linalg.relu(x)", "has no 'relu'", "it is 'torch.relu'", "torch.relu(x)"),
    Mistake(X, "Tensor", "x.copy()", "no method 'copy'", "x.clone()", "x.clone()"),
    Mistake(X, "int", "x.ndim()", "no method 'ndim'", "write 'x.ndim'", "x.ndim"),
    Mistake(X, "int", "x.size", "no attribute 'size'", "call it", "x.size(0)"),
    Mistake(X, "int", "x.shape", "returns Size", "x.shape[0]", "x.shape[0]"),
    Mistake(X, "Tensor", "x.append(1.0)\nreturn x", "no method 'append'", "tscript.cat([x, y])", "tscript.cat([x, x])"),
    Mistake(X, "Tensor", "x.summ()", "no method 'summ'", "did you mean 'sum'?", "x.sum()"),
    Mistake(X, "Tensor", "tscript.sigmod(x)", "no 'sigmod'", "did you mean 'tscript.sigmoid'?", "tscript.sigmoid(x)"),
    Mistake(
        f"{X}, y: Tensor", "Tensor", "tscript.cat(x, y)", "'tscript.cat' does not take", "[x, y]", "tscript.cat([x, y])"
    ),
    Mistake(
        f"{FS}, gs: list[float]",
        "Tensor",
        "tscript.dot(fs, gs)",
        "must be a Tensor, not list[float]",
        "tscript.tensor(xs)",
        "tscript.dot(tscript.tensor(fs), tscript.tensor(gs))",
    ),
    Mistake(X, "Tensor", "math.exp(x)", "must be a float, not Tensor", "tscript.exp(...)", "tscript.exp(x)"),
    Mistake(f"{X}, y: Tensor", "bool", "x == y", "returns Tensor", "x.all()", "bool((x == y).all())"),
]

TEXTS_AND_NUMBERS += [
    Mistake(N, "int", "lst = n\nreturn lest", "'lest' is not defined", "did you mean 'lst'?", "lst = n\nreturn lst"),
    Mistake(
        N,
        "int",
        "total = n\nreturn totl + 1",
        "'totl' is not defined",
        "did you mean 'total'?",
        "total = n\nreturn total + 1",
    ),
    Mistake(N, "int", "sums = n\nreturn sun(range(n))", "'sun' is not defined", "did you mean 'sum'?", "sum(range(n))"),
    Mistake(N, "int", "ad = n\nreturn adds(n, 1)", "'adds' is not defined", "did you mean 'add'?", "add(n, 1)"),
    Mistake(N, "int", "lis", "'lis' is not defined", "define 'lis'", "n"),
    Mistake(
        XS, "list[int]", "sorted(xs, key=abss)", "'abss' is not defined", "did you mean 'abs'?", "sorted(xs, key=abs)"
    ),
]

TEXTS_AND_NUMBERS += [
    Mistake(
        N,
        "int",
        "try:\n    return 1 // n\nexcept ZeroDivisonError:\n    return 0",
        "'ZeroDivisonError' is not defined",
        "did you mean 'ZeroDivisionError'?",
        "try:\n    return 1 // n\nexcept ZeroDivisionError:\n    return 0",
    ),
    Mistake(
        N, "int", "raise ValueEror", "'ValueEror' is not defined", "did you mean 'ValueError'?", "raise ValueError"
    ),
]

TENSORS += [
    Mistake(
        X,
        "float",
        "v = x.tolist()\nreturn v[0]",
        "no method 'tolist'",
        "'v: list[float] = x.tolist()'",
        "v: list[float] = x.tolist()\nreturn v[0]",
    ),
    Mistake(X, "Tensor", "torch.max(x, dim=0)", "returns tuple[Tensor, Tensor]", "...[0]", "torch.max(x, dim=0)[0]"),
    Mistake(X, "Tensor", "torch.tensor(x)", "'torch.tensor' does not take (Tensor)", "x.clone()", "x.clone()"),
    Mistake(
        X, "Tensor", "torch.Tensor([1.0])", "'Tensor' cannot be called", "tscript.tensor(...)", "tscript.tensor([1.0])"
    ),
    Mistake(
        N,
        "Tensor",
        "torch.zeros(n, dtype=float)",
        "'float' is not a dtype",
        "tscript.float64",
        "torch.zeros(n, dtype=tscript.float64)",
    ),
    Mistake(
        N,
        "Tensor",
        "torch.zeros(n, dtype='float32')",
        "dtype=str",
        "tscript.float32",
        "torch.zeros(n, dtype=tscript.float32)",
    ),
    Mistake(
        X, "bool", "0 in x", "'in' does not compare an int with a Tensor", "(x == value).any()", "bool((x == 0).any())"
    ),
    Mistake(X, "float", "max(x)", "max() does not take a Tensor", "x.max()", "float(x.max())"),
    Mistake(N, "int", "m: int = 'a'\nreturn m", "'m' is declared as int, but assigned str", "", "n"),
    Mistake(XS, "bool", "'a' in xs", "'in' does not compare a str with a list[int]", "holds no str", "1 in xs"),
    Mistake("a: Node", "int", "Node.value", "'Node' has no 'value'", "an attribute of instances", "a.value"),
]

LIBRARIES = [
    Mistake(N, "float", "time.time()", "'time.time'", "measure time outside", "0.0"),
    Mistake(N, "int", "random.seed(n)\nreturn n", "'random.seed'", "pass random numbers", "n"),
    Mistake(S, "str", "os.path.join(s, 'b')", "'os.path.join'", "f'{folder}/{name}'", "f'{s}/b'"),
    Mistake(S, "list[str]", "re.findall('a+', s)", "'re.findall'", "methods of str", "s.split('a')"),
    Mistake(FS, "float", "statistics.mean(fs)", "'statistics.mean'", "sum(xs) / len(xs)", "sum(fs) / len(fs)"),
    Mistake(D, "str", "json.dumps(d)", "'json.dumps'", "@tscript.ignore", "str(d)"),
    Mistake(
        "xs: list[str]",
        "int",
        "c = collections.Counter(xs)\nreturn c['a']",
        "'collections.Counter'",
        "count in a dict",
        "xs.count('a')",
    ),
    Mistake(
        N,
        "int",
        "t = 0\nfor i in prange(n):\n    t += i\nreturn t",
        "'prange'",
        "range(...)",
        "t = 0\nfor i in range(n):\n    t += i\nreturn t",
    ),
    Mistake("x: pd.Series", "float", "0.0", "'pd.Series'", "to_numpy()", "0.0", X),
    Mistake(XS, "list[int]", "copy.deepcopy(xs)", "'copy.deepcopy'", "list(xs)", "list(xs)"),
    Mistake(XS, "int", "functools.reduce(lambda a, b: a + b, xs)", "'functools.reduce'", "write the loop", "sum(xs)"),
    Mistake(S, "str", "open(s).read()", "'open' cannot be compiled", "in the caller", "s"),
    Mistake(N, "int", "type(n)", "'type' cannot be compiled", "isinstance(x, T)", "1 if isinstance(n, int) else 0"),
]

ALL = [*CONTAINERS, *TEXTS_AND_NUMBERS, *TENSORS, *LIBRARIES]


def diagnostics(parameters: str, result: str, body: str) -> list[Diagnostic]:
    """What is said of a function with this body, or that returns this expression."""
    try:
        ast.parse(body, mode="eval")
        body = f"return {body}"
    except SyntaxError:
        pass
    text = f"{HEADER}\n@tscript.script\ndef f({parameters}) -> {result}:\n{textwrap.indent(body, '    ')}\n"
    try:
        return list(check_functions(module_functions(text, "example.py"), LanguageResolver()))
    except CompileError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.wrong.partition("\n")[0])
def test_a_mistake_is_told_with_what_to_write_instead(case: Mistake) -> None:
    first, *_ = diagnostics(case.parameters, case.result, case.wrong)
    assert case.message in first.message()
    assert case.help in first.help_text() if case.help else not first.help_text(), first.help_text()
    fixed = diagnostics(case.fixed_parameters or case.parameters, case.fixed_result or case.result, case.fixed)
    assert not fixed, [d.message() for d in fixed]


VALUES = {
    "Tensor": ["x: Tensor, value: float"],
    "str": ["s: str, i: int, j: int"],
    "list": [
        "xs: list[float], x: float, i: int, j: int, f: Callable[[float], float]",
        "xs: list[str], x: str, i: int, j: int, f: Callable[[str], str]",
    ],
    "tuple": ["t: tuple[int, int], x: int"],
    "dict": ["d: dict[str, int], key: str, value: int"],
    "set": ["s: set[int], x: int, xs: list[int]"],
    "bytes": ["b: bytes"],
}
WRITTEN = [
    (kind, name, text.removeprefix("write ").partition(", or ")[0])
    for kind, names in elsewhere.METHODS.items()
    for name, text in names.items()
    if text.startswith("write ")
    and "..." not in text
    and ":" not in text.partition("[")[0]
    and text != "write the loop"
]


@pytest.mark.parametrize(("kind", "name", "text"), WRITTEN)
def test_what_is_called_otherwise_elsewhere_compiles_as_the_help_has_it(kind: str, name: str, text: str) -> None:
    bodies = [f"{text}\nreturn", f"for _ in {text}:\n    pass"]
    assert any(not diagnostics(parameters, "None", body) for parameters in VALUES[kind] for body in bodies), text


def test_no_kind_has_what_its_table_says_it_lacks() -> None:
    for kind, names in elsewhere.METHODS.items():
        for name in names:
            found = [diagnostics(p, "None", f"{p[0] if p[1] == ':' else 'xs'}.{name}()\nreturn") for p in VALUES[kind]]
            assert all(errors and "no method" in errors[0].message() for errors in found), (kind, name)


OBJECTS = {
    "n: int": int,
    "x: float": float,
    "s: str": str,
    "b: bytes": bytes,
    "xs: list[int]": list,
    "d: dict[str, int]": dict,
    "e: set[int]": set,
    "t: tuple[int, int]": tuple,
    "u: tuple[int, ...]": tuple,
}


@pytest.mark.parametrize("parameter", OBJECTS)
def test_no_call_of_a_method_is_an_internal_error(parameter: str) -> None:
    names = [name for name in dir(OBJECTS[parameter]) if not name.startswith("__")]
    for name in names:
        for arguments in ("", "None", "n, n, n, n, n", "*xs", "key=n", "lambda v: v"):
            others = [p for p in ("n: int", "xs: list[int]") if p != parameter]
            text = f"v = {parameter.partition(':')[0]}.{name}({arguments})\nreturn"
            diagnostics(", ".join([parameter, *others]), "None", text)
