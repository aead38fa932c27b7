"""docs/arrays.md lists the functions and methods that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tscript.frontend.values.array_functions import FUNCTIONS
from tscript.frontend.values.array_library import LIBRARY
from tscript.frontend.values.array_methods import METHODS
from tscript.frontend.values.generators import METHODS as DRAWS

PAGE = Path(__file__).parents[2] / "docs" / "arrays.md"
BEGIN, END = "<!-- table -->\n", "<!-- end -->\n"


def _table() -> str:
    rows = ["| function | method |", "|---|---|"]
    for name in sorted({*FUNCTIONS, *METHODS}):
        function = f"`np.{name}({_shown(FUNCTIONS[name].parameters)})`" if name in FUNCTIONS else ""
        function += " by NumPy" if name in LIBRARY else ""
        method = f"`a.{name}({_shown(METHODS[name].parameters)})`" if name in METHODS else ""
        rows.append(f"| {function} | {method} |")
    draws = ", ".join(f"`rng.{name}({_shown(parameters)})`" for name, (parameters, _) in sorted(DRAWS.items()))
    return "".join(f"{row}\n" for row in rows) + f"\nMethods of a `np.random.Generator`: {draws}.\n"


def _shown(parameters: str) -> str:
    return ", ".join(parameters.split())


def test_table(request: pytest.FixtureRequest) -> None:
    """The table is what the compiler has; ``--update`` writes it."""
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    expected = f"{before}{BEGIN}\n{_table()}\n{END}{after}"
    if request.config.getoption("--update"):
        PAGE.write_text(expected)
    assert PAGE.read_text() == expected
