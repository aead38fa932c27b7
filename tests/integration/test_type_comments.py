"""Type comments, where TorchScript reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tscript
from tscript.checking import check_file


def signature(x, n, names):  # type: ignore[no-untyped-def]
    # type: (Tensor, int, Dict[str, int]) -> Tuple[int, float]
    """The names of the types need no import."""
    sizes = []  # type: List[int]
    if n > 3:
        k = None  # type: Optional[int]
    else:
        k = 5
    sizes.append(n)
    for i in range(n):  # type: int
        sizes.append(i)

    def inner(a, b):  # type: ignore[no-untyped-def]
        # type: (int, int) -> float
        return a / b

    if k is not None:
        sizes.append(k)
    return len(sizes) + names["a"], inner(n, 2)


PARAMETERS = """
def each(
    x,  # type: Tensor
    n,  # type: int
    m=2,  # type: Optional[int]
    *,
    s="a",  # type: str
):
    # type: (...) -> int
    assert m is not None
    return n + m + len(s) + x.dim()

class Holder:
    def __init__(self, n):
        # type: (int) -> None
        self.xs = []  # type: List[int]
        self.xs.append(n)

    def first(self, k):
        # type: (int) -> int
        return self.xs[0] + k

def held(n):
    # type: (int) -> int
    return Holder(n).first(3)
"""


def test_signatures_and_names(agree: Any) -> None:
    """A comment below the first line, and comments behind assignments."""
    for n in (2, 5):
        agree(signature, tscript.ones(2), n, {"a": 1})
    assert "-> tuple[int, float]" in str(tscript.script(signature).graph)


def test_parameters_and_methods(tmp_path: Path) -> None:
    """One comment for each parameter; comments in methods; in a file that is read and in one that is run."""
    place = tmp_path / "commented.py"
    place.write_text(PARAMETERS)
    assert not check_file(place)
    names: dict[str, Any] = {"__name__": "commented"}
    exec(compile(PARAMETERS, str(place), "exec"), names)
    assert tscript.script(names["each"])(tscript.ones(2), 4, s="abc") == 10
    assert tscript.script(names["held"])(4) == 7
