"""Arrays of others where a tensor is wanted: which are taken, and in which form results go back.

A tensor shares the memory of what is given, so an array that would have to be copied first is refused. Results come
back as what went in: as ndarrays if all tensors of a call are ndarrays; one `Tensor` among them makes all results
Tensors. What is handed back unchanged is the object itself.
"""

from __future__ import annotations

from typing import Any

from tscript.abi.signature import Item, Signature, letters
from tscript.arrays import Array, np
from tscript.late import replace
from tscript.types import TensorFacts, dtypes

_INSTEAD = {
    "u": "pass array.astype(np.int64)",
    "f": "pass array.astype(np.float32)",
    "g": "pass array.astype(np.float64)",
    "c": "pass its parts, array.real and array.imag",
    "O": "make numbers of the objects, array.astype(np.float64)",
    "M": "pass numbers, array.astype(np.int64)",
    "m": "pass numbers, array.astype(np.int64)",
    "V": "pass one of its fields, array['name']",
}


def plain_array(array: Array) -> Array:
    """An array as native code takes it: itself, or the ndarray under an array of a subclass.

    Raises:
        TypeError: A tensor cannot share its memory; the message says what to pass.

    Example:
        >>> plain_array(np.zeros(2, ">f4"))
        Traceback (most recent call last):
        TypeError: its bytes are in the other order: pass array.astype(np.float32)
    """
    if type(array) is not np.ndarray:
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError("a tensor has no mask: pass array.filled(value), or array.data")
        array = array.view(np.ndarray)
    dtype = array.dtype
    if dtype.name not in dtypes.BY_NAME:
        kind = "g" if dtype.kind == "f" and dtype.itemsize > 8 else dtype.kind
        raise TypeError(f"a tensor cannot hold NumPy's {dtype}: {_INSTEAD.get(kind, 'pass numbers')}")
    if not dtype.isnative:
        raise TypeError(f"its bytes are in the other order: pass array.astype(np.{dtype.name})")
    if not array.flags.aligned:
        raise TypeError("its elements are not aligned in memory: pass array.copy()")
    return array


def facts_of_array(array: Array) -> TensorFacts:
    """What is known of a tensor over an array that `plain_array` gave."""
    return TensorFacts(dtypes.BY_NAME[array.dtype.name], array.ndim)


def shared(signature: Signature, values: Any) -> Signature:
    """The signature of a call with arrays among the values for tensors.

    Args:
        signature: That of tensors.
        values: One for each parameter.

    Example:
        >>> from tscript.abi.signature import parse_signature
        >>> str(shared(parse_signature("Tf:(Ti)"), (np.zeros(2), 1.0)))
        'Af:(Ai)'
    """
    parameters = tuple(map(_taken, signature.parameters, values))
    if parameters == signature.parameters:
        return signature
    is_mixed = any("T" in letters(item) for item in parameters)
    return replace(signature, parameters=parameters, result=signature.result if is_mixed else _given(signature.result))


def _taken(item: Item, value: Any) -> Item:
    """The item of a parameter for a value."""
    if isinstance(item, tuple):
        return tuple(map(_taken, item, value)) if isinstance(value, tuple) else item
    return "A" if item == "T" and isinstance(value, np.ndarray) else item


def _given(item: Item) -> Item:
    """The item of a result that has arrays in place of tensors."""
    if isinstance(item, tuple):
        return tuple(map(_given, item))
    return "A" if item == "T" else item
