"""Parameters whose types come from the call: compared with plain Python, and what is checked when."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,type-arg,arg-type,attr-defined,operator,name-defined"

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tscript
from tscript import Tensor
from tscript.diagnostics import CompileError
from tscript.runtime.session.scripted import scripted_of


class Point:
    def __init__(self, x: int) -> None:
        self.x = x

    def scaled(self, by):
        return by * self.x


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Pair(NamedTuple):
    a: int
    b: str


def itself(x):
    return x


def double(x):
    return x + x


def length(xs):
    return len(xs)


def total(xs):
    found = xs[0]
    for x in xs[1:]:
        found += x
    return found


def swapped(pair):
    a, b = pair
    return b, a


def with_default(x, n=3, name=None):
    if name is None:
        return x * n
    return x * n + len(name)


def names(d: dict):
    return sorted(d)


def grown(xs: list, x):
    xs.append(x)
    return xs


def inner(x, y):
    return x * y


def outer(n):
    return inner(n, 2) + inner(1.5, n) + len(inner("ab", n))


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def halved(x):
    if x < 1:
        return x * 1.0
    return halved(x / 2)


def keyword(x, *, by):
    return x * by


def coordinates(p):
    return p.x, p.scaled(2), p.scaled(1.5)


def rebound(x):
    x = str(x)
    return x + "!"


def sized(x):
    return [x] * 3


VALUES: list[Any] = [
    *(0, -7, 2**62, 1.5, -0.0, True, False, "text", "", b"bytes", 2 + 1j, None),
    *([1, 2], [1.5, 2.0], ["a"], [True], [1, 2.5], [None, 1], [(1, 2.0), (2, 3.0)], [[1], [2, 3]], [["a"], []]),
    *({"a": 1}, {1: "b"}, {1: [2]}, {1, 2}, {"x"}, (1, "a"), (1, (2.5, None)), [{"a": 1}], Pair(1, "b"), Colour.RED),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_any_value_comes_back(value: Any):
    for _ in range(2):
        found = returned(value)
        assert found == value and type(found) is type(value)
        assert repr(found) == repr(value)


returned = tscript.script(itself)


def rows(function: Any) -> int:
    return int(scripted_of(function).linker.native.callables.row_count(function))


def test_a_second_call_finds_the_row_of_the_first():
    function = tscript.script(lambda_like)
    for value in VALUES:
        function(value)
        known = rows(function)
        function(value)
        assert rows(function) == known, value


def lambda_like(x):
    return x


def test_no_wrong_type_is_converted_silently():
    function = tscript.script(lambda_like)
    function([1.5]), function((1.5,)), function({1: 1.5}), function([[1.5]]), function([(1.5, 1)])
    for value in ([1], (1,), {1: 1}, [[1]], [(1, 1)], [True], {True: 1.0}, [1.5, 2], [1, 1.5]):
        assert repr(function(value)) == repr(value)
    assert repr([function([[1.5], [1]]), function([[1], [1.5]])]) == "[[[1.5], [1]], [[1], [1.5]]]"


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (double, [(1,), (1.5,), ("ab",), ([1, 2],), (True,), (b"x",), (1j,), ((1, "a"),)]),
        (length, [([1],), ("abc",), ({"a": 1},), ({1.5},), ((1, 2, "a"),)]),
        (total, [([1, 2, 3],), ([1.5, 2.5],), (["a", "b"],), ((1, 2),), ("abc",), ([[1], [2]],)]),
        (swapped, [((1, "a"),), ((None, [1]),)]),
        (with_default, [(2,), (2, 1.5), (1.5,), ("ab",), (2, 3, "name"), (2, 3, [1])]),
        (names, [({"b": 1, "a": 2},), ({2: "x"},), ({1.5: None},)]),
        (grown, [([1], 2), (["a"], "b")]),
        (outer, [(2,), (3,)]),
        (factorial, [(5,)]),
        (halved, [(9,), (9.5,)]),
        (coordinates, [(Point(3),)]),
        (rebound, [(1,), (2.5,), ("a",), (None,)]),
        (sized, [(1,), ("a",), ([2],), (Point(1),)]),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)
def test_the_same_as_python(function: Callable[..., Any], calls: list[tuple[Any, ...]]):
    compiled = tscript.script(function)
    for args in calls * 2:
        given = copy.deepcopy(args)
        assert repr_of(compiled(*args)) == repr_of(function(*given))
        assert repr_of(list(args)) == repr_of(list(given))


def repr_of(value: Any) -> str:
    return repr([p.x for p in value]) if isinstance(value, list) and isinstance(value[0], Point) else repr(value)


def test_keywords_and_tensors():
    compiled = tscript.script(keyword)
    assert compiled(2, by=3) == 6 and compiled("a", by=2) == "aa"
    assert compiled(tscript.ones(2), by=2).tolist() == [2.0, 2.0]
    assert compiled(tscript.ones(2), by=tscript.ones(2)).tolist() == [1.0, 1.0]


def test_with_tensors_all_is_as_without_types_from_the_call():
    compiled = tscript.script(double)
    assert str(compiled.graph.entry.params[0].type) == "Tensor"
    assert "float32" in str(compiled.graph_for(tscript.ones(2)))
    assert compiled(tscript.ones(2)).tolist() == [2.0, 2.0]
    assert compiled(3) == 6
    assert "Tensor" not in str(compiled.graph_for(3))


def test_what_depends_on_no_call_is_checked_when_decorated():
    def wrong(x, n: int):
        x.anything()
        return n + "a"

    def late(x):
        for i in range(x):
            n = "a" + 1
        return n

    with pytest.raises(CompileError, match="'never_defined_anywhere' is not defined"):
        tscript.script(undefined_at_top)
    with pytest.raises(CompileError, match=r"'\+' does not take int and str"):
        tscript.script(wrong)
    with pytest.raises(CompileError, match=r"'\+' does not take str and int"):
        tscript.script(late)


def test_what_depends_on_a_call_is_not_refused_when_decorated():
    @tscript.script
    def numbers(n, name):
        found = []
        for i in range(n):
            if i % 3:
                found.append(i)
        best = 0.0
        for x in found:
            best = max(best, x * 0.5)
        return best, found, type(name).__name__

    def python(n: int, name: object) -> tuple[float, list[int], str]:
        found = [i for i in range(n) if i % 3]
        return max([0.0, *(x * 0.5 for x in found)]), found, type(name).__name__

    assert numbers(9, "a") == python(9, "a") and numbers(4, 1.5) == python(4, 1.5)


def undefined_at_top(x):
    return x.anything() + never_defined_anywhere  # noqa: F821


def test_errors_of_types_come_at_the_call_and_name_both_lines():
    compiled = tscript.script(total)
    with pytest.raises(CompileError) as caught:
        compiled(5)
    text = str(caught.value)
    assert "found = xs[0]" in text and "an int has no elements" in text
    assert "'total' is compiled because it is called from 'test_errors_of_types_come_at_the_call" in text
    assert compiled([1, 2]) == 3


def test_bare_types_take_only_what_they_name():
    compiled = tscript.script(names)
    with pytest.raises(TypeError, match=r"names\(\) argument 'd' must be a dict, not list\[int\]"):
        compiled([1])


def test_values_without_type_are_refused_by_name():
    compiled = tscript.script(itself)
    with pytest.raises(TypeError, match=r"itself\(\) argument 'x' has no type of the language, a object"):
        compiled(object())
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    with pytest.raises(TypeError, match="nested too deeply"):
        compiled(cyclic)


def test_bools_that_decide_about_ranks():
    @tscript.script
    def summed(x, keep=False):
        return x.sum(0, keepdim=keep)

    for _ in range(2):
        assert summed(tscript.ones(2, 3)).shape == (3,)
        assert summed(tscript.ones(2, 3), True).shape == (1, 3)
        assert summed(tscript.ones(2, 3), False).shape == (3,)


def test_functions_of_a_string_and_function_values():
    functions = tscript.script("def f(n):\n    return [n] * n\ndef g(n):\n    return f(n)[0]\n")
    assert functions.f(2) == [2, 2] and functions.g(3) == 3

    @tscript.script
    def applied(function: Callable[[int], int], n: int) -> int:
        return function(n)

    @tscript.script
    def more(n, by=1):
        return len([0] * n) + by

    assert applied(more, 3) == 4 and more(2) == 3


def test_declared_parameters_beside_open_ones():
    @tscript.script
    def mixed(x, n: int, t: Tensor, flag: bool = True):
        return x * n if flag else x

    t = tscript.ones(1)
    assert mixed("a", 2, t) == "aa" and mixed(1.5, 2, t, False) == 1.5
    assert mixed(t, 2, t).tolist() == [2.0]
    with pytest.raises(TypeError, match="argument 'n' must be int, not str"):
        mixed("a", "b", t)


SHIFTED = "def shifted(x, by=1):\n    return [x] * by\n"


def test_archives_take_a_signature(tmp_path: Path):
    functions = tscript.script(SHIFTED)
    tscript.save(functions.shifted, tmp_path / "tensor.tsa")
    loaded = tscript.load(tmp_path / "tensor.tsa")
    assert [str(p.type) for p in loaded.shifted.params] == ["Tensor", "int"]
    assert len(loaded.shifted(tscript.ones(1), 2)) == 2
    for native in (False, True):
        path = tmp_path / f"{native}.tsa"
        tscript.save(functions.shifted, path, native=native, signatures=[("shifted", ("str", "int"))])
        loaded = tscript.load(path, trust_native=native)
        assert loaded.shifted("a", 2) == ["a", "a"] and loaded.shifted("b") == ["b"]
        with pytest.raises(TypeError, match=r"argument 'x' of shifted\(\) must be str, not int"):
            loaded.shifted(1, 2)
    tscript.save(functions.shifted, tmp_path / "floats.tsa", signatures=[(None, ("list[float]",))])
    assert tscript.load(tmp_path / "floats.tsa").shifted([1.5]) == [[1.5]]


@pytest.mark.parametrize("native", [False, True])
def test_archives_take_several_signatures_and_no_others(native: bool, tmp_path: Path):
    functions = tscript.script(SHIFTED + "\ndef other(n: int):\n    return shifted(n)\n")
    signatures = [("shifted", ("str", "int")), ("shifted", ("list[float]",)), (None, ("Tensor[float32, 1]", "int"))]
    tscript.save(dict(functions), tmp_path / "several.tsa", native=native, signatures=signatures)
    for again in (1, 2):
        loaded = tscript.load(tmp_path / "several.tsa", trust_native=native)
        assert list(loaded) == ["shifted", "other"] and loaded.other(4) == [4]
        for _ in range(2):
            assert loaded.shifted("a", 2) == ["a", "a"] and loaded.shifted([1.5]) == [[1.5]]
            assert [t.tolist() for t in loaded.shifted(tscript.ones(1), 1)] == [[1.0]]
        stored = r"shifted\(\) takes \(str, int\) or \(list\[float\], int\) or \(Tensor, int\) in this archive"
        for wrong in (1, [1], 1.5, None):
            with pytest.raises(TypeError, match=stored):
                loaded.shifted(wrong)
        if again == 1:
            tscript.save(loaded, tmp_path / "several.tsa", native=native)
    travelled = pickle.loads(pickle.dumps(loaded))
    assert travelled.shifted("b") == ["b"] and pickle.loads(pickle.dumps(travelled.shifted))([2.5]) == [[2.5]]


def test_a_pickled_function_takes_any_types():
    again = pickle.loads(pickle.dumps(joined))
    assert again("a", "b") == "ab" and again(1, 2) == 3 and again is joined


@tscript.script
def joined(a, b):
    return a + b


PROGRAM = """
import sys, tscript
SALT = {salt}
@tscript.script
def total(xs, start=SALT):
    for x in xs:
        start += x
    return start
