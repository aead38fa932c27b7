"""The functions of ``torch.masked`` that tscript has, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> torch.masked.sum(torch.ones(3), mask=torch.tensor([True, False, True]))
    tensor(2.)
"""

from typing import Any

from tscript.runtime.public.operators import function_in, functions_of


def __getattr__(name: str) -> Any:
    found = globals()[name] = function_in("masked", name)
    return found


def __dir__() -> list[str]:
    return functions_of("masked")
