"""Code of functions is found in the cache by the checked program, without passes, emission and LLVM."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
import random
import subprocess
import sys
import zlib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.target import Target
from tscript.backend.loader.cache import Mode, ObjectCache
from tscript.frontend.source.captured import captured
from tscript.frontend.source.functions import PythonFunction
from tscript.ir.graph import Param
from tscript.pipeline import Compiled, Compiler
from tscript.pipeline.programs import Finished, Header, Identity, Opened, Programs, description, identity_of
from tscript.pipeline.tiers import Later, Tier
from tscript.pipeline.tree import Tree
from tscript.runtime.session.scripted import scripted_of
from tscript.types import FLOAT, INT, OPEN, ClassInfo, ClassType, EnumInfo, EnumType, OpenType, dtypes, parse_type
from tscript.types.declared import Declared

COMPILING = ("tscript.passes", "tscript.backend.module", "tscript.backend.nodes", "tscript.backend.stubs.", "llvmlite")
"""What is imported to compile."""

PROGRAM = """
from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from enum import Enum

import numpy as np

import tscript
from tscript import Tensor

SALT = {salt}
WEIGHTS = tscript.tensor([1.0, 2.0, SALT])
ROWS = np.arange(3.0)


@dataclass
class Point:
    x: int
    y: float = 2.0

    def moved(self, by: int) -> Point:
        return Point(self.x + by + SALT, self.y)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def show(make, *args):
    try:
        print(make.__name__, repr(make(*args)))
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
        print(make.__name__, type(error).__name__, error, [(f.name, f.lineno, f.line) for f in frames[1:]])


@tscript.script
def text(s: str) -> str:
    return s.upper() + str(SALT)


@tscript.script
def constant(n: int) -> str:
    return "a constant" if n else "another one"


@tscript.script
def fails(xs: list[int], i: int) -> int:
    total = SALT
    for x in xs:
        total += x
    return total // xs[i]


@tscript.script
def weighted(x: Tensor, keep: bool = False) -> Tensor:
    return (x * WEIGHTS + ROWS).sum(0, keepdim=keep)


@tscript.script
def moved(p: Point, n: int) -> Point:
    for _ in range(n):
        p = p.moved(1)
    p.y += 1.0
    return p


@tscript.script
def named(c: Colour) -> str:
    return c.value + c.name + str(SALT)


@tscript.script
def deep(n: int) -> int:
    return SALT if n <= 0 else 1 + deep(n - 1)


@tscript.script(optimize="full")
def caught(s: str) -> int:
    try:
        return int(s) + SALT
    except ValueError as error:
        return len(str(error))


@tscript.script
def adder(n: int) -> int:
    def add(x: int) -> int:
        return x + n + SALT
    return sum([add(i) for i in range(n)])


show(text, "abc")
show(constant, 1)
show(constant, 0)
show(fails, [1, 2, 3], 1)
show(fails, [1, 0], 1)
show(fails, [1, 0], 7)
show(weighted, tscript.tensor([1.0, 2.0, 3.0]))
show(weighted, tscript.tensor([[1.0, 2.0, 3.0]]), True)
point = Point(1, 2.5)
show(moved, point, 3)
print(point)
show(named, Colour.BLUE)
show(deep, 5)
show(caught, "12")
show(caught, "x")
show(adder, 4)
ROWS[0] = 5.0
show(weighted, tscript.tensor([1.0, 2.0, 3.0]))
print("compiled", sorted(m for m in sys.modules if m.startswith({compiling!r}))[-5:])
if "--more" in sys.argv:
    print(fails.graph_for([1], 0))
    print(len(fails.llvm_for([1], 0)) > 100, "passes" in str(sorted(sys.modules)))
    seen = []
    with tscript.profiler.profile() as p:
        show(weighted, tscript.tensor([1.0, 2.0, 3.0]))
    print([e.key for e in p.key_averages()])
