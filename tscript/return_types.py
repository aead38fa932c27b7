"""The classes of results with names, as ``torch.return_types``: tuples with names for their items.

Example:
    >>> import tscript
    >>> found = tscript.tensor([[1, 3], [4, 2]]).max(1)
    >>> found.values, found.indices
    (tensor([3, 4]), tensor([1, 0]))
    >>> isinstance(found, tscript.return_types.max), isinstance(found, tuple)
    (True, True)
    >>> found
    torch.return_types.max(
    values=tensor([3, 4]),
    indices=tensor([1, 0]))
"""

from typing import Any

from tscript.runtime.public.operators import return_type_named, return_types


def __getattr__(name: str) -> Any:
    found = globals()[name] = return_type_named(name)
    return found


def __dir__() -> list[str]:
    return return_types()
