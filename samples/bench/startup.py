"""Cold times: compiling in a warm process, importing, the command line, the first result of an archive."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness import Row
from hundred import HUNDRED

import tscript
from tscript import Tensor
from tscript.runtime.session.process import current
from tscript.types import parse_type

SCALAR = """
def f{n}(a: float, b: float) -> float:
    c = a * b + {n}.0
    return c * a - b
"""
TEN = """
def g{n}(x: Tensor, y: Tensor) -> Tensor:
    a = x * y + {n}.0
    b = tscript.exp(-a) * x
    c = tscript.tanh(b) - y
    d = c * c + a
    return d / (b + 2.0)
"""


def compiled(template: str, n: int) -> Callable[..., Any]:
    """A function nobody compiled before."""
    import linecache

    text = template.format(n=n)
    name = f"<bench {n} {len(template)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"tscript": tscript, "Tensor": Tensor, "__name__": "bench"}
    exec(compile(text, name, "exec"), scope)  # noqa: S102 - our own source
    found = next(v for k, v in scope.items() if k[:1] in "fg" and callable(v) and k[1:].isdigit())
    assert callable(found)
    return found


def _cold(template: str, args: tuple[Any, ...], seed: int) -> float:
    best = float("inf")
    for n in range(seed, seed + 12):
        function = compiled(template, n)
        start = time.perf_counter()
        tscript.script(function)(*args)
        best = min(best, time.perf_counter() - start)
    return best * 1e9


def _processes(commands: Mapping[str, tuple[str, ...]], rounds: int = 8) -> dict[str, float]:
    """Nanoseconds of processor time that fresh processes take, the least of several; the commands take turns, the first
    round warms the page cache."""
    # Byte code is kept, as it is where packages are installed.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    best = dict.fromkeys(commands, float("inf"))
    for turn in range(rounds):
        for name, command in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            quiet = subprocess.DEVNULL
            subprocess.run(command, check=True, stdout=quiet, stderr=quiet, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if turn:
                taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                best[name] = min(best[name], taken * 1e9)
    return best


ARCHIVE = "archive with native code, process to first result"
EAGER = "x.sum(), softmax, x @ x, cat from the native library, process"
OPERATORS = """
import os
os.environ["TSCRIPT_CACHE"] = "off"
import numpy, tscript
x = tscript.from_numpy(numpy.ones((3, 3), numpy.float32))
x.sum(), tscript.softmax(x, 0), x @ x, tscript.cat((x, x))
"""


CHECKED = """
def f{n}(x: Tensor, k: int) -> Tensor:
    total = 0
    for i in range(k):
        if i % 3 == {n}:
            total += i * 2
        x = tscript.relu(x * 2.0 + {n})
    return x + total
"""


def _file(folder: str, functions: int) -> str:
    """The path of a file with so many functions of eight lines."""
    path = Path(folder, f"checked{functions}.py")
    head = "import tscript\nfrom tscript import Tensor\n"
    path.write_text(head + "".join(CHECKED.format(n=n) for n in range(functions)))
    return str(path)


def run() -> list[Row]:
    """Time all of it. Compile times use functions that no cache knows."""
    seed = time.time_ns() % 1_000_000_000
    x = tscript.tensor([1.0, 2.0, 3.0])
    rows = [
        Row("decorate + first call, scalar function", {"tscript": _cold(SCALAR, (1.0, 2.0), seed)}),
        Row("decorate + first call, ten operators", {"tscript": _cold(TEN, (x, x), seed)}),
        Row("decorate + first call, 100 lines of the language", {"tscript": _cold(HUNDRED, ("a, b\n# c\n", 5), seed)}),
    ]
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/g.tsa"
        types = (parse_type("Tensor[float32, 1]"),) * 2
        tscript.save(tscript.script(compiled(TEN, seed)), path, native=True, signatures=[(None, types)])
        first_result = (
            "import numpy, tscript; x = tscript.from_numpy(numpy.ones(3, numpy.float32)); "
            f"print(tscript.load({path!r}, trust_native=True)(x, x))"
        )
        operators = {EAGER: (python, "-c", OPERATORS)} if current().prebuilt is not None else {}
        taken = _processes(
            {
                **operators,
                "bare interpreter": (python, "-c", "pass"),
                "import numpy": (python, "-c", "import numpy"),
                "import tscript, numpy": (python, "-c", "import tscript, numpy"),
                "import tscript; tscript.Tensor": (python, "-c", "import tscript; tscript.Tensor"),
                "tscript --version": (python, "-m", "tscript", "--version"),
                "tscript --help": (python, "-m", "tscript", "--help"),
                "tscript check, 10 lines": (python, "-m", "tscript", "check", _file(folder, 1)),
                "tscript check, 1,000 lines": (python, "-m", "tscript", "check", _file(folder, 125)),
                ARCHIVE: (python, "-c", first_result),
            }
        )
    taken["the archive beyond interpreter and NumPy"] = taken[ARCHIVE] - taken["import numpy"]
    if operators:
        taken["the operators beyond interpreter and NumPy"] = taken[EAGER] - taken["import numpy"]
    return rows + [Row(name, {"process": time_taken}) for name, time_taken in taken.items()]
