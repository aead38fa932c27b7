"""Linking objects into the process and freeing them: our linker and LLVM's."""

from __future__ import annotations

import threading
import time
from functools import partial

from harness import Row

from tscript.abi.signature import parse_signature
from tscript.abi.symbols import kernel_symbol
from tscript.backend.llvm.target import Target
from tscript.backend.loader.linkers import Linker, LlvmLinker, linker_for
from tscript.backend.loader.objects import read_symbols
from tscript.pipeline import Compiler
from tscript.runtime.boundary.dialect_modules import emit_modules
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.module import MODULES as POOL
from tscript.runtime.session.build import source_of


def _time(linker: Linker, data: bytes) -> float:
    """Nanoseconds; the symbols that the object needs lie somewhere."""
    table = read_symbols(data)
    symbols = {name: 0x7F00_0000_0000 + 16 * i for i, name in enumerate(table.undefined)}
    best = float("inf")
    for _ in range(50):
        start = time.perf_counter()
        linker.link(data, symbols, list(table.defined), lasting=False).free()
        best = min(best, time.perf_counter() - start)
    return best * 1e9


def run() -> list[Row]:
    """Time two kernels and the boundary."""
    target, lock = Target.host(), threading.RLock()
    linkers = {"tscript": linker_for(target, lock), "LLVM": LlvmLinker(target, lock)}
    compiler = Compiler()
    stubs = [parse_signature(text) for text in ("T:T", "if:f")]
    objects = {
        name: compiler.kernel(partial(source_of, name), {}, kernel_symbol(name)).object
        for name in ("str_compare", "float_text")
    }
    objects["the boundary"] = compiler.build(emit_modules([*MODULES, *POOL], target, stubs, 24))
    return [
        Row(name, {linker: _time(found, data) for linker, found in linkers.items()}) for name, data in objects.items()
    ]
