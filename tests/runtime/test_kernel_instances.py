"""The kernels that the native library has: all of them can be compiled."""

from __future__ import annotations

from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies
from tscript.runtime.session.build import named, source_of
from tscript.runtime.session.instances import instances, kernel_symbols


def test_kernels_for_complex_numbers_alone_have_no_others() -> None:
    found = [[d.machine for d in binding] for binding in instances(TABLE["fourier_rows"])]
    assert found == [["c64"], ["c128"]]


def test_every_instance_is_lowered() -> None:
    """Of each generic kernel the first dtype: those of operators of other dtypes alone are found by it."""
    bodies = Bodies(TABLE)
    seen: set[str] = set()
    for symbol in kernel_symbols():
        name, bindings = named(symbol)
        if bindings and name not in seen:
            seen.add(name)
            bodies.kernel(source_of(name)[0], bindings, symbol)
