"""Eager operators of the prebuilt library: they are found by their arguments, without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import tscript
from tests.shipped import write_image
from tscript.operators.table import TABLE
from tscript.pipeline import Compiler
from tscript.runtime.session.eager_forms import Form, forms, operator_names
from tscript.runtime.session.eager_parts import entries
from tscript.runtime.session.shipped import OperatorRecord, key_text, of_any_rank, read_record
from tscript.runtime.values.arguments import Argument
from tscript.types import BOOL, INT, TensorType, TupleType, dtypes

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are images for Linux alone")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An image with some operators, and all that they need."""
    path: Path = tmp_path_factory.mktemp("library") / "operators.image"
    write_image(path)
    return path


def run(code: str, image: Path, *, has_compiler: bool = False, **environment: str) -> str:
    """What a fresh process prints that has no cache, and no LLVM unless it `has_compiler`."""
    head = "import sys\n" + ("" if has_compiler else "sys.modules['llvmlite'] = None\n")
    around = {k: v for k, v in os.environ.items() if not k.startswith("TSCRIPT_")}
    around |= {"PYTHONPATH": str(Path(tscript.__file__).parents[1]), "TSCRIPT_LIBRARY": str(image)}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", head + dedent(code)],
        env={**around, "TSCRIPT_CACHE": "off", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_nothing_is_compiled_and_nothing_of_the_compiler_is_imported(image: Path) -> None:
    code = """
    import numpy as np
    import tscript
    from tscript.runtime.session.process import current
    current()
    before = set(sys.modules)
    x = tscript.from_numpy(np.arange(6.0, dtype=np.float32).reshape(2, 3))
    y = tscript.ones(3)
    print((x + y).tolist(), (-x[0]).tolist() if False else (-x).tolist())
    print(x.sum().item(), x.sum(1).tolist(), x.sum(dim=0).tolist(), x.sum(1, keepdim=True).shape)
    print((2 - y).tolist(), (y == 1).tolist(), x.reshape(3, 2).shape, x.t().shape, x.max(1)[1].tolist())
    print(tscript.softmax(y, 0).tolist()[0] < 0.4, tscript.cat((y, y)).shape, x.clamp(1.0, 2.0).sum().item())
    x += y
    print(x.add_(1.0).tolist(), x.reshape(1, 1, 2, 3).add(y).shape, tscript.add(y, y, out=y).tolist())
    print("add(Tensor self" in tscript.add.__doc__, {"softmax", "float32", "linalg"} <= set(dir(tscript)))
    try:
        x + tscript.ones(4)
    except RuntimeError as error:
        print(error)
    heavy = ("tscript.operators.tensor", "tscript.operators.table", "tscript.frontend", "tscript.passes", "tscript.ir")
    print([m for m in set(sys.modules) - before if m.startswith(heavy)])
    """
    found = run(code, image)
    assert found.splitlines() == [
        "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] [[-0.0, -1.0, -2.0], [-3.0, -4.0, -5.0]]",
        "15.0 [3.0, 12.0] [3.0, 5.0, 7.0] (2, 1)",
        "[1.0, 1.0, 1.0] [True, True, True] (3, 2) (3, 2) [2, 2]",
        "True (6,) 10.0",
        "[[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]] (1, 1, 2, 3) [2.0, 2.0, 2.0]",
        "True True",
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
        "[]",
    ]


def test_calls_with_the_same_code_have_signatures_of_their_own(image: Path) -> None:
    code = """
    import tscript
    x = tscript.ones(2, 3)
    for _ in range(2):
        print(x.sum((0, 1)).item(), x.sum((0, 1), False).item(), x.sum((0, 1)).item(), x.max(1, False)[1].tolist())
        print(x.max(1)[1].tolist(), x.max(1, False)[1].tolist(), x.clamp(x, None).sum().item(), x.clamp(x).sum().item())
    """
    assert run(code, image) == "6.0 6.0 6.0 [0, 0]\n[0, 0] [0, 0] 6.0 6.0\n" * 2


COMPILER = (
    "frontend",
    "operators",
    "passes",
    "dialect",
    "backend.nodes",
    "backend.stubs",
    "pipeline.recipes",
    "travel",
)
"""Rooms that only what compiles needs."""

LATER = (
    *("ir", "archive", "backend.loader.linkers", "backend.loader.session", "abi.checked", "abi.conversion"),
    *("definitions.names", "definitions.opdef", "runtime.boundary.converter", "runtime.boundary.dispatch"),
    *("runtime.boundary.pool", "runtime.session.exceptions", "runtime.session.linker", "runtime.session.plugins"),
    *("runtime.session.tiers", "runtime.values.conversion", "runtime.values.futures", "runtime.values.unicode"),
)
"""What eager operators of the library do without."""

FOREIGN = (
    *("hashlib", "importlib.metadata", "logging", "numpy.ma", "numpy.typing", "pathlib", "queue", "rich", "sysconfig"),
    *("textwrap", "traceback", "unicodedata", "urllib"),
)
"""Libraries that they do without."""

EAGER_MODULES = 118
"""Of tscript, at most, in a process that calls some of them. With the library that is shipped there are 20 fewer: in
that of this test each kernel needs all that any function of its object needs, types of exceptions for example."""

ARCHIVE_MODULES = 175
"""The same for one that calls a function of an archive."""

LISTED = """
begun = set(sys.modules) - before
rooms = {room for room in ROOMS if any(f"{m}.".startswith(f"tscript.{room}.") for m in begun)}
print(sorted(rooms | begun & set(FOREIGN)), sum(m.partition(".")[0] == "tscript" for m in begun))
"""


def test_rooms_that_a_start_does_not_enter(image: Path) -> None:
    code = f"""
    import numpy
    before, ROOMS, FOREIGN = set(sys.modules), {(*COMPILER, *LATER)}, {FOREIGN}
    import tscript
    x = tscript.ones(3)
    print(x.sum().item(), (x + x).tolist(), tscript.softmax(x, 0).shape, tscript.cat((x, x)).shape)
    {LISTED.replace(chr(10), chr(10) + "    ")}
    """
    result, modules = run(code, image).splitlines()
    assert result == "3.0 [2.0, 2.0, 2.0] (3,) (6,)"
    unwanted, _, count = modules.rpartition(" ")
    assert unwanted == "[]"
    assert int(count) <= EAGER_MODULES


def test_rooms_that_an_archive_with_native_code_does_not_enter(image: Path, tmp_path: Path) -> None:
    def smooth(x: tscript.Tensor) -> tscript.Tensor:
        return tscript.tanh(x * 0.5) + 1.0

    path = tmp_path / "smooth.tsa"
    tscript.save(tscript.script(smooth), path, native=True, signatures=[(None, (TensorType(dtypes.float32, 1),))])
    code = f"""
    import numpy
    LATER = ("definitions.opdef", "definitions.schema", "runtime.session.plugins", "runtime.session.tiers")
    FOREIGN = ("importlib.metadata", "logging", "numpy.ma", "pathlib", "queue", "urllib")
    before, ROOMS = set(sys.modules), ({COMPILER} + LATER)
    import tscript
    print(tscript.load({str(path)!r}, trust_native=True)(tscript.ones(2)).shape)
    {LISTED.replace(chr(10), chr(10) + "    ")}
    """
    result, modules = run(code, image).splitlines()
    assert result == "(2,)"
    unwanted, _, count = modules.rpartition(" ")
    assert unwanted == "[]"
    assert int(count) <= ARCHIVE_MODULES


def test_what_is_not_shipped_is_compiled(image: Path) -> None:
    code = """
    import tscript
    x = tscript.ones(3)
    print((x + x.to(tscript.float64)).dtype, x.exp().sum().item() > 8)
    try:
        x.sum(0, 1, 2, 3)
    except TypeError as error:
        print("no overload" in str(error) or "does not take" in str(error))
    print(sorted(dir(tscript.linalg))[0] != "")
    """
    assert run(code, image, has_compiler=True).splitlines() == ["tscript.float64 True", "True", "True"]


def test_calls_are_observed(image: Path) -> None:
    code = """
    import tscript
    seen = []
    handle = tscript.add_global_callback(lambda r: seen.append((r.name, r.overload, len(r.inputs))), needs_inputs=True)
    x = tscript.ones(3)
    (x + x).sum(0)
    print(seen)
    """
    assert run(code, image) == "[('ones', '', 1), ('add', '', 2), ('sum', 'dim', 2)]\n"


def test_keys() -> None:
    tensor = Argument(TensorType(dtypes.int8, 3))
    assert key_text("add", [of_any_rank(tensor), Argument(INT)]) == "add; Tensor[int8, ?]; int"
    scalar = Argument(TupleType((TensorType(dtypes.int8, 0), TensorType(dtypes.int8, 2))))
    assert key_text("cat", [of_any_rank(scalar)]) == "cat; tuple[Tensor[int8, 0], Tensor[int8, ?]]"
    assert key_text("cat", [of_any_rank(scalar, flat=True)]) == "cat; tuple[Tensor[int8, ?], Tensor[int8, ?]]"
    form = Form("sum", (of_any_rank(tensor), Argument(BOOL, True)), ("keepdim",))
    assert form.key == "sum; Tensor[int8, ?]; keepdim: = True"
    record = OperatorRecord("tse_sum_1", "Ti:T", "Tensor[int8, ?]", "dim", False)
    assert read_record(record.packed()) == record


def test_forms() -> None:
    keys = {form.key for form in forms("sum")}
    assert {"sum; Tensor[float32, ?]", "sum; Tensor[int64, ?]; int", "sum; Tensor[bool, ?]; dim: int"} <= keys
    assert "add; float; Tensor[float64, ?]" in {form.key for form in forms("add")}
    assert "where; Tensor[bool, ?]; Tensor[int32, ?]; int" in {form.key for form in forms("where")}
    assert "mul; Tensor[float32, ?]; Tensor[bool, ?]" in {form.key for form in forms("mul")}
    assert {"add", "softmax", "zeros"} <= set(operator_names()) and "abs.int" not in operator_names()
    made = entries(Compiler(), "softmax")
    assert len(made) < sum(len(entry.forms) for entry in made)


def test_every_operator_has_forms() -> None:
    """Those that have none take what eager calls do not give, lists and containers of the language, or strings of which
    each has code of its own: equations, and how elements are combined."""
    none = [name for name in operator_names() if not forms(name)]
    containers = {"format", "list_tensor", "new_tensor", "tensor", "tensor_of_floats"}
    combined = {"einsum", "scatter_reduce", "scatter_reduce_", "index_reduce", "index_reduce_", "segment_reduce"}
    assert set(none) == containers | combined | {"window_general_cosine"}  # which takes a list of coefficients
    assert set(operator_names()) <= set(TABLE.names)
