"""Files and packages are checked together, without running them and without LLVM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tscript.api import functions_of_file
from tscript.checking import check_file, check_files, python_files
from tscript.diagnostics import CompileError, Diagnostic, render


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / (name.replace("__in__", "/").replace("INIT", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def places(found: list[Diagnostic], folder: Path) -> list[str]:
    return [f"{Path(d.span.source.name).relative_to(folder)}:{d.span.line} {d.code}" for d in found]


SCALE = "from tscript import script\nLIMIT = 4\n@script\ndef scale(n: int) -> int:\n    return n * LIMIT\n"


@pytest.mark.parametrize(
    "use",
    [
        "from helpers import scale\ndef f(n: int) -> int:\n    return scale(n)\n",
        "from helpers import scale as grow, LIMIT\ndef f(n: int) -> int:\n    return grow(n) + LIMIT\n",
        "import helpers\ndef f(n: int) -> int:\n    return helpers.scale(n) + helpers.LIMIT\n",
        "import helpers as h\nTWICE = h.LIMIT * 2\ndef f(n: int) -> int:\n    return h.scale(n) + TWICE\n",
        "from helpers import LIMIT\nTWICE = LIMIT * 2\ndef f(n: int) -> int:\n    return TWICE + n\n",
    ],
)
def test_a_module_beside_the_file_is_looked_into(tmp_path: Path, use: str) -> None:
    write(tmp_path, helpers=SCALE, model=use)
    assert check_file(tmp_path / "model.py") == []
    assert functions_of_file(tmp_path / "model.py")["f"](1) in (4, 8, 12, 9)


def test_relative_and_absolute_imports_in_a_package(tmp_path: Path) -> None:
    write(
        tmp_path,
        INIT="1 / 0\n",
        pkg__in__INIT="from .deep.helpers import scale\nfrom .deep import helpers as other\n",
        pkg__in__deep__in__INIT="",
        pkg__in__deep__in__helpers=SCALE,
        pkg__in__deep__in__user="from ..deep.helpers import scale\nfrom ... import pkg\ndef f(n: int) -> int:\n"
        "    return scale(n)\n",
        pkg__in__model="from pkg import scale, other, deep\nfrom pkg.deep.helpers import LIMIT\nfrom . import user\n"
        "def f(n: int) -> int:\n    return scale(n) + other.scale(n) + deep.helpers.LIMIT + LIMIT + user.one(n)\n",
        pkg__in__user="def one(n: int) -> int:\n    return 1\n",
        plain__in__names="def two(n: int) -> int:\n    return 2\n",
        main="from plain import names\nfrom plain.names import two\ndef f(n: int) -> int:\n"
        "    return names.two(n) + two(n)\n",
    )
    (tmp_path / "__init__.py").unlink()
    files = dict.fromkeys(python_files(tmp_path), False)
    assert places(check_files(files), tmp_path) == []


def test_modules_that_import_each_other(tmp_path: Path) -> None:
    write(
        tmp_path,
        a="from b import g, Y\nX = Y\ndef f(n: int) -> int:\n    return g(n) if n > 0 else 0\n",
        b="from a import f, X\nY = X\ndef g(n: int) -> int:\n    return f(n - 1)\ndef h(n: int) -> int:\n"
        "    return n + Y\n",
    )
    assert places(check_files({tmp_path / "a.py": False, tmp_path / "b.py": False}), tmp_path) == ["b.py:6 TS305"]


def test_what_cannot_be_imported_is_said(tmp_path: Path) -> None:
    write(
        tmp_path,
        broken="def f(:\n",
        helpers=SCALE,
        model="import json, broken, helpers\nfrom scipy import zeros\nfrom helpers import scael\n"
        "from broken import f as g\n"
        "from .. import nothing\nfrom ..... import far\n"
        "def f(n: int) -> int:\n    a = zeros(n)\n    b = scael(n)\n    c = g(n)\n    d = json.dumps(n)\n"
        "    e = helpers.scael(n)\n    h = nothing(n)\n    return far(n)\n",
    )
    found = check_file(tmp_path / "model.py")
    assert [d.span.line for d in found] == [8, 9, 10, 11, 12, 13, 14]
    text = "\n".join(map(render, found))
    assert "'zeros' is imported from 'scipy'" in text
    assert "'scael' is not in 'helpers'" in text
    assert "'g' is imported from 'broken'" in text


def test_an_error_of_a_shared_function_is_told_once(tmp_path: Path) -> None:
    write(
        tmp_path,
        helpers="def scale(n: int) -> int:\n    return n * missing\n",
        one="from helpers import scale\ndef f(n: int) -> int:\n    return scale(n)\n",
        two="from helpers import scale\ndef f(n: int) -> int:\n    return scale(n) + lost\n",
    )
    found = check_files(dict.fromkeys(python_files(tmp_path), False))
    assert places(found, tmp_path) == ["helpers.py:2 TS301", "two.py:3 TS301"]
    assert found[0].notes() == []
    (called, _) = check_file(tmp_path / "two.py")
    assert [n.text for n in called.notes()] == ["'scale' is compiled because it is called from 'f'"]
    assert f"({tmp_path}/two.py:3:12)" in render(called)


def test_the_order_of_functions_does_not_matter(tmp_path: Path) -> None:
    script = "import tscript\n"
    parts = [
        f"@tscript.script\ndef {name}(n: int):\n    return n + {bad} + {call}\n"
        for name, bad, call in [("f", "lost", "g(n)"), ("g", "gone", "h(n)"), ("h", "away", "1")]
    ]
    for order in (parts, parts[::-1]):
        (tmp_path / "m.py").write_text(script + "".join(order))
        found = check_file(tmp_path / "m.py")
        assert sorted(d.message() for d in found) == [f"name '{n}' is not defined" for n in ("away", "gone", "lost")]
        assert [d.span.line for d in found] == [4, 7, 10]
        assert not any(d.notes() for d in found)


def test_code_nested_too_deeply_hides_no_other_error(tmp_path: Path) -> None:
    signs = "-" * 900
    (tmp_path / "m.py").write_text(
        f"def a(n: int) -> int:\n    return {signs}n\ndef b(n: int) -> int:\n    return a(n)\n"
        "def c(n: int) -> int:\n    return lost\n"
    )
    assert places(check_file(tmp_path / "m.py"), tmp_path) == ["m.py:1 TS102", "m.py:6 TS301"]


CHAIN = "def f0(n: int) -> int:\n    return n + lost\n" + "".join(
    f"def f{i}(n: int) -> int:\n    return f{i - 1}(n)\n" for i in range(1, 12)
)


@pytest.mark.parametrize(("marked", "shown"), [(0, 0), (1, 1), (3, 3), (6, 6), (11, 6)])
def test_the_calls_that_lead_to_an_error(tmp_path: Path, marked: int, shown: int) -> None:
    text = "import tscript\n" + CHAIN.replace(f"def f{marked}(", f"@tscript.script\ndef f{marked}(")
    (tmp_path / "m.py").write_text(text)
    (found,) = check_file(tmp_path / "m.py")
    texts = [n.text for n in found.notes()]
    assert len(texts) == shown
    assert texts[:3] == [f"'f{i}' is compiled because it is called from 'f{i + 1}'" for i in range(min(shown, 3))]
    if marked > shown:
        assert texts[-1] == "'f5' is reached by 6 more calls, the first of them in 'f11'"


def test_folders_without_source_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        b="",
        a="",
        sub__in__c="",
        env__in__lib__in__x="",
        __pycache____in__y="",
        **{".hidden__in__z": ""},
    )
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in python_files(tmp_path)] == ["a.py", "b.py", "sub/c.py"]


def test_checking_loads_neither_llvm_nor_the_runtime(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("import tscript\n@tscript.script\ndef f(x: tscript.Tensor):\n    return x + lost\n")
    code = (
        "import sys\nfrom pathlib import Path\nfrom tscript.checking import check_file\n"
        "print(len(check_file(Path('m.py'))))\n"
        "heavy = ('llvmlite', 'tscript.backend', 'tscript.passes', 'tscript.archive', "
        "'tscript.runtime.session.process')\n"
        "print([m for m in sys.modules if m.startswith(heavy)])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n[]\n"


def test_a_decorated_coroutine_is_refused(tmp_path: Path) -> None:
    text = (
        "import tscript\n\n@tscript.script\nasync def fetch(n: int) -> int:\n    return n\n\n\ndef plain(n):\n"
        "    return lost\n"
    )
    (tmp_path / "m.py").write_text(text)
    (found,) = check_files({tmp_path / "m.py": True})
    assert (found.code, str(found.span), found.span.end_col) == ("TS106", f"{tmp_path}/m.py:4:11", 15)
    with pytest.raises(CompileError, match="'fetch' is a coroutine"):
        functions_of_file(tmp_path / "m.py")
    (tmp_path / "m.py").write_text(text.replace("@tscript.script\n", ""))
    assert check_files({tmp_path / "m.py": True}) == []


def test_all_names_of_a_known_module(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("from math import *\n\n\ndef f(x: float) -> float:\n    return sqrt(x) + pi\n")
    assert check_file(tmp_path / "m.py") == []


def test_generic_functions_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        'import tscript\nfrom typing import TypeVar\nT = TypeVar("T")\n\n\ndef pair(a: T) -> list[T]:\n'
        "    return [a, a]\n\n\n"
        "@tscript.script\ndef f(n: int) -> float:\n    return len(pair(n)) + pair(0.5)[0]\n"
    )
    assert check_file(tmp_path / "m.py") == []


EXCEPTIONS = """
class Base(ValueError):
    def __init__(self, code: int, why: str):
        super().__init__(why)
        self.code = code

