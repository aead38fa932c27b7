"""The kernels that the native library has: all of them can be compiled."""

from __future__ import annotations

from zlib import crc32

import pytest

from tscript.abi.symbols import kernel_symbol
from tscript.operators.table import TABLE
from tscript.pipeline import Compiler, Options
from tscript.pipeline.bodies import Bodies
from tscript.runtime.session.build import named, source_of
from tscript.runtime.session.instances import instances, kernel_symbols


def test_kernels_for_complex_numbers_alone_have_no_others() -> None:
    found = [[d.machine for d in binding] for binding in instances(TABLE["fourier_rows"])]
    assert found == [["c64"], ["c128"]]


@pytest.mark.parametrize("part", [0, *[pytest.param(part, marks=pytest.mark.slow) for part in range(1, 4)]])
def test_every_instance_is_lowered(part: int) -> None:
    """Of each generic kernel the first dtype: those of operators of other dtypes alone are found by it. A quarter of
    the kernels at a time."""
    bodies = Bodies(TABLE)
    seen: set[str] = set()
    for symbol in kernel_symbols():
        name, bindings = named(symbol)
        if bindings and name not in seen and crc32(name.encode()) % 4 == part:
            seen.add(name)
            bodies.kernel(source_of(name)[0], bindings, symbol)


@pytest.mark.parametrize("name", ["dict_new", "str_join", "index_select"])
def test_kernels_are_valid_after_each_pass(name: str) -> None:
    body, outside, _ = source_of(name)
    compiler = Compiler(Options(verify=True))
    program = compiler.bodies.kernel(body, {}, kernel_symbol(name), outside)
    assert compiler.lower(program).graphs