"""


def run(path: Path, *args: str, **variables: str) -> list[str]:
    """The lines that a program prints in a process of its own."""
    root = Path(__file__).parents[1]
    paths = [str(root), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    found = subprocess.run([sys.executable, str(path), *args], capture_output=True, text=True, env=environment)
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def written(folder: Path) -> Path:
    """A program that no process has compiled."""
    path = folder / "program.py"
    path.write_text(PROGRAM.format(salt=random.SystemRandom().randrange(1 << 40), compiling=COMPILING))
    return path


@pytest.fixture(autouse=True)
def _no_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TSCRIPT_OPTIMIZE", raising=False)


def test_a_second_process_compiles_nothing_and_does_the_same(tmp_path: Path) -> None:
    program = written(tmp_path)
    first = run(program)
    second = run(program)
    assert second[:-1] == first[:-1]
    assert first[-1] != "compiled []" == second[-1]
    off = run(program, TSCRIPT_CACHE="off", TSCRIPT_OPTIMIZE="full")
    assert off[:-1] == first[:-1]
    assert run(program, TSCRIPT_CACHE="ro")[-1] == "compiled []"
    assert run(program, TSCRIPT_OPTIMIZE="full")[-1] != "compiled []"


def test_what_has_to_be_compiled_to_be_shown_is(tmp_path: Path) -> None:
    program = written(tmp_path)
    first = run(program, "--more")
    assert run(program, "--more") == [*first[:16], "compiled []", *first[17:]]


@pytest.mark.parametrize(
    "seeds", [range(8), *(pytest.param(range(n, n + 20), marks=pytest.mark.slow) for n in range(8, 88, 20))]
)
def test_random_programs_do_the_same_when_they_are_found(seeds: range, tmp_path: Path) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    arguments = str(random.SystemRandom().randrange(1 << 40)), *map(str, seeds)
    first, second = (run(worker, *arguments) for _ in range(2))
    assert [line.partition(" ")[2] for line in first] == [line.partition(" ")[2] for line in second]
    again = [line for line in second if line.startswith("compiled") and "python::" not in line]
    assert again == []
    assert sum(line.startswith("compiled") for line in first) >= len(seeds) // 2


WORKER = """
import sys
from itertools import count

import tscript
from tests.fuzz import execute
from tests.fuzz.execute import LoadedModule, observe
from tests.fuzz.features import Feature
from tests.fuzz.generator import generate
from tscript.pipeline import Compiler
from tscript.runtime.session.scripted import scripted_of

made = []
kept = []  # classes of one name get numbers, which depend on how many there are
native = Compiler.native


def counted(self, program, **how):
    made.append(program.main)
    return native(self, program, **how)


Compiler.native = counted
execute._numbers = count(int(sys.argv[1]))
for seed in map(int, sys.argv[2:]):
    program = generate(seed, set(Feature) - {Feature.FORK, Feature.TENSOR})
    module = LoadedModule(program.source)
    kept.append(module)
    try:
        main = tscript.script(module.module.main)
    except tscript.CompileError as error:
        print("refused", seed, error.diagnostics[0].code)
        continue
    made.clear()
    outcomes = [str(observe(main, module.arguments(text))) for text in program.arguments]
    calls = "python::" if scripted_of(main).identity is None else ""
    print("compiled" if "main" in made else "found", seed, calls, *map(repr, outcomes))
    module.close()
