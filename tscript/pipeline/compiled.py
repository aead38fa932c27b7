"""`Compiled`: one specialisation as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tscript.late import dataclass, field

if TYPE_CHECKING:
    import numpy as np

    from tscript.definitions.shared import Shared
    from tscript.pipeline.tiers import Later
    from tscript.types import Type


@dataclass(frozen=True, slots=True)
class Compiled:
    """One specialisation as an object that is not loaded yet.

    Attributes:
        types: Argument types it was compiled for.
        result: Result type.
        symbol: The exported function.
        externals: Runtime symbols it needs.
        object: The relocatable object.
        tensors: Its constant tensors; whoever loads it links the header of each under `tensor_symbol` of its position.
        shared: Its shared containers and their types, linked under `shared_symbol`.
        uniform: Its uniform entry, exported beside `symbol`; empty if it has none.
        later: The object counts its calls, and is replaced by one of this when they are many.
        key: Of the best object in the cache; empty for what is found in another way.
    """

    types: tuple[Type, ...]
    result: Type
    symbol: str
    externals: tuple[str, ...]
    object: bytes = field(repr=False)
    tensors: tuple[np.ndarray[Any, Any], ...] = ()
    shared: tuple[tuple[Shared, Type], ...] = ()
    uniform: str = ""
    later: Later | None = None
    key: str = ""
