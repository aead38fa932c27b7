"""Exception classes of users with attributes and methods: natively, interpreted, and at the boundary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript.diagnostics import CompileError

CLASSES = '''
class MyError(ValueError):
    """Has a code."""

    def __init__(self, code: int, msg: str):
        super().__init__(msg)
        self.code = code

    def twice(self) -> int:
        return self.code * 2

    @property
    def half(self) -> int:
        return self.code // 2

class Sub(MyError):
    pass

class Told(Sub):
    LEVEL = 3

    def __init__(self, code: int, what: list[str]):
        super().__init__(code, "told " + what[0])
        self.what = what

    def __str__(self) -> str:
        return f"<{self.code} {super().__str__()}>"

    def twice(self) -> int:
        return -super().twice()

class NoSuper(KeyError):
    def __init__(self, a: int, b: str = "x"):
        self.a = a
        self.b = b

    @staticmethod
    def made(a: int) -> "NoSuper":
        return NoSuper(a)

    def __repr__(self) -> str:
        return f"{super().__repr__()}!"

class Late(RuntimeError):
    def __init__(self, n: int):
        if n > 100:
            self.n = 0
            return
        super().__init__("late", n)
        self.n: float = n

class Plain(RuntimeError):
    pass

def late(n: int) -> Late:
    return Late(n)

def make(n: int) -> int:
    if n == 0:
        raise MyError(7, "bad")
    if n == 1:
        raise Sub(8, f"worse {n}")
    if n == 2:
        raise Told(9, ["a", "b"])
    if n == 3:
        raise NoSuper(4, "four")
    if n == 4:
        raise Plain("p", n)
    if n == 5:
        raise NoSuper(4, b="q")
    if n == 6:
        raise MyError(code=n, msg="kw") from Told(1, ["c"])
    if n == 7:
        raise NoSuper.made(n)
    if n == 8:
        raise Late(n)
    if n == 9:
        raise late(n * 100)
    return n
'''

PROGRAMS = {
    "attributes, methods, properties": """
def f(n: int) -> tuple[int, str, str, int]:
    try:
        return (make(n), "", "", 0)
    except MyError as e:
        return (e.code + e.twice() * 100 + e.half, str(e), repr(e), len(e.args))
""",
    "texts by the class of the exception": """
def f(n: int) -> str:
    try:
        make(n)
    except NoSuper as e:
        return f"{e} {e!r} {e.a} {e.b} {e.args}"
    except Late as e:
        return f"{e} {e!r} {e.n} {e.args}"
    except Exception as e:
        return f"{e} {e!r} {e.args} {isinstance(e, MyError)} {[e]}"
    return "-"
""",
    "changed and raised again": """
def f(n: int) -> int:
    try:
        return make(n)
    except Told as e:
        e.code += 5
        e.what.append("x")
        raise
""",
    "not caught": """
def f(n: int) -> int:
    return make(n)
""",
    "told by isinstance": """
def f(n: int) -> str:
    try:
        make(n)
    except ValueError as e:
        if isinstance(e, Told):
            return e.what[1] + str(e.LEVEL) + str(Told.LEVEL)
        return str(e)
    return "-"
""",
    "made before it is raised": """
def f(n: int) -> str:
    kept: list[MyError] = [Sub(n, "s"), MyError(n, "m")]
    try:
        raise kept[n % 2]
    except Sub as e:
        return f"sub {e.code} {kept[1].code}"
    except MyError as e:
        return f"my {e}"
""",
    "seen by __exit__": """
class Watch:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, kind, error, trace) -> bool:
        if kind is None:
            self.seen.append("none")
        elif isinstance(error, MyError):
            self.seen.append(f"{error.code} {error}")
            return True
        return False

def f(n: int) -> list[str]:
    watch = Watch()
    with watch:
        make(n)
    return watch.seen
""",
}


@pytest.fixture
def scripted(integration: Any) -> Any:
    return lambda source: tscript.script(integration.function_of(source))


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_way_agrees(agree: Any, integration: Any, name: str) -> None:
    function = integration.function_of(CLASSES + PROGRAMS[name])
    for n in range(11):
        agree(function, n)


def caught(function: Any, n: int) -> Any:
    with pytest.raises((ValueError, KeyError, RuntimeError)) as found:
        function(n)
    return found.value


def test_python_gets_the_class_with_its_attributes(integration: Any) -> None:
    plain = integration.function_of(CLASSES + "\ndef f(n: int) -> int:\n    return make(n)\n")
    scripted = tscript.script(plain)
    for n in range(10):
        want, got = caught(plain, n), caught(scripted, n)
        assert type(got) is type(want)
        assert (got.args, vars(got), str(got), repr(got)) == (want.args, vars(want), str(want), repr(want))
        if want.__cause__ is not None:
            assert type(got.__cause__) is type(want.__cause__)
            assert vars(got.__cause__) == vars(want.__cause__)


FROM_PYTHON = """
class Wide(Sub):
    def __init__(self, items: list[int]):
        super().__init__(len(items), "wide")
        self.items = items

class Mixed(RuntimeError):
    def __init__(self, a: float, b: bool, c: str):
        super().__init__(c)
        self.a = a
        self.b = b
        self.c = c