"""


# -- keys --------------------------------------------------------------------------------------------------------------


def digest(source: str, name: str = "f") -> str:
    """What leads to the code of a function of a module."""
    found = identity_of(scripted_of(tscript.script(source)[name]).program)
    assert found is not None
    return found.digest


def test_what_a_program_reads_is_in_its_digest() -> None:
    base = (
        "import tscript\n\nN = 3\n\ndef g(x: int) -> int:\n    return x\n\n"
        "@tscript.script\ndef f(x: int) -> int:\n    return g(x) + N\n"
    )
    assert digest(base) == digest(base)
    assert digest(base) != digest(base.replace("N = 3", "N = 4"))
    assert digest(base) != digest(base.replace("N = 3", "N = True"))
    assert digest(base) != digest(base.replace("return x\n", "return -x\n"))
    assert digest(base) != digest("\n" + base)  # errors name lines
    floats = base.replace("N = 3", "N = 0.0").replace("-> int:\n    return g", "-> float:\n    return g")
    assert digest(floats) != digest(floats.replace("N = 0.0", "N = -0.0"))


def test_all_of_a_class_is_in_the_digest() -> None:
    def described(**changes: Any) -> str:
        return str(description(ClassType(ClassInfo("m.P", **{"fields": {"x": INT}, **changes}))))

    base = ClassInfo("m.B")
    differing: list[dict[str, Any]] = [
        {},
        {"fields": {"y": INT}},
        {"fields": {"x": FLOAT}},
        {"fields": {"x": INT, "y": INT}},
        {"flags": 1},
        {"special": frozenset({"__eq__"})},
        {"late": frozenset({"x"})},
        {"base": base},
        {"beside": base},
        {"python": int},
        {"is_module": True},
    ]
    assert len({described(**changes) for changes in differing}) == len(differing)
    settled = {"open", "guessed", "is_fixed"}  # say how the types of fields were found
    assert {f.name for f in fields(ClassInfo)} - {f.name for f in fields(Declared)} - settled == {
        *("name", "python", "base", "beside", "fields", "flags", "special", "late", "is_module")
    }
    colours: list[dict[str, object]] = [{"RED": 1}, {"RED": 2}, {"RED": True}, {"BLUE": 1}, {"RED": 1, "BLUE": 2}]
    assert len({str(description(EnumType(EnumInfo("m.C", members)))) for members in colours}) == len(colours)


def test_functions_that_stay_in_python_are_not_looked_for() -> None:
    @tscript.ignore
    def python(x: int) -> int:
        return x

    @tscript.script
    def calls(x: int) -> int:
        return python(x)

    assert scripted_of(calls).identity is None
    assert calls(3) == 3


@pytest.fixture
def cache(tmp_path: Path) -> ObjectCache:
    return ObjectCache(tmp_path / "cache")


def programs_of(cache: ObjectCache, about: str = "", tree: str = "tree", level: int = 2) -> Programs:
    """What finds programs in a cache, for sources with a digest."""

    def key(text: str) -> str:
        return cache.key(text, Target.host(), level)

    sources = Tree(cache, key)
    sources.digest = tree
    return Programs(cache, key, sources, about, lambda: {})


IDENTITY = Identity("0" * 64)


def test_a_key_has_all_that_decides_the_code(cache: ObjectCache) -> None:
    def key(
        programs: Programs,
        types: Any = (INT,),
        constants: Any = None,
        static: Any = (),
        tier: Tier = Tier.AUTO,
        identity: Identity = IDENTITY,
    ) -> str | None:
        return programs.key(identity, types, constants or {}, static, tier)

    programs = programs_of(cache)
    keys = [
        key(programs),
        key(programs, (FLOAT,)),
        key(programs, (parse_type("Tensor[float32, 1]"),)),
        key(programs, (parse_type("Tensor[float32, 2]"),)),
        key(programs, constants={0: 1}),
        key(programs, constants={0: True}),
        key(programs, constants={0: 1.0}),
        key(programs, constants={0: 0.0}),
        key(programs, constants={0: -0.0}),
        key(programs, constants={0: 1}, static=(0,)),
        key(programs, tier=Tier.FULL),
        key(programs, tier=Tier.QUICK),
        key(programs, identity=Identity("1" * 64)),
        key(programs_of(cache, about="24")),
        key(programs_of(cache, tree="another")),
        key(programs_of(cache, level=1)),
    ]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key(programs_of(cache)) == keys[0]
    assert key(programs, constants={0: float("nan")}) is None
    assert key(programs, constants={0: object()}) is None


# -- functions that are not even checked ---------------------------------------------------------------------------

MODULE = '''
from __future__ import annotations
import math
from typing import Optional
import tscript
from tscript import Tensor

N = 3
SCALES = (1.0, 2.0)
OTHER = [1, 2]

def inner(x: int) -> int:
    return x * N

def outer(x: int, y: float = 0.5, *, z: Optional[int] = None) -> float:
    """OTHER is a word here."""
    values = [N for N in range(3)]
    return inner(x) + y * SCALES[1] + math.sqrt(2.0) + len(values)

def make(n):
    def f(x: Tensor) -> Tensor:
        return tscript.tanh(x) * n
    return f

def dead(x: int) -> int:
    if False:
        return unknown_name
    return x

def local(x: int) -> int:
    y: Alias = x
    return y
'''


class Fresh:
    """A module of its own in every test, always in the same file.

    Args:
        folder: Where that is.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "module_of_test.py"

    def __call__(self, text: str = MODULE, **values: Any) -> Any:
        self._file.write_text(text)
        spec = importlib.util.spec_from_file_location("module_of_test", self._file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
        try:
            exec(compile(text, str(self._file), "exec", dont_inherit=True), vars(module))
        finally:
            sys.dont_write_bytecode = before
        linecache.cache.pop(str(self._file), None)
        vars(module).update(values)
        return module


@pytest.fixture
def fresh(tmp_path: Path) -> Fresh:
    return Fresh(tmp_path)


def read(function: Any) -> str | None:
    """The digest of what checking a function reads."""
    found = captured(PythonFunction.from_callable(function))
    return None if found is None else found.digest


def test_the_digest_of_a_function_has_all_that_checking_it_reads(fresh: Fresh) -> None:
    base = read(fresh().outer)
    assert base is not None
    assert read(fresh().outer) == base
    same: list[dict[str, Any]] = [
        {"OTHER": [3]},
        {"OTHER": "text"},
        {"values": 3, "x": object(), "unused": object()},
        {"dead": None},
    ]
    for values in same:
        assert read(fresh(**values).outer) == base
    module = fresh()
    other = {
        read(fresh(N=4).outer),
        read(fresh(N=True).outer),
        read(fresh(N=3.0).outer),
        read(fresh(N="3").outer),
        read(fresh(SCALES=(1.0, 3.0)).outer),
        read(fresh(SCALES=(1.0, 2)).outer),
        read(fresh(SCALES=(-0.0, 0.0)).outer),
        read(fresh(SCALES=(0.0, 0.0)).outer),
        read(fresh(inner=module.dead).outer),
        read(fresh(len=abs).outer),
        read(fresh(math=tscript).outer),
        read(fresh(Optional=list).outer),
        read(fresh(MODULE.replace("x * N", "x + N")).outer),
        read(fresh("\n" + MODULE).outer),
    }
    assert len(other) == 14
    assert not {base, None} & other
    module = fresh()
    module.outer.__defaults__ = (0.25,)
    assert read(module.outer) not in (base, None)
    module = fresh()
    module.outer.__kwdefaults__ = {"z": 3}
    assert read(module.outer) not in (base, None)
    module = fresh()
    module.outer.__annotations__["y"] = "int"
    assert read(module.outer) not in (base, None)


def test_closures_and_names_without_code_are_read(fresh: Fresh) -> None:
    module = fresh()
    assert read(module.make(1)) == read(module.make(1))
    assert len({read(module.make(n)) for n in (1, 2, 1.0, True, None)}) == 5
    assert read(fresh(unknown_name=3).dead) != read(fresh().dead) != read(fresh(unknown_name=4).dead)
    assert read(fresh(Alias=int).local) not in (read(fresh(Alias=bool).local), read(fresh().local), None)


@pytest.mark.parametrize(
    "values",
    [
        {"N": np.zeros(3)},
        {"N": tscript.tensor([1.0])},
        {"N": float("nan")},
        {"N": Tier},
        {"N": Tier.FULL},
        {"N": linecache},
        {"N": np.float64(3.0)},
        {"N": np.dtype("f8")},
        {"N": object()},
        {"N": (1, object())},
        {"inner": functools.lru_cache(read)},
        {"inner": [].append},
        {"inner": lambda x: x},
        {"inner": Fresh},
        {"math": sys},
        {"__builtins__": {"len": len, "range": range}},
    ],
)
def test_what_cannot_be_said_in_short_is_not_in_a_digest(fresh: Fresh, values: dict[str, Any]) -> None:
    assert read(fresh(**values).outer) is None


def test_functions_with_attributes_and_imports_have_no_digest(fresh: Fresh) -> None:
    module = fresh()
    tscript.ignore(module.inner)
    assert read(module.outer) is None
    assert read(fresh(MODULE.replace("    values = [", "    import math\n    values = [")).outer) is None


def test_scripted_functions_are_read_as_they_were_when_they_were_made(fresh: Fresh) -> None:
    def reading(**later: Any) -> str | None:
        module = fresh()
        module.inner = tscript.script(module.inner)
        vars(module).update(later)
        return read(module.outer)

    base = reading()
    assert base is not None
    assert reading(SCALES=(1.0, 3.0)) not in (base, None)
    assert reading() == base
    plain = fresh()
    assert read(plain.outer) not in (base, None)


def test_a_function_that_was_checked_elsewhere_is_not_checked(fresh: Fresh, monkeypatch: pytest.MonkeyPatch) -> None:
    salt = random.SystemRandom().random()
    first = tscript.script(fresh(SCALES=(1.0, salt)).outer)
    expected = first(2), first(2, z=3), first.graph, scripted_of(first).params
    checked: list[object] = []
    check = Compiler.check

    def counted(self: Compiler, function: Any, **how: Any) -> Any:
        checked.append(function)
        return check(self, function, **how)

    monkeypatch.setattr(Compiler, "check", counted)
    module = fresh(SCALES=(1.0, salt))
    second = tscript.script(module.outer)
    assert second(2) == expected[0]
    assert scripted_of(second).params == expected[3]
    assert checked == []
    module.SCALES = (1.0, 0.0)  # what was read is read
    module.N = 100
    module.inner = module.dead
    module.len = abs
    assert (second(2, z=3), str(second.graph)) == (expected[1], str(expected[2]))
    assert len(checked) == 1
    assert tscript.script(fresh(SCALES=(1.0, salt), N=4).outer)(2) != expected[0]
    assert len(checked) == 2


def test_a_function_that_waits_for_a_name_reads_all_when_it_is_called(fresh: Fresh) -> None:
    text = MODULE.replace("    values =", "    x = x + later(x)\n    values =")
    module = fresh(text + "\ndef later(x: int) -> int:\n    return abs(x)\n")
    later = vars(module).pop("later")
    function = tscript.script(module.outer)
    module.N = 5
    module.abs = module.dead
    module.later = later
    assert function(2) == pytest.approx((2 + 2) * 5 + 0.5 * 2.0 + 2**0.5 + 3)


def test_records_of_functions_that_fit_nothing_are_misses(cache: ObjectCache) -> None:
    programs = programs_of(cache)
    header = Header("0" * 64, (Param("x", INT, 3), Param("y", FLOAT, -0.0, keyword_only=True)), frozenset({1}))
    programs.keep_header("key", IDENTITY, lambda digest: header)
    assert programs.header("key") == header
    opened = Opened(
        (Param("a", OPEN), Param("b", OpenType("ndarray", dtypes.int8, 2), 3), Param("c", INT)), (None, INT)
    )
    for further in (
        replace(header, opened=opened),
        replace(header, digest="", opened=opened),
        replace(header, asks=True),
    ):
        programs.keep_header("further", IDENTITY, lambda digest, made=further: made)  # type: ignore[misc]
        assert repr(programs.header("further")) == repr(further)
    cache.clear()
    programs.keep_header("key", IDENTITY, lambda digest: header)
    assert programs_of(cache, tree="another").header("key") is None
    programs.keep_header("other", Identity("0" * 64, (object(),)), lambda digest: header)
    programs.keep_header("other", None, lambda digest: header)
    assert programs.header("other") is None
    (entry,) = cache.list()
    kept = cache.get(entry.key)
    assert kept is not None
    for content in (
        b"",
        b"[]",
        b"{}",
        b"\xff",
        kept.replace(b'"int"', b'"((("'),
        kept.replace(b"[1]", b'["a"]'),
        kept[:-1],
    ):
        cache.put(entry.key, content)
        assert programs.header("key") is None


# -- the cache ---------------------------------------------------------------------------------------------------------


def finished(cache: ObjectCache, *, quick: bool = False) -> Finished:
    """Something that was compiled, whose object is in a cache."""
    later = Later("a" * 64, "b" * 64, Effort.LIGHT, 4, 2, zlib.compress(b"text")) if quick else None
    cache.put("b" * 64 if quick else "a" * 64, b"quick" if quick else b"full")
    made = Compiled((INT,), FLOAT, "tsf_f", ("ts_x_v1",), b"quick" if quick else b"full", later=later, key="a" * 64)
    return Finished(made, "f", "f.py:3", ("x",), True)


KEY = "c" * 64


def test_what_is_kept_is_found(cache: ObjectCache) -> None:
    programs, made = programs_of(cache), finished(cache)
    assert programs.find(KEY, IDENTITY) is None
    programs.keep(KEY, made, IDENTITY)
    assert programs_of(ObjectCache(cache.path)).find(KEY, IDENTITY) == made


def test_quick_code_is_found_until_there_is_better_code(cache: ObjectCache) -> None:
    programs, made = programs_of(cache), finished(cache, quick=True)
    programs.keep(KEY, made, IDENTITY)
    found = programs.find(KEY, IDENTITY)
    assert found == made
    assert found is not None
    assert found.compiled.later is not None
    assert found.compiled.later.text == "text"
    cache.put("a" * 64, b"full")
    assert programs.find(KEY, IDENTITY) == replace(made, compiled=replace(made.compiled, object=b"full", later=None))


def test_an_object_that_was_evicted_is_a_miss(cache: ObjectCache) -> None:
    programs = programs_of(cache)
    programs.keep(KEY, finished(cache), IDENTITY)
    cache.remove("a" * 64)
    assert programs.find(KEY, IDENTITY) is None


def test_damaged_records_are_misses(cache: ObjectCache) -> None:
    programs = programs_of(cache)
    programs.keep(KEY, finished(cache), IDENTITY)
    assert cache.path is not None
    file = cache.path / "objects" / f"{KEY}.tso"
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at])
        assert programs.find(KEY, IDENTITY) is None
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert programs.find(KEY, IDENTITY) is None


