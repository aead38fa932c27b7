"""Special methods of tensors: the slots of the type, and the functions behind them."""

from __future__ import annotations

BINARY: dict[str, int] = {
    "__add__": 7,
    "__and__": 8,
    "__floordiv__": 12,
    "__lshift__": 28,
    "__mul__": 29,
    "__or__": 31,
    "__mod__": 34,
    "__rshift__": 35,
    "__sub__": 36,
    "__truediv__": 37,
    "__xor__": 38,
    "__matmul__": 75,
    "__iadd__": 14,
    "__iand__": 15,
    "__ifloordiv__": 16,
    "__ilshift__": 17,
    "__imul__": 18,
    "__ior__": 19,
    "__imod__": 21,
    "__irshift__": 22,
    "__isub__": 23,
    "__itruediv__": 24,
    "__ixor__": 25,
    "__imatmul__": 76,
}
"""Special methods with two operands, and the numbers of their type slots (CPython's ``typeslots.h``, a stable ABI)."""

POWER: dict[str, int] = {"__pow__": 33, "__ipow__": 20}
UNARY: dict[str, int] = {
    "__abs__": 6,
    "__float__": 11,
    "__index__": 13,
    "__int__": 26,
    "__invert__": 27,
    "__neg__": 30,
    "__pos__": 32,
}
COMPARE: tuple[str, ...] = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
"""In the order of CPython's comparison codes."""

BOOL, LEN, GETITEM, SETITEM = "__bool__", "__len__", "__getitem__", "__setitem__"

ROW, CHOSEN, SET_CHOSEN = "x[int]", "x[Tensor]", "x[Tensor] = v"
FILL, COPY = "x[view] = number", "x[view] = Tensor"
READ, WRITE, FILL_PARTS = "x[parts]", "x[parts] = Tensor", "x[parts] = number"
"""The frequent ones of `GETITEM` and `SETITEM`, by the key; the others are behind the special methods."""

COMPLEX = "x op complex"
"""What slots with two operands call if one is a complex number of Python: with the function behind the slot, and the
operands."""

SLOTS: tuple[str, ...] = (
    *COMPARE,
    *BINARY,
    *POWER,
    *UNARY,
    BOOL,
    LEN,
    GETITEM,
    SETITEM,
    ROW,
    CHOSEN,
    SET_CHOSEN,
    FILL,
    COPY,
    READ,
    WRITE,
    FILL_PARTS,
    COMPLEX,
)
"""The slot table: entry n belongs to the n-th name. Comparisons come first, so that their code is their index."""

PROTOCOL: dict[str, int] = {
    "tsb_tensor_dealloc": 52,
    "tsb_tensor_hash": 59,
    "tsb_tensor_compare": 67,
    "tsb_tensor_bool": 9,
    "tsb_tensor_len": 4,
    "tsb_tensor_getitem": 5,
    "tsb_tensor_setitem": 3,
    "tsb_tensor_get_buffer": 1,
    "tsb_tensor_release_buffer": 2,
}
"""Functions of the type that have a form of their own, and the numbers of their slots."""

GETTERS: dict[str, tuple[str, str]] = {
    "ndim": ("tsb_tensor_ndim", "Number of dimensions."),
    "dtype": ("tsb_tensor_dtype", "Type of the elements."),
    "shape": ("tsb_tensor_shape", "Size of each dimension, as a tuple of ints."),
    "itemsize": ("tsb_tensor_itemsize", "Bytes of one element."),
    "nbytes": ("tsb_tensor_nbytes", "Bytes of all elements."),
    "_impl": ("tsb_tensor_impl", "Address of the native tensor."),
    "_role": ("tsb_tensor_role", "What it is to a module, as flags."),
    "_version": ("tsb_tensor_version", "How often the memory was written in place."),
}
"""Attributes of the type: the function that reads each, its documentation."""

METHODS: dict[str, tuple[str, str]] = {
    "numel": ("tsb_tensor_numel", "Number of elements."),
    "nelement": ("tsb_tensor_numel", "Number of elements."),
    "dim": ("tsb_tensor_ndim", "Number of dimensions."),
    "ndimension": ("tsb_tensor_ndim", "Number of dimensions."),
    "element_size": ("tsb_tensor_itemsize", "Bytes of one element."),
    "data_ptr": ("tsb_tensor_data_ptr", "Address of the first element."),
    "storage_offset": ("tsb_tensor_storage_offset", "Elements from the start of the storage to the first element."),
    "is_floating_point": ("tsb_tensor_is_floating_point", "Whether the elements are floating-point numbers."),
    "is_complex": ("tsb_tensor_is_complex", "Whether the elements are complex numbers."),
}
"""Methods of the type without arguments: the same."""

OPTIONAL: dict[str, tuple[str, str]] = {
    "size": ("tsb_tensor_size", "All sizes, or the one of a dimension."),
    "stride": ("tsb_tensor_stride", "All strides, in elements, or the one of a dimension."),
}
"""Methods of the type with an argument that may be left out: the same."""


def function_of(slot: str) -> str:
    """Symbol of the function behind a binary, power or unary slot."""
    return f"tsb_tensor_{slot.strip('_')}"
