"""Functions of a main module are pickled by value, and come to life in this process, whose main module is another."""

from __future__ import annotations

import copy
import functools
import hashlib
import linecache
import pickle
import subprocess
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.travel.nodes import MAGIC, packed, unpacked
from tscript.types import FLOAT, INT

HERE = Path(__file__).parent
PROGRAM = HERE / "main_program.py"

SCALE = 2


@tscript.script
def by_name(n: int) -> int:
    return n * SCALE


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, bytes], Mapping[str, str]]:
    """The pickles of the program, and the results of its functions there."""
    file = tmp_path_factory.mktemp("pickles") / "pickles"
    subprocess.run([sys.executable, str(PROGRAM), str(file)], check=True)
    pickles, results = pickle.loads(file.read_bytes())
    return pickles, results


ARGUMENTS = {
    "scalar": (2,), "tensors": (tscript.tensor([1.0, -1.0, 1.0]),), "names": (3,), "even": (10,), "odd": (7,),
    "classes": (3,), "make": (3,), "circle": (8,), "times": (4,), "fib": (30,), "uses_cache": (1,),
    "uses_wrappers": (2,),
    "ignored": ("abc",), "generic": (4,),
    "method": (5,),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_results_are_those_of_the_other_process(written, name):
    function = pickle.loads(written[0][name])
    assert type(function) is tscript.ScriptFunction
    assert repr(function(*ARGUMENTS[name])) == written[1][name]


def test_the_same_pickle_gives_the_same_function(written):
    for name in ARGUMENTS:
        function = pickle.loads(written[0][name])
        assert pickle.loads(written[0][name]) is function
        again = pickle.dumps(function)
        assert pickle.loads(again) is function
        assert copy.deepcopy(function) is function


def test_attributes_travel(written):
    function = pickle.loads(written[0]["scalar"])
    assert (function.__name__, function.__qualname__, function.__module__) == ("scalar", "scalar", "__main__")
    assert function.__doc__ == "A docstring."
    assert function.__wrapped__(2) == function(2) == 10
    assert function(2, y=4) == 11
    assert "a comment" not in function.code and "def helper" in function.code


def test_functions_that_call_each_other_are_the_same_ones(written):
    even, odd = (pickle.loads(written[0][name]) for name in ("even", "odd"))
    assert even.__wrapped__.__globals__["odd"].__wrapped__.__globals__["even"] is even
    assert odd(3) and not odd(4)


def test_classes_are_made_once(written):
    make, walk = (pickle.loads(written[0][name]) for name in ("make", "walk"))
    node = make(1)
    node.next = type(node)(5)
    assert walk(node) == 5
    assert node.length() == 5  # in Python, too
    assert node == type(node)(1, type(node)(5), ["a"])
    assert type(node).__module__ == "__main__"
    with pytest.raises(TypeError):
        walk(node.tags)


def test_enums_keep_their_identity(written):
    color = pickle.loads(written[0]["color"])
    red = color.__wrapped__.__globals__["Color"].RED
    assert color(color(red)) is red
    assert color(red).name == "BLUE" and red.twice() == 2


def test_methods_travel(written):
    add, double = (pickle.loads(written[0][f"Counter.{name}"]) for name in ("add", "double"))
    counter = pickle.loads(written[0]["method"]).__wrapped__.__globals__["Counter"]
    assert counter.add is add and counter.double is double
    assert counter(3).add(4) == 7 and double(4) == 8


def test_exception_classes_travel(written):
    function = pickle.loads(written[0]["classes"])
    wrong = function.__wrapped__.__globals__["WrongError"]
    with pytest.raises(wrong, match="big"):
        function(101)


def test_classes_made_again_behave_as_before(written):
    names = pickle.loads(written[0]["classes"]).__wrapped__.__globals__
    slots, derived, base = (names[n] for n in ("Slots", "Derived", "Base")) if "Base" in names else (
        names["Slots"], names["Derived"], names["Derived"].__bases__[0]
    )  # fmt: skip
    assert slots(1) == slots(1, 2.0) and hash(slots(1)) == hash(slots(1)) and not hasattr(slots(1), "__dict__")
    with pytest.raises(AttributeError):
        slots(1).a = 2
    with pytest.raises(TypeError, match="abstract"):
        base(1)
    assert derived(3).get() == (3 + 5) * 7 + 1 + 2
    assert derived(3)._Base__hidden == 5


def test_tracebacks_name_the_file_and_the_line(written):
    function = pickle.loads(written[0]["fails"])
    lines = PROGRAM.read_text().splitlines()
    with pytest.raises(ZeroDivisionError) as caught:
        function(0)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.filename.startswith("<main_program.py, pickled ")
    assert frame.lineno == 1 + next(i for i, line in enumerate(lines) if "return total // n" in line)
    assert frame.line == "return total // n"


def test_what_cannot_be_pickled_is_named(written):
    assert written[1]["refused"].startswith("'broken' cannot be pickled, for 'OPEN' is a TextIOWrapper: ")


def test_functions_of_modules_are_pickled_by_name():
    data = pickle.dumps(by_name)
    assert len(data) < 80 and b"by_name" in data
    assert pickle.loads(data) is by_name


def test_another_object_of_that_name_is_pickled_by_value(monkeypatch):
    function = by_name
    monkeypatch.setattr(sys.modules[__name__], "by_name", None)
    data = pickle.dumps(function)
    assert len(data) > 200
    assert pickle.loads(data) is function
    assert function(4) == 8


def test_equal_closures_are_one_function_in_another_process():
    def around(k: int) -> object:
        @tscript.script
        def inner(x: int) -> int:
            return x + k

        return inner

    assert pickle.dumps(around(1)) == pickle.dumps(around(1)) != pickle.dumps(around(2))


def test_captured_tensors_are_carried_once():
    weights = tscript.tensor(np.arange(10_000, dtype=np.float32))

    @tscript.script
    def inner(x: Tensor) -> Tensor:
        return x + weights

    @tscript.script
    def outer(x: Tensor) -> Tensor:
        return inner(x) * weights

    data = pickle.dumps(outer)
    assert 40_000 < len(data) < 45_000


def test_changed_tensors_are_another_payload():
    weights = tscript.tensor([1.0])

    @tscript.script
    def inner(x: Tensor) -> Tensor:
        return x + weights

    before = pickle.dumps(inner)
    weights += 1
    assert pickle.dumps(inner) != before


def payload_of(function: object) -> bytes:
    reduced: Any = function.__reduce__()
    payload: bytes = reduced[1][0]
    return payload


@pytest.fixture
def payload() -> bytes:
    @tscript.script
    def inner(x: int) -> int:
        return x + 1

    return payload_of(inner)


def test_damage_is_found(payload):
    from tscript.api import restored

    for at in (0, 20, len(payload) // 2, len(payload) - 1):
        damaged = bytearray(payload)
        damaged[at] ^= 1
        with pytest.raises(tscript.FunctionUnpicklingError):
            restored(bytes(damaged))
    for end in (0, 3, 25, 60, len(payload) - 1):
        with pytest.raises(tscript.FunctionUnpicklingError):
            restored(payload[:end])
    assert issubclass(tscript.FunctionUnpicklingError, pickle.UnpicklingError)


def test_later_formats_are_refused(payload):
    from tscript.api import restored

    later = payload.replace(MAGIC + b"1 ", MAGIC + b"2 ", 1)
    with pytest.raises(tscript.PickleVersionError, match=r"in format 2.*install the same version"):
        restored(later)


def test_payloads_are_read_as_written(payload):
    assert packed(unpacked(payload)) == payload


def test_lines_are_forgotten_with_the_function():
    def around() -> bytes:
        k = 12345

        @tscript.script
        def inner(x: int) -> int:
            return x + k

        return payload_of(inner)

    from tscript.runtime.session.process import current
    from tscript.travel.making import Maker

    before = {name for name in linecache.cache if ", pickled " in name}
    made = Maker(unpacked(around()), current().travelled).root()
    assert made(1) == 12346
    new = {name for name in linecache.cache if ", pickled " in name} - before
    assert len(new) == 1
    del made
    import gc

    gc.collect()
    assert not new & set(linecache.cache)


def test_source_that_is_gone_is_an_error(tmp_path):
    names: dict[str, object] = {"tscript": tscript}
    exec(compile("def helper(n: int) -> int:\n    return n\n", "<lost>", "exec"), names)
    lost: Any = names["helper"]

    @tscript.ignore
    def caller(n: int) -> int:
        found: int = lost(n)
        return found

    @tscript.script
    def inner(n: int) -> int:
        return caller(n)

    with pytest.raises(tscript.FunctionPicklingError, match="'helper' cannot be pickled by its source"):
        pickle.dumps(inner)


def test_names_that_python_never_reaches_travel():
    first, unit = by_name, 7

    @tscript.script
    def inner(n: int) -> int:
        return n + 1
        return first(n) * unit  # Python drops this, and the compiler checks it

    from tscript.runtime.session.travelled import Travelled
    from tscript.travel.making import Maker

    assert Maker(unpacked(payload_of(inner)), Travelled()).root()(2) == 3


def test_names_of_modules_that_python_never_reaches_travel():
    @tscript.script
    def inner(n: int) -> int:
        return n + 1
        return by_name(n) * SCALE

    from tscript.runtime.session.travelled import Travelled
    from tscript.travel.making import Maker

    assert Maker(unpacked(payload_of(inner)), Travelled()).root()(2) == 3


def test_long_chains_of_functions():
    lines = ["def f0(n: int) -> int:\n    return n + 1\n"]
    lines += [f"def f{i}(n: int) -> int:\n    return f{i - 1}(n) + 1\n" for i in range(1, 300)]
    text = "\n".join(lines)
    name = "<chain>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, object] = {}
    exec(compile(text, name, "exec"), names)
    function = tscript.script(names["f299"])  # type: ignore[call-overload]
    assert pickle.loads(pickle.dumps(function))(0) == 300
    from tscript.runtime.session.travelled import Travelled
    from tscript.travel.making import Maker

    assert Maker(unpacked(payload_of(function)), Travelled()).root()(0) == 300


def test_a_scripted_class_attribute_and_default_travel():
    @tscript.script
    def inner(n: int, by: float = 0.5, names: tuple[int, ...] = (1, 2)) -> float:
        return n * by + len(names)

    from tscript.runtime.session.travelled import Travelled
    from tscript.travel.making import Maker

    made = Maker(unpacked(payload_of(inner)), Travelled()).root()
    assert made is not inner
    assert made(2) == inner(2) == 3.0 and made(2, by=1.0) == 4.0


def test_operators_of_programs_go_by_name():
    relu = tscript.relu

    @tscript.library.script_op("travel_test::twice")
    def twice(x: Tensor) -> Tensor:
        return x * 2

    @tscript.script
    def inner(x: Tensor) -> Tensor:
        return relu(twice(x)) * 2

    from tscript.runtime.session.travelled import Travelled
    from tscript.travel.making import Maker

    payload = payload_of(inner)
    assert Maker(unpacked(payload), Travelled()).root()(tscript.tensor([1.0])).tolist() == [4.0]
    read = f"tscript.api.restored({payload!r})"
    found = run(f"import tscript, tscript.api\ntry: {read}\nexcept tscript.FunctionUnpicklingError as e: print(e)")
    assert found.startswith("it needs the operator travel_test::twice: no operators of 'travel_test' are defined")


# ---- archives


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    @tscript.script
    def double(n: int) -> int:
        return 2 * n

    @tscript.script
    def half(x: float) -> float:
        return x / 2

    path = tmp_path / "functions.tsa"
    signatures = [("double", (INT,)), ("half", (FLOAT,))]
    functions = {"double": double, "half": half}
    kept = {"x.txt": "text"}
    tscript.save(functions, path, native=True, signatures=signatures, metadata={"a": "b"}, extra_files=kept)
    return path


def test_archives_are_pickled_by_their_bytes(archive):
    module = tscript.load(archive, trust_native=True)
    data, one = pickle.dumps(module), pickle.dumps(module.double)
    assert pickle.loads(data) is module and pickle.loads(one) is module.double
    assert copy.deepcopy(module) is module
    made, args = module.__reduce__()
    content = args[0]
    from tscript.runtime.session.scripted import scripted_of

    archive.unlink()
    other = made(content, "half")
    assert other(3.0) == 1.5
    found = scripted_of(other)
    assert not found.trust_native and found.entry is not None and not found.entry.native
    code = f"""
import pickle
m, f = pickle.loads({data!r}), pickle.loads({one!r})
print(m.double(4), m.half(3.0), m.metadata, m.extra_files["x.txt"].text())
print(f(5), pickle.loads({one!r}) is f, list(m))
"""
    fresh = run(code)
    assert fresh == "8 1.5 {'a': 'b'} text\n10 True ['double', 'half']\n"


def test_archives_are_pickled_by_their_path(archive):
    module = tscript.load(archive, pickle_by="path")
    data = pickle.dumps(module.double)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert digest.encode() in data and len(data) < 500
    assert run(f"import pickle\nprint(pickle.loads({data!r})(21))") == "42\n"
    archive.write_bytes(archive.read_bytes() + b" ")
    code = f"import pickle, tscript\ntry: pickle.loads({data!r})\nexcept tscript.ArchiveError as e: print(e)"
    assert "it is not the archive that was pickled" in run(code)
    with pytest.raises(ValueError, match="pickle_by"):
        tscript.load(archive, pickle_by="name")  # type: ignore[arg-type]


def test_functions_that_were_only_read_travel_as_archives(tmp_path):
    from tscript.api import functions_of_file

    path = tmp_path / "read.py"
    path.write_text("def triple(n: int) -> int:\n    return 3 * n\n")
    data = pickle.dumps(functions_of_file(path)["triple"])
    assert run(f"import pickle\nprint(pickle.loads({data!r})(3))") == "9\n"


# ---- values


@pytest.mark.parametrize(
    "value",
    [tscript.tensor([[1.0, 2.0]]), tscript.tensor(3), tscript.tensor([True]), tscript.tensor([1.0, 2.0, 3.0])[::2]],
)
def test_tensors_travel(value):
    for found in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert (found.dtype, found.shape, found.tolist()) == (value.dtype, value.shape, value.tolist())


def test_dtypes_and_sizes_travel():
    assert pickle.loads(pickle.dumps(tscript.float32)) is tscript.float32
    size = tscript.tensor([[1.0, 2.0]]).size()
    assert pickle.loads(pickle.dumps(size)) == size


def test_errors_of_compiled_code_travel():
    @tscript.script
    def inner(n: int) -> int:
        return 1 // n

    with pytest.raises(ZeroDivisionError) as caught:
        inner(0)
    found = pickle.loads(pickle.dumps(caught.value))
    assert type(found) is ZeroDivisionError and str(found) == str(caught.value)


@functools.cache
def run(code: str) -> str:
    """The output of a fresh process."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
