"""The functions of ``torch.linalg`` that tscript has, so that ``import tscript as torch`` serves a file as it is.

Example:
    >>> import tscript as torch
    >>> torch.linalg.matmul(torch.ones(2), torch.ones(2))
    tensor(2.)
"""

from typing import Any

from tscript.runtime.public.operators import function_in, functions_of

LinAlgError = RuntimeError
"""What is raised for matrices that are singular, not positive definite, or for which an algorithm does not converge."""


def __getattr__(name: str) -> Any:
    found = globals()[name] = function_in("linalg", name)
    return found


def __dir__() -> list[str]:
    return functions_of("linalg")
