"""The meaning of lowered functions: plain Python and the interpreter agree; and the shape of what is lowered."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend import programs
from tscript.diagnostics import InternalError
from tscript.frontend import PythonFunction, lower, module_functions
from tscript.ir.graph import For, If, Loop, Program, walk
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies

BODIES = Bodies(TABLE)
FUNCTIONS = [f for _, f in inspect.getmembers(programs, inspect.isfunction) if f.__module__ == programs.__name__]
VALUES = {"int": st.integers(-8, 12), "float": st.floats(-5, 5), "bool": st.booleans()}
TUPLES = {"t": st.tuples(st.integers(-3, 3), st.integers(-3, 3)), "b": st.tuples(st.integers(0, 3), st.floats(-2, 2))}


def checked(program: Program) -> Program:
    """`program`, which verifies and survives printing and parsing."""
    verify(program)
    assert str(parse_program(str(program), TABLE)) == str(program)
    return program


def compile_text(text: str, name: str = "") -> Program:
    found = module_functions(text, "test.py", everything=True)
    return checked(lower(next(f for f in found if f.name == name) if name else found[-1]))


def outcome(run: Any, *args: Any) -> Any:
    try:
        return run(*args)
    except (ArithmeticError, ValueError, LookupError, RuntimeError, AssertionError) as error:
        return type(error).__name__, str(error)


def arguments(fn: Any) -> st.SearchStrategy[tuple[Any, ...]]:
    parts: list[st.SearchStrategy[Any]] = []
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            continue
        declared = str(parameter.annotation).strip("\"'")
        if declared in VALUES:
            parts.append(VALUES[declared])
        else:
            parts.append(TUPLES["b" if "float" in declared else "t"])
    return st.tuples(*parts)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda f: f.__name__)
def test_same_as_python(fn: Any):
    program = checked(lower(PythonFunction.from_callable(fn)))
    source = inspect.getsource(programs)
    assert str(compile_text(source, fn.__name__)) == str(program), "text mode differs"

    @settings(max_examples=25, deadline=None, derandomize=True, database=None)
    @given(arguments(fn))
    def agree(args: tuple[Any, ...]):
        if fn.__name__ in {"factorial", "is_even", "is_odd", "collatz", "helper"}:
            args = (abs(args[0]) + 1, *args[1:])
        wanted = outcome(fn, *args)
        found = outcome(lambda *a: interpret(program, list(a), bodies=BODIES.lower_body), *args)
        assert found == wanted
        assert type(found) is type(wanted) or isinstance(wanted, int)

    agree()


def test_tensor_indexing():
    x = np.arange(24.0).reshape(2, 3, 4)
    for index in (
        "0",
        "-1",
        "1:",
        ":, 1",
        "..., 0",
        "0, ..., 1:3",
        "None",
        ":, None, 1",
        "..., None",
        "1, 2, 3",
        "::2, 1:, -1",
    ):
        program = compile_text(f"def f(x, i: int):\n    return x[{index}]\n")
        wanted = eval(f"x[{index}]", {"x": x})
        np.testing.assert_array_equal(np.asarray(interpret(program, [x, 1])), wanted, err_msg=index)


def test_tensor_writes_are_seen_by_aliases():
    program = compile_text(
        """
def f(x, y):
    x[0, 1:] = y
    x[1] += 1.0
    z = x
    z *= 2.0
    x[..., 0] = 7.0
    return x
"""
    )
    x, y = np.ones((2, 3)), np.array([5.0, 6.0])
    found = interpret(program, [x, y])
    assert found is x
    np.testing.assert_array_equal(x, [[7, 10, 12], [7, 4, 4]])


def test_tensor_program():
    program = compile_text(
        """
import torch
from torch import Tensor
import torch.nn.functional as F

EPS = 1e-5

def norm(x: Tensor, dim: int = -1) -> Tensor:
    return x / (x.sum(dim, keepdim=True) + EPS)

