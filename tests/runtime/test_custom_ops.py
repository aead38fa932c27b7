"""Custom operators: Python functions, functions in the language, C functions; eagerly and in scripts."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined,no-any-return,arg-type,list-item,call-overload,untyped-decorator"
import gc
import itertools
import threading
import traceback
from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import tscript
from tscript import CompileError, Tensor, library
from tscript.ir.interpreter import interpret
from tscript.runtime.session.process import current
from tscript.types import TensorType

NUMBERS = itertools.count()
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def lib() -> library.Library:
    """A namespace of the test's own."""
    return library.Library(f"test{next(NUMBERS)}", install="pip install test-ops")


@pytest.fixture
def x() -> Any:
    return tscript.tensor([[1.0, 2.0], [3.0, 4.0]])


def values(t: Any) -> Any:
    return t.numpy().tolist()


# ---- Python functions


def test_a_python_function_eagerly_and_in_scripts(lib: library.Library, x: Any) -> None:
    @lib.custom_op("scale")
    def scale(x: Tensor, by: float = 2.0) -> Tensor:
        """x by a number.

        More.
        """
        return tscript.from_numpy(x.numpy() * np.float32(by))

    space = getattr(tscript.ops, lib.namespace)
    assert values(scale(x)) == values(space.scale(x, 2)) == values(scale(x, by=2.0)) == [[2, 4], [6, 8]]
    assert scale is space.scale
    assert scale.schema == f"{lib.namespace}::scale(Tensor x, float by=2.0) -> Tensor"
    assert scale.__doc__.startswith("x by a number.")
    assert dir(space) == ["scale"]

    @tscript.script
    def f(x: Tensor, n: int) -> Tensor:
        for i in range(n):
            x = space.scale(x, by=0.5) + 1.0
        return scale(x) * 2.0

    expected = x.numpy()
    for _ in range(3):
        expected = expected * np.float32(0.5) + 1
    assert values(f(x, 3)) == (expected * 4).tolist()
    assert (
        values(tscript.from_numpy(interpret(f.graph, [x.numpy(), 3], bodies=current().compiler.bodies.lower_body)))
        == (expected * 4).tolist()
    )


def test_names_in_scripts() -> None:
    """``tscript.ops.space.name`` and ``torch.ops.space.name`` need no object, so text that is never run has them
    too."""
    library.custom_op("names::twice", lambda x: x * 2, schema="(Tensor x) -> Tensor")
    from tscript.frontend import lower, module_functions

    table = current().compiler.table
    text = "import torch\nfrom tscript import ops\ndef f(x):\n    return torch.ops.names.twice(ops.names.twice(x))\n"
    (function,) = module_functions(text, "m.py")
    assert str(lower(function, table)).count("names::twice") == 2
    for call, said in [
        ("torch.ops.names.twic(x)", "did you mean 'torch.ops.names.twice'|did you mean 'twice'"),
        ("torch.ops.nobody.f(x)", "no operators of 'nobody' are defined"),
        ("torch.ops.names.twice(x, 3)", "takes 1 positional argument"),
        ("torch.ops.names(x)", "cannot be called|not callable|is the module"),
    ]:
        (function,) = module_functions(f"import torch\ndef f(x):\n    return {call}\n", "m.py")
        with pytest.raises(CompileError, match=said):
            lower(function, table)


def test_annotations_make_the_schema(lib: library.Library) -> None:
    def f(
        a, b: Tensor, c: int, d: Optional[float], e: list[int], g: tuple[Tensor, ...], *, h: bool = True, i: str = "x"
    ):
        return None

    f.__annotations__["return"] = "tuple[Tensor, int]"
    found = library.custom_op(f"{lib.namespace}::f", f).schema
    assert found.partition("::")[2] == (
        "f(Tensor a, Tensor b, int c, float? d, int[] e, Tensor[] g, *, bool h=True, str i='x') -> (Tensor, int)"
    )


def test_annotations_that_mean_nothing(lib: library.Library) -> None:
    def no_result(x: Tensor):
        return x

    def odd(x: dict[str, int]) -> int:
        return 1

    def result(x: Tensor) -> str:
        return ""

    def star(*x: Tensor) -> int:
        return 1

    def unknown(x: Nowhere) -> int:  # type: ignore[name-defined]  # noqa: F821
        return 1

    for function, said in [
        (no_result, "does not say what it returns"),
        (odd, "parameter 'x' of odd: an operator cannot take"),
        (result, "an operator cannot return"),
        (star, "takes \\*x"),
        (unknown, "cannot be read"),
        (len, "cannot be read|does not say"),
    ]:
        with pytest.raises(library.SchemaError, match=said):
            lib.custom_op("f", function)
    with pytest.raises(TypeError, match="needs a function, not a int"):
        lib.custom_op("f", 3)
    assert dir(getattr(tscript.ops, lib.namespace)) == []


