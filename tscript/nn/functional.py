"""The functions of ``torch.nn.functional`` that tscript has, so that ``import tscript as torch`` serves a file as it
is.

Example:
    >>> import tscript as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
"""

from typing import Any

from tscript.runtime.public.operators import function_in, functions_of


def __getattr__(name: str) -> Any:
    found = globals()[name] = function_in("nn.functional", name)
    return found


def __dir__() -> list[str]:
    return functions_of("nn.functional")