def f(x, n: int):
    a, b = x.shape
    out = torch.zeros(a, b)
    for i in range(x.size(0)):
        out[i] = F.relu(x[i] - 1) * n
    if out.sum() > 0:
        out = norm(out)
    return torch.cat([out, x], dim=0), a * b
"""
    )
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out, count = interpret(program, [x, 2])
    wanted = np.maximum(x - 1, 0) * 2
    wanted = wanted / (wanted.sum(-1, keepdims=True) + np.float32(1e-5))
    np.testing.assert_allclose(out, np.concatenate([wanted, x]), rtol=1e-6)
    assert count == 6
    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected 2, got 1\)"):
        interpret(program, [x[0], 2])
    with pytest.raises(ValueError, match=r"too many values to unpack \(expected 2\)"):
        interpret(program, [x[None], 2])


def test_range_step_zero():
    program = compile_text(
        "def f(n: int) -> int:\n    t = 0\n    for i in range(0, 5, n):\n        t += 1\n    return t\n"
    )
    assert interpret(program, [2]) == 3
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        interpret(program, [0])


def test_middle_of_a_chain_is_evaluated_once():
    text = "def g(x):\n    x += 1\n    return x.sum()\n\ndef f(x) -> bool:\n    return bool(0 < g(x) < 100)\n"
    program = compile_text(text, "f")
    x = np.zeros(3)
    assert interpret(program, [x]) is True
    np.testing.assert_array_equal(x, [1, 1, 1])


def test_loops_carry_only_what_they_assign():
    program = compile_text(
        "def f(n: int, k: int) -> int:\n    t = 0\n    for i in range(n):\n        t += k\n    return t\n"
    )
    (loop,) = [n for n in walk(program.entry.body) if isinstance(n, For)]
    assert len(loop.outputs) == 1


def test_for_else_stays_a_counted_loop():
    program = checked(lower(PythonFunction.from_callable(programs.for_else)))
    kinds = [type(n) for n in walk(program.entry.body) if isinstance(n, Loop | For)]
    assert kinds == [Loop, For]


def test_constant_conditions_lower_one_branch():
    program = checked(lower(PythonFunction.from_callable(programs.pruned)))
    assert not any(isinstance(n, If) for n in walk(program.entry.body))


def test_spans_point_into_the_file():
    function = PythonFunction.from_callable(programs.collatz)
    program = lower(function)
    lines = inspect.getsource(programs).split("\n")
    for node in walk(program.entry.body):
        span = node.span
        assert span.source.name == programs.__file__ and span.function == "collatz"
        assert lines[span.line - 1].strip()
        assert 0 <= span.col <= len(lines[span.line - 1])


def test_graph_names_are_unique():
    def outer(k: int):
        def inner(n: int) -> int:
            return n + k

        return inner

    one, two = outer(1), outer(2)

    def f(n: int) -> int:
        return one(n) * two(n)

    program = checked(lower(PythonFunction.from_callable(f)))
    assert sorted(program.graphs)[1:] == [
        "test_graph_names_are_unique.outer.inner",
        "test_graph_names_are_unique.outer.inner_2",
    ]
    assert interpret(program, [3]) == 4 * 5


def test_composite_parameter_types():
    from tscript.types import SIZE, TENSOR

    def body(self, size, dim: int):
        return self.view(size).sum(dim)

    program = checked(lower(PythonFunction.from_callable(body), types={"size": SIZE}))
    assert [p.type for p in program.entry.params][:2] == [TENSOR, SIZE]


def test_is_scripting_is_true():
    program = compile_text(
        "import torch\n\ndef f(n: int) -> int:\n    if torch.jit.is_scripting():\n        return n\n"
        "    return undefined\n"
    )
    assert interpret(program, [3]) == 3


@pytest.mark.parametrize(
    "test", ["flag and not {0}", "flag and n > 2 and not {0}", "not (flag or {0})", "not (flag or n < 0 or {0})"]
)
def test_a_condition_that_ends_in_a_constant_is_one(test: str):
    program = compile_text(
        "import torch\n\ndef f(n: int, flag: bool) -> int:\n"
        f"    if {test.format('torch.jit.is_scripting()')}:\n        return undefined\n    return n\n"
    )
    assert interpret(program, [3, True]) == 3


def test_what_stands_in_front_of_a_constant_is_run():
    program = compile_text(
        "def f(d: dict[str, int], flag: bool) -> int:\n    if flag and d.pop('a') > 0 and False:\n        return 1\n"
        "    return len(d)\n"
    )
    assert [interpret(program, [{"a": 1}, flag]) for flag in (True, False)] == [0, 1]


def test_dtype_parameters_and_constants():
    program = compile_text(
        "import torch\n\ndef f(x, dtype: torch.dtype = torch.float64):\n"
        "    if x.dtype == torch.float32 and dtype is not torch.int64:\n        return x.to(dtype)\n    return x\n"
    )
    from tscript.types import dtypes

    assert np.asarray(interpret(program, [np.ones(2, np.float32), dtypes.float64])).dtype == np.float64


def test_deep_nesting_is_an_error_of_the_user():
    from tscript.diagnostics import CompileError

    text = "def f(n: int) -> int:\n    return " + "abs(" * 60 + "n" + ")" * 60 + "+".join([""] + ["n"] * 2000) + "\n"
    assert interpret(compile_text(text), [-1]) == 1 - 2000
    deep = (
        "def f(n: int) -> int:\n    if n > 0:\n        n = 1\n"
        + "    elif n > 0:\n        n = 1\n" * 300
        + "    return n\n"
    )
    with pytest.raises(CompileError, match="nested this deeply"):
        compile_text(deep)


@pytest.mark.parametrize(
    ("wrong", "fixed"),
    [
        (
            "y = ''\n    if n > 0:\n        y = 2.5\n    return y",
            "y = 1.5\n    if n > 0:\n        y = 2.5\n    return y",
        ),
        (
            "t = ''\n    for i in range(n):\n        t = len(t) + 0.5\n    return t",
            "t = 0.0\n    for i in range(n):\n        t = t + 0.5\n    return t",
        ),
        (
            "for i in range(n):\n        y = None if i > 9 else 0.5\n    return y or 1.5",
            "y = None\n    for i in range(n):\n        y = None if i > 9 else 0.5\n    return y or 1.5",
        ),
        ("y = '' if n > 0 else 0.5\n    return y", "y = 1.0 if n > 0 else 0.5\n    return y"),
        ("for i in n:\n        pass\n    return 0", "for i in range(n):\n        pass\n    return 0"),
    ],
)
def test_help_works_when_followed(wrong: str, fixed: str):
    from tscript.diagnostics import CompileError

    with pytest.raises(CompileError):
        compile_text(f"def f(n: int) -> float:\n    {wrong}\n")
    compile_text(f"def f(n: int) -> float:\n    {fixed}\n")


def test_a_bug_names_function_and_line(monkeypatch: pytest.MonkeyPatch):
    def broken(*args: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("tscript.frontend.lowering.arithmetic.binary", broken)
    (function,) = module_functions(
        "def f(n: int) -> int:\n    for i in range(n):\n        n = n + i\n    return n\n", "m.py"
    )
    with pytest.raises(InternalError, match=r"m\.py:3:.*while compiling 'f': KeyError: 'lost'"):
        lower(function)


def test_speed():
    """Ten operators in far less than 2 ms; the bound leaves room for a busy machine."""
    import time

    text = "def f(x, y, n: int):\n" + "".join(f"    x = x * {i}.5 + y\n" for i in range(5)) + "    return x\n"
    (function,) = module_functions(text, "speed.py")
    lower(function)
    best = min(_timed(lambda: lower(function), time.perf_counter) for _ in range(20))
    assert best < 5e-3


def _timed(run: Any, clock: Any) -> float:
    start = clock()
    run()
    return clock() - start