@pytest.mark.parametrize(
    ("declared", "given", "said"),
    [
        ("Tensor", 3.0, "returned a float, its schema says Tensor"),
        ("Tensor", np.zeros(2), "wrap it with tscript.from_numpy"),
        ("Tensor", None, "returned None, its schema says Tensor"),
        ("int", 1.0, "returned a float, its schema says int"),
        ("int", True, "returned a bool, its schema says int"),
        ("float", "1", "returned a str, its schema says float"),
        ("bool", 1, "returned a int, its schema says bool"),
        ("None", 1, "returned a int, its schema says None"),
        ("(int, float)", (1,), "returned a tuple of 1, its schema says tuple"),
        ("(int, float)", (1, "a"), "returned a str, its schema says float"),
    ],
)
def test_results_are_checked(lib: library.Library, declared: str, given: Any, said: str) -> None:
    op = lib.custom_op("f", lambda: given, schema=f"() -> {declared}")

    @tscript.script
    def script():
        return op()

    for call in (op, script):
        with pytest.raises(TypeError, match=said):
            call()


def test_results_that_are_taken(lib: library.Library, x: Any) -> None:
    def f(n: int) -> tuple[int, float, bool, Tensor]:
        return [np.int64(n), n, np.bool_(n), x]  # type: ignore[return-value]

    found = library.custom_op(f"{lib.namespace}::f", f)(3)
    assert found[:3] == (3, 3.0, True) and type(found[1]) is float and values(found[3]) == values(x)
    with pytest.raises(OverflowError, match="64 bits"):
        lib.custom_op("big", lambda: 1 << 63, schema="() -> int")()


def test_all_kinds_of_arguments(lib: library.Library, x: Any) -> None:
    seen: list[Any] = []

    def f(*args: Any, **named: Any) -> int:
        seen.append((args, named))
        return 7

    schema = (
        "(Tensor a, Tensor? b, Tensor[] c, int d, int? e, float f, bool g, str h, dtype i, int[] j, float[] k, *, "
        "Scalar l=2) -> int"
    )
    op = lib.custom_op("f", f, schema=schema)
    assert op(x, None, [x, x], 1, None, 2, True, "text", tscript.float64, (1, 2), [0.5], l=3) == 7
    args, named = seen.pop()
    assert args[0] is x and args[1] is None and args[2] == (x, x)
    assert args[3:] == (1, None, 2.0, True, "text", tscript.float64, (1, 2), (0.5,)) and named == {"l": 3}
    assert type(args[5]) is float

    @tscript.script
    def script(x: Tensor, n: int, flag: bool):
        return op(x, x, (x,), n, n, n, flag, "é", tscript.int8, [n, 2], (0.5, 1.5))

    assert script(x, 5, False) == 7
    args, named = seen.pop()
    assert args[3:] == (5, 5, 5.0, False, "é", tscript.int8, (5, 2), (0.5, 1.5)) and named == {"l": 2}


def test_exceptions_pass_through_scripted_code(lib: library.Library, x: Any) -> None:
    @lib.custom_op("boom", result_like="x")
    def boom(x: Tensor) -> Tensor:
        raise KeyError("too big")

    def inner(x):
        return boom(x) + 1.0

    @tscript.script
    def outer(x):
        y = x * 2.0
        return inner(y)

    with pytest.raises(KeyError, match="too big") as caught:
        outer(x)
    frames = traceback.extract_tb(caught.value.__traceback__)
    names = [f.name for f in frames]
    assert names[-3:] == ["outer", "inner", "boom"]
    assert [f.line for f in frames[-3:]] == ["return inner(y)", "return boom(x) + 1.0", 'raise KeyError("too big")']
    with pytest.raises(KeyError) as caught:
        boom(x)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "boom"


def test_exceptions_through_several_layers(lib: library.Library, x: Any) -> None:
    """A script calls a Python function that calls a script that calls a Python function."""

    @lib.custom_op("low")
    def low(n: int) -> int:
        return 1 // n

    @tscript.script
    def first(n: int) -> int:
        return low(n)

    @lib.custom_op("high")
    def high(n: int) -> int:
        return first(n)

    @tscript.script
    def second(n: int) -> int:
        return high(n) + 1

    assert second(1) == 2
    with pytest.raises(ZeroDivisionError) as caught:
        second(0)
    names = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    assert [n for n in names if n in ("second", "high", "first", "low")] == ["second", "high", "first", "low"]