def test_records_of_another_kind_are_misses(cache: ObjectCache) -> None:
    programs = programs_of(cache)
    made = finished(cache)
    for content in (
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"\xff\n",
        b'{"key": 3}\n',
        b'{"key": "x", "later": [1]}\n',
    ):
        cache.put(KEY, content)
        assert programs.find(KEY, IDENTITY) is None
    programs.keep(KEY, made, IDENTITY)
    kept = cache.get(KEY)
    assert kept is not None
    for old, new in (
        (b'"int"', b'"lint"'),
        (b'"float"', b'"(("'),
        (b'"names"', b'"nam"'),
        (b'"tensors": []', b'"tensors": [3]'),
    ):
        assert old in kept
        cache.put(KEY, kept.replace(old, new))
        assert programs.find(KEY, IDENTITY) is None


def test_a_cache_that_is_off_or_read_only_keeps_nothing(tmp_path: Path) -> None:
    for mode in (Mode.OFF, Mode.READ):
        cache = ObjectCache(tmp_path / "cache", mode)
        programs = programs_of(cache)
        programs.keep(KEY, finished(cache), IDENTITY)
        assert programs.find(KEY, IDENTITY) is None
        assert programs.made("stub", lambda: ((b"object", ("a",)), "a" * 64)) == (b"object", ("a",))


