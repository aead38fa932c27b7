"""Type comments, where TorchScript reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tscript
from tscript.checking import check_file

SIGNATURE = """
def signature(x, n, names):
    # type: (Tensor, int, Dict[str, int]) -> Tuple[int, float]
    sizes = []  # type: List[int]
    if n > 3:
        k = None  # type: Optional[int]
    else:
        k = 5
    sizes.append(n)
    for i in range(n):  # type: int
        sizes.append(i)

    def inner(a, b):
        # type: (int, int) -> float
        return a / b

    if k is not None:
        sizes.append(k)
    return len(sizes) + names["a"], inner(n, 2)
"""

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


def read(text: str, place: Path) -> dict[str, Any]:
    """What a file defines."""
    place.write_text(text)
    assert not check_file(place)
    names: dict[str, Any] = {"__name__": place.stem}
    exec(compile(text, str(place), "exec"), names)
    return names


def test_signatures_and_names(agree: Any, tmp_path: Path) -> None:
    """A comment below the first line, and comments behind assignments; names of types need no import."""
    signature = read(SIGNATURE, tmp_path / "signed.py")["signature"]
    for n in (2, 5):
        agree(signature, tscript.ones(2), n, {"a": 1})


def test_parameters_and_methods(tmp_path: Path) -> None:
    """One comment for each parameter; comments in methods; in a file that is read and in one that is run."""
    names = read(PARAMETERS, tmp_path / "commented.py")
    assert tscript.script(names["each"])(tscript.ones(2), 4, s="abc") == 10
    assert tscript.script(names["held"])(4) == 7
