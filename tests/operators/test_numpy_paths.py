"""Functions of NumPy that compiled code calls by name: those of the tables, and no others, whatever an archive says."""

from __future__ import annotations

from functools import partial

import pytest

from tscript.frontend.values import array_library, array_methods, generators
from tscript.ir.parser import parse_program
from tscript.ir.verifier import verify
from tscript.operators.python.numpy_paths import PATHS
from tscript.operators.python.random_numbers import CALL
from tscript.operators.table import TABLE


def used() -> set[str]:
    """The paths that the tables of the frontend have."""
    tables = [vars(array_library).values(), vars(array_methods).values()]
    functions = [f for values in tables for table in values if isinstance(table, dict) for f in table.values()]
    lowered = [f.lower for f in functions if isinstance(getattr(f, "lower", None), partial)]
    found = {lower.args[0] for lower in lowered if lower.func is array_library._run}
    found |= set(array_library.FORMS)
    found |= {f"random.Generator.{name}" for name in generators.METHODS}
    return found | {name for name in generators.FUNCTIONS if name != "random.Generator"}


def test_all_that_the_tables_name_may_be_called() -> None:
    assert len(used()) > 150
    assert used() <= PATHS


TEXT = """program @f

graph @f(%n: str) -> int {{
  %0: str = const "{name}"
  %1: str = const "int"
  %2: int = numpy.call({operand}, %1, %n)
  return %2
}}
"""


@pytest.mark.parametrize(
    "name", ["f2py.os.system", "ctypeslib.ctypes.CDLL", "load", "ndarray.tofile", "kron.__globals__", ""]
)
def test_others_are_refused(name: str) -> None:
    with pytest.raises(Exception, match="function of NumPy that may be called"):
        verify(parse_program(TEXT.format(name=name, operand="%0"), TABLE), from_file=True)
    with pytest.raises(ValueError, match="no function of NumPy that compiled code may call"):
        CALL.semantics(f"{name} x", "int", 1)


def test_the_name_is_a_constant() -> None:
    with pytest.raises(Exception, match="function of NumPy that may be called"):
        verify(parse_program(TEXT.format(name="kron", operand="%n"), TABLE), from_file=True)