def test_nothing_leaks_when_a_callback_raises(lib: library.Library, x: Any) -> None:
    @lib.custom_op("fails")
    def fails(x: Tensor, bad: bool) -> Tensor:
        if bad:
            raise ValueError
        return x + 1.0

    @tscript.script
    def f(x: Tensor, bad: bool):
        y = x + 1.0
        z = fails(y, False)
        return fails(z + y, bad) + z

    f(x, False)
    gc.collect()
    before = current().live_blocks()
    for bad in (False, True) * 5:
        try:
            f(x, bad)
        except ValueError:
            pass
    gc.collect()
    assert current().live_blocks() == before


def test_what_is_known_of_results(lib: library.Library, x: Any) -> None:
    unknown = lib.custom_op("unknown", lambda x: x + 1.0, schema="(Tensor x) -> Tensor")
    like = lib.custom_op("like", lambda x: x + 1.0, schema="(Tensor x) -> Tensor", result_like="x")
    wide = lib.custom_op(
        "wide", lambda x: tscript.tensor(x.numpy(), dtype=tscript.float64), schema="(Tensor x) -> Tensor"
    )
    wide.register_fake(lambda x: TensorType(tscript.float64, x.rank))

    @tscript.script
    def f(x):
        return unknown(x) * 2.0, like(x) * 2.0, wide(x) * 2.0

    assert str(f.graph_for(x).entry.result) == "tuple[Tensor, Tensor[float32, 2], Tensor[float64, 2]]"
    found = f(x)
    assert [t.dtype for t in found] == [tscript.float32, tscript.float32, tscript.float64]
    assert values(found[0]) == values(found[1]) == [[4, 6], [8, 10]]
    with pytest.raises(RuntimeError, match="used already"):
        unknown.register_fake(lambda x: x)
    with pytest.raises(RuntimeError, match="declared already"):
        like.register_fake(lambda x: x)
    with pytest.raises(KeyError, match="there is no custom operator"):
        library.register_fake("add", lambda x: x)
    with pytest.raises(TypeError, match="must be a function"):
        lib.register_fake("like", 3)
    with pytest.raises(library.SchemaError, match="cannot be like 'y'"):
        lib.custom_op("f", lambda x: x, schema="(Tensor x) -> Tensor", result_like="y")


def test_a_rule_that_does_not_hold(lib: library.Library, x: Any) -> None:
    """Code behind the operator relies on the rule, so a function that breaks it raises."""
    op = lib.custom_op("f", lambda x: tscript.tensor([1]), schema="(Tensor x) -> Tensor", result_like="x")

    @tscript.script
    def f(x):
        return op(x) + 1.0

    for call in (op, f):
        with pytest.raises(
            TypeError, match=r"returned a tensor of tscript.int64 with 1 dimensions, its rule says Tensor\[float32, 2\]"
        ):
            call(x)


