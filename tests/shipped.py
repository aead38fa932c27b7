"""tscript as a wheel installs it, for tests: the package in a folder of its own, with a native library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from textwrap import dedent

from tscript.abi.levels import fitting
from tscript.abi.symbols import TENSOR_RETAIN, kernel_symbol, split_kernel_symbol
from tscript.backend.llvm.target import Target
from tscript.backend.loader.elf import parsed
from tscript.backend.loader.prebuilt import BOUNDARY, FOLDER, POOL, SUFFIX
from tscript.backend.loader.prebuilt_linker import Part, link
from tscript.pipeline import Compiler
from tscript.runtime.boundary.dialect_modules import exports_of
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.native_module import COMMON_SIGNATURES
from tscript.runtime.boundary.pool.imports import RUNTIME_SYMBOLS
from tscript.runtime.boundary.pool.module import MODULES as POOL_MODULES
from tscript.runtime.kernels.library import INTERNAL
from tscript.runtime.session import shipping
from tscript.runtime.session.build import compiled_kernel, is_kernel
from tscript.runtime.session.eager_forms import Form
from tscript.runtime.session.eager_parts import names_part, operator_part, signatures

ROOT = Path(__file__).resolve().parents[1]
OPERATORS = ("add", "add_", "neg", "sum", "ones", "softmax", "reshape", "max", "eq", "sub", "cat", "item", "t", "clamp")

WHEEL = os.environ.get("TSCRIPT_WHEEL", "")
"""A wheel of `tscript-core` of this tree; without, tests make a folder with some operators in its library."""


def externals(data: bytes) -> Iterable[str]:
    """The symbols that an object needs."""
    return parsed(data).undefined.values()


def is_small(form: Form) -> bool:
    """Whether only tensors of float32 and bool are given, or of int64 alone: few kernels are needed."""
    return not any(d in form.key for d in ("int8", "int16", "int32", "float64")) and (
        form.name in ("add", "sub") or "int64" not in form.key
    )


def write_image(path: Path, operators: Sequence[str] = OPERATORS, has_form: Callable[[Form], bool] = is_small) -> None:
    """Write an image with some operators, and all that they need."""
    compiler = Compiler()
    parts = [operator_part(compiler, name, has_form) for name in operators]
    parts.append(names_part(compiler, "operators"))
    stubs = [s for s in signatures(compiler, operators) if str(s) not in COMMON_SIGNATURES]
    parts.append(Part("stubs", shipping.stubs_object(compiler, stubs), tuple(s.symbol for s in stubs)))
    parts += [
        Part(
            BOUNDARY,
            shipping.own_module(compiler, BOUNDARY),
            (*exports_of(MODULES), *shipping.common_stubs()),
            is_module=True,
        ),
        Part(POOL, shipping.own_module(compiler, POOL), exports_of(POOL_MODULES), is_module=True, is_open=False),
    ]
    wanted = [TENSOR_RETAIN, *RUNTIME_SYMBOLS, *(s for p in parts for s in externals(p.data))]
    further = ("tensor_alloc", "tensor_from_memory", "tensor_from_array", "view_at", "copy_raw", "str_chr", "list_max")
    wanted += [f"ts_{n}_v1" for n in further]
    wanted += [kernel_symbol(n) for n in INTERNAL if n.startswith(("callback", "record", "thread"))]
    done: set[str] = set()
    for symbol in wanted:  # grows: what they call, too
        if symbol not in done and split_kernel_symbol(symbol) is not None and is_kernel(symbol):
            done.add(symbol)
            found = compiled_kernel(compiler, symbol)
            parts.append(Part(symbol, found.object, (symbol,)))
            wanted += found.externals
    path.write_bytes(link(parts).data)


def install(folder: Path) -> None:
    """Put the package into a folder, as a wheel does: `WHEEL`, or this tree with an image of `write_image`."""
    if WHEEL:
        with zipfile.ZipFile(WHEEL) as found:
            found.extractall(folder)
        return
    shutil.copytree(ROOT / "tscript", folder / "tscript", ignore=shutil.ignore_patterns("__pycache__"))
    host = Target.host()
    (folder / "tscript" / FOLDER).mkdir()
    best = fitting(host.triple, host.features)[0]
    write_image(folder / "tscript" / FOLDER / f"{best.name}{SUFFIX}")


def bare(**environment: str) -> dict[str, str]:
    """An environment that says nothing of tscript, nor where to write."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TSCRIPT_", "PYTHON", "XDG_"))}
    return {**kept, "HOME": "/nonexistent", **environment}


def run(command: Sequence[str | Path], code: str = "", **environment: str) -> str:
    """What a process says that has no compiler, from the code that it runs last."""
    done = subprocess.run(
        [*command, *(["-c", dedent(code)] if code else [])],
        env=bare(**environment),
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


PYTHON = (sys.executable, "-X", "faulthandler")

__all__ = ["OPERATORS", "PYTHON", "ROOT", "WHEEL", "bare", "externals", "install", "is_small", "run", "write_image"]
