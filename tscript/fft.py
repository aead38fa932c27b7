"""The functions of ``torch.fft`` that tscript has, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> torch.fft.fft(torch.ones(2))
    tensor([2.+0.j, 0.+0.j])
"""

from typing import Any

from tscript.runtime.public.operators import function_in, functions_of


def __getattr__(name: str) -> Any:
    found = globals()[name] = function_in("fft", name)
    return found


def __dir__() -> list[str]:
    return functions_of("fft")
