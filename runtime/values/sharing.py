"""Arrays of NumPy and tensors of PyTorch where a tensor is wanted: which are taken, and in which form results go back.

A tensor shares the memory of what is given, so what would have to be copied first is refused. Results come back as what
went in: as ndarrays if all tensors of a call are ndarrays, as PyTorch's if some are, too; one `Tensor` among them makes
all results Tensors. What is handed back unchanged is then the object itself.
"""

from __future__ import annotations

import sys
from typing import Any

from tscript.abi.signature import Item, Signature, letters
from tscript.arrays import Array, is_array, np
from tscript.late import replace
from tscript.types import DType, TensorFacts, dtypes

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
        if isinstance(array, np.matrix):
            raise TypeError("a matrix has products of its own: pass np.asarray(matrix)")
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


def is_torch(value: object) -> bool:
    """Whether a value is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    # `install_as_torch` may have put our names there.
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ())) and hasattr(torch, "_C")


def plain_torch(tensor: Any) -> Any:
    """A tensor of PyTorch as native code takes it: itself, or the plain one of one of a subclass, such as a Parameter
    that needs no gradient.

    Raises:
        TypeError: Its memory cannot be shared; the message says what to pass.
    """
    if tensor.requires_grad:
        raise TypeError("it requires gradients: pass tensor.detach()")
    if tensor.device.type != "cpu":
        raise TypeError(f"it is on the device {tensor.device}: pass tensor.cpu()")
    torch = sys.modules["torch"]
    if tensor.layout is not torch.strided:
        raise TypeError("it is sparse: pass tensor.to_dense()")
    if tensor.dtype is torch.bfloat16:
        raise TypeError("NumPy has no bfloat16 to share it by: pass tscript.from_dlpack(tensor)")
    if tensor.dtype not in _torch_dtypes():
        instead = "tensor.real and tensor.imag" if tensor.dtype.is_complex else "tensor.to(torch.float32)"
        raise TypeError(f"a tensor cannot hold {tensor.dtype}: pass {instead}")
    if tensor.is_conj():
        raise TypeError("its elements are to be conjugated: pass tensor.resolve_conj()")
    if tensor.is_neg():
        raise TypeError("its elements are to be negated: pass tensor.resolve_neg()")
    return tensor if type(tensor) is torch.Tensor else tensor.detach().as_subclass(torch.Tensor)


def is_plain_torch(tensor: Any) -> bool:
    """Whether `plain_torch` gives it as it is."""
    return plain_torch(tensor) is tensor


def _torch_dtypes() -> dict[object, DType]:
    """Our dtypes by PyTorch's."""
    torch = sys.modules["torch"]
    return {getattr(torch, name): dtype for name, dtype in dtypes.BY_NAME.items() if dtype.letter}


def plain_shared(value: Any) -> Any:
    """What `plain_array` or `plain_torch` gives; any other value as it is."""
    if is_array(value):
        return plain_array(value)
    return plain_torch(value) if is_torch(value) else value


def facts_of(value: Any) -> TensorFacts | None:
    """What is known of a tensor over what `plain_shared` gave; None: it is neither an array nor a tensor of PyTorch."""
    if is_array(value):
        return TensorFacts(dtypes.BY_NAME[value.dtype.name], value.ndim)
    return TensorFacts(_torch_dtypes()[value.dtype], value.ndim) if is_torch(value) else None


def shared(signature: Signature, values: Any) -> Signature:
    """The signature of a call with arrays, or tensors of PyTorch, among the values for tensors.

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
    given = {letter for item in parameters for letter in letters(item)}
    result = signature.result
    if "T" not in given and not signature.has_objects:  # where values are converted, the stub knows what came
        result = _in_form(result, "H" if "H" in given else "A")
    return replace(signature, parameters=parameters, result=result)


def _taken(item: Item, value: Any) -> Item:
    """The item of a parameter for a value."""
    if isinstance(item, tuple):
        return tuple(map(_taken, item, value)) if isinstance(value, tuple) else item
    if item != "T":
        return item
    return "A" if is_array(value) else "H" if is_torch(value) else "T"


def _in_form(item: Item, letter: str) -> Item:
    """The item of a result that has others in place of tensors."""
    if isinstance(item, tuple):
        return tuple(_in_form(inner, letter) for inner in item)
    return letter if item == "T" else item