def test_results_with_the_memory_of_an_argument(lib: library.Library, x: Any) -> None:
    for name, function in {
        "itself": lambda x: x,
        "view": lambda x: x.t(),
        "array": lambda x: tscript.from_numpy(x.numpy()),
    }.items():
        op = lib.custom_op(name, function, schema="(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="returned memory of one of its arguments: return a clone"):
            op(x)
    op = lib.custom_op("empty", lambda x: x[:0].clone(), schema="(Tensor x) -> Tensor")
    assert op(x).shape == (0, 2)


def test_written_arguments(lib: library.Library, x: Any) -> None:
    """What reads a tensor stays on its side of an operator that writes to it."""

    @lib.custom_op("fill", mutates_args=("x",))
    def fill(x: Tensor, value: float) -> None:
        x.numpy()[...] = value

    @lib.custom_op("bump", mutates_args=["x"])
    def bump(x: Tensor) -> Tensor:
        x += 1.0
        return x

    @tscript.script
    def f(x: Tensor):
        x = x.clone()
        before = x.sum()
        fill(x, 2.0)
        between = x.sum()
        y = bump(x)
        return before, between, x.sum(), y.sum()

    assert [float(v) for v in f(x)] == [10, 8, 12, 12]
    assert values(x) == [[1, 2], [3, 4]]
    fill(x, 0)
    assert values(x) == [[0, 0], [0, 0]]
    with pytest.raises(library.SchemaError, match="no parameter 'y'"):
        lib.custom_op("f", fill, mutates_args=("y",), schema="(Tensor x) -> None")
    with pytest.raises(TypeError, match="mutates_args is a tuple"):
        lib.custom_op("f", fill, mutates_args="x", schema="(Tensor x) -> None")
    with pytest.raises(TypeError, match="there is no option 'mutate'"):
        lib.custom_op("f", fill, mutate=("x",))


def test_side_effects_are_kept(lib: library.Library, x: Any) -> None:
    calls: list[str] = []
    pure = lib.custom_op("pure", lambda n: calls.append("pure") or n, schema="(int n) -> int")  # type: ignore[func-returns-value]
    noisy = lib.custom_op(
        "noisy",
        lambda n: calls.append("noisy") or n,  # type: ignore[func-returns-value]
        schema="(int n) -> int",
        side_effects=True,
    )

    @tscript.script
    def f(n: int) -> int:
        a = pure(n)
        b = pure(n)
        c = noisy(n)
        d = noisy(n)
        return a + b + c + d

    assert f(2) == 8
    assert calls.count("noisy") == 2
    assert calls.count("pure") == 1  # equal calls are one


def test_constants_are_not_folded(lib: library.Library) -> None:
    calls: list[int] = []

    @lib.custom_op("f")
    def f(n: int) -> int:
        calls.append(n)
        return n

    @tscript.script
    def g() -> int:
        return f(3)

    g.graph_for()
    assert calls == []
    assert (g(), g(), calls) == (3, 3, [3, 3])


def test_threads(lib: library.Library) -> None:
    """Long loops give the GIL away; a callback takes it, and other threads run."""

    @lib.custom_op("count")
    def count(n: int) -> int:
        return n + 1

    @tscript.script
    def f(n: int, rounds: int) -> int:
        total = 0
        for i in range(rounds):
            for j in range(n):
                total = (total * 3 + j) % 1000003
            total = count(total)
        return total

    expected = f(200_000, 5)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(f(200_000, 5))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [expected] * 4


def test_defining_while_others_compile(lib: library.Library) -> None:
    errors: list[BaseException] = []
    ops: list[Any] = []

    def define(k: int) -> None:
        try:
            for i in range(5):
                ops.append(lib.custom_op(f"f{k}_{i}", lambda n: n + 1, schema="(int n) -> int"))
                assert ops[-1](i) == i + 1
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=define, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == [] and len(dir(getattr(tscript.ops, lib.namespace))) == 20


# ---- names


def test_redefinition(lib: library.Library) -> None:
    lib.custom_op("f", lambda n: n, schema="(int n) -> int")
    for define in (lib.custom_op, lib.script_op):
        with pytest.raises(library.RedefinitionError, match=r"is defined already by .*test_custom_ops"):
            define("f", plus_one)
    with pytest.raises(library.RedefinitionError):
        lib.native_op("f", "(int n) -> int", 1234)


def plus_one(n: int) -> int:
    return n + 1


def test_overloads(lib: library.Library, x: Any) -> None:
    lib.custom_op("f.Tensor", lambda x: 1, schema="(Tensor x) -> int")
    lib.custom_op("f.int", lambda x: 2, schema="(int x) -> int")
    op = getattr(tscript.ops, lib.namespace).f
    assert (op(x), op(3)) == (1, 2)
    with pytest.raises(TypeError, match="its overloads are"):
        op("text")


@pytest.mark.parametrize("name", ["aten", "prim", "prims", "torch", "tscript", "_private", "__path__", "__doc__"])
def test_reserved_namespaces(name: str) -> None:
    with pytest.raises(library.SchemaError, match=r"cannot be a namespace|is an identifier"):
        library.Library(name)
    with pytest.raises(library.SchemaError):
        library.custom_op(f"{name}::f", lambda n: n, schema="(int n) -> int")


@pytest.mark.parametrize("name", ["linalg", "special", "nn", "views", "table", "machine", "ops"])
def test_no_other_namespace_is_taken(name: str) -> None:
    """``tscript.ops`` holds the users' namespaces and nothing else, also those called as something of ours."""
    found = library.Library(name)
    found.custom_op("plus_one", plus_one)
    assert getattr(tscript.ops, name).plus_one(1) == 2
    assert name in dir(tscript.ops)


def test_a_library_called_as_a_namespace_of_torch(x: Any) -> None:
    space = library.Library("futures")

    @space.script_op("twice")
    def twice(x: tscript.Tensor) -> tscript.Tensor:
        return x + x

    @tscript.script
    def f(x):
        return tscript.ops.futures.twice(x) + 1.0

    assert f(x).tolist() == (x + x + 1.0).tolist()


def test_names_that_are_none(lib: library.Library) -> None:
    with pytest.raises(library.SchemaError, match="without namespace"):
        lib.custom_op("m::f", plus_one)
    with pytest.raises(library.SchemaError, match="is an identifier"):
        library.Library("a b")
    lib.custom_op("right", plus_one)
    with pytest.raises(AttributeError, match="did you mean 'right'"):
        getattr(tscript.ops, lib.namespace).rigth
    with pytest.raises(AttributeError):
        tscript.ops.nothing_of_this_name
    assert repr(lib).startswith("Library(")
    assert "right" in repr(getattr(tscript.ops, lib.namespace))


def test_wrong_arguments(lib: library.Library, x: Any) -> None:
    op = lib.custom_op("f", plus_one)
    for args, said in [
        ((x,), "'n' must be an int, not Tensor"),
        ((), "is missing the argument 'n'"),
        (([1],), "must be an int"),
    ]:
        with pytest.raises(TypeError, match=said):
            op(*args)

    def f(x: Tensor):
        return op(x)

    with pytest.raises(CompileError, match="must be an int"):
        tscript.script(f)


# ---- functions in the language


def test_a_body_in_the_language_is_inlined_and_fused(lib: library.Library, x: Any) -> None:
    @lib.script_op("gelu")
    def gelu(x: Tensor, slope: float = 1.5) -> Tensor:
        """A gate."""
        return x * tscript.sigmoid(x * slope)

    @tscript.script
    def f(x):
        return gelu(x + 1.0) * 2.0

    shown = str(f.graph_for(x))
    assert lib.namespace not in shown and shown.count("fused (") == 1
    expected = interpret(f.graph, [x.numpy()], bodies=current().compiler.bodies.lower_body)
    np.testing.assert_allclose(f(x).numpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(gelu(x + 1.0).numpy() * 2, expected, rtol=1e-6)
    assert gelu.schema == f"{lib.namespace}::gelu(Tensor x, float slope=1.5) -> Tensor"
    with pytest.raises(TypeError, match="has a body"):
        gelu.register_fake(lambda x: x)


def test_results_of_bodies_are_inferred(lib: library.Library, x: Any) -> None:
    def pair(x, n: int):
        y = x
        for i in range(n):
            y = y * 2.0
        return y, n, 0.5, n > 1

    op = lib.script_op("pair", pair)
    assert op.schema.endswith("-> (Tensor, int, float, bool)")
    found = op(x, 2)
    assert values(found[0]) == [[4, 8], [12, 16]] and found[1:] == (2, 0.5, True)


def test_bodies_use_each_other_and_write(lib: library.Library, x: Any) -> None:
    @lib.script_op("bump", mutates_args=("x",))
    def bump(x: Tensor) -> None:
        x += 1.0

    @lib.script_op("twice", mutates_args=("x",))
    def twice(x: Tensor) -> float:
        bump(x)
        bump(x)
        return float(x.sum())

    @tscript.script
    def f(x):
        y = x.clone()
        return twice(y), y

    total, y = f(x)
    assert total == 18 and values(y) == [[3, 4], [5, 6]] and values(x) == [[1, 2], [3, 4]]


def test_bodies_that_cannot_be_compiled(lib: library.Library) -> None:
    def bad(x):
        return undefined(x)  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(CompileError, match="undefined"):
        lib.script_op("bad", bad)
    with pytest.raises(CompileError):
        lib.script_op("bad", len)
    with pytest.raises(library.SchemaError, match=r"returns str|expected Tensor"):
        lib.script_op("bad", texts)


def texts(n: int):
    return "text"


# ---- callbacks


def test_callbacks_see_custom_operators(lib: library.Library, x: Any) -> None:
    @lib.custom_op("py", result_like="x")
    def py(x: Tensor, n: int) -> Tensor:
        return x + float(n)

    number = lib.custom_op("number", plus_one)

    @tscript.script
    def f(x, n: int):
        return py(x, number(n)) * 2.0

    names: list[str] = []
    handle = tscript.add_global_callback(lambda r: names.append(r.name), scopes=[tscript.RecordScope.OPERATOR])
    try:
        f(x, 1)
        assert names == [f"{lib.namespace}::number", f"{lib.namespace}::py", "add", "mul"]
        names.clear()
        py(x, 2)
        assert names == [f"{lib.namespace}::py", "add"]
    finally:
        handle.remove()