class Derived(Base):
    @classmethod
    def of(cls, code: int) -> "Base":
        return cls(code, "of")

    def __str__(self) -> str:
        return f"<{super().__str__()}>"

def f(n: int) -> str:
    try:
        if n > 1:
            raise Derived.of(n)
        raise Derived(n, "one")
    except Base as e:
        return f"{e} {e.code}"
"""


def test_exception_classes_of_a_text_have_attributes_and_methods(tmp_path: Path) -> None:
    write(tmp_path, model=EXCEPTIONS, wrong=EXCEPTIONS.replace("{e.code}", "{e.cod}"))
    assert check_file(tmp_path / "model.py") == []
    function = functions_of_file(tmp_path / "model.py")["f"]
    assert (function(1), function(2)) == ("<one> 1", "<of> 2")
    assert places(check_file(tmp_path / "wrong.py"), tmp_path) == ["wrong.py:21 TS213"]


def test_what_runs_wins_over_what_type_checkers_read(tmp_path: Path) -> None:
    """A name that has one meaning for type checkers, and another when the module runs."""
    file = tmp_path / "messages.py"
    file.write_text(
        "from typing import TYPE_CHECKING, Callable, Optional, Union\n"
        "if TYPE_CHECKING:\n    Message = Union[str, Callable[[], str]]\nelse:\n    Message = str\n"
        "def shown(text: Optional[Message]) -> Optional[str]:\n    return text\n",
        encoding="utf-8",
    )
    assert not check_file(file)


def test_decorators_that_change_nothing(tmp_path: Path) -> None:
    """Modes of autograd, and marks for other tools."""
    file = tmp_path / "modes.py"
    file.write_text(
        "import torch\nimport torch.fx\nfrom torch import Tensor\n"
        "@torch.no_grad()\ndef a(x: Tensor) -> Tensor:\n    return x + 1\n"
        "@torch.fx.wrap\ndef b(x: Tensor) -> Tensor:\n    return x + 1\n"
        "@torch.jit._script_if_tracing\ndef c(x: Tensor) -> Tensor:\n    return a(x) + b(x)\n",
        encoding="utf-8",
    )
    assert not check_file(file)


def test_decorators_that_give_back_their_function(tmp_path: Path) -> None:
    """Those that register a function, from the file and from another; one that wraps it is refused."""
    other = tmp_path / "registering.py"
    other.write_text(
        "KNOWN = {}\n"
        "def registered(name, *, more=True):\n    if name in KNOWN:\n        raise ValueError(name)\n"
        "    def decorator(function):\n        KNOWN[name] = function\n        return function\n    return decorator\n",
        encoding="utf-8",
    )
    file = tmp_path / "registers.py"
    file.write_text(
        "from torch import Tensor\nfrom .registering import registered\n"
        "def noted(function):\n    print(function)\n    return function\n"
        "@noted\ndef a(x: Tensor) -> Tensor:\n    return x + 1\n"
        "@registered('b')\n@registered('c', more=False)\ndef b(x: Tensor) -> Tensor:\n    return a(x) + 1\n",
        encoding="utf-8",
    )
    (tmp_path / "__init__.py").touch()
    assert not check_file(file)
    for body in (
        "    function = wraps(function)\n    return function\n",
        "    if function:\n        return function\n",
        "    return wraps(function)\n",
        "    def inner(x):\n        return function\n    return inner\n",
    ):
        file.write_text(
            f"from torch import Tensor\ndef noted(function):\n{body}@noted\n"
            "def a(x: Tensor) -> Tensor:\n    return x + 1\n",
            encoding="utf-8",
        )
        assert "TS105" in [d.code for d in check_file(file)]