def test_a_stub_is_made_once(cache: ObjectCache) -> None:
    made: list[int] = []

    def make() -> tuple[tuple[bytes, tuple[str, ...]], str]:
        made.append(1)
        cache.put("a" * 64, b"object")
        return (b"object", ("x", "y")), "a" * 64

    programs = programs_of(cache)
    assert programs.made("stub", make) == programs.made("stub", make) == (b"object", ("x", "y"))
    assert len(made) == 1
    assert programs_of(cache, tree="another").made("stub", make) == (b"object", ("x", "y"))
    assert len(made) == 2
    cache.remove("a" * 64)
    assert programs.made("stub", make) == (b"object", ("x", "y"))
    assert len(made) == 3


# -- the sources of the package ----------------------------------------------------------------------------------------


def tree(cache: ObjectCache, folder: Path, started: int = sys.maxsize) -> str | None:
    """The digest of the sources in a folder."""
    return Tree(cache, lambda text: cache.key(text, Target.host(), 2), started, (("tscript", str(folder)),)).digest


def test_the_tree_is_what_the_sources_hold(cache: ObjectCache, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    (sources / "inner").mkdir(parents=True)
    (sources / "inner" / "a.py").write_text("a = 1\n")
    (sources / "b.py").write_text("b = 1\n")
    (sources / "notes.md").write_text("text")
    first = tree(cache, sources)
    assert first is not None
    assert tree(cache, sources) == first
    (sources / "notes.md").write_text("other text")
    assert tree(cache, sources) == first
    (sources / "inner" / "a.py").write_text("a = 2\n")
    second = tree(cache, sources)
    assert second not in (first, None)
    (sources / "inner" / "a.py").write_text("a = 1\n")
    assert tree(cache, sources) == first  # contents count, not times
    (sources / "c.py").write_text("")
    assert tree(cache, sources) not in (first, second, None)
    (sources / "c.py").rename(sources / "inner" / "c.py")
    (sources / "inner" / "c.py").unlink()
    assert tree(cache, sources) == first


def test_a_tree_that_is_newer_than_the_process_has_no_digest(cache: ObjectCache, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("a = 1\n")
    assert tree(cache, tmp_path, file.stat().st_ctime_ns - 1) is None
    assert tree(cache, tmp_path, file.stat().st_ctime_ns) is not None
    assert tree(cache, tmp_path / "nothing") is None


def test_a_damaged_digest_of_the_tree_is_made_again(cache: ObjectCache, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    first = tree(cache, tmp_path)
    for entry in cache.list():
        cache.put(entry.key, b"something else")
    assert tree(cache, tmp_path) == first


def test_this_package_has_a_digest(cache: ObjectCache) -> None:
    found = Tree(cache, lambda text: cache.key(text, Target.host(), 2), sys.maxsize)
    assert found.digest is not None
    files = found._files()
    assert files is not None
    names = {file[0] for file in files}
    assert {"tscript/passes/__init__.py", "tscript/pipeline/tree.py", "tscript/runtime/session/linker.py"} <= names
    assert len(names) == len(files)
