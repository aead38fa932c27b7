"""Where functions come from: files, `exec` with linecache, nested definitions, text; and names frozen by value."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import functools
import importlib
import io
import linecache
import py_compile
import sys
import types
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tscript.cli.migration import look_over
from tscript.diagnostics import CompileError
from tscript.frontend import PythonFunction, canonical_source, lower, module_functions
from tscript.frontend.source.source_modules import module_function
from tscript.ir.interpreter import interpret

LIMIT = 3


def make(text: str, filename: str = "<made>", name: str = "f", register: bool = True, **namespace: Any) -> Any:
    """The function `name` of `text`, run by `exec`."""
    if register:
        linecache.cache[filename] = (len(text), None, io.StringIO(text).readlines(), filename)
    else:
        linecache.cache.pop(filename, None)
    namespace["__name__"] = "made"
    exec(compile(text, filename, "exec"), namespace)
    return namespace[name]


def run(fn: Any, *args: Any) -> Any:
    return interpret(lower(PythonFunction.from_callable(fn)), list(args))


def code_of(fn: Any) -> CompileError:
    with pytest.raises(CompileError) as caught:
        lower(PythonFunction.from_callable(fn))
    return caught.value


def test_exec_with_linecache():
    fn = make("def f(n: int) -> int:\n    return n + 1\n")
    assert run(fn, 2) == 3


def test_exec_without_linecache_is_an_os_error():
    error = code_of(make("def f(n: int) -> int:\n    return n\n", "<lost>", register=False))
    assert isinstance(error, OSError)
    assert error.diagnostics[0].code == "TS501"
    assert "source=text" in str(error)


@pytest.fixture
def bytecode_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """`bytecode_only("text")` is a module imported from its ``.pyc``; there is no source."""

    def load(text: str) -> Any:
        name = f"deployed_{tmp_path.name.replace('-', '_')}"
        source = tmp_path / f"{name}.py"
        source.write_text(text)
        py_compile.compile(str(source), cfile=str(tmp_path / f"{name}.pyc"), doraise=True)
        source.unlink()
        monkeypatch.syspath_prepend(tmp_path)
        module = importlib.import_module(name)
        assert module.__file__ == str(tmp_path / f"{name}.pyc")
        monkeypatch.delitem(sys.modules, name)
        return module

    return load


def test_bytecode_without_source_names_the_way_out(bytecode_only):
    module = bytecode_only("def f(n: int) -> int:\n    return n\n")
    error = code_of(module.f)
    assert isinstance(error, OSError)
    (found,) = error.diagnostics
    assert found.code == "TS507"
    assert (
        found.message() == f"the source of 'f' is not installed here ({module.f.__code__.co_filename} cannot be read)"
    )
    assert "'tscript compile FILE.py -o FILE.tsa'" in found.help_text()
    assert "tscript.load()" in found.help_text()


def test_a_called_function_without_source(bytecode_only):
    deployed = bytecode_only("def helper(n: int) -> int:\n    return n\n")

    def f(n: int) -> int:
        return deployed.helper(n)

    assert [d.code for d in code_of(f).diagnostics] == ["TS507"]


def test_bytecode_in_a_zip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = tmp_path / "zipped_model.py"
    source.write_text("def f(n: int) -> int:\n    return n\n")
    py_compile.compile(str(source), cfile=str(tmp_path / "zipped_model.pyc"), doraise=True)
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as file:
        file.write(tmp_path / "zipped_model.pyc", "zipped_model.pyc")
    for path in (source, tmp_path / "zipped_model.pyc"):
        path.unlink()
    monkeypatch.syspath_prepend(tmp_path / "lib.zip")
    module = importlib.import_module("zipped_model")
    monkeypatch.delitem(sys.modules, "zipped_model")
    assert [d.code for d in code_of(module.f).diagnostics] == ["TS507"]


def test_lambda_without_source(bytecode_only):
    assert [d.code for d in code_of(bytecode_only("f = lambda n: n\n").f).diagnostics] == ["TS502"]


def test_lambda():
    error = code_of(lambda x: x)
    assert isinstance(error, TypeError)
    assert error.diagnostics[0].code == "TS502"


@pytest.mark.parametrize("what", [int, len, [].append, functools.partial(len), 3, types.SimpleNamespace()])
def test_not_a_function(what: Any):
    assert code_of(what).diagnostics[0].code == "TS503"


def test_generator_and_coroutine():
    def generator(n: int):
        yield n

    async def coroutine(n: int):
        return n

    assert code_of(generator).diagnostics[0].code == "TS106"
    assert code_of(coroutine).diagnostics[0].code == "TS106"


def test_source_that_changed():
    fn = make("def f(n: int) -> int:\n    return n\n", "changed.py")
    linecache.cache["changed.py"] = (3, None, ["x = 1\n", "y = 2\n"], "changed.py")
    error = code_of(fn)
    assert isinstance(error, OSError)
    assert error.diagnostics[0].code == "TS504"


def test_nested_definition_keeps_the_columns_of_the_file():
    if LIMIT:

        def inner(n: int) -> int:
            """A text
            that begins further left.
            """
            return n + (
                missing  # type: ignore[name-defined]  # noqa: F821
            )

    error = code_of(inner)
    span = error.diagnostics[0].span
    with open(__file__, encoding="utf-8") as file:
        line = file.read().split("\n")[span.line - 1]
    assert line[span.col : span.end_col] == "missing"


def test_decorators_and_comments():
    def mark(fn: Any) -> Any:
        return fn

    @mark
    # a comment
    @functools.wraps(make)
    def decorated(n: int) -> int:
        # another
        return (
            n
            + 1
        )  # fmt: skip

    del decorated.__wrapped__
    assert run(decorated, 2) == 3


def test_one_line_function():
    # fmt: off
    def short(n: int) -> int: return n * 2
    # fmt: on
    assert run(short, 4) == 8


def test_file_without_final_line_end():
    assert run(make("def f(n: int) -> int:\n    return n", "<short>"), 4) == 4


def test_tabs_and_form_feeds():
    assert run(make("x = 1\n\x0c\nif x:\n\tdef f(n: int) -> int:\n\t\treturn n\n", "<tabs>"), 4) == 4


def test_closures_and_globals_are_frozen_at_decoration():
    factor = 2
    fn = make("K = 5\ndef f(n: int) -> int:\n    return n * K\n", "<frozen>")
    function = PythonFunction.from_callable(fn)
    fn.__globals__["K"] = 7

    def closed(n: int) -> int:
        return n * factor

    closure = PythonFunction.from_callable(closed)
    factor = 3
    assert interpret(lower(function), [2]) == 10
    assert interpret(lower(closure), [2]) == 4


def test_names_defined_later_are_found():
    text = "def f(n: int) -> int:\n    return g(n) + 1\n"
    fn = make(text, "<later>")
    function = PythonFunction.from_callable(fn)
    fn.__globals__["g"] = make("def g(n: int) -> int:\n    return n * 10\n", "<later2>", "g")
    assert interpret(lower(function), [2]) == 21


def test_recursion_of_a_redefined_function_means_the_new_one():
    old = make("def f(n: int) -> int:\n    return 100\n", "<old>")
    text = "def f(n: int) -> int:\n    return 1 if n == 0 else f(n - 1) + 1\n"
    namespace = {"f": old}
    fn = make(text, "<new>", **namespace)
    fn.__globals__["f"] = old
    assert run(fn, 2) == 3


def test_recursion_of_a_nested_function():
    def down(n: int) -> int:
        return 0 if n <= 0 else down(n - 2) + 1

    assert run(down, 5) == 3


def test_scripted_objects_are_called_by_their_function():
    def g(n: int) -> int:
        return n * 2

    class Scripted:
        __tscript_function__ = PythonFunction.from_callable(g)

    scripted = Scripted()

    def f(n: int) -> int:
        return scripted(n) + 1  # type: ignore[operator]

    assert run(f, 4) == 9


def test_module_members():
    module = types.ModuleType("config")
    module.LIMIT = 4  # type: ignore[attr-defined]
    module.twice = make("def f(n: int) -> int:\n    return n * 2\n", "<member>")  # type: ignore[attr-defined]

    def f(n: int) -> int:
        return module.twice(n) + module.LIMIT

    assert run(f, 3) == 10

    def g(n: int) -> int:
        return module.LIMTI

    assert "did you mean 'config.LIMIT'?" in str(code_of(g))


def test_numpy_scalars_and_subclasses_are_numbers():
    import numpy as np

    scale = np.float64(1.5)

    def f(x: float) -> float:
        return x * scale

    assert run(f, 2.0) == 3.0


def test_annotation_objects_that_are_no_longer_in_scope():
    def factory(kind: Any) -> Any:
        namespace: dict[str, Any] = {}
        text = "def outer(kind):\n    def f(n: kind) -> kind:\n        return n + n\n    return f\n"
        linecache.cache["<factory>"] = (len(text), None, io.StringIO(text).readlines(), "<factory>")
        exec(compile(text, "<factory>", "exec", dont_inherit=True), namespace)
        return namespace["outer"](kind)

    assert run(factory(float), 2.0) == 4.0
    assert run(factory(int), 2) == 4


def test_the_docstring():
    def f(n: int) -> int:
        """What it does."""
        return n

    assert PythonFunction.from_callable(f).doc == "What it does."


# ---- text


TEXT = """
import math
try:
    import torch
