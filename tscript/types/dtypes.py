"""Element types of tensors and PyTorch's promotion between them.

The codes are PyTorch's ``ScalarType`` numbers: they stand in tensors' headers, in archives and in signature keys.
"""

from __future__ import annotations

from tscript.late import dataclass


class Category:
    """Promotion categories, lowest first: a scalar operand changes a tensor's dtype only by a higher category."""

    BOOL = 0
    INTEGER = 1
    FLOAT = 2


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One element type. The instances below are the only ones; they compare by identity.

    Attributes:
        name: NumPy's and PyTorch's name, ``float32``.
        code: PyTorch's ScalarType number.
        category: For promotion, of `Category`.
        signed: Whether integers are signed (True for floats).
        itemsize: Bytes of one element.
        machine: Name in the low-level dialect and in IR text, ``f32``.
    """

    name: str
    code: int
    category: int
    signed: bool
    itemsize: int
    machine: str

    def __repr__(self) -> str:
        return f"tscript.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (dtype_of_code, (self.code,))

    @property
    def is_floating_point(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.category is Category.FLOAT

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers (bool is not one)."""
        return self.category is Category.INTEGER

    @property
    def is_signed(self) -> bool:
        """PyTorch's name for `signed`."""
        return self.signed


uint8 = DType("uint8", 0, Category.INTEGER, False, 1, "u8")
int8 = DType("int8", 1, Category.INTEGER, True, 1, "i8")
int16 = DType("int16", 2, Category.INTEGER, True, 2, "i16")
int32 = DType("int32", 3, Category.INTEGER, True, 4, "i32")
int64 = DType("int64", 4, Category.INTEGER, True, 8, "i64")
float32 = DType("float32", 6, Category.FLOAT, True, 4, "f32")
float64 = DType("float64", 7, Category.FLOAT, True, 8, "f64")
bool_ = DType("bool", 11, Category.BOOL, False, 1, "b8")

DTYPES: tuple[DType, ...] = (uint8, int8, int16, int32, int64, float32, float64, bool_)
BY_NAME: dict[str, DType] = {d.name: d for d in DTYPES}
BY_CODE: dict[int, DType] = {d.code: d for d in DTYPES}
ALIASES: dict[str, DType] = {
    "float": float32,
    "double": float64,
    "int": int32,
    "long": int64,
    "short": int16,
    "bool": bool_,
}
"""PyTorch's other names: ``torch.float`` is float32, ``torch.long`` is int64."""

DEFAULT_FLOAT = float32
"""What a Python float or a division of integers becomes (`torch.get_default_dtype()`)."""


def dtype_of_code(code: int) -> DType:
    """The dtype with PyTorch's ScalarType number `code`."""
    return BY_CODE[code]


def promote_dtypes(a: DType, b: DType) -> DType:
    """The dtype that holds both, as `torch.promote_types` says.

    Example:
        >>> promote_dtypes(uint8, int8)
        tscript.int16
    """
    if a is b:
        return a
    if a.category is not b.category:
        return a if a.category > b.category else b
    if a.category is Category.FLOAT or a.signed == b.signed:
        return a if a.itemsize >= b.itemsize else b
    signed, unsigned = (a, b) if a.signed else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return {1: int16, 2: int32}.get(unsigned.itemsize, int64)


def promote_numpy(a: DType, b: DType) -> DType:
    """The dtype that holds both, as `numpy.promote_types` says: integers of more than 16 bits need a float64.

    Example:
        >>> promote_numpy(int32, float32), promote_numpy(int16, float32)
        (tscript.float64, tscript.float32)
    """
    if a.category is not b.category and Category.FLOAT in (a.category, b.category):
        number, other = (a, b) if a.is_floating_point else (b, a)
        return float64 if other.itemsize > 2 else number
    return promote_dtypes(a, b)


def can_cast(source: DType, target: DType) -> bool:
    """Whether an in-place result of dtype `source` may go into `target`: no lower category (`torch.can_cast`)."""
    return source.category <= target.category
