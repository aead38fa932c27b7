"""The functions of ``torch.signal.windows``, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> torch.signal.windows.hann(3)
    tensor([0., 1., 0.])
"""

from typing import Any

from tscript.runtime.public.operators import function_in, functions_of


def __getattr__(name: str) -> Any:
    found = globals()[name] = function_in("signal.windows", name)
    return found


def __dir__() -> list[str]:
    return functions_of("signal.windows")