@tscript.ignore
def outside(n: int) -> int:
    if n == 0:
        raise Sub(8, "from Python")
    if n == 1:
        raise Mixed(0.5, True, "\u20ac")
    if n == 2:
        raise Wide([1, 2])
    if n == 3:
        raise Sub(1 << 70, "too wide")
    return n

def f(n: int) -> str:
    try:
        outside(n)
    except Mixed as e:
        return f"{e.a} {e.b} {e.c} {e}"
    except Sub as e:
        return f"{e.code} {e}"
    except ValueError as e:
        return "value " + str(e)
    return "-"
"""


def test_a_class_that_is_named_before_its_base_is_one_class(scripted: Any) -> None:
    source = """
class A(ValueError):
    pass

class B(A):
    pass

class C(B):
    pass

def f(n: int) -> str:
    try:
        if n == 0:
            raise C("c")
        raise B("b")
    except B as e:
        return f"B {e}"
    except ValueError as e:
        return f"other {e}"
"""
    function = scripted(source)
    assert [function(0), function(1)] == ["B c", "B b"]


def test_exceptions_from_python_are_caught_with_their_attributes(scripted: Any) -> None:
    function = scripted(CLASSES + FROM_PYTHON)
    for _ in range(2):
        assert function(0) == "8 from Python"
        assert function(1) == "0.5 True € €"
        assert function(2) == "2 wide"
        assert function(3) == "value too wide"
        assert function(4) == "-"


REFUSED = {
    "an attribute that Python cannot be given": """
class E(ValueError):
    def __init__(self, p: tscript.Future[int]):
        super().__init__("m")
        self.p = p

def g(n: int) -> int:
    return n

def f(n: int) -> int:
    raise E(tscript.fork(g, n))
""",
    "args assigned": """
class E(ValueError):
    def __init__(self, n: int):
        super().__init__("m")
        self.args = ("a", n)

def f(n: int) -> int:
    raise E(n)
""",
    "keywords without __init__": """
class E(ValueError):
    pass

def f(n: int) -> int:
    raise E(n=n)
""",
    "wrong arguments": """
class E(ValueError):
    def __init__(self, n: int):
        super().__init__("m")

def f(n: int) -> int:
    raise E("a", n)
""",
    "an attribute that is not always set": """
class E(ValueError):
    def __init__(self, n: int):
        if n > 1:
            self.n = n

def f(n: int) -> int:
    raise E(n)
""",
    "a dataclass": """
import dataclasses

@dataclasses.dataclass
class E(ValueError):
    n: int

def f(n: int) -> int:
    raise E(n)
""",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(scripted: Any, name: str) -> None:
    with pytest.raises(CompileError) as found:
        scripted(REFUSED[name])
    assert found.value.diagnostics


def test_archives_keep_exception_classes(scripted: Any, tmp_path: Path) -> None:
    function = scripted(CLASSES + PROGRAMS["attributes, methods, properties"])
    tscript.save(function, str(tmp_path / "f.tsa"))
    loaded = tscript.load(str(tmp_path / "f.tsa"))
    for n in (0, 1, 2, 6):
        assert loaded(n) == function(n)
    error = caught(loaded, 3)
    assert (type(error).__name__, error.args, error.a, error.b) == ("NoSuper", (4, "four"), 4, "four")


GONE = """
import json
class Odd(LookupError):
    def __init__(self, n: int) -> None:
        super().__init__(n, "odd")
        self.n = n
    def __str__(self) -> str:
        return {text}
    def __repr__(self) -> str:
        return "Odd " + str(self.n)
def inner(n: int) -> int:
    if n > 1:
        raise Odd(n)
    return n
"""


@pytest.mark.parametrize("text", ["f'odd {self.n}'", "json.dumps(self.args)"])
@pytest.mark.parametrize("when", ["never", "before", "after"])
def test_texts_of_classes_whose_source_is_gone(agree: Any, tmp_path: Path, text: str, when: str) -> None:
    """Or that cannot be compiled: no other function is refused for it, and what such a class says is not lost."""
    place = tmp_path / "odd_one.py"
    place.write_text(GONE.format(text=text))
    names: dict[str, Any] = {"__name__": f"gone_{when}_{len(text)}"}
    exec(compile(place.read_text(), str(place), "exec"), names)
    inner = names["inner"]
    scripted = tscript.script(inner) if when == "after" else None
    if when != "never":
        place.write_text("#\n" * 30 if when == "after" else place.read_text().replace("def __str__", "def __other__"))

    def shown(n: int) -> str:
        try:
            return str(inner(n))
        except Exception as error:  # noqa: BLE001 - any
            return str(error) + repr(error)

    def unrelated(n: int) -> str:
        try:
            return str(10 // n)
        except Exception as error:  # noqa: BLE001 - any
            return str(error) + repr(error)

    if scripted is not None:
        inner = scripted
    ours = tscript.script(shown)
    for n in (1, 2):
        assert ours(n) == shown(n)
    tscript.save(tscript.script(unrelated), str(tmp_path / "f.tsa"))
    loaded = tscript.load(str(tmp_path / "f.tsa"))
    for n in (0, 1):
        assert tscript.script(unrelated)(n) == loaded(n) == unrelated(n)
        agree(unrelated, n)  # with a class of Python among those that it may meet
