"""The functions of ``torch.special`` that tscript has, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> torch.special.expit(torch.zeros(2))
    tensor([0.5000, 0.5000])
"""

from typing import Any

from tscript.runtime.public.operators import function_in, functions_of


def __getattr__(name: str) -> Any:
    found = globals()[name] = function_in("special", name)
    return found


def __dir__() -> list[str]:
    return functions_of("special")