@tscript.script
def double(x):
    return x + x
print(total([1, 2]), total((1.5,), 0.5), total([[SALT]], [1]), double("a"), double(tscript.tensor([1.0])))
try:
    total(5)
except tscript.CompileError as error:
    print("an int has no elements" in str(error) or "TS" in str(error))
print(*sorted(m for m in sys.modules if m.startswith(("tscript.passes.s", "tscript.frontend.lowering.calls"))))
"""


def test_a_second_process_finds_the_code_of_each_version(tmp_path: Path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(salt=random.SystemRandom().randrange(1 << 40)))
    environment = {**os.environ, "TSCRIPT_CACHE_DIR": str(tmp_path / "cache")}
    environment.pop("TSCRIPT_CACHE", None)
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)

    def run() -> list[str]:
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    first, second = run(), run()
    assert first[:2] == second[:2] and first[1] == "True"
    assert "specialise" in first[2] and "specialise" not in second[2]


def test_an_empty_container_takes_its_type_from_its_use():
    compiled = tscript.script(grown)
    assert compiled([], 1) == [1] and compiled([], "a") == ["a"] and compiled([0.5], 1.5) == [0.5, 1.5]
    assert rows(compiled) == 3

    @tscript.script
    def filled(n):
        out: list[int] = []
        for i in range(n):
            grown(out, i)
        return out, grown([], 1.5)

    assert filled(3) == ([0, 1, 2], [1.5])
    same = tscript.script(itself)
    values: list[Any] = [[], {}, [[]], (1, [])]
    assert [same(value) for value in values] == values
    with pytest.raises(CompileError, match=r"cannot infer the element type of this empty list(.|\n)*length\(xs\)"):
        tscript.script(length)([])
    with pytest.raises(CompileError, match="cannot infer the element type of this empty list"):
        tscript.script(added)([])


def added(xs):
    found = 0
    for x in xs:
        found += x
    return found


@tscript.script
def increment(n: int) -> int:
    return n + 1


def applied(function, x):
    return function(x)


def test_functions_are_values_of_declared_types():
    compiled = tscript.script(applied)
    assert [compiled(increment, 2), compiled(increment, 3)] == [3, 4]

    @tscript.script
    def twice(n):
        return applied(increment, applied(increment, n))

    @tscript.script
    def called(function: Callable, n):
        return function(n)

    assert twice(1) == 3 and called(increment, 1) == 2
    with pytest.raises(TypeError, match=r"argument 'function' of called\(\)|argument 'function' must be a Callable"):
        called(3, 1)
    assert compiled(abs, -1) == 1
    with pytest.raises(TypeError, match="write the lambda as a function"):
        compiled(lambda n: n, 1)


def test_methods_take_types_at_their_calls():
    tscript.script(Repeated)

    @tscript.script
    def repeated(text, n):
        made = Repeated(n)
        return made.times(text), made.times(1.5), made.count([text, text])

    assert repeated("ab", 2) == ("abab", 3.0, 4)


class Scaled:
    def __init__(self, n: int) -> None:
        self.n = n

    @tscript.script
    def upto(self, m, step=1):
        found = []
        for i in range(self.n, m, step):
            found.append(i)
        return found

    @tscript.script
    def twice(self, x):
        return x + x

    @staticmethod
    @tscript.script
    def joined(words, mark):
        return mark.join(words)


def test_decorated_methods_take_types_from_python():
    made = Scaled(1)
    for _ in range(2):
        assert made.upto(4) == [1, 2, 3] and made.upto(6, 2) == [1, 3, 5]
        assert made.twice(2) == 4 and made.twice("a") == "aa" and made.twice(tscript.ones(1)).tolist() == [2.0]
        assert Scaled.joined(["a", "b"], "-") == "a-b"
    with pytest.raises(CompileError, match=r"range\(\) expects ints(.|\n)*test_decorated_methods"):
        made.upto("a")


class Repeated:
    def __init__(self, n: int) -> None:
        self.n = n

    def times(self, x):
        return x * self.n

    def count(self, xs: list):
        total = 0
        for x in xs:
            total += len(x)
        return total