except ImportError:
    import tscript as torch
from typing import Tuple
from torch import Tensor, float32
from torch.jit import script as compiled

raise_if_run = 1 // 0
A, B = 3, -4
TOTAL = (A + 2 * B) % 7
RATE: float = float("1.5") * math.pi
SHAPE = (2, A)
KIND = float32
alias = math.sqrt

if __name__ == "__main__":
    TOTAL = 100


@compiled
def f(x: Tensor, n: int = A, t: Tuple[int, int] = SHAPE, dtype: torch.dtype = torch.int64) -> float:
    return n * RATE + t[1] + TOTAL + alias(4.0)


def g(n: int) -> int:
    return n + raise_if_run
"""


def test_text_is_not_run():
    functions = module_functions(TEXT, "text.py")
    assert [f.name for f in functions] == ["f"]
    assert [f.name for f in module_functions(TEXT, "text.py", everything=True)] == ["f", "g"]
    program = lower(functions[0])
    import math

    import numpy as np

    assert interpret(program, [np.ones(2)]) == 3 * 1.5 * math.pi + 3 + (3 - 8) % 7 + 2.0
    with pytest.raises(CompileError, match="computed when the module runs"):
        lower(module_function(TEXT, "g", "text.py"))


def test_text_without_the_function():
    with pytest.raises(CompileError, match="it defines g") as caught:
        module_function("def g():\n    pass\n", "gg", "t.py")
    assert caught.value.diagnostics[0].code == "TS505"


@pytest.mark.parametrize("text", ["def f(:\n", "\x00", "def f():\n\tif 1:\n        pass\n", "(" * 300, "é = 'a"])
def test_text_that_is_not_python(text: str):
    with pytest.raises(CompileError) as caught:
        module_functions(text, "t.py")
    assert isinstance(caught.value, SyntaxError)
    str(caught.value)


def test_huge_constants_are_not_computed():
    text = "A = 10 ** 10 ** 10\nB = 1 << 10 ** 12\nC = 'a' * 10 ** 10\nD = D\n\ndef f(n: int) -> int:\n    {}\n"
    for use in ("return n + A", "return n + B", "return n + C", "return n + D"):
        with pytest.raises(CompileError):
            lower(module_function(text.format(use), "f", "t.py"))


def test_line_ends_and_byte_order_mark():
    (f,) = module_functions("\ufeffdef f(n: int) -> int:\r\n    return n\r\n", "t.py")
    assert interpret(lower(f), [3]) == 3


def test_canonical_source():
    (f, _) = module_functions(TEXT, "t.py", everything=True)
    assert canonical_source(f).startswith("def f(x: Tensor, n: int=A")


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING", "not TYPE_CHECKING"])
def test_what_is_for_checkers_alone_counts_for_nothing(test: str):
    then, orelse = ("Union[str, Callable[[], str]]", "str")[:: -1 if test.startswith("not") else 1]
    text = f"""
import typing
from typing import TYPE_CHECKING, Callable, Union
if {test}:
    Message = {then}
else:
    Message = {orelse}

def f(message: Message) -> str:
    return message + "!"
"""
    assert interpret(lower(module_function(text, "f", "text.py")), ["a"]) == "a!"


def test_constants_may_call_functions_of_math_and_name_devices(tmp_path: Path) -> None:
    path = tmp_path / "constants.py"
    path.write_text(
        "import math\nimport torch\nCLIP = math.log(1000.0 / 16)\nCPU = torch.device('cpu')\n"
        "def f(x: torch.Tensor, clip: float = math.log(1000 / 16), device: torch.device = CPU) -> torch.Tensor:\n"
        "    return x.to(device).clamp(max=clip + CLIP)\n"
        "def g(x: torch.Tensor, clip: float = math.log(-1.0)) -> torch.Tensor:\n    return x * clip\n"
        "def h(x: torch.Tensor, device: torch.device = torch.device('moon')) -> torch.Tensor:\n    return x\n"
    )
    found = {f.name: [d.message() for d in f.diagnostics] for f in look_over([path], everything=True).functions}
    assert found["f"] == []
    assert any("expression that fails" in message for message in found["g"])
    assert any("expression that fails" in message for message in found["h"])
