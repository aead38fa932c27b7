"""What stubs and the pool call of the boundary."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from tscript.abi import helpers
from tscript.abi.signature import parse_signature
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.types import llvm_type
from tscript.backend.stubs.module import fork_module, stubs_module
from tscript.dialect.linkage import linkage_of
from tscript.dialect.memory_model import annotated_type
from tscript.runtime.boundary.dialect_modules import emit_modules
from tscript.runtime.boundary.native.module import MODULES
from tscript.runtime.boundary.pool.imports import BOUNDARY_SYMBOLS, RUNTIME_SYMBOLS
from tscript.runtime.boundary.pool.module import MODULES as POOL
from tscript.types import NONE

TARGET = Target.host()
NAMES = {value for name, value in vars(helpers).items() if name.isupper() and isinstance(value, str)}
FUNCTIONS: dict[str, Callable[..., Any]] = {linkage_of(f).symbol: f for module in MODULES for f in module.FUNCTIONS}
EVERYTHING = ("fibTAHFdw(_)O<p>:T", "M<p>:(fibTAHFdSNcO<pi>)", "AH0:(TAH0)", ":(tT)")
OF_KERNELS = {
    *(helpers.WRAP_BORROWED, helpers.UNBOX_SHARED, helpers.IS_SHARED, helpers.IS_GIVEN),
    *(helpers.SCALAR_CELL, helpers.SCALAR_OF_CELL, helpers.GENERATOR_IN, helpers.GENERATOR_OUT),
}


def defined(symbol: str) -> tuple[str, list[str]]:
    """LLVM types of the result and the parameters of a dialect function."""
    found = inspect.signature(FUNCTIONS[symbol], eval_str=True)
    parameters = [llvm_type(annotated_type(p.annotation)) for p in found.parameters.values()]
    result = found.return_annotation
    return llvm_type(NONE if result is None else annotated_type(result)), parameters


def declared(*texts: str) -> dict[str, tuple[str, list[str]]]:
    """LLVM types of the helpers that modules declare."""
    found = re.findall(r"^declare (\w+) @(\w+)\((.*)\)", "\n".join(texts), re.M)
    return {name: (result, list(filter(None, given.split(", ")))) for result, name, given in found if name in NAMES}


def test_stubs_call_helpers_as_they_are_defined() -> None:
    stubs = [stubs_module([parse_signature(s)], 24, TARGET).text for s in EVERYTHING]
    found = declared(*stubs, fork_module(parse_signature("fibTFdw(_):T"), 24, TARGET).text)
    assert set(found) == NAMES - OF_KERNELS
    assert found == {name: defined(name) for name in found}


def test_the_pool_needs_what_it_says() -> None:
    externals = emit_modules(POOL, TARGET).externals
    assert {name for name in externals if name.startswith("ts")} == {*RUNTIME_SYMBOLS, *BOUNDARY_SYMBOLS}
